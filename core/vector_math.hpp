// Elementary functions of four numbers at a time, in plain arithmetic: every instruction set gives
// the same bits.
#pragma once
#include <cstdint>
#include <cstring>

namespace regretless {

namespace {  // compiled for several instruction sets: nothing may be shared between them

typedef double Four __attribute__((vector_size(32), may_alias));
typedef std::uint64_t FourBits __attribute__((vector_size(32)));

inline Four all(double x) { return Four{x, x, x, x}; }
inline Four four(const double* from) {
  Four x;
  std::memcpy(&x, from, sizeof(x));
  return x;
}
inline FourBits bits_of(Four x) {
  FourBits bits;
  std::memcpy(&bits, &x, sizeof(bits));
  return bits;
}
inline Four from_bits(FourBits bits) {
  Four x;
  std::memcpy(&x, &bits, sizeof(x));
  return x;
}
inline double sum_of(Four x) { return (x[0] + x[1]) + (x[2] + x[3]); }
inline Four root_of(Four x) {
  for (int i = 0; i < 4; ++i) x[i] = __builtin_sqrt(x[i]);
  return x;
}
inline Four magnitude_of(Four x) { return x > all(0) ? x : -x; }
inline Four smaller_of(Four a, Four b) { return a < b ? a : b; }
inline Four larger_of(Four a, Four b) { return a > b ? a : b; }

// e^x for -700 <= x < 700: x = n ln 2 + r, |r| <= ln(2) / 2, and the series in r. Terms are added
// in pairs, and pairs of these, so that fewer operations wait for each other.
inline Four exponential(Four x) {
  const Four magic = all(0x1.8p52);  // adding it rounds to whole numbers, in the lowest bits
  const Four shifted = x * all(1.4426950408889634) + magic, n = shifted - magic;
  const Four r = (x - n * all(0x1.62e42feep-1)) - n * all(0x1.a39ef35793c76p-33);
  const Four r2 = r * r, r4 = r2 * r2;
  const auto pair = [r](double a, double b) { return all(a) + all(b) * r; };
  const Four low = (pair(1, 1) + pair(1.0 / 2, 1.0 / 6) * r2) +
                   (pair(1.0 / 24, 1.0 / 120) + pair(1.0 / 720, 1.0 / 5040) * r2) * r4;
  const Four high = (pair(1.0 / 40320, 1.0 / 362880) + pair(1.0 / 3628800, 1.0 / 39916800) * r2) +
                    pair(1.0 / 479001600, 1.0 / 6227020800) * r4;
  return (low + high * (r4 * r4)) * from_bits((bits_of(shifted) + 1023) << 52);
}

// ln x for positive normal numbers: x = 2^n m, sqrt(1/2) <= m < sqrt(2), and
// ln m = 2 artanh z, z = (m - 1) / (m + 1), |z| < 0.172, as a series in z^2.
inline Four logarithm(Four x) {
  const std::uint64_t root_half = 0x3fe6a09e667f3bcd, bias = 1023;  // keeps n from being negative
  const FourBits raw = bits_of(x), n = (raw - (root_half - (bias << 52))) >> 52;
  const Four m = from_bits(raw - ((n - bias) << 52)), one = all(1);
  const Four z = (m - one) / (m + one), u = z * z, u2 = u * u, u4 = u2 * u2;
  const auto pair = [u](double a, double b) { return all(a) + all(b) * u; };
  const Four low = pair(1.0 / 3, 1.0 / 5) + pair(1.0 / 7, 1.0 / 9) * u2;
  const Four high = pair(1.0 / 11, 1.0 / 13) + pair(1.0 / 15, 1.0 / 17) * u2;
  const Four series = low + (high + pair(1.0 / 19, 1.0 / 21) * u4) * u4;
  // n as the lowest bits of 2^52 + n: a conversion would handle one number at a time
  const Four exponent = from_bits(n | 0x4330000000000000) - all(0x1p52 + double(bias));
  return exponent * all(0x1.62e42feep-1) +
         (all(2) * z + (all(2) * z * u * series + exponent * all(0x1.a39ef35793c76p-33)));
}

}  // namespace

}  // namespace regretless
