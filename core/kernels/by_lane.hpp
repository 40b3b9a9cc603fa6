// Loops over arrays that hold one number per lane: losses, steps and totals.
#pragma once

#include "kernels/lanes.hpp"
#include "logistic.hpp"

namespace regretless {
namespace {

// Values and derivatives of the loss at the scores s and targets y of all lanes.
void outcomes(const Loss& loss, const double* s, const double* y, int count, double* value,
              double* slope) {
  int k = 0;
  if (loss.kind == LossKind::logistic)
    for (; k + 4 <= count; k += 4) {
      const Logistic all_of(four(s + k) * four(y + k));
      put(value + k, all_of.loss());
      put(slope + k, -four(y + k) * all_of.wrong);
    }
  const bool hinge = loss.kind == LossKind::hinge, squared = loss.kind == LossKind::squared_hinge;
  for (; (hinge || squared) && k + 4 <= count; k += 4) {
    const Four m = four(s + k) * four(y + k), short_of = all(loss.parameter) - m;
    const Four lost = short_of > all(0) ? short_of : all(0);
    const auto within = m < all(loss.parameter);
    put(value + k, squared ? lost * lost : lost);
    put(slope + k, within ? squared ? all(-2) * short_of * four(y + k) : -four(y + k) : all(0));
  }
  for (; k < count; ++k) {
    const Loss::Outcome outcome = loss.outcome(s[k], y[k]);
    value[k] = outcome.value;
    slope[k] = outcome.derivative;
  }
}

// The importance-aware steps of all lanes: see Loss::invariant_step. A unit step moves the score of
// a lane by its `travel`.
void invariant_steps(const Loss& loss, const double* s, const double* y, const double* importance,
                     const double* travel, int count, double* step) {
  int k = 0;
  if (loss.kind == LossKind::logistic)
    for (; k + 4 <= count; k += 4) {
      const Four side = four(y + k), n = four(travel + k), m = four(s + k) * side;
      const Four moved = margin_shifts(m, n * four(importance + k)) / n;
      put(step + k, n > all(0) ? -side * moved : all(0));  // no step where the score cannot move
    }
  for (; k < count; ++k) step[k] = loss.invariant_step(s[k], y[k], importance[k], travel[k]);
}

// Whether |x[k]| <= limit for all k. NaN counts as beyond every limit.
bool within(const double* x, int count, double limit) {
  int k = 0;
  decltype(all(0) <= all(0)) beyond = {};
  for (; k + 4 <= count; k += 4) beyond |= ~(magnitude_of(four(x + k)) <= all(limit));
  bool all_are = !(beyond[0] | beyond[1] | beyond[2] | beyond[3]);
  for (; k < count; ++k) all_are = all_are && std::fabs(x[k]) <= limit;
  return all_are;
}

void add(double* __restrict to, const double* __restrict x, int count) {
  for (int k = 0; k < count; ++k) to[k] += x[k];
}

double sum(const double* x, int count) {
  int k = 0;
  Four fours = all(0);
  for (; k + 4 <= count; k += 4) fours += four(x + k);
  double sum = sum_of(fours);
  for (; k < count; ++k) sum += x[k];
  return sum;
}

// Losses and gradients: values and slopes, each times the importance of the example.
void weigh(int count, const double* __restrict importance, const double* __restrict value,
           const double* __restrict slope, double* __restrict loss, double* __restrict gradient) {
  for (int k = 0; k < count; ++k)
    loss[k] = importance[k] * value[k], gradient[k] = importance[k] * slope[k];
}

}  // namespace
}  // namespace regretless
