// One way to draw an index from weights.
#pragma once
#include <cstddef>

namespace regretless {

// The index at which the sum of the weights passes u of the total, u in [0, 1); the last one with a
// weight takes what rounding leaves. `awake`, if not null, has a number above 0 for those allowed.
// Whatever the weights and their total are, also if they are not numbers, the index is below n > 0,
// allowed, and has a weight above 0, unless there is no such index: then it is the first allowed
// one, or 0.
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
