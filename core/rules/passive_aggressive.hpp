// Passive-aggressive (Shalev-Shwartz and Singer (2007), section 5.2: exact single-coordinate ascent
// of the dual):
//
//   w <- w - c x,  |c| = l / ||x||^2                    exact
//                        min(C h, l / ||x||^2)          I
//                        l / (||x||^2 + 1 / (2 C h))    II
//
// The importance h enlarges the box of the dual.
#pragma once
#include "rules/rule.hpp"

namespace regretless {

struct PassiveAggressive : RuleDefaults {
  enum Mode : std::int32_t { exact, first, second };
  Mode mode = first;
  double aggressiveness = 1;

  static constexpr bool gathers = false;
  int float_slots() const { return 1; }
  bool needs_norm() const { return true; }

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
  double step(Lanes, int, const Loss& loss, double s, double y, double h, double g,
              double norm) const {
    const double l = loss.value(s, y), box = aggressiveness * h;
    if (l <= 0 || norm <= 0 || h <= 0) return 0;
    const double tau = mode == second ? l / (norm + 1 / (2 * box)) : l / norm;
    return std::copysign(mode == first ? std::min(box, tau) : tau, g);
  }
  template <class C, class V>
  void update(const C& c, const At<V>&, Wide<V> g, V x, Sums<V>&) const {
    c.set(0, c.get(0) - narrow(g) * x);
  }
  void finish(Lanes, int, const Round&, double, const Table&) const {}
};

}  // namespace regretless
