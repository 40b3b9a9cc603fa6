// Lanes that differ in how they learn, mixed into one score for each class.
#pragma once
#include <memory>
#include <string>

#include "learner.hpp"
#include "mixing/mixing.hpp"

namespace regretless {

// How a lane learns.
struct Candidate {
  bool coin = false;
  double rate = 1;  // or wealth
  double invariant = 0, decay = 0;
};

class Auto : public Model {
 public:
  Auto(Loss loss, const std::vector<Candidate>& candidates, double lipschitz, double share,
       int bits, std::uint32_t remembered);

  const Loss& loss() const override { return loss_; }
  Features& features() override { return parts_[0].features(); }
  int lanes() const override { return int(mixings_.size()); }

  void predict(const Batch& batch) const override;
  void learn(const Batch& batch, std::size_t offset = 0) override;
  void grow() override;
  void relane(const std::vector<int>& sources, const std::vector<int>& signs) override;

  std::vector<double> weights() const override;
  double scalar(Scalar s, int lane) const override;
  std::vector<Learner*> banks() override;
  std::vector<double> numbers() override;
  void restore_numbers(const double* numbers, std::size_t size) override;

  // What the lanes score an example, class by class: rows of as many as are mixed.
  std::vector<double> lane_scores(const Batch& example) const;
  Mixing& mixing(int lane) { return mixings_[std::size_t(lane)]; }

 private:
  // The scores that the parts have of an example, put where the mixing of a class wants them.
  void gather(std::size_t t, int lane, double* to) const;
  void score_lanes(const Batch& batch) const;

  Loss loss_;
  double share_;
  std::vector<std::vector<Candidate>> candidates_;  // by part
  std::vector<Learner> parts_;
  mutable std::vector<Mixing> mixings_;  // scratch
  mutable std::vector<std::vector<double>> scores_;
};

}  // namespace regretless
