// Lanes of AdaGrad that differ in rate, in whether the scale of a feature matters, and in decay:
//
//   G_i += z_i^2,   r_i = c eta / sqrt(G_i),   w_i <- w_i / (1 + n r_i l2),   w_i <- w_i - r_i z_i
//
// If scales do not matter c = span sqrt(t / N) / max |x_i|, N = sum x_i^2 / max |x_i|^2, else
// c = span; span = max |y|. The score follows the gradient flow at these rates, as in AdaGrad. The
// decay of the n rounds since a feature was last seen is applied in one proximal step when it is
// seen again.
//
// max |x_i| and the round in which a row was last seen depend on the examples only and are kept
// once for all lanes of a row. Rounds are counted by the first lane, the oldest. A later lane has
// seen fewer; where n counts rounds before its time, its weight is still 0.
#pragma once
#include "rules/rule.hpp"

namespace regretless {

struct Grid : RuleDefaults {
  static double largest_step() { return 1e18; }
  static constexpr bool single_lane = false;
  enum { kWeight, kSquare };  // float slots: w_i, G_i
  enum { kInverse, kSeen };  // shared by the lanes of a row: 1 / max |x|, and when it was seen last
  enum {                     // lane scalars
    kEta = kRuleScalars,     // eta
    kInvariant,              // 1 if the scale of a feature does not matter, else 0
    kDecay,                  // l2
    kScaledNorms,            // N
    kSpan,                   // max |y|
  };
  bool classifies = true;

  int float_slots() const { return 2; }
  int shared_slots() const { return 2; }
  bool prepares() const { return true; }
  void start(Lanes lanes, int k) const { lanes(kSpan, k) = classifies; }

  template <class V>
  struct At {
    V rate, invariant, decay;
    Real rounds;  // of the first lane; as a float exact up to 2^24
    bool decays;
  };
  template <class V>
  At<V> at(Lanes lanes, int block) const {
    const V t = narrow(lane_block<V>(lanes, kRounds, block)),
            n = narrow(lane_block<V>(lanes, kScaledNorms, block)),
            invariant = narrow(lane_block<V>(lanes, kInvariant, block)),
            decay = narrow(lane_block<V>(lanes, kDecay, block));
    const V correction = root(n > 0 ? t / n : V{} + 1.0f);
    const V rate = narrow(lane_block<V>(lanes, kEta, block) * lane_block<V>(lanes, kSpan, block));
    bool decays = false;
    for (int i = 0; i < Traits<V>::width; ++i) decays |= decay[i] > 0;
    return {rate * (1.0f + invariant * (correction - 1.0f)), invariant, decay,
            Real(lanes(kRounds, 0)), decays};
  }
  template <class C, class V>
  V weight(const C& c, const At<V>& at, V x) const {
    const Real share = std::fabs(x[0]) * c.shared[kInverse];
    const V w = c.get(kWeight);
    return share > kLarger ? w * (1.0f + at.invariant * (1.0f / share - 1.0f)) : w;
  }
  double factor(Lanes, int) const { return 1; }
  double step(Lanes, int, const Loss& loss, double s, double y, double h, double,
              double norm) const {
    return loss.invariant_step(s, y, h, norm);
  }
  template <class C, class V>
  V prepare(const C& c, const At<V>& at, Wide<V> g, V x, Sums<V>&) const {
    const V z = narrow(g) * x, square = c.get(kSquare) + z * z;
    const V scale = 1.0f + at.invariant * (inverse(c.shared, std::fabs(x[0])) - 1.0f);
    const V rate = smaller(ratio(at.rate * scale, root(square)), V{} + kFastest);
    V w = weight(c, at, x);
    if (at.decays) w = w / (1.0f + rate * at.decay * (at.rounds - c.shared[kSeen]));
    c.set(kWeight, w);
    c.set(kSquare, square);
    return rate * x;
  }
  template <class C, class V>
  void update(const C&, const At<V>&, Wide<V>, V, Sums<V>&) const {}  // `prepare` does everything

  // Updates what the lanes share; returns the part of N.
  template <class C>
  double share(const C& c, Real x, double rounds) const {
    const Real a = std::fabs(x);
    c.shared[kInverse] = inverse(c.shared, a);
    c.shared[kSeen] = Real(rounds);
    return Loss::square(a * c.shared[kInverse]);
  }
  void finish(Lanes lanes, int k, const Round& round, double tracked, const Table&) const {
    lanes(kScaledNorms, k) += tracked;
    lanes(kSpan, k) = std::max(lanes(kSpan, k), std::fabs(round.target));
  }

 private:
  // A value is larger than all before, beyond rounding.
  static constexpr Real kLarger = 1 + 8 * std::numeric_limits<Real>::epsilon();
  static constexpr Real kSmallest = 1e-37f;  // the smallest value that has an inverse
  static constexpr Real kFastest = 1e38f;    // the largest rate: infinite times 0 would be NaN
  static Real inverse(const Real* shared, Real a) {
    const Real old = shared[kInverse];
    return a > kSmallest && (old == 0 || a * old > kLarger) ? 1.0f / a : old;
  }
};

}  // namespace regretless
