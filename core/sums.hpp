// Sums of many numbers. Four at a time, or each addition waits for the one before.
#pragma once
#include <cstddef>

namespace regretless {

inline double dot(const double* a, const double* b, std::size_t n) {
  double parts[4] = {};
  std::size_t i = 0;
  for (; i + 4 <= n; i += 4)
    for (std::size_t k = 0; k < 4; ++k) parts[k] += a[i + k] * b[i + k];
  for (; i < n; ++i) parts[0] += a[i] * b[i];
  return (parts[0] + parts[1]) + (parts[2] + parts[3]);
}
inline double sum(const double* a, std::size_t n) {
  double parts[4] = {};
  std::size_t i = 0;
  for (; i + 4 <= n; i += 4)
    for (std::size_t k = 0; k < 4; ++k) parts[k] += a[i + k];
  for (; i < n; ++i) parts[0] += a[i];
  return (parts[0] + parts[1]) + (parts[2] + parts[3]);
}

}  // namespace regretless
