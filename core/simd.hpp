// Blocks of 4 numbers in portable vectors, and the single number. A rule is written once against
// these few operations and works on all of them.
#pragma once
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>
#ifdef __AVX__
#include <immintrin.h>
#endif

#include "real.hpp"

namespace regretless {

template <int N, class Number = Real>
struct Packed {
  typedef Number Reals __attribute__((vector_size(N * sizeof(Number)), may_alias));
  typedef double Doubles __attribute__((vector_size(N * sizeof(double)), may_alias));
  typedef RealBits Bits __attribute__((vector_size(N * sizeof(RealBits))));
};
template <int N>
struct Packed<N, double> {  // GCC takes two vector types that are alike for different ones
  typedef double Doubles __attribute__((vector_size(N * sizeof(double)), may_alias));
  typedef Doubles Reals;
  typedef RealBits Bits __attribute__((vector_size(N * sizeof(RealBits))));
};

template <class V>
struct Traits {  // a packed vector
  static constexpr int width = static_cast<int>(sizeof(V) / sizeof(Real));
  using Wide = typename Packed<width>::Doubles;
};
template <>
struct Traits<Real> {
  static constexpr int width = 1;
  using Wide = double;
};
template <class V>
using Wide = typename Traits<V>::Wide;

template <class V>
inline V load(const Real* from) {
  V v;
  std::memcpy(&v, from, sizeof(V));
  return v;
}
template <class V>
inline void store(Real* to, V v) {
  std::memcpy(to, &v, sizeof(V));
}

inline double widen(float v) { return v; }
inline double widen(double v) { return v; }
template <class V>
inline auto widen(V v) {
  if constexpr (sizeof(v[0]) == sizeof(double)) {
    return v;
#ifdef __AVX__  // GCC 12 would use four instructions for this one
  } else if constexpr (sizeof(V) == 16) {
    const __m256d four = _mm256_cvtps_pd(__m128(v));
    Wide<V> w;
    std::memcpy(&w, &four, sizeof(w));
    return w;
#endif
  } else {
    return __builtin_convertvector(v, Wide<V>);
  }
}

inline float root(float v) { return std::sqrt(v); }
inline double root(double v) { return std::sqrt(v); }
inline Real magnitude(Real v) { return std::fabs(v); }
inline Real larger(Real a, Real b) { return a > b ? a : b; }

template <class V>
inline V root(V v) {
  V r;
  for (std::size_t i = 0; i < sizeof(V) / sizeof(v[0]); ++i) r[i] = std::sqrt(v[i]);
  return r;
}
template <class V>
inline V magnitude(V v) {
  typename Packed<Traits<V>::width>::Bits bits;
  std::memcpy(&bits, &v, sizeof(v));
  bits &= std::numeric_limits<RealBits>::max();
  std::memcpy(&v, &bits, sizeof(v));
  return v;
}
template <class V>
inline V larger(V a, V b) {
  return a > b ? a : b;
}
inline Real smaller(Real a, Real b) { return a < b ? a : b; }
template <class V>
inline V smaller(V a, V b) {
  return a < b ? a : b;
}

inline bool any(bool is) { return is; }
template <class M>
inline bool any(M mask) {  // of a comparison of four numbers
  std::uint64_t parts[sizeof(mask) / sizeof(std::uint64_t)], all = 0;
  std::memcpy(parts, &mask, sizeof(mask));
  for (const std::uint64_t part : parts) all |= part;
  return all;
}

// A quotient that is 0 where the divisor is 0: rows that were never touched do not move.
template <class V>
inline V ratio(V a, V b) {
  return b > 0 ? a / b : V{};
}

inline double pick(double v, int) { return v; }
template <class W>
inline double pick(const W& v, int i) {
  return v[i];
}

// Applies a function without vector instructions (powers, exponentials) element by element, in
// doubles.
template <class F>
inline double each(F f, Real a) {
  return f(double(a), 0);
}
template <class F, class V>
inline Wide<V> each(F f, V a) {
  Wide<V> r;
  for (int i = 0; i < Traits<V>::width; ++i) r[i] = f(double(a[i]), i);
  return r;
}

// Prefetches the cache line at p, for reading and writing. GCC 12 drops its own built-in with
// -march=x86-64-v2 or v3.
inline void fetch(const void* p) {
#ifdef __x86_64__
  asm volatile("prefetcht0 %0" : : "m"(*static_cast<const char*>(p)));
#else
  __builtin_prefetch(p, 1);
#endif
}

}  // namespace regretless
