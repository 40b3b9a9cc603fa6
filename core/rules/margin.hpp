// The margin Perceptron (Mohri et al. (2018), Exercise 8.6):
//
//   w <- w + y x   if w = 0 or y <w, x> / ||w|| < rho / 2
#pragma once
#include "rules/rule.hpp"

namespace regretless {

struct MarginPerceptron : RuleDefaults {
  enum {                          // lane scalars
    kSquaredNorm = kRuleScalars,  // ||w||^2
    kPeakNorm,                    // the largest ||w||^2 since it was last added up
  };
  double margin = 1;

  int float_slots() const { return 1; }

  template <class V>
  struct At {};
  template <class V>
  At<V> at(Lanes, int) const {
    return {};
  }
  template <class C, class V>
  V weight(const C& c, const At<V>&, V) const {
    return c.get(0);
  }
  double factor(Lanes, int) const { return 1; }
  double step(Lanes lanes, int k, const Loss&, double s, double y, double h, double, double) const {
    const double norm = std::sqrt(lanes(kSquaredNorm, k));
    return norm == 0 || y * s < margin / 2 * norm ? -h * y : 0;
  }
  template <class C, class V>
  void update(const C& c, const At<V>&, Wide<V> g, V x, Sums<V>& sums) const {
    const V old = c.get(0), w = old - narrow(g) * x;
    c.set(0, w);
    sums.tracked += widen(w) * widen(w) - widen(old) * widen(old);
  }
  void finish(Lanes lanes, int k, const Round&, double tracked, const Table& table) const {
    double &norm = lanes(kSquaredNorm, k), &peak = lanes(kPeakNorm, k);
    norm += tracked;
    peak = std::max(peak, norm);
    if (norm < kCancelled * peak)
      norm = peak = table.squared_norm(k);  // cancellation took its digits
  }
};

}  // namespace regretless
