// A lower bound on the loss of every linear model of a given norm. It is made of sums of g x and of
// -l*(g): for lanes that search for the g with the largest bound (kernels_audit.cpp), and for the
// scores of a model. Recent examples are kept, and some are visited again with every new one.
#pragma once
#include <array>
#include <cstddef>
#include <memory>
#include <vector>

#include "audit/view.hpp"
#include "features.hpp"
#include "kernels.hpp"

namespace regretless {

class Audit {
 public:
  // A lane per norm and rate. memory: how many examples are kept; revisits: how many of them are
  // visited after each new one.
  Audit(Loss loss, const std::vector<double>& norms, const std::vector<double>& rates, bool scaled,
        int bits, std::size_t memory, std::size_t revisits);

  const Loss& loss() const { return loss_; }
  Features& features() { return features_; }
  int lanes() const { return lanes_; }
  int outputs() const { return outputs_; }
  bool classifies() const { return loss_.classification(); }

  // target: a number, or the class of the example; scores: one for each output, or null; after: the
  // next example, if it is known
  void learn(Example x, double target, double weight, const double* scores, Example after = {});
  void exchange();           // the two labels
  void extend(int outputs);  // with fresh lanes; one output of two labels is mirrored
  void start_pass();         // the same examples will come again

  // The terms of a bound: the sum of -l*(g) and the norm of the sum of g x, with their rounding
  // errors.
  struct Part {
    double value, value_error, norm, norm_error;
  };
  std::vector<Part> parts() const;  // of every lane, then of the model
  // For the squared loss and few features: sums of h x x', h y x and h y^2, in units of the scales.
  bool has_moments() const { return moments_; }
  std::vector<double> moments() const;

  double examples = 0, weight = 0, visits = 0, suffered = 0, scored = 0;
  std::array<double, 3> model{};  // kValue, kSize, kTravel

  // --- state
  class Kept {
   public:
    void put(Example x, double target, double weight);
    Example example() const {  // rows, then values
      return {reinterpret_cast<const std::uint32_t*>(data_.get()), values(), size_};
    }
    void fetch() const;  // will be needed soon
    double target = 0, weight = 0;

   private:
    float* values() const {
      return reinterpret_cast<float*>(data_.get() + size_ * sizeof(std::uint32_t));
    }
    std::unique_ptr<std::byte[]> data_;
    std::size_t size_ = 0, room_ = 0;
  };
  struct Row {
    const double* sums;
    const float* weights;
    float scale;
    const double* model;
  };
  Row row(std::size_t i) const;
  std::size_t rows() const { return bank_.rows(); }
  std::size_t bytes() const { return bank_.bytes(bank_.rows()); }
  void put_row(std::size_t i, const double* sums, const float* weights, float scale,
               const double* model);
  void keep(Example x, double target, double weight, const double* slopes, const double* values);
  const std::vector<Kept>& kept() const { return kept_; }
  std::vector<double>& slopes() { return slopes_; }
  std::vector<double>& values() { return values_; }
  std::vector<double>& scalars() { return scalars_; }
  std::vector<double>& moment_sums() { return sums_; }
  void put_moments(bool any, std::vector<double> sums) {
    moments_ = any;
    sums_ = std::move(sums);
  }
  void grow();
  double added = 0;  // examples ever kept
  double drawn = 0;  // numbers drawn for revisits

 private:
  static constexpr std::size_t kMostMoments = 512;  // features
  static Layout layout_of(int lanes, int outputs);
  std::size_t all_lanes() const { return std::size_t(lanes_) * std::size_t(outputs_); }
  AuditView view();
  void visit(Example x, bool fresh, double target, double weight, double* slopes, double* values,
             Example next);
  double target_of(double given, int output) const;
  void remember(Example x, double target, double weight);
  void take_scores(Example x, double target, double weight, const double* scores);
  void take_moments(Example x, double target, double weight);
  void rescale();
  std::size_t drawn_slot(std::size_t which) const;
  void fetch_drawn() const;

  Loss loss_;
  int lanes_, outputs_ = 1;
  bool scaled_, moments_;
  std::size_t memory_, revisits_;
  Features features_;
  Bank bank_;
  std::vector<double> scalars_;
  std::vector<Kept> kept_;
  std::vector<double> slopes_, values_;  // of the kept examples
  std::vector<double> sums_;             // the moments, packed
  std::vector<float> units_;
  std::vector<double> scores_, targets_, fresh_slopes_, fresh_values_;
  Kernels kernels_ = regretless::kernels();
};

}  // namespace regretless
