// Online SVM (Mohri et al. (2018), Exercise 8.5): gradient descent on
// ||w||^2 / 2 + C max(0, 1 - y <w, x>),
//
//   w <- P( (1 - eta_t) w + eta_t C y x [y <w, x> < 1] )
//
// where P projects onto a ball. Weights are kept as scale * v and only the scale shrinks. A rate of
// 1 can only be the first of a schedule, when w = 0 and the scale does not matter.
#pragma once
#include "rules/rule.hpp"

namespace regretless {

struct OnlineSvm : RuleDefaults {
  enum {                    // lane scalars
    kScale = kRuleScalars,  // w = scale * v
    kSquaredNorm,           // ||v||^2, tracked if there is a radius
    kPeakNorm,              // the largest ||v||^2 since it was last added up
  };
  Rate rate{};
  double C = 1, radius = std::numeric_limits<double>::infinity();
  bool shrinks_at_kink = false;

  int float_slots() const { return 1; }
  bool bounded() const { return radius < std::numeric_limits<double>::infinity(); }
  void start(Lanes lanes, int k) const { lanes(kScale, k) = 1; }

  template <class V>
  struct At {
    Wide<V> step;  // the factor of g x
  };
  template <class V>
  At<V> at(Lanes lanes, int block) const {
    const Wide<V> eta = rate(lane_block<V>(lanes, kRounds, block) + 1.0);
    return {ratio(eta * C, lane_block<V>(lanes, kScale, block) * shrinkage(eta))};
  }
  template <class Cell, class V>
  V weight(const Cell& c, const At<V>&, V) const {
    return c.get(0);
  }
  double factor(Lanes lanes, int k) const { return lanes(kScale, k); }
  double step(Lanes, int, const Loss&, double, double, double, double g, double) const { return g; }
  double gain(Lanes lanes, int k) const {
    const double eta = rate(lanes(kRounds, k) + 1);
    return eta * C / (lanes(kScale, k) * shrinkage(eta));
  }
  template <class Cell, class V>
  void update(const Cell& c, const At<V>& at, Wide<V> g, V x, Sums<V>& sums) const {
    const V old = c.get(0), v = old + narrow(-at.step * g) * x;
    c.set(0, v);
    if (bounded()) sums.tracked += widen(v) * widen(v) - widen(old) * widen(old);
  }
  void finish(Lanes lanes, int k, const Round& round, double tracked, const Table& table) const {
    double &scale = lanes(kScale, k), &norm = lanes(kSquaredNorm, k), &peak = lanes(kPeakNorm, k);
    const bool idle = !shrinks_at_kink && round.score * round.target == 1;
    if (!idle) scale *= shrinkage(rate(lanes(kRounds, k) + 1));
    norm += tracked;
    peak = std::max(peak, norm);
    if (bounded() && norm < kCancelled * peak) norm = peak = table.squared_norm(k);
    if (bounded() && scale * std::sqrt(norm) > radius) scale = radius / std::sqrt(norm);
    if (scale < 1e-6) {
      for (std::size_t i = 0; i < table.rows; ++i)
        *table.slot(i, 0, k) = Real(*table.slot(i, 0, k) * scale);
      scale = 1;
      norm = peak = table.squared_norm(k);
    }
  }

 private:
  template <class W>
  static W shrinkage(W eta) {
    return eta < 1.0 ? 1.0 - eta : W{} + 1.0;
  }
};

}  // namespace regretless
