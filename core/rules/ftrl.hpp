// FTRL-Proximal with per-coordinate rates (McMahan et al. (2013)):
//
//   sigma = (sqrt(n + z^2) - sqrt(n)) / alpha,   u += z - sigma w,   n += z^2
//   w = - soft(u, l1) / ((beta + sqrt(n)) / alpha + l2)
//
// The weight depends only on its row and is kept there, so predicting is a plain dot product.
#pragma once
#include "rules/rule.hpp"

namespace regretless {

struct Ftrl : RuleDefaults {
  static double largest_step() { return 1e15; }
  enum { kWeight, kDual, kSquare };
  double alpha = 0.1, beta = 1, l1 = 0, l2 = 0;

  int float_slots() const { return 3; }
  bool signed_slot(int slot) const { return slot != kSquare; }

  template <class V>
  struct At {};
  template <class V>
  At<V> at(Lanes, int) const {
    return {};
  }
  template <class C, class V>
  V weight(const C& c, const At<V>&, V) const {
    return c.get(kWeight);
  }
  double factor(Lanes, int) const { return 1; }
  double step(Lanes, int, const Loss&, double, double, double, double g, double) const { return g; }

  template <class C, class V>
  void update(const C& c, const At<V>&, Wide<V> g, V x, Sums<V>&) const {
    const Real a = Real(1 / alpha);
    const V z = narrow(g) * x, n = c.get(kSquare), square = n + z * z;
    const V after = root(square), sigma = (after - root(n)) * a;
    const V u = c.get(kDual) + (z - sigma * c.get(kWeight));
    c.set(kDual, u);
    c.set(kSquare, square);
    // 0 - 0 is +0, as in lanes that are not in use yet; -(0) would be -0
    c.set(kWeight, V{} - ratio(soft(u, V{} + Real(l1)), (Real(beta) + after) * a + Real(l2)));
  }
  void finish(Lanes, int, const Round&, double, const Table&) const {}
};

}  // namespace regretless
