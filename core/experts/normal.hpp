// The weight that AdaNormalHedge gives to an expert with regret R and C = sum |r| (Luo (2016),
// Algorithm 6):
//
//   w(R, C) = (e^a - e^b) / 2,   a = [R + 1]_+^2 / D,  b = [R - 1]_+^2 / D,  D = 3 (C + 1)
//
// Computed as e^{(a + b) / 2} sinh((a - b) / 2) nothing cancels: a - b is 4 R / D, or a while b is
// 0. It is at most 4/3 because R <= C, so a short series gives the sinh. By Lemma 4 the exponents
// are at most ln(B / q_i): they do not overflow.
#pragma once
#include "vector_math.hpp"

namespace regretless::experts {

namespace {  // compiled for several instruction sets: nothing may be shared between them

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
