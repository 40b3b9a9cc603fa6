// AdaGrad, diagonal (Duchi, Hazan & Singer 2011; composite mirror descent form):
//
//   G_i += z_i^2,   w_i <- prox( w_i - eta z_i / sqrt(G_i) )
//
// With scale_invariant, NAG of Ross, Mineiro & Langford 2013: s_i = max |x_i|, a new s_i shrinks
// w_i by s_i / |x_i|, and the step is eta sqrt(t / N) z_i / (s_i sqrt(G_i)), N = sum x_i^2 / s_i^2.
// A row's rate stands still while the row is not touched, so n rounds of l1 and l2 shrinkage have a
// closed form and are made up for when it is touched again.
#pragma once
#include "rules/rule.hpp"

namespace regretless {

struct AdaGrad : RuleDefaults {
  static constexpr double largest_step = 1e18;
  enum { kWeight, kSquare, kLargest };
  enum { kNorms = kA };
  double eta = 0.5, l1 = 0, l2 = 0;
  bool scale_invariant = false;

  int float_slots() const { return scale_invariant ? 3 : 2; }
  bool needs_clock() const { return l1 > 0 || l2 > 0; }

  template <class V>
  struct At {
    Wide<V> rounds;
    V rate;  // eta, times sqrt(t / N) when scale invariant
  };
  template <class V>
  At<V> at(Lanes lanes, int block) const {
    const Wide<V> t = lane_block<V>(lanes, kRounds, block);
    if (!scale_invariant) return {t, V{} + float(eta)};
    const V n = narrow(lane_block<V>(lanes, kNorms, block));
    return {t, float(eta) * root(n > 0 ? narrow(t) / n : V{} + 1.0f)};
  }
  template <class C, class V>
  V rate(const C& c, const At<V>& at) const {
    return ratio(at.rate, root(c.get(kSquare)));
  }
  template <class C, class V>
  V weight(const C& c, const At<V>& at, V x) const {
    V w = c.get(kWeight);
    if (needs_clock()) {
      const Wide<V> r = widen(rate(c, at)), n = at.rounds - c.time();
      w = narrow(each([&](double v, int i) { return shrunk(v, pick(r, i), pick(n, i)); }, w));
    }
    if (scale_invariant) {
      const V s = c.get(kLargest), a = magnitude(x);
      w = a > s ? w * (s / a) : w;
    }
    return w;
  }
  double factor(Lanes, int) const { return 1; }
  double step(Lanes, int, const Loss&, double, double, double, double g, double) const { return g; }

  template <class C, class V>
  void update(const C& c, const At<V>& at, Wide<V> g, V x, Sums<V>& sums) const {
    const V w = weight(c, at, x), z = narrow(g) * x, square = c.get(kSquare) + z * z;
    V step = ratio(at.rate * z, root(square));
    if (scale_invariant) {
      const V s = larger(c.get(kLargest), magnitude(x)), share = ratio(magnitude(x), s);
      c.set(kLargest, s);
      step = ratio(step, s);
      sums.tracked += widen(share * share);
    }
    c.set(kSquare, square);
    c.set(kWeight, w - step);
    if (needs_clock()) c.set_time(at.rounds);
  }
  void finish(Lanes lanes, int k, const Round&, double tracked, const Table&) const {
    if (scale_invariant) lanes(kNorms, k) += tracked;
  }

 private:
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
