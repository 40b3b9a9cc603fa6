// Coin betting, one gambler per coordinate: no learning rate (Orabona and Pal (2016); Orabona and
// Tommasi (2017)). A gambler bets the fraction theta / (G + L) of its wealth on the sign of the
// next gradient:
//
//   w_i = (e + R_i) / L_i * theta_i / (G_i + L_i)
//   theta_i = -sum z_i,  G_i = sum |z_i|,  R_i = -sum z_i w_i,  L_i = slope * max |x_i| >= |z_i|
//
// x is known before the bet is made. For a Lipschitz loss the slope is known, too, and a bet is
// always smaller than the wealth. Otherwise the slope is the largest seen. R_i never falls below 0:
// a gambler that has lost its winnings starts again with e.
//
// A gambler starts with the wealth e = wealth * slope * span / n, where span = max |y| and n is the
// mean of sum_i (x_i / max |x_i|)^2: the gamblers that are active in an example share the total. So
// everything is invariant to the scale of each feature and equivariant to that of the target.
#pragma once
#include "rules/rule.hpp"

namespace regretless {

//
// max |x_i| is kept once for all lanes of a row that see the same examples. With kOwn, for lanes that
// do not, each has its own.
template <bool kOwn>
struct CoinRule : RuleDefaults {
  static constexpr bool bets = true, single_lane = !kOwn;
  static constexpr double kRich = 1e38;            // its sum with the reward is still a float
  enum { kTheta, kSpread, kReward, kOwnLargest };  // float slots: theta_i, G_i, R_i, max |x_i|
  enum { kLargest };                               // shared by the lanes of a row: max |x_i|
  enum {                                           // lane scalars
    kSlope = kRuleScalars,                         // the largest slope: of the loss, or seen
    kScaledNorms,                                  // sum over examples of sum_i (x_i / max |x_i|)^2
    kSpan,                                         // max |y|
    kWealth,  // the option `wealth`; lanes of Auto have their own
  };
  double wealth = 8, lipschitz = 0;  // 0: not Lipschitz

  int float_slots() const { return kOwn ? 4 : 3; }
  int shared_slots() const { return kOwn ? 0 : 1; }
  bool rests() const { return !kOwn; }
  bool keeps_gradient_sum() const { return true; }
  void start(Lanes lanes, int k) const {
    lanes(kSlope, k) = lipschitz;
    lanes(kWealth, k) = wealth;
  }

  template <class V>
  struct At {
    V slope, wealth;
  };
  template <class V>
  At<V> at(Lanes lanes, int block) const {
    const Wide<V> slope = lane_block<V>(lanes, kSlope, block);
    const Wide<V> mean =
        ratio(lane_block<V>(lanes, kScaledNorms, block), lane_block<V>(lanes, kRounds, block));
    const Wide<V> all = lane_block<V>(lanes, kWealth, block) * slope;
    const Wide<V> e = ratio(all * lane_block<V>(lanes, kSpan, block), mean);
    return {narrow(slope), narrow(e < kRich ? e : Wide<V>{} + kRich)};
  }
  // In doubles: the weight of a tiny feature can be too large for a float while its score is not.
  template <class C, class V>
  Wide<V> weight(const C& c, const At<V>& at, V x) const {
    const Wide<V> largest = widen(at.slope) * widen(larger(largest_of<V>(c), magnitude(x)));
    return ratio(widen(at.wealth + c.get(kReward)) * widen(c.get(kTheta)),
                 largest * (widen(c.get(kSpread)) + largest));
  }
  double factor(Lanes, int) const { return 1; }
  double step(Lanes, int, const Loss&, double, double, double, double g, double) const { return g; }

  template <class C, class V>
  void update(const C& c, const At<V>&, Wide<V> g, V x, Sums<V>& sums, V bet) const {
    const V step = narrow(g), z = step * x, theta = c.get(kTheta) - z;
    c.set(kTheta, theta);
    c.set(kSpread, c.get(kSpread) + magnitude(z));
    c.set(kReward, larger(c.get(kReward) - step * bet, V{}));
    sums.rounding += rounding_of(theta, z);
    if constexpr (kOwn) {
      const V a = magnitude(x), largest = larger(c.get(kOwnLargest), a), part = ratio(a, largest);
      c.set(kOwnLargest, largest);
      sums.tracked += widen(part * part);
    }
  }
  template <class C, class V>
  Wide<V> share(const C& c, V x, double) const
    requires(!kOwn)
  {
    const V a = magnitude(x), largest = larger(c.common(kLargest), a);
    c.set_common(kLargest, largest);
    const V part = ratio(a, largest);
    return widen(part * part);
  }
  void finish(Lanes lanes, int k, const Round& round, double tracked, const Table&) const {
    lanes(kScaledNorms, k) += tracked;
    lanes(kSlope, k) = std::max(lanes(kSlope, k), std::fabs(round.gradient));
    lanes(kSpan, k) = std::max(lanes(kSpan, k), std::fabs(round.target));
  }

 private:
  template <class V, class C>
  static V largest_of(const C& c) {
    if constexpr (kOwn)
      return c.get(kOwnLargest);
    else
      return c.common(kLargest);
  }
};

using Coin = CoinRule<false>;
using OwnCoin = CoinRule<true>;

}  // namespace regretless
