// Lanes that differ in how they learn, mixed into one score for each class.
#pragma once
#include <memory>
#include <string>

#include "learner.hpp"
#include "mixing/mixing.hpp"
#include "newton/lanes.hpp"

namespace regretless {

// How a lane learns.
struct Candidate {
  bool coin = false;
  double rate = 1;  // of a coin, its wealth
  double invariant = 0, decay = 0;
};

// A retired lane: its number, the round in which it retired, and its loss until then, over all
// classes.
struct Retired {
  int lane;
  double rounds, loss;
};

class Auto : public Model {
 public:
  // newton: the lanes that take Newton steps; they come after the candidates.
  Auto(Loss loss, const std::vector<Candidate>& candidates, const NewtonOptions& newton,
       double lipschitz, double share, int bits, std::uint32_t remembered,
       Kernels kernels = regretless::kernels());

  const Loss& loss() const override { return loss_; }
  Features& features() override { return parts_[0].features(); }
  int lanes() const override { return int(mixings_.size()); }

  void predict(const Batch& batch) const override;
  void learn(const Batch& batch, std::size_t offset = 0) override;
  void grow() override;
  void relane(const std::vector<int>& sources, const std::vector<int>& signs) override;
  void extend(int count) override;
  void reserve(int classes) override;
  void pack() override;

  using Model::weights;
  std::vector<double> weights(const Rows& rows) const override;
  double scalar(Scalar s, int lane) const override;
  std::vector<Part> parts() override;
  std::vector<double> numbers() override;
  void restore_numbers(const double* numbers, std::size_t size) override;

  // The scores of all lanes for an example: a row per class.
  std::vector<double> lane_scores(const Batch& example) const;
  Mixing& mixing(int lane) { return mixings_[std::size_t(lane)]; }
  std::vector<int> alive() const;  // the numbers of the lanes that are mixed
  const std::vector<Retired>& retired() const { return retired_; }

 private:
  // The first trial of lanes lasts so many rounds; each later one ends when rounds have doubled.
  static constexpr double kTrial = 16000;

  // Gives the lanes of a part, from `first` on, the options of their candidates.
  void start(std::size_t p, int first = 0);
  void check(int classes) const;
  void score_lanes(const Batch& batch) const;
  void look(const Batch& batch, std::size_t t, int lane, double* to) const;
  void learn_some(const Batch& batch, std::size_t offset);
  void retire();
  void drop(const std::vector<int>& gone);

  Loss loss_;
  double share_;
  Kernels kernels_;
  std::vector<Candidate> candidates_;
  // The numbers of the lanes of each part, and of each space of Newton's lanes.
  std::vector<std::vector<int>> numbers_;
  std::vector<Learner> parts_;
  mutable NewtonLanes newton_;  // scratch
  double trial_ = kTrial;
  std::vector<std::vector<double>> earlier_;  // losses at the last trial, by class
  std::vector<Retired> retired_;
  mutable std::vector<Mixing> mixings_;  // scratch
  mutable std::vector<std::vector<double>> scores_;
};

}  // namespace regretless
