// Regression stumps (Luo (2016), section 3.2.5): every feature has a line that is learned by
// itself. The best line among the features of the example predicts.
//
//   line     w z + b, |w| + |b| <= bound; z is the value, the range seen so far mapped to [-1, 1]
//   step     (w, b) -= eta g (z, 1), projected, eta = rate sqrt(2) bound / sqrt(sum |g (z, 1)|^2)
//   record   by how much the line is ahead of the best constant, per example with the feature
#pragma once
#include <cfloat>

#include "boosting/weak_learner.hpp"

namespace regretless {

class Stumps : public WeakLearner {
 public:
  Stumps(double bound, double rate) : WeakLearner(bound), rate_(rate), lines_(kWidth) {}

  double predict(const Example& x) const override {
    const std::size_t best = leader(x);
    return best == x.size ? lines_[0][kConstant] : at(lines_[x.rows[best]], x.values[best]);
  }
  void learn(const Example& x, const Task& task, double h) override {
    const double constant = lines_[0][kConstant], base = task.value(constant);
    for (std::size_t j = 0; j < x.size; ++j) {
      const double value = x.values[j];
      if (value == 0) continue;
      double* f = lines_[x.rows[j]];
      if (f[kSeen] == 0) f[kConstant] = constant, f[kLow] = f[kHigh] = value;
      const double v = at(f, value);
      f[kGain] += h * (base - task.value(v));
      f[kSeen] += h;
      f[kLow] = std::min(f[kLow], value);
      f[kHigh] = std::max(f[kHigh], value);
      step(f, place(f, value), h * task.derivative(v));
    }
    step(lines_[0], 0, h * task.derivative(constant));
  }
  void grow(std::size_t rows) override { lines_.grow(rows); }

  std::uint32_t chosen(const Example& x) const override {
    const std::size_t best = leader(x);
    return best == x.size ? 0 : x.rows[best];
  }

  std::size_t rows() const override { return lines_.rows(); }

  void restore(const double* state, std::size_t size) override {
    require(size >= 1 + kWidth && (size - 1) % kWidth == 0, "the state is of another learner");
    lines_ = RowTable(kWidth);
    lines_.grow((size - 1) / kWidth);
    WeakLearner::restore(state, size);
  }

 protected:
  Parts parts() override { return {bound_part(), Field::number("lines", lines_.data())}; }
  void check() override {
    WeakLearner::check();
    for (std::size_t row = 0; row < lines_.rows(); ++row) {
      const double* f = lines_[row];
      require(std::fabs(f[kWeight]) + std::fabs(f[kConstant]) <= (1 + 1e-6) * bound_,
              "a line leaves the bound");
      require(f[kLow] <= f[kHigh] && f[kLow] >= -FLT_MAX && f[kHigh] <= FLT_MAX,
              "a line has no range of values");
      require(f[kSquares] >= 0 && f[kSeen] >= 0, "a line has sums that are negative");
    }
  }

 private:
  enum : std::size_t { kWeight, kConstant, kLow, kHigh, kSquares, kGain, kSeen, kWidth };

  // The entry of x whose feature predicts; x.size if the constant does.
  std::size_t leader(const Example& x) const {
    std::size_t best = x.size;
    double most = 0;
    for (std::size_t j = 0; j < x.size; ++j) {
      if (x.values[j] == 0) continue;
      const double* f = lines_[x.rows[j]];
      if (f[kGain] > most * f[kSeen]) best = j, most = f[kGain] / f[kSeen];
    }
    return best;
  }
  static double place(const double* f, double value) {
    const double half = (f[kHigh] - f[kLow]) / 2;
    return half > 0 ? std::clamp((value - f[kLow]) / half - 1, -1.0, 1.0) : 0;
  }
  static double at(const double* f, double value) {
    return f[kWeight] * place(f, value) + f[kConstant];
  }
  void step(double* f, double z, double g) const {
    f[kSquares] += g * g * (1 + z * z);
    if (f[kSquares] == 0) return;
    const double eta = rate_ * std::sqrt(2.0) * bound_ / std::sqrt(f[kSquares]);
    project(f[kWeight] - eta * g * z, f[kConstant] - eta * g, f);
  }
  // Projects onto |w| + |b| <= bound: both sizes shrink by the same amount, at most to 0.
  void project(double w, double b, double* f) const {
    const double p = std::fabs(w), q = std::fabs(b);
    const double shrink = std::clamp((p + q - bound_) / 2, 0.0, std::min(p, q));
    f[kWeight] = std::copysign(std::min(p - shrink, bound_), w);
    f[kConstant] = std::copysign(std::min(q - shrink, bound_), b);
  }

  double rate_;
  RowTable lines_;  // row 0 is that of the constant
};

}  // namespace regretless
