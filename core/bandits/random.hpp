// Random numbers that depend only on a seed, a purpose and a round. So play can stop and continue,
// and rounds can be drawn in any order. A fresh SplitMix64 (Steele, Lea and Flood (2014)) for each.
#pragma once
#include <cmath>
#include <cstdint>

#include "splitmix.hpp"

namespace regretless::bandits {

class Stream {
 public:
  enum Purpose : std::uint64_t { choice, coin, world };  // the arm, the loss as 0 or 1, the losses
  Stream(std::uint64_t seed, Purpose purpose, double round)
      : state_(splitmix(splitmix(seed + kStep * (purpose + 1)) + kStep * std::uint64_t(round))) {}

  // in [0, 1)
  double uniform() { return double(splitmix(state_ += kStep) >> 11) * 0x1p-53; }
  // Marsaglia's polar method; the second number is not kept.
  double normal() {
    for (;;) {
      const double x = 2 * uniform() - 1, y = 2 * uniform() - 1, s = x * x + y * y;
      if (s > 0 && s < 1) return x * std::sqrt(-2 * std::log(s) / s);
    }
  }
  // Marsaglia and Tsang (2000); for shapes below 1 from the shape plus 1.
  double gamma(double shape) {
    if (shape < 1) {
      const double u = 1 - uniform();
      return gamma(shape + 1) * std::pow(u, 1 / shape);
    }
    const double d = shape - 1.0 / 3, c = 1 / std::sqrt(9 * d);
    for (;;) {
      const double x = normal(), root = 1 + c * x;
      if (root <= 0) continue;
      const double v = root * root * root, u = 1 - uniform();
      if (std::log(u) < x * x / 2 + d - d * v + d * std::log(v)) return d * v;
    }
  }
  // Its logarithm, even where the number itself would underflow.
  double log_gamma(double shape) {
    if (shape >= 1) return std::log(gamma(shape));
    const double u = 1 - uniform();
    return std::log(gamma(shape + 1)) + std::log(u) / shape;
  }
  // x / (1 - x) for x from Beta(a, b), or its logarithm. Both increase with x, and neither rounds
  // an x that is nearly 1 to 1.
  double beta_odds(double a, double b) {
    const double x = gamma(a);
    return x / gamma(b);
  }
  double beta_log_odds(double a, double b) {
    const double x = log_gamma(a);
    return x - log_gamma(b);
  }

 private:
  static constexpr std::uint64_t kStep = 0x9e3779b97f4a7c15;
  std::uint64_t state_;
};

}  // namespace regretless::bandits
