// A weak learner by itself, and many of them boosted, as models of a number.
#pragma once
#include <functional>

#include "boosting/stages.hpp"
#include "model.hpp"

namespace regretless {

// A model that is not linear: it has one lane and takes one example after the other.
class OneByOne : public Model {
 public:
  // Labels are the targets -1 and 1, for losses of classification, too.
  const Loss& loss() const override { return targets_; }
  Features& features() override { return features_; }
  int lanes() const override { return 1; }

  void predict(const Batch& batch) const override {
    for (std::size_t t = 0; t < batch.size; ++t) batch.scores[t] = score(batch.example(t));
  }
  void learn(const Batch& batch, std::size_t) override {
    grow();
    for (std::size_t t = 0; t < batch.size; ++t) {
      const Example x = batch.example(t);
      const double y = batch.targets[t], h = batch.importance ? batch.importance[t] : 1;
      const double before = score(x), suffered = loss_.value(before, y);
      if (batch.scores) batch.scores[t] = before;
      if (batch.losses) batch.losses[t] = suffered;
      if (h == 0) continue;
      absorb(x, y, h);
      count(h, suffered);
    }
  }
  void relane(const std::vector<int>& sources, const std::vector<int>&) override {
    if (sources.size() != 1) throw std::invalid_argument("the lanes are of another model");
  }
  std::vector<double> weights(const Rows&) const override { return {}; }
  std::vector<Part> parts() override { return {}; }
  double scalar(Scalar s, int) const override {
    return s == kRounds || s == kUpdates ? totals_[0]
           : s == kLoss                  ? totals_[1]
           : s == kWeights               ? totals_[2]
                                         : 0;
  }
  std::vector<double> numbers() override {
    std::vector<double> all(totals_, totals_ + 3);
    for (Stateful* part : made_of()) {
      const std::vector<double> state = part->state();
      all.push_back(double(state.size()));
      all.insert(all.end(), state.begin(), state.end());
    }
    return all;
  }
  void restore_numbers(const double* numbers, std::size_t size) override {
    std::size_t used = 3;
    const char* other = "the numbers are of another model";
    require(size >= used, other);
    double totals[3] = {numbers[0], numbers[1], numbers[2]};
    Field::count("examples", totals[0]).check();
    Field::number("loss", totals[1]).check();
    Field::positive("weights", totals[2]).check();
    for (Stateful* part : made_of()) {
      require(size > used, other);
      double length = numbers[used++];
      Field::count("length of a part", length, double(size - used)).check();
      part->restore(numbers + used, std::size_t(length));
      used += std::size_t(length);
      const auto* learner = dynamic_cast<WeakLearner*>(part);
      require(!learner || learner->rows() <= features_.size(), other);
    }
    require(used == size, other);
    std::copy_n(totals, 3, totals_);
  }

 protected:
  explicit OneByOne(Loss loss) : loss_(loss) {}
  virtual double score(const Example& x) const = 0;
  virtual void absorb(const Example& x, double y, double h) = 0;
  virtual std::vector<Stateful*> made_of() = 0;
  void count(double h, double suffered) {
    totals_[0] += 1, totals_[1] += std::min(h * suffered, kWorst), totals_[2] += h;
  }

  Loss loss_, targets_{LossKind::squared};
  Features features_;
  double totals_[3] = {};  // examples, losses, importance
};

// One weak learner, for the squared loss or for slopes. A bound of 0 stands for the largest target,
// or for 1 with slopes.
class WeakModel : public OneByOne {
 public:
  WeakModel(Loss loss, std::unique_ptr<WeakLearner> learner)
      : OneByOne(loss), learner_(std::move(learner)), grows_(learner_->bound() == 0) {}

  void learn_slope(const Batch& one, double slope, double h) {
    grow();
    const Example x = one.example(0);
    const double suffered = slope * score(x);
    if (grows_) learner_->widen(1);
    learner_->learn(x, {slope}, h);
    count(h, suffered);
  }
  const WeakLearner& learner() const { return *learner_; }
  void grow() override { learner_->grow(features_.size()); }

 private:
  double score(const Example& x) const override { return learner_->predict(x); }
  void absorb(const Example& x, double y, double h) override {
    if (grows_) learner_->widen(std::fabs(y));
    learner_->learn(x, {0, &loss_, y}, h);
  }
  std::vector<Stateful*> made_of() override { return {learner_.get()}; }

  std::unique_ptr<WeakLearner> learner_;
  bool grows_;
};

// Boosted weak learners. The loss of the model is measured in the units of the targets.
class BoostedModel : public OneByOne {
 public:
  BoostedModel(const StageOptions& options,
               const std::function<std::unique_ptr<WeakLearner>(std::size_t)>& make)
      : OneByOne(options.loss),
        stages_(options),
        votes_(options.n),
        sums_(options.n + 1),
        tasks_(options.n) {
    for (std::size_t i = 0; i < options.n; ++i) learners_.push_back(make(i));
  }
  void grow() override {
    for (const auto& each : learners_) each->grow(features_.size());
  }
  const Stages& stages() const { return stages_; }
  // For the last example: the predictions of the weak learners, and y^0 to y^N.
  const std::vector<double>& votes() const { return votes_; }
  const std::vector<double>& sums() const { return sums_; }

 private:
  double score(const Example& x) const override {
    for (std::size_t i = 0; i < learners_.size(); ++i) votes_[i] = learners_[i]->predict(x);
    stages_.combine(votes_.data(), sums_.data());
    return stages_.shown(sums_.back());
  }
  // Call `score` with the same example before.
  void absorb(const Example& x, double y, double h) override {
    stages_.learn(sums_.data(), y, h, tasks_.data());
    for (std::size_t i = 0; i < learners_.size(); ++i) learners_[i]->learn(x, tasks_[i], h);
  }
  std::vector<Stateful*> made_of() override {
    std::vector<Stateful*> all{&stages_};
    for (const auto& each : learners_) all.push_back(each.get());
    return all;
  }

  Stages stages_;
  std::vector<std::unique_ptr<WeakLearner>> learners_;
  mutable std::vector<double> votes_, sums_;
  std::vector<Task> tasks_;
};

}  // namespace regretless
