// Blocks of 4 or 8 floats in portable vectors, and the single float. A rule is written once against
// these few operations and works on all of them.
#pragma once
#include <cmath>
#include <cstdint>
#include <cstring>
#ifdef __AVX__
#include <immintrin.h>
#endif

namespace regretless {

template <int N>
struct Packed {
  typedef float Floats __attribute__((vector_size(N * sizeof(float)), may_alias));
  typedef double Doubles __attribute__((vector_size(N * sizeof(double)), may_alias));
  typedef std::int32_t Bits __attribute__((vector_size(N * sizeof(std::int32_t))));
};

template <class V>
struct Traits {  // a packed vector
  static constexpr int width = static_cast<int>(sizeof(V) / sizeof(float));
  using Wide = typename Packed<width>::Doubles;
};
template <>
struct Traits<float> {
  static constexpr int width = 1;
  using Wide = double;
};
template <class V>
using Wide = typename Traits<V>::Wide;

template <class V>
inline V load(const float* from) {
  V v;
  std::memcpy(&v, from, sizeof(V));
  return v;
}
template <class V>
inline void store(float* to, V v) {
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
inline float magnitude(float v) { return std::fabs(v); }
inline float larger(float a, float b) { return a > b ? a : b; }

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
  bits &= 0x7fffffff;
  std::memcpy(&v, &bits, sizeof(v));
  return v;
}
template <class V>
inline V larger(V a, V b) {
  return a > b ? a : b;
}
inline float smaller(float a, float b) { return a < b ? a : b; }
template <class V>
inline V smaller(V a, V b) {
  return a < b ? a : b;
}

inline bool any(bool is) { return is; }
template <class M>
inline bool any(M mask) {  // of a comparison of four floats
  std::uint64_t halves[2];
  static_assert(sizeof(mask) == sizeof(halves));
  std::memcpy(halves, &mask, sizeof(mask));
  return halves[0] | halves[1];
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
inline double each(F f, float a) {
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
