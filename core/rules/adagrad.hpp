// AdaGrad, diagonal (Duchi, Hazan and Singer (2011); composite mirror descent form):
//
//   G_i += z_i^2,   w_i <- prox( w_i - eta z_i / sqrt(G_i) )
//
// With scale_invariant it is NAG of Ross, Mineiro and Langford (2013): s_i = max |x_i|, a new s_i
// shrinks w_i by s_i / |x_i|, and the step is eta sqrt(t / N) z_i / (s_i sqrt(G_i)), where
// N = sum x_i^2 / s_i^2. Then G_i / s_i^2 is kept: squares of features that are not scaled would
// leave single precision.
//
// With invariant, the score follows the gradient flow for the time h instead of jumping. The rates
// are those after the first gradient: one sweep over the rows computes them, a second moves the
// weights. No step passes the minimum (Karampatziakis and Langford (2011)).
//
// The rate of a row does not change while the row is not touched. So n rounds of l1 and l2
// shrinkage have a closed form, which is applied when the row is touched again.
#pragma once
#include "rules/rule.hpp"

namespace regretless {

struct AdaGrad : RuleDefaults {
  enum { kWeight, kSquare, kLargest };   // float slots: w_i, G_i, s_i
  enum { kScaledNorms = kRuleScalars };  // lane scalar: N
  double eta = 0.5, l1 = 0, l2 = 0;
  bool scale_invariant = false, invariant = false;

  // squares of z_i, or of z_i / s_i, are added up
  double largest_slope() const { return scale_invariant ? 1e18 : 1e37; }
  double largest_step() const { return scale_invariant ? 1e37 : 1e18; }
  int float_slots() const { return scale_invariant ? 3 : 2; }
  bool needs_clock() const { return l1 > 0 || l2 > 0; }
  bool rests() const { return !needs_clock() && !scale_invariant; }

  template <class V>
  struct At {
    Wide<V> rounds;
    V rate;  // eta, times sqrt(t / N) when scale invariant
  };
  template <class V>
  At<V> at(Lanes lanes, int block) const {
    const Wide<V> t = lane_block<V>(lanes, kRounds, block);
    if (!scale_invariant) return {t, V{} + Real(eta)};
    const V n = narrow(lane_block<V>(lanes, kScaledNorms, block));
    return {t, Real(eta) * root(n > 0 ? narrow(t) / n : V{} + 1.0f)};
  }
  template <class C, class V>
  V weight(const C& c, const At<V>& at, V x) const {
    V w = c.get(kWeight);
    if (needs_clock()) {
      const Wide<V> r = widen(ratio(at.rate, root(c.get(kSquare)))), n = at.rounds - c.time();
      w = narrow(each([&](double v, int i) { return shrunk(v, pick(r, i), pick(n, i)); }, w));
    }
    if (scale_invariant) {
      const V s = c.get(kLargest), a = magnitude(x);
      if (any(a > s)) w = a > s ? w * (s / a) : w;  // seldom: divisions are slow
    }
    return w;
  }
  double factor(Lanes, int) const { return 1; }
  bool prepares() const { return invariant; }
  double step(Lanes, int, const Loss& loss, double s, double y, double h, double g,
              double norm) const {
    return invariant ? loss.invariant_step(s, y, h, norm) : g;
  }

  // Adds the gradient to the row without moving it; returns how far a unit step moves its weight.
  template <class C, class V>
  V prepare(const C& c, const At<V>& at, Wide<V> g, V x, Sums<V>& sums) const {
    const Row<V> row = settled(c, at, g, x, sums);
    if (needs_clock() || scale_invariant) c.set(kWeight, row.weight);  // else it is the same
    return scaled(at, row, x);
  }
  template <class C, class V>
  void update(const C& c, const At<V>& at, Wide<V> g, V x, Sums<V>& sums) const {
    const Row<V> row = settled(c, at, g, x, sums);
    c.set(kWeight, row.weight - scaled(at, row, narrow(g) * x));
  }
  void finish(Lanes lanes, int k, const Round&, double tracked, const Table&) const {
    if (scale_invariant) lanes(kScaledNorms, k) += tracked;
  }

 private:
  template <class V>
  struct Row {
    V weight, square, largest;
  };
  // Updates everything in a row but its weight.
  template <class C, class V>
  Row<V> settled(const C& c, const At<V>& at, Wide<V> g, V x, Sums<V>& sums) const {
    Row<V> row{weight(c, at, x), c.get(kSquare), V{}};
    if (needs_clock()) c.set_time(at.rounds);
    V share = x;
    if (scale_invariant) {
      const V before = c.get(kLargest);
      row.largest = larger(before, magnitude(x));
      c.set(kLargest, row.largest);
      if (any(row.largest > before)) {
        const V shrunk = ratio(before, row.largest);
        row.square *= shrunk * shrunk;
      }
      share = ratio(x, row.largest);
      sums.tracked += widen(share * share);
    }
    const V z = narrow(g) * share;
    row.square += z * z;
    c.set(kSquare, row.square);
    return row;
  }
  template <class V>
  V scaled(const At<V>& at, const Row<V>& row, V z) const {
    if (!scale_invariant) return ratio(at.rate * z, root(row.square));
    return ratio(ratio(at.rate * ratio(z, row.largest), root(row.square)), row.largest);
  }
  // |w| after n steps |w| <- max(0, |w| - r l1) / (1 + r l2), the rate r being constant.
  double shrunk(double w, double r, double n) const {
    const double m = std::fabs(w);
    if (m == 0 || n <= 0) return w;
    const double left =
        l2 > 0 ? (m + l1 / l2) * std::exp(-n * std::log1p(r * l2)) - l1 / l2 : m - n * r * l1;
    return left <= 0 ? 0 : std::copysign(left, w);
  }
};

}  // namespace regretless
