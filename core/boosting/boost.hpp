// Boosting of linear learners and of trees. The weak learners of a class are lanes of one model: all
// of them predict an example at once and learn it at once, each with the weight that depends on the
// votes before it (Luo (2016), section 3.1). More than two classes: one against the rest.
#pragma once
#include "boosting/ensembles.hpp"
#include "model.hpp"

namespace regretless {

class Boost : public Model {
 public:
  // weak: has a lane for each voter, of a class at a time; sampled: weak learners learn an example
  // with full weight or not at all, with the weight as the probability.
  Boost(std::unique_ptr<Model> weak, std::unique_ptr<Voting> voting, bool sampled,
        std::uint64_t seed);

  const Loss& loss() const override { return loss_; }  // of the score, which is the log-odds
  Features& features() override { return weak_->features(); }
  int lanes() const override { return int(ensembles_.lanes()); }
  double low() const override { return weak_->low(); }
  double high() const override { return weak_->high(); }

  void predict(const Batch& batch) const override;
  void learn(const Batch& batch, std::size_t offset = 0) override;
  void grow() override { weak_->grow(); }
  void relane(const std::vector<int>& sources, const std::vector<int>& signs) override;
  void extend(int count) override;
  void reserve(int classes) override { weak_->reserve(classes * voters()); }
  void pack() override { weak_->pack(); }

  using Model::weights;
  std::vector<double> weights(const Rows& rows) const override;  // the mean of the weak learners'
  double scalar(Scalar s, int lane) const override { return scalars_[std::size_t(lane)][s]; }
  std::vector<Part> parts() override { return weak_->parts(); }
  std::size_t bytes() const override { return weak_->bytes(); }
  std::vector<double> numbers() override;
  void restore_numbers(const double* numbers, std::size_t size) override;

  const Ensembles& ensembles() const { return ensembles_; }

 private:
  using Scalars = std::array<double, kScalars>;
  static void weigh(void* teaching, std::size_t t, const double* scores, double* importance);
  int voters() const { return int(ensembles_.voters()); }

  Loss loss_{LossKind::logistic, 0};
  Ensembles ensembles_;  // a lane per class
  bool sampled_;
  std::uint64_t seed_;
  std::unique_ptr<Model> weak_;
  std::vector<Scalars> scalars_;
  mutable std::vector<double> scores_;
  std::vector<double> found_, targets_;  // scores and labels of an example, by class
};

}  // namespace regretless
