// The Perceptron that predicts by all the weights it has had (Mohri et al. (2018), section 8.3.1):
//
//   survival   by the mean of w_1 .. w_T: a vector counts for every round in which it was played
//   uniform    by the mean of the vectors after each update
//   vote       by the majority of the vectors' signs: votes.hpp
//
// Weights are sums of steps, w = sum_s d_s, where d_s is the step of the s-th round or update.
// After n of them the sum of the w before each is n w - sum_s s d_s, and of the w after each (n +
// 1) w - sum_s s d_s. So only the rows of an example are touched; sum_s s d_s is the row's double.
#pragma once
#include "rules/rule.hpp"

namespace regretless {

struct Averaged : RuleDefaults {
  enum Kind : std::int32_t { survival, uniform, vote };
  Kind kind = survival;
  double rate = 1;
  bool predicting = false;  // learning uses the last weights, predicting the mean

  int float_slots() const { return 1; }
  bool needs_clock() const { return kind != vote; }
  bool keeps_gradient_sum() const { return true; }
  bool signed_clock() const { return true; }
  bool votes() const { return kind == vote; }

  bool averages() const { return predicting && kind != vote; }
  Scalar counter() const { return kind == uniform ? kUpdates : kRounds; }

  template <class V>
  struct At {
    Wide<V> next;  // the number of the next step
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
