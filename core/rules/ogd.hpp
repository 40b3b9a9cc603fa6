// Online gradient descent (Shalev-Shwartz (2012), Corollaries 2.7 and 2.17; Srebro (lecture 16)).
//
//   agile:  w_{t+1} = P( prox( w_t - eta_t z_t ) )
//   lazy:   w_t = P( eta_{t-1} theta_t ),  theta_t = - sum_{i<t} z_i        (dual averaging)
//
// P projects onto the l2 ball of the given radius; prox shrinks by l1 and l2. Decay and projection
// change every coordinate, so weights are kept as scale * v and only the scale changes. A clock
// adds up the l1 shrinkage; a row catches up with it when it is touched. kPlain leaves all of that
// out at compile time: the loop is then a bare multiply and add.
#pragma once
#include "rules/rule.hpp"

namespace regretless {

template <bool kPlain>
struct OgdRule : RuleDefaults {
  enum {                    // lane scalars
    kScale = kRuleScalars,  // w = scale * v
    kSquaredNorm,           // ||v||^2, tracked if there is a radius
    kClock,                 // l1 shrinkage so far, in units of v
    kPeakNorm,              // the largest ||v||^2 since it was last added up
  };
  Rate rate{};
  double l1 = 0, l2 = 0, radius = std::numeric_limits<double>::infinity();
  bool lazy = false, invariant = false;

  static constexpr bool gathers = !kPlain;
  int float_slots() const { return 1; }
  bool shrinks() const { return !kPlain && l1 > 0; }
  bool is_lazy() const { return !kPlain && lazy; }
  bool bounded() const { return !kPlain && radius < std::numeric_limits<double>::infinity(); }
  bool needs_clock() const { return shrinks() && !lazy; }
  bool rests() const { return !needs_clock(); }
  bool needs_norm() const { return invariant; }
  bool keeps_gradient_sum() const { return is_lazy(); }

  void start(Lanes lanes, int k) const { lanes(kScale, k) = 1; }

  template <class V>
  struct At {
    Wide<V> step;   // the factor of g x
    Wide<V> clock;  // accumulated l1 shrinkage, in units of v
  };
  template <class V>
  At<V> at(Lanes lanes, int block) const {
    const Wide<V> t = lane_block<V>(lanes, kRounds, block),
                  scale = lane_block<V>(lanes, kScale, block);
    if (is_lazy()) return {Wide<V>{} + 1.0, t * l1};
    const Wide<V> eta = rate(t + 1.0);
    return {kPlain ? eta : ratio(eta, scale), lane_block<V>(lanes, kClock, block)};
  }

  template <class C, class V>
  V weight(const C& c, const At<V>& at, V) const {
    const V v = c.get(0);
    if (!shrinks()) return v;
    return narrow(soft(widen(v), lazy ? at.clock : at.clock - c.time()));
  }
  double factor(Lanes lanes, int k) const {
    if (!is_lazy()) return lanes(kScale, k);
    const double t = lanes(kRounds, k), eta = rate(t > 1 ? t : 1);
    const double f = eta / (1 + eta * l2 * t), norm = std::sqrt(lanes(kSquaredNorm, k));
    return f * norm > radius ? radius / norm : f;
  }
  double step(Lanes lanes, int k, const Loss& loss, double s, double y, double h, double g,
              double norm) const {
    if (!invariant) return g;
    return loss.invariant_step(s, y, h, rate(lanes(kRounds, k) + 1) * norm);
  }
  double gain(Lanes lanes, int k) const {
    return is_lazy() ? 1 : rate(lanes(kRounds, k) + 1) / (kPlain ? 1 : lanes(kScale, k));
  }
  template <class C, class V>
  void update(const C& c, const At<V>& at, Wide<V> g, V x, Sums<V>& sums) const {
    const V old = is_lazy() ? c.get(0) : weight(c, at, x);
    const V change = narrow(-at.step * g) * x, v = old + change;
    c.set(0, v);
    if (needs_clock()) c.set_time(at.clock);
    if (bounded()) sums.tracked += widen(v) * widen(v) - widen(old) * widen(old);
    if (is_lazy()) sums.rounding += rounding_of(v, change);
  }
  void finish(Lanes lanes, int k, const Round& round, double tracked, const Table& table) const {
    const double t = lanes(kRounds, k);
    if (round.certified) {
      const double played = rate(!is_lazy() ? t + 1 : t > 1 ? t : 1);
      account(lanes, k, 0.5 / played, 0.5 * played * Loss::square(round.gradient) * round.norm);
    }
    if (kPlain) return;
    const double eta = rate(t + 1);
    double &scale = lanes(kScale, k), &norm = lanes(kSquaredNorm, k), &peak = lanes(kPeakNorm, k);
    norm += tracked;
    peak = std::max(peak, norm);
    if (bounded() && norm < kCancelled * peak) recount(lanes, k, table);
    if (lazy) return;
    lanes(kClock, k) += eta * l1 / scale;
    scale /= 1 + eta * l2;
    if (bounded() && scale * std::sqrt(norm) > radius) scale = radius / std::sqrt(norm);
    if (scale < 1e-6) rescale(lanes, k, table);
  }

 private:
  // Cancellation took the digits of the tracked norm: add it up anew.
  void recount(Lanes lanes, int k, const Table& table) const {
    lanes(kSquaredNorm, k) = lanes(kPeakNorm, k) = table.squared_norm(k);
  }
  void rescale(Lanes lanes, int k, const Table& table) const {
    for (std::size_t i = 0; i < table.rows; ++i) {
      Real* v = table.slot(i, 0, k);
      double w = *v;
      if (l1 > 0) {
        w = soft(w, lanes(kClock, k) - *table.clock(i, k));
        *table.clock(i, k) = 0;
      }
      *v = Real(w * lanes(kScale, k));
    }
    lanes(kClock, k) = 0;
    lanes(kScale, k) = 1;
    recount(lanes, k, table);
  }
};

using Ogd = OgdRule<false>;
using PlainOgd = OgdRule<true>;

}  // namespace regretless
