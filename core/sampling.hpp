// Draws an index by weights, in the same way everywhere.
#pragma once
#include <cstddef>

namespace regretless {

// The index at which the sum of the weights passes u times the total, u in [0, 1). The last index
// with a weight takes what rounding leaves. `awake`, unless null, is above 0 for the indices
// allowed. For any weights and total, NaN included, the index is below n > 0, allowed, and has a
// weight above 0. If there is no such index, it is the first one allowed, or 0.
inline std::size_t drawn_index(const double* w, std::size_t n, const double* awake, double u,
                               double total) {
  const double target = u * total;
  double sum = 0;
  std::size_t i = 0;
  if (!awake) {
    while (i + 1 < n && (sum += w[i]) <= target) ++i;
    if (w[i] > 0) return i;
  }
  const auto allowed = [&](std::size_t k) { return !awake || awake[k] > 0; };
  std::size_t last = n;
  sum = 0;
  for (i = 0; i < n; ++i) {
    if (!allowed(i) || !(w[i] > 0)) continue;
    last = i;
    if ((sum += w[i]) > target) break;
  }
  if (last < n) return last;
  for (i = 0; i < n; ++i)
    if (allowed(i)) return i;
  return 0;
}

}  // namespace regretless
