// Winnow (Shalev-Shwartz (2012), section 3.3.2): unnormalised exponentiated gradient with the
// threshold 1/2,
//
//   s = 2 <w, x> - 1,    w_i = e^{2 eta theta_i} / d,    theta = sum of y x over the mistakes
//
// for x in [0, 1]. It keeps theta, the logarithm of a weight, which no number of steps can lose.
// The weight of a feature that was not seen is 1 / d: it has row 0, which no feature uses here.
#pragma once
#include "rules/rule.hpp"

namespace regretless {

struct Winnow : RuleDefaults {
  static constexpr double offset = -1, low = 0, high = 1;
  static constexpr bool starts_at_zero = false;
  static constexpr double kMost = 200;  // larger weights decide alone
  double eta = 0.25;
  double dimension = 0;      // 0: the features seen so far
  std::size_t features = 0;  // rows of the bank

  int float_slots() const { return 1; }
  bool keeps_gradient_sum() const { return true; }

  template <class V>
  struct At {};
  template <class V>
  At<V> at(Lanes, int) const {
    return {};
  }
  template <class C, class V>
  Wide<V> weight(const C& c, const At<V>&, V) const {
    return each([&](double theta, int) { return std::exp(std::min(2 * eta * theta, kMost)); },
                c.get(0));
  }
  double factor(Lanes, int) const {
    return 2 / (dimension > 0 ? dimension : double(std::max<std::size_t>(features, 2) - 1));
  }
  double step(Lanes, int, const Loss&, double, double, double, double g, double) const { return g; }

  template <class C, class V>
  void update(const C& c, const At<V>&, Wide<V> g, V x, Sums<V>& sums) const {
    const V z = narrow(g) * x, theta = c.get(0) - z;
    c.set(0, theta);
    sums.rounding += rounding_of(theta, z);
  }
  void finish(Lanes, int, const Round&, double, const Table&) const {}
};

}  // namespace regretless
