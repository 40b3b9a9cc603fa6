// The p-norm algorithm (Shalev-Shwartz (2012), Corollary 2.18, as corrected in docs/errata.md):
// dual averaging through the link
//
//   w_i = eta_t sign(theta_i) |theta_i|^(p-1) / ||theta||_p^(p-2),    theta = - sum z
//
// Powers are taken of r = theta / M with M >= max |theta|, so nothing overflows; S = sum |r_i|^p.
#pragma once
#include "rules/rule.hpp"

namespace regretless {

struct PNorm : RuleDefaults {
  enum {                   // lane scalars
    kUnit = kRuleScalars,  // M
    kPowers,               // S
    kPeakPowers,           // the largest S since it was last added up
  };
  Rate rate{};
  double p = 10;

  int float_slots() const { return 1; }
  bool keeps_gradient_sum() const { return true; }

  template <class V>
  struct At {
    Wide<V> inverse;  // 1 / M
  };
  template <class V>
  At<V> at(Lanes lanes, int block) const {
    return {ratio(Wide<V>{} + 1.0, lane_block<V>(lanes, kUnit, block))};
  }
  template <class C, class V>
  Wide<V> weight(const C& c, const At<V>& at, V) const {
    return link(widen(c.get(0)) * at.inverse);
  }
  double factor(Lanes lanes, int k) const {
    const double t = lanes(kRounds, k), m = lanes(kUnit, k), s = lanes(kPowers, k);
    return s > 0 ? rate(t > 1 ? t : 1) * m * std::pow(s, (2 - p) / p) : 0;
  }
  double step(Lanes, int, const Loss&, double, double, double, double g, double) const { return g; }

  template <class C, class V>
  void update(const C& c, const At<V>& at, Wide<V> g, V x, Sums<V>& sums) const {
    const V old = c.get(0), z = narrow(g) * x, theta = old - z;
    c.set(0, theta);
    const Wide<V> before = widen(old) * at.inverse, after = widen(theta) * at.inverse;
    sums.tracked += link(after) * after - link(before) * before;
    sums.rounding += rounding_of(theta, z);
  }
  void finish(Lanes lanes, int k, const Round& round, double tracked, const Table& table) const {
    if (round.certified) {
      const double t = lanes(kRounds, k), eta = rate(t > 1 ? t : 1);
      const double square = Loss::square(round.gradient * round.largest * size(round));
      account(lanes, k, 0.5 / eta, (p - 1) / 2 * eta * square);
    }
    double &s = lanes(kPowers, k), &peak = lanes(kPeakPowers, k);
    s += tracked;
    peak = std::max(peak, s);
    // The first gradient sets the scale M. Later, if the sum is far from 1 (theta has outgrown M,
    // or cancelled), it is added up anew with the present scale of theta.
    const bool first = lanes(kUnit, k) == 0 && round.gradient != 0;
    if (first || !(s < 1e12) || s < kLost * peak) recount(lanes, k, table);
  }

 private:
  double size(const Round& round) const {  // ||x||_p, in units of max |x_i|
    double sum = 0;
    for (std::size_t j = 0; j < round.x.size && round.largest > 0; ++j)
      sum += std::pow(std::fabs(round.x.values[j]) / round.largest, p);
    return std::pow(sum, 1 / p);
  }
  double link(double r) const { return std::copysign(std::pow(std::fabs(r), p - 1), r); }
  template <class W>
  W link(W r) const {
    for (std::size_t i = 0; i < sizeof(W) / sizeof(double); ++i) r[i] = link(double(r[i]));
    return r;
  }
  void recount(Lanes lanes, int k, const Table& table) const {
    double largest = 0, s = 0;
    for (std::size_t i = 0; i < table.rows; ++i)
      largest = std::max(largest, double(std::fabs(*table.slot(i, 0, k))));
    for (std::size_t i = 0; i < table.rows && largest > 0; ++i)
      s += std::pow(std::fabs(*table.slot(i, 0, k)) / largest, p);
    lanes(kUnit, k) = largest;
    lanes(kPowers, k) = lanes(kPeakPowers, k) = s;
  }
};

}  // namespace regretless
