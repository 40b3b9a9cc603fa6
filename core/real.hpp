// The number in which the kernels of linear learners keep features, weights and what a rule knows of
// a feature. They are compiled for floats, and once more with REGRETLESS_REAL=double, in a namespace
// of their own, for learners in double precision. All other code is compiled for floats.
#pragma once
#include <cstdint>
#include <type_traits>

#ifndef REGRETLESS_REAL
#define REGRETLESS_REAL float
#endif

namespace regretless {

using Real = REGRETLESS_REAL;
inline constexpr bool kDouble = std::is_same_v<Real, double>;
using RealBits = std::conditional_t<kDouble, std::int64_t, std::int32_t>;
inline constexpr int kPerDouble = sizeof(double) / sizeof(Real);

}  // namespace regretless
