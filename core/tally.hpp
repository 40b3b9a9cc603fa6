// Counts predicted probabilities and outcomes in bins, for AUC and calibration.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstddef>

namespace regretless {

// Adds weights to `ranks`, by log-odds from -reach to reach: `bins` for negatives, then `bins` for
// positives; and to `shares`, by probability: `parts` weights, `parts` weights times probability
// and `parts` weights of positives. Probabilities are in [0, 1].
inline void tally(const double* probability, const bool* positive, const double* weight,
                  std::size_t count, double reach, double* ranks, std::size_t bins, double* shares,
                  std::size_t parts) {
  const double per_unit = double(bins) / (2 * reach), last = double(bins - 1);
  for (std::size_t t = 0; t < count; ++t) {
    const double p = probability[t], w = weight[t];
    const double inside = std::clamp(p, 1e-8, 1 - 1e-8);  // finite log-odds, beyond the last bins
    const double place = (std::log(inside / (1 - inside)) + reach) * per_unit;
    ranks[bins * positive[t] + std::size_t(std::clamp(place, 0.0, last))] += w;
    const std::size_t part = std::min(std::size_t(p * double(parts)), parts - 1);
    shares[part] += w;
    shares[parts + part] += w * p;
    shares[2 * parts + part] += w * positive[t];
  }
}

}  // namespace regretless
