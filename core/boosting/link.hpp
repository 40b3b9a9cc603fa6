// The log-odds of label 1, given what the voters of a booster say: logistic regression on three
// inputs, learned online. The inputs x are the margin of the vote, divided by the root of its mean
// square; the mean of the voters' raw scores; and the raw score of the first voter, which learns all
// examples with the same weight. It starts as the first voter alone: w = (0, 0, 1). With
// p = 1 / (1 + e^-w.x), importance h, label y = -1 or 1, and g the chance of the other label,
//
//   M <- (1 - 1/2000) M + h g / 2 x x',   w <- w + h g y (I + M)^-1 x
//
// This is Newton's method, as g is 2 p (1 - p) on average if p is right; it forgets because the
// voters improve. A step never moves the log-odds of its own example by more than 2. Raw scores are
// taken for log-odds. If their mean square is above 5^2, they are made smaller.
#pragma once
#include <algorithm>
#include <array>
#include <cmath>

#include "state.hpp"

namespace regretless {

class Link : public Stateful {
 public:
  static constexpr std::size_t kSize = 3;
  using Vector = std::array<double, kSize>;  // margin, mean of the scores, first score

  double log_odds(const Vector& inputs) const { return product(weights_, placed(inputs)); }
  // y is -1 or 1, h > 0 its importance.
  void learn(const Vector& inputs, double y, double h) {
    const Vector x = placed(inputs);
    const double g = h / (1 + std::exp(y * product(weights_, x)));
    for (std::size_t i = 0; i < kSize; ++i)
      for (std::size_t j = 0; j < kSize; ++j) {
        double& m = matrix_[i * kSize + j];
        m += g / 2 * x[i] * x[j] - m / kMemory;
      }
    const Vector step = solve(x);
    for (std::size_t i = 0; i < kSize; ++i) weights_[i] += y * g * step[i];
    rounds_ += 1;
    for (std::size_t i = 0; i < kSize; ++i) squares_[i] += inputs[i] * inputs[i];
  }

 protected:
  Parts parts() override {
    return {Field::count("rounds of the link", rounds_),
            Field::positive("squares of the link", {squares_.data(), kSize}),
            Field::number("weights of the link", {weights_.data(), kSize}, -1e100, 1e100),
            Field::number("matrix of the link", {matrix_.data(), matrix_.size()}, -1e100, 1e100)};
  }
  void check() override {
    for (std::size_t i = 0; i < kSize; ++i)
      for (std::size_t j = 0; j < kSize; ++j)
        require(near(matrix_[i * kSize + j], matrix_[j * kSize + i]),
                "the matrix of the link is not symmetric");
    for (const double v : solve({1, 1, 1}))
      require(std::isfinite(v), "the matrix of the link is not positive");
  }

 private:
  static constexpr double kMemory = 2000, kUsual = 5;

  static double product(const Vector& a, const Vector& b) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
  }
  // The present inputs count for the mean squares, too: none is more than sqrt(rounds + 1) of them.
  Vector placed(const Vector& inputs) const {
    Vector x;
    for (std::size_t i = 0; i < kSize; ++i) {
      const double size = std::sqrt((squares_[i] + inputs[i] * inputs[i]) / (rounds_ + 1));
      const double unit = i == 0 ? size : std::max(1.0, size / kUsual);
      x[i] = unit > 0 ? inputs[i] / unit : 0;
    }
    return x;
  }
  // The solution v of (I + M) v = x, by Cholesky's method.
  Vector solve(Vector x) const {
    std::array<double, kSize * kSize> root;
    for (std::size_t i = 0; i < kSize; ++i) {
      for (std::size_t j = 0; j <= i; ++j) {
        double rest = matrix_[i * kSize + j] + double(i == j);
        for (std::size_t k = 0; k < j; ++k) rest -= root[i * kSize + k] * root[j * kSize + k];
        root[i * kSize + j] = i == j ? std::sqrt(rest) : rest / root[j * kSize + j];
      }
      for (std::size_t k = 0; k < i; ++k) x[i] -= root[i * kSize + k] * x[k];
      x[i] /= root[i * kSize + i];
    }
    for (std::size_t i = kSize; i-- > 0;) {
      for (std::size_t k = i + 1; k < kSize; ++k) x[i] -= root[k * kSize + i] * x[k];
      x[i] /= root[i * kSize + i];
    }
    return x;
  }

  double rounds_ = 0;
  Vector squares_{}, weights_{0, 0, 1};
  std::array<double, kSize * kSize> matrix_{};
};

}  // namespace regretless
