// The logistic loss ln(1 + e^-m) of four margins at a time.
#pragma once
#include "vector_math.hpp"

namespace regretless {

namespace {  // compiled for several instruction sets: nothing may be shared between them

struct Logistic {
  Four margin, odds, right, wrong;  // e^-|m|, 1 / (1 + e^-m), 1 / (1 + e^m)
  explicit Logistic(Four m) : margin(m), odds(exponential(larger_of(-magnitude_of(m), all(-700)))) {
    const Four larger = all(1) / (all(1) + odds), smaller = odds * larger;
    right = m > all(0) ? larger : smaller;
    wrong = m > all(0) ? smaller : larger;
  }
  Four loss() const {
    const Four sum = all(1) + odds;  // the last term below corrects its rounding
    return larger_of(-margin, all(0)) + (logarithm(sum) + (odds - (sum - all(1))) / sum);
  }
};

// How far the margins move along the gradient flow in times d >= 0: the roots x of
// x + e^m (e^x - 1) = d, as in Loss::margin_shift. Newton's method starts from the first terms of
// the series in d, or from ln((e^m + d) / e^m), which is above the root, if that is smaller.
inline Four margin_shifts(Four m, Four d) {
  const Four one = all(1), em = exponential(smaller_of(larger_of(m, all(-700)), all(699)));
  const Four slow = d / (one + em), bend = all(0.5) * em * slow / (one + em);
  const Four near = slow / (one + bend);
  Four x = smaller_of(smaller_of(near, logarithm((em + d) / em)), all(690));
  for (int i = 0; i < 30; ++i) {
    const Four grown = em * exponential(x), step = (x + (grown - em) - d) / (one + grown);
    x -= step;
    const auto moves = step * step > all(1e-16) * x;
    if (!(moves[0] | moves[1] | moves[2] | moves[3])) break;
  }
  return d < all(1e-4) ? slow * (one - bend) : x;
}

}  // namespace

}  // namespace regretless
