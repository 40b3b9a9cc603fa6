// The leaders of linear losses, which have a closed form: with theta = - sum z,
//
//   regularised:  w_{t+1} = argmin psi(w) / eta_t + <w, sum_{i <= t} z_i> = P( link(eta_t theta) )
//   plain:        w_{t+1} = argmax <w, theta>, and w_1 where theta is 0
#pragma once
#include <optional>

#include "oco/geometry.hpp"

namespace regretless::oco {

struct Leader {
  std::optional<Geometry> geometry;  // none: plain
  Domain domain;
  std::vector<double> first;  // w_1

  void find(const double* theta, double eta, double* w) const {
    const std::size_t d = first.size();
    if (geometry) {
      geometry->link(theta, eta, w, d);
      domain.project(w, d);
    } else if (largest(theta, d) > 0) {
      domain.maximiser(theta, w, d);
    } else {
      std::copy_n(first.data(), d, w);
    }
  }
};

// For each of `count` gradients: the leader after it, and its squared dual norm (0 without a
// geometry). theta is updated.
inline void lead(const Leader& leader, double* theta, const double* rows, const double* eta,
                 std::size_t count, double* points, double* squares) {
  const std::size_t d = leader.first.size();
  for (std::size_t t = 0; t < count; ++t) {
    const double* z = rows + t * d;
    for (std::size_t i = 0; i < d; ++i) theta[i] -= z[i];
    leader.find(theta, eta[t], points + t * d);
    squares[t] = leader.geometry ? leader.geometry->dual_square(z, d) : 0;
  }
}

}  // namespace regretless::oco
