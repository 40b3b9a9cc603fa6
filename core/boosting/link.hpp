// The log-odds of each label, given what its voters say: logistic regression on three inputs,
// learned online. The inputs x are the margin of the vote, divided by the root of its mean square;
// the mean of the voters' raw scores; and the raw score of the first voter, for which all examples
// weigh the same. The weights of label c are v + u_c: v for all labels, u_c for what is special to
// one. At first v = (0, 0, 1), the first voter alone, and u_c = 0. With p = 1 / (1 + e^-(v + u_c).x),
// importance h, y = 1 for the label and -1 for another, and g the probability of the contrary,
//
//   M <- (1 - 1/2000) M + h g / 2 x x',   v <- v + h g y (I + M)^-1 x,   the same for u_c with 30 I
//
// This is Newton's method, as g is 2 p (1 - p) on average if p is right. It forgets, because voters
// improve. Raw scores are taken for log-odds; if their mean square is above 5^2 they are made
// smaller.
#pragma once
#include <algorithm>
#include <array>
#include <cmath>

#include "state.hpp"

namespace regretless {

class Link : public Stateful {
 public:
  static constexpr std::size_t kSize = 3, kSquare = kSize * kSize;
  using Vector = std::array<double, kSize>;  // margin, mean of the scores, first score

  Link() { relane({-1}); }
  std::size_t lanes() const { return weights_.size() / kSize - 1; }
  void relane(const std::vector<int>& sources) {
    std::vector<double> weights{0, 0, 1}, matrices(kSquare);
    if (!weights_.empty()) {
      std::copy_n(weights_.begin(), kSize, weights.begin());
      std::copy_n(matrices_.begin(), kSquare, matrices.begin());
    }
    for (const int source : sources) {
      const auto from = std::size_t(source + 1);  // 0 is what all lanes share
      weights.resize(weights.size() + kSize), matrices.resize(matrices.size() + kSquare);
      if (source < 0) continue;
      std::copy_n(weights_.begin() + long(from * kSize), kSize, weights.end() - long(kSize));
      std::copy_n(matrices_.begin() + long(from * kSquare), kSquare,
                  matrices.end() - long(kSquare));
    }
    weights_ = std::move(weights), matrices_ = std::move(matrices);
  }
  void extend(int count) {
    weights_.resize(weights_.size() + kSize * std::size_t(count));
    matrices_.resize(matrices_.size() + kSquare * std::size_t(count));
  }

  double log_odds(std::size_t lane, const Vector& inputs) const {
    return along(lane, placed(inputs));
  }
  // y is -1 or 1, h > 0 its importance.
  void learn(std::size_t lane, const Vector& inputs, double y, double h) {
    const Vector x = placed(inputs);
    const double g = h / (1 + std::exp(y * along(lane, x)));
    step(0, 1, x, g, y);
    step(lane + 1, kOwn, x, g, y);
    rounds_ += 1;
    for (std::size_t i = 0; i < kSize; ++i) squares_[i] += inputs[i] * inputs[i];
  }

 protected:
  Parts parts() override {
    return {Field::count("rounds of the link", rounds_),
            Field::positive("squares of the link", {squares_.data(), kSize}),
            Field::number("weights of the link", weights_, -1e100, 1e100),
            Field::number("matrices of the link", matrices_, -1e100, 1e100)};
  }
  void check() override {
    for (std::size_t k = 0; k <= lanes(); ++k) {
      const double* m = matrices_.data() + k * kSquare;
      for (std::size_t i = 0; i < kSize; ++i)
        for (std::size_t j = 0; j <= i; ++j) {
          const double v = m[i * kSize + j], most = m[i * kSize + i] * m[j * kSize + j];
          require(v == m[j * kSize + i], "a matrix of the link is not symmetric");
          require(m[i * kSize + i] >= 0 && v * v <= (1 + 1e-6) * most + 1e-300,
                  "a matrix of the link is not positive");
        }
    }
  }

 private:
  static constexpr double kMemory = 2000, kUsual = 5, kOwn = 30;

  double along(std::size_t lane, const Vector& x) const {
    const double *shared = weights_.data(), *own = shared + (lane + 1) * kSize;
    return (shared[0] + own[0]) * x[0] + (shared[1] + own[1]) * x[1] + (shared[2] + own[2]) * x[2];
  }
  // The present inputs count for the mean squares, too: none is above the root of rounds + 1.
  Vector placed(const Vector& inputs) const {
    Vector x;
    for (std::size_t i = 0; i < kSize; ++i) {
      const double size = std::sqrt((squares_[i] + inputs[i] * inputs[i]) / (rounds_ + 1));
      const double unit = i == 0 ? size : std::max(1.0, size / kUsual);
      x[i] = unit > 0 ? inputs[i] / unit : 0;
    }
    return x;
  }
  void step(std::size_t k, double ridge, const Vector& x, double g, double y) {
    double *m = matrices_.data() + k * kSquare, *w = weights_.data() + k * kSize;
    for (std::size_t i = 0; i < kSize; ++i)
      for (std::size_t j = 0; j < kSize; ++j)
        m[i * kSize + j] += g / 2 * (x[i] * x[j]) - m[i * kSize + j] / kMemory;
    const Vector moved = solve(m, ridge, x);
    for (std::size_t i = 0; i < kSize; ++i) w[i] += y * g * moved[i];
  }
  // The solution of (ridge I + M) v = x, by Cholesky's method. No pivot is below the ridge, but where
  // M is large and near singular rounding could take it there.
  static Vector solve(const double* m, double ridge, Vector x) {
    std::array<double, kSquare> root;
    for (std::size_t i = 0; i < kSize; ++i) {
      for (std::size_t j = 0; j <= i; ++j) {
        double rest = m[i * kSize + j] + (i == j ? ridge : 0);
        for (std::size_t k = 0; k < j; ++k) rest -= root[i * kSize + k] * root[j * kSize + k];
        root[i * kSize + j] =
            i == j ? std::sqrt(std::max(rest, ridge)) : rest / root[j * kSize + j];
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

  double rounds_ = 0;  // of all lanes
  Vector squares_{};
  std::vector<double> weights_, matrices_;  // shared ones, then those of each lane
};

}  // namespace regretless
