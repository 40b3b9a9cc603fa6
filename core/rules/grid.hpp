// Lanes of AdaGrad that differ in rate, in whether the scale of a feature matters, and in decay:
//
//   G_i += z_i^2,   r_i = c eta / sqrt(G_i),   w_i <- w_i / (1 + n r_i l2),   w_i <- w_i - r_i z_i
//
// c = span sqrt(t / N) / max |x_i|, N = sum x_i^2 / max |x_i|^2, where scales do not matter, else
// c = span; span = max |y|. The score follows the gradient flow at these rates, as in AdaGrad. The
// decay of the n rounds since a feature was last seen is made up for, in one proximal step, when it
// is seen again. What depends on the examples alone, max |x_i| and the last round, is kept once for
// all lanes of a row. That round is told by the clock of the first lane, which is the oldest: a
// lane that came later has seen fewer rounds, and where n counts some from before its time its
// weight is still 0.
#pragma once
#include "rules/rule.hpp"

namespace regretless {

struct Grid : RuleDefaults {
  static double largest_step() { return 1e18; }
  static constexpr bool single_lane = false;
  enum { kWeight, kSquare };  // float slots
  enum { kInverse, kSeen };  // shared by the lanes of a row: 1 / max |x|, and when it was seen last
  enum { kEta = kA, kInvariant = kB, kDecay = kC, kNorms = kD, kSpan = kE };
  bool classifies = true;

  int float_slots() const { return 2; }
  int shared_slots() const { return 2; }
  bool prepares() const { return true; }
  void start(Lanes lanes, int k) const { lanes(kSpan, k) = classifies; }

  template <class V>
  struct At {
    V rate, invariant, decay;
    float rounds;  // of the first lane; exact to 2^24, and of those far apart later on
    bool decays;
  };
  template <class V>
  At<V> at(Lanes lanes, int block) const {
    const V t = narrow(lane_block<V>(lanes, kRounds, block)),
            n = narrow(lane_block<V>(lanes, kNorms, block)),
            invariant = narrow(lane_block<V>(lanes, kInvariant, block)),
            decay = narrow(lane_block<V>(lanes, kDecay, block));
    const V correction = root(n > 0 ? t / n : V{} + 1.0f);
    const V rate = narrow(lane_block<V>(lanes, kEta, block) * lane_block<V>(lanes, kSpan, block));
    bool decays = false;
    for (int i = 0; i < Traits<V>::width; ++i) decays |= decay[i] > 0;
    return {rate * (1.0f + invariant * (correction - 1.0f)), invariant, decay,
            float(lanes(kRounds, 0)), decays};
  }
  template <class C, class V>
  V weight(const C& c, const At<V>& at, V x) const {
    const float share = std::fabs(x[0]) * c.shared[kInverse];
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
  void update(const C&, const At<V>&, Wide<V>, V, Sums<V>&) const {}  // all of it is prepared

  // Its part of N.
  template <class C>
  double share(const C& c, float x, double rounds) const {
    const float a = std::fabs(x);
    c.shared[kInverse] = inverse(c.shared, a);
    c.shared[kSeen] = float(rounds);
    return Loss::square(a * c.shared[kInverse]);
  }
  void finish(Lanes lanes, int k, const Round& round, double tracked, const Table&) const {
    lanes(kNorms, k) += tracked;
    lanes(kSpan, k) = std::max(lanes(kSpan, k), std::fabs(round.target));
  }

 private:
  static constexpr float kLarger = 1.000001f;  // than all before, not by rounding alone
  static constexpr float kSmallest = 1e-37f;   // value that has an inverse
  static constexpr float kFastest = 1e38f;     // rate: what it is multiplied by may be 0
  static float inverse(const float* shared, float a) {
    const float old = shared[kInverse];
    return a > kSmallest && (old == 0 || a * old > kLarger) ? 1.0f / a : old;
  }
};

}  // namespace regretless
