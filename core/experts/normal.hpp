// The weight that AdaNormalHedge gives to an expert of regret R and total |r| C (thesis 2.13):
//
//   w(R, C) = (e^a - e^b) / 2,   a = [R + 1]_+^2 / D,  b = [R - 1]_+^2 / D,  D = 3 (C + 1)
//
// As e^{(a + b) / 2} sinh((a - b) / 2), nothing cancels: a - b is 4 R / D, or a alone while b is 0.
// It is at most 4/3 because R <= C, so that a short series gives the sinh. By Lemma 4 the exponents
// are at most ln(B / q_i): they do not overflow.
//
// All is plain arithmetic on four numbers at a time, so that every instruction set gives the same.
#pragma once
#include <cstdint>
#include <cstring>

namespace regretless::experts {

namespace {  // compiled for several instruction sets: nothing may be shared between them

typedef double Four __attribute__((vector_size(32)));
typedef std::int64_t FourBits __attribute__((vector_size(32)));

Four all(double x) { return Four{x, x, x, x}; }

// e^x for -700 <= x < 700: x = n ln 2 + r, |r| <= ln(2) / 2, and the series in r, by pairs of terms
// and pairs of these: less has to wait for what is before it.
Four exponential(Four x) {
  const Four magic = all(0x1.8p52);  // adding it rounds to whole numbers, in the lowest bits
  const Four shifted = x * all(1.4426950408889634) + magic, n = shifted - magic;
  const Four r = (x - n * all(0x1.62e42feep-1)) - n * all(0x1.a39ef35793c76p-33);
  const Four r2 = r * r, r4 = r2 * r2;
  const auto pair = [r](double a, double b) { return all(a) + all(b) * r; };
  const Four low = (pair(1, 1) + pair(1.0 / 2, 1.0 / 6) * r2) +
                   (pair(1.0 / 24, 1.0 / 120) + pair(1.0 / 720, 1.0 / 5040) * r2) * r4;
  const Four high = (pair(1.0 / 40320, 1.0 / 362880) + pair(1.0 / 3628800, 1.0 / 39916800) * r2) +
                    pair(1.0 / 479001600, 1.0 / 6227020800) * r4;
  FourBits bits;
  std::memcpy(&bits, &shifted, sizeof(bits));
  bits = (bits + 1023) << 52;
  Four power;
  std::memcpy(&power, &bits, sizeof(power));
  return (low + high * (r4 * r4)) * power;
}
// sinh h for 0 <= h <= 2/3
Four small_sinh(Four h) {
  const Four u = h * h, u2 = u * u;
  const auto pair = [u](double a, double b) { return all(a) + all(b) * u; };
  const Four low = pair(1, 1.0 / 6) + pair(1.0 / 120, 1.0 / 5040) * u2;
  const Four high =
      pair(1.0 / 362880, 1.0 / 39916800) + pair(1.0 / 6227020800, 1.0 / 1307674368000) * u2;
  return (low + high * (u2 * u2)) * h;
}

Four normal_weight(Four R, Four D) {
  const Four zero = all(0), one = all(1);
  const Four over = R > -one ? R + one : zero, under = R > one ? R - one : zero;
  const Four half = all(0.5) / D;
  const Four a = over * over * half, b = under * under * half;  // half of each
  const Four h = R > one ? all(4) * R * half : a;
  return exponential(a + b) * small_sinh(h);
}

}  // namespace

}  // namespace regretless::experts
