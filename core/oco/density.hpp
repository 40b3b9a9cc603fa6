// A density over finitely many points (Luo (2016), Algorithm 25): point i, whose losses exceed
// those suffered by s_i, has the weight
//
//   p_i ~ Phi_t(s_i - 1) - Phi_t(s_i + 1)
//
// for the potentials e^{-eta s}, min(s, 0)^2 and exp(min(s, 0)^2 / (3 t)).
#pragma once
#include <algorithm>
#include <cmath>
#include <vector>

#include "oco/geometry.hpp"

namespace regretless::oco {

struct Density {
  enum Potential { exponential, two_norm, normal_hedge_dt };
  Potential potential = normal_hedge_dt;
  double rate = 0;  // eta

  void weights(const double* s, std::size_t n, double t, double* p) const {
    switch (potential) {
      case exponential: {
        const double least = *std::min_element(s, s + n);
        for (std::size_t i = 0; i < n; ++i) p[i] = std::exp(rate * (least - s[i]));
        break;
      }
      case two_norm:
        for (std::size_t i = 0; i < n; ++i) p[i] = square(s[i] - 1) - square(s[i] + 1);
        break;
      case normal_hedge_dt: {
        // e^a - e^b = - e^a (e^{b - a} - 1), divided by the largest e^a
        const double by = 3 * t, most = square(*std::min_element(s, s + n) - 1) / by;
        for (std::size_t i = 0; i < n; ++i) {
          const double a = square(s[i] - 1) / by, b = square(s[i] + 1) / by;
          p[i] = -std::exp(a - most) * std::expm1(b - a);
        }
        break;
      }
    }
    double sum = 0;
    for (std::size_t i = 0; i < n; ++i) sum += p[i];
    // all points are behind by 1 or more: the bound holds for any weights
    for (std::size_t i = 0; i < n; ++i) p[i] = sum > 0 ? p[i] / sum : 1 / double(n);
  }

 private:
  static double square(double s) { return s < 0 ? s * s : 0; }
};

// Plays the rounds after the first `before`. `values` has a row of n losses per round, and their
// weighted mean is suffered. Updates the scores s; `played` gets the weighted means of the n
// points, d numbers each.
inline void play(const Density& density, double before, const double* values, std::size_t count,
                 const double* points, std::size_t n, std::size_t d, double* s, double* losses,
                 double* played) {
  std::vector<double> p(n);
  for (std::size_t t = 0; t < count; ++t) {
    const double* f = values + t * n;
    density.weights(s, n, before + double(t) + 1, p.data());
    std::fill_n(played + t * d, d, 0.0);
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t k = 0; k < d; ++k) played[t * d + k] += p[i] * points[i * d + k];
    losses[t] = dot(p.data(), f, n);
    for (std::size_t i = 0; i < n; ++i) s[i] += f[i] - losses[t];
  }
}

}  // namespace regretless::oco
