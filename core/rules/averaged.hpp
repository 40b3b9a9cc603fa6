// The Perceptron that predicts by all the weights it has had (Mohri et al. (2018), section 8.3.1):
//
//   survival   with the mean of w_1 .. w_T, so that a vector counts for every round it was played
//   uniform    with the mean of the vectors after each update
//   vote       by the majority of the vectors' signs: votes.hpp
//
// Weights are sums of steps, w = sum_s d_s. If the n-th count (of rounds, or of updates) brings
// d_n, then the sum of w before each count is n w - sum_s s d_s, and after each (n + 1) w - sum_s s
// d_s: only the rows of an example are touched. That second sum is kept in the row's double.
#pragma once
#include "rules/rule.hpp"

namespace regretless {

struct Averaged : RuleDefaults {
  enum Kind : std::int32_t { survival, uniform, vote };
  Kind kind = survival;
  double rate = 1;
  bool predicting = false;  // learning goes by the last weights, predicting by the mean

  int float_slots() const { return 1; }
  bool needs_clock() const { return kind != vote; }
  bool keeps_gradient_sum() const { return true; }
  bool signed_clock() const { return true; }
  bool votes() const { return kind == vote; }

  bool averages() const { return predicting && kind != vote; }
  Scalar counter() const { return kind == uniform ? kUpdates : kRounds; }

  template <class V>
  struct At {
    Wide<V> next;  // count, that of the next step
  };
  template <class V>
  At<V> at(Lanes lanes, int block) const {
    return {lane_block<V>(lanes, counter(), block) + 1.0};
  }
  template <class C, class V>
  Wide<V> weight(const C& c, const At<V>& at, V) const {
    const Wide<V> w = widen(c.get(0));
    if (!averages()) return w;
    return (kind == uniform ? at.next : at.next - 1.0) * w - c.time();
  }
  double factor(Lanes lanes, int k) const {
    return averages() ? rate / std::max(lanes(counter(), k), 1.0) : rate;
  }
  double step(Lanes, int, const Loss&, double, double, double, double g, double) const { return g; }

  template <class C, class V>
  void update(const C& c, const At<V>& at, Wide<V> g, V x, Sums<V>& sums) const {
    const V old = c.get(0), z = narrow(g) * x, theta = old - z;
    c.set(0, theta);
    if (kind != vote) c.set_time(c.time() + at.next * (widen(theta) - widen(old)));
    sums.rounding += rounding_of(theta, z);
  }
  void finish(Lanes, int, const Round&, double, const Table&) const {}
};

}  // namespace regretless
