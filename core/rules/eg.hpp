// EG+-: exponentiated gradient over the l1 ball of radius U (Shalev-Shwartz (2012), Corollaries
// 2.14 and 2.16, on the features x and -x): dual averaging through the link
//
//   w_i = U (e^{eta theta_i} - e^{-eta theta_i}) / Z
//   Z   = sum_j (e^{eta theta_j} + e^{-eta theta_j})
//
// Exponentials are relative to e^shift. Of Z only the excess over theta = 0 is tracked,
// Z = 2 d + excess e^shift, so a feature that appears later joins with theta = 0. As ln Z >= ln 2d,
// the regret bound is the same as if it had been there from the start.
//
// If no rate is given it is sqrt(2 ln(2d) / c), where c is between one and four times the sum of
// ||z_t||_inf^2 so far. So eta changes only O(log T) times, and each time the excess, a sum over
// all features, is added up anew.
#pragma once
#include "rules/rule.hpp"

namespace regretless {

struct Eg : RuleDefaults {
  enum {                  // lane scalars
    kEta = kRuleScalars,  // the rate now
    kShift,               // exponentials are relative to e^shift
    kExcess,              // of Z over theta = 0, relative to e^shift
    kPeakExcess,          // the largest since it was last added up
    kSquaresLimit,        // where kInfSquares makes the rate change next: c
    kInfSquares,          // sum of ||z_t||_inf^2
  };
  double eta = 0, radius = 1;  // eta = 0: adapt
  std::size_t features = 0;    // rows of the bank
  std::size_t unused = 0;      // 1 if the row of the intercept is not used

  double dimension() const { return double(std::max<std::size_t>(features - unused, 1)); }
  int float_slots() const { return 1; }
  bool keeps_gradient_sum() const { return true; }
  void start(Lanes lanes, int k) const { lanes(kEta, k) = eta; }

  template <class V>
  struct At {
    Wide<V> eta, shift;
  };
  template <class V>
  At<V> at(Lanes lanes, int block) const {
    return {lane_block<V>(lanes, kEta, block), lane_block<V>(lanes, kShift, block)};
  }
  template <class C, class V>
  Wide<V> weight(const C& c, const At<V>& at, V) const {
    return each(
        [&](double theta, int i) {
          const double u = pick(at.eta, i) * theta, shift = pick(at.shift, i);
          if (std::fabs(u) < 1) return 2 * std::sinh(u) * std::exp(-shift);  // without cancellation
          return std::exp(u - shift) - std::exp(-u - shift);
        },
        c.get(0));
  }
  double factor(Lanes lanes, int k) const {
    const double zeros = 2 * dimension() * std::exp(-lanes(kShift, k));
    return radius / (zeros + lanes(kExcess, k));
  }
  double step(Lanes, int, const Loss&, double, double, double, double g, double) const { return g; }

  template <class C, class V>
  void update(const C& c, const At<V>& at, Wide<V> g, V x, Sums<V>& sums) const {
    const V old = c.get(0), z = narrow(g) * x, theta = old - z;
    c.set(0, theta);
    const auto excess_of = [&](double v, int i) {
      return excess(pick(at.eta, i) * v, pick(at.shift, i));
    };
    sums.tracked += each(excess_of, theta) - each(excess_of, old);
    sums.rounding += rounding_of(theta, z);
  }
  void finish(Lanes lanes, int k, const Round& round, double tracked, const Table& table) const {
    double &sum = lanes(kExcess, k), &peak = lanes(kPeakExcess, k),
           &squares = lanes(kInfSquares, k);
    sum += tracked;
    peak = std::max(peak, sum);
    squares += Loss::square(round.gradient * round.largest);
    const bool slower = eta == 0 && squares > lanes(kSquaresLimit, k);
    double played = lanes(kEta, k);
    if (slower) {
      lanes(kSquaresLimit, k) = 4 * squares;
      const double next = std::sqrt(2 * std::log(2 * dimension()) / lanes(kSquaresLimit, k));
      if (played == 0) played = next;  // before the first gradient w = 0 for any rate
      lanes(kEta, k) = std::min(played, next);
    }
    if (round.certified && played > 0)
      account(lanes, k, std::log(2 * dimension()) / played,
              radius / 2 * played * Loss::square(round.gradient * round.largest));
    if (slower || !(sum < 1e12) || sum < kLost * peak) recount(lanes, k, table);
  }

 private:
  // e^u + e^-u - 2 = (e^{u/2} - e^{-u/2})^2, which keeps its digits near u = 0
  static double excess(double u, double shift) {
    return Loss::square(std::exp((u - shift) / 2) - std::exp((-u - shift) / 2));
  }
  void recount(Lanes lanes, int k, const Table& table) const {
    const double e = lanes(kEta, k);
    double largest = 0, sum = 0;
    for (std::size_t i = 0; i < table.rows; ++i)
      largest = std::max(largest, e * std::fabs(*table.slot(i, 0, k)));
    for (std::size_t i = 0; i < table.rows; ++i) sum += excess(e * *table.slot(i, 0, k), largest);
    lanes(kShift, k) = largest;
    lanes(kExcess, k) = lanes(kPeakExcess, k) = sum;
  }
};

}  // namespace regretless
