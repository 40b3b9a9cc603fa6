// Decision stumps predict by the one feature whose value says most about the label. A value is
// absent, below the mean of the values seen, or not below it. Each case votes for the label that it
// came with more often, by weight.
#pragma once
#include "boosting/weak_learner.hpp"

namespace regretless {

class DecisionStump : public WeakLearner {
 public:
  explicit DecisionStump(double bound) : WeakLearner(bound), counts_(kWidth) {}

  double predict(const Example& x) const override {
    const double* f = counts_[std::size_t(best_)];
    int value = kAbsent;
    for (std::size_t j = 0; j < x.size; ++j)
      if (x.values[j] != 0 && x.rows[j] == std::size_t(best_)) value = side(f, x.values[j]);
    return balance(f, value) < 0 ? -bound_ : bound_;
  }
  // The label is the sign towards which the loss falls at 0; its weight is the slope.
  void learn(const Example& x, const Task& task, double h) override {
    const double g = -h * task.derivative(0);
    total_ += g;
    for (std::size_t j = 0; j < x.size; ++j) {
      const double value = x.values[j];
      if (value == 0) continue;
      double* f = counts_[x.rows[j]];
      f[kSum] += h * value;
      f[kSeen] += h;
      f[side(f, value)] += g;
    }
    double most = -1;
    for (std::size_t row = 0; row < counts_.rows(); ++row) {
      const double* f = counts_[row];
      const double right =
          std::fabs(f[kBelow]) + std::fabs(f[kAbove]) + std::fabs(balance(f, kAbsent));
      if (right > most) most = right, best_ = double(row);
    }
  }
  void grow(std::size_t rows) override { counts_.grow(rows); }
  std::uint32_t chosen(const Example&) const override { return std::uint32_t(best_); }

  std::size_t rows() const override { return counts_.rows(); }

  void restore(const double* state, std::size_t size) override {
    require(size >= 3 + kWidth && (size - 3) % kWidth == 0, "the state is of another learner");
    counts_ = RowTable(kWidth);
    counts_.grow((size - 3) / kWidth);
    WeakLearner::restore(state, size);
  }

 protected:
  Parts parts() override {
    return {bound_part(), Field::number("total", total_),
            Field::count("best", best_, double(counts_.rows()) - 1),
            Field::number("counts", counts_.data())};
  }
  void check() override {
    WeakLearner::check();
    for (std::size_t row = 0; row < counts_.rows(); ++row)
      require(counts_[row][kSeen] >= 0, "a feature was seen less than never");
  }

 private:
  // by feature: weight of label 1 minus weight of label -1, below the mean and not below it
  enum : int { kBelow, kAbove, kSum, kSeen, kWidth, kAbsent };

  static int side(const double* f, double value) {
    return value * f[kSeen] < f[kSum] ? kBelow : kAbove;
  }
  double balance(const double* f, int value) const {
    return value == kAbsent ? total_ - f[kBelow] - f[kAbove] : f[value];
  }

  double total_ = 0;  // weight of label 1 minus weight of label -1
  double best_ = 0;
  RowTable counts_;
};

}  // namespace regretless
