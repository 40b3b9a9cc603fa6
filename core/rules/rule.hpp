// The parts of an update rule.
//
// A rule sees one row of the bank at a time. It declares how many float slots a lane has and
// whether it needs a double slot for a clock, and defines
//
//   At<V> at(lanes, block)            constants of this round for a block of lanes
//   weight(cell, at, x)               the weight of a feature with value x, up to
//   factor(lane)                      a factor common to all rows of the lane
//   step(lane, loss, s, y, h, g, n)   coefficient of the update, from the gradient coefficient g;
//                                     a unit step moves the score s by n
//   update(cell, at, g, x, sums)      the new state of a row; a rule with `bets` also gets w x,
//                                     which the row has added to the score
//   prepare(cell, at, g, x, sums)     instead of update, if the rule prepares(): before the step is
//                                     chosen the row takes the gradient in, and returns how far a
//                                     unit step will move its weight, the first slot
//   share(cell, x, rounds)            updates what all lanes of a row share, and returns the row's
//                                     part of a sum over the example, as sums.tracked is for a lane
//   finish(lane, round, sums, ...)    the new state of the lane
//
// V is a number (Real), a block of lanes of one row, or one lane of several rows. A rule works for all
// three.
#pragma once
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "bank.hpp"
#include "losses.hpp"
#include "simd.hpp"

namespace regretless {

struct Rate {
  enum Kind : std::int32_t { constant, inverse_sqrt, inverse };
  Kind kind = constant;
  double eta = 0.1;
  template <class W>
  W operator()(W t) const {
    return kind == constant ? W{} + eta : kind == inverse_sqrt ? eta / root(t) : eta / t;
  }
};

// Scalars kept per lane. After those that all rules have come those of the rule: it names them in
// an enum of its own, `enum { kFirst = kRuleScalars, ... }`, and saved files have them in that
// order.
enum Scalar : int {
  kRounds,    // examples seen
  kLoss,      // sum of losses suffered
  kLinear,    // sum of <w_t, z_t>
  kSquares,   // sum of ||z_t||^2, kept when certifying
  kWeights,   // sum of importance weights
  kRounding,  // bound on the l1 norm of the rounding errors of the rule's sums of gradients
  kUpdates,   // examples that moved the weights
  kRadius,    // the largest ||x|| of these examples, kept when certifying
  kPrice,     // cost of a comparator by the rule's theorem, per unit of its size; when certifying
  kSteps,     // cost of the steps by that theorem
  kGross,     // sum of |<w_t, z_t>|, for the rounding of kLinear
  kRuleScalars,
  kScalars = kRuleScalars + 6
};

// The scalars of all lanes: scalar s of lane k is lanes[s * width + k].
struct Lanes {
  double* data;
  int width;
  double& operator()(int scalar, int lane) const {
    return data[std::size_t(scalar) * width + lane];
  }
};

// One row of the bank, seen by a block of lanes.
template <class V>
struct Cell {
  Real* floats;
  double* clock;  // null if the rule has none
  int width;
  Real* shared = nullptr;  // what the lanes of the row share, if the rule has that
  V get(int slot) const { return load<V>(floats + std::size_t(slot) * width); }
  void set(int slot, V v) const { store<V>(floats + std::size_t(slot) * width, v); }
  V common(int slot) const { return V{} + shared[slot]; }
  void set_common(int slot, Real v) const { shared[slot] = v; }
  Wide<V> time() const {
    Wide<V> v;
    std::memcpy(&v, clock, sizeof(v));
    return v;
  }
  void set_time(Wide<V> v) const { std::memcpy(clock, &v, sizeof(v)); }
};

// The same, where some of the lanes must stay as they are.
template <class V>
struct AwakeCell : Cell<V> {
  V awake;  // 0 in lanes that stay
  void set(int slot, V v) const { Cell<V>::set(slot, awake > 0 ? v : this->get(slot)); }
  void set_time(Wide<V> v) const { Cell<V>::set_time(widen(awake) > 0 ? v : this->time()); }
};

// One lane of several rows. The rows must differ, or the last one set would win.
template <class V>
struct Gathered {
  static constexpr int width = Traits<V>::width;
  Real* floats[width];
  double* clocks[width];
  int shared;  // index of the first slot that lanes share
  V common(int slot) const { return get(shared + slot); }
  void set_common(int slot, V v) const { set(shared + slot, v); }
  V get(int slot) const {
    V v;
    for (int i = 0; i < width; ++i) v[i] = floats[i][slot];
    return v;
  }
  void set(int slot, V v) const {
    for (int i = 0; i < width; ++i) floats[i][slot] = v[i];
  }
  Wide<V> time() const {
    Wide<V> v;
    for (int i = 0; i < width; ++i) v[i] = *clocks[i];
    return v;
  }
  void set_time(Wide<V> v) const {
    for (int i = 0; i < width; ++i) *clocks[i] = v[i];
  }
};

// Sums of an update over the rows of an example.
template <class V>
struct Sums {
  Wide<V> tracked{};   // the rule's own: change of a norm or of a normaliser
  Wide<V> rounding{};  // see kRounding
};

// The whole table, for rules that must now and then look at every row.
struct Table {
  Real* data;
  std::size_t rows, stride, float_offset;
  int width;
  Real* slot(std::size_t row, int slot, int lane) const {
    return data + row * stride + float_offset + std::size_t(slot) * width + lane;
  }
  double* clock(std::size_t row, int lane) const {
    return reinterpret_cast<double*>(data + row * stride) + lane;
  }
  double squared_norm(int lane) const {  // of the first slot
    double sum = 0;
    for (std::size_t i = 0; i < rows; ++i) sum += Loss::square(*slot(i, 0, lane));
    return sum;
  }
};

struct Round {  // one example, as `finish` sees it
  double gradient, score, target;
  double largest;  // max |x_i|
  double norm;     // ||x||^2
  const Example& x;
  bool certified;
};

// A scalar of a block of lanes; a single lane stands for all of a block.
template <class V>
inline Wide<V> lane_block(const Lanes& lanes, int scalar, int block) {
  if (lanes.width == 1) return Wide<V>{} + lanes(scalar, 0);
  Wide<V> v;
  std::memcpy(&v, &lanes(scalar, block), sizeof(v));
  return v;
}
// As a number that a rule keeps. Doubles stay in the range of floats, too: what is smaller is 0, or
// quotients would leave the range of doubles.
inline constexpr double kLeastFloat = 0x1p-149;
inline Real narrow(double v) { return kDouble && std::fabs(v) < kLeastFloat ? 0 : Real(v); }
template <class W>
inline auto narrow(W v) {
  if constexpr (kDouble) v = magnitude(v) < kLeastFloat ? W{} : v;
  return __builtin_convertvector(v, typename Packed<sizeof(W) / sizeof(double)>::Reals);
}

// A sum over all rows that is tracked, and has fallen to this part of its largest value, has lost
// digits to cancellation. It is added up anew.
inline constexpr double kCancelled = kDouble ? 1e-2 : 1e-8, kLost = kDouble ? 1e-2 : 1e-6;

// Rounding of one addition to a rule's sum of gradients: half an ulp of the sum and of the summand.
template <class V>
inline Wide<V> rounding_of(V sum, V summand) {
  return widen(magnitude(sum) + magnitude(summand)) * double(std::numeric_limits<Real>::epsilon());
}

// soft(v, a) = sign(v) max(|v| - a, 0): the proximal map of a |v|.
template <class W>
inline W soft(W v, W a) {
  const W m = (v < 0 ? -v : v) - a;
  return m > 0 ? (v < 0 ? -m : m) : W{};
}

// Updates both sides of a theorem "regret <= size(u) / eta_T + sum eta_t ||z_t||^2". The rates may
// fall.
inline void account(Lanes lanes, int k, double price, double step) {
  lanes(kPrice, k) = price;
  lanes(kSteps, k) += step;
}

struct RuleDefaults {
  // Whether a single lane updates several rows at once: not worth it for a bare multiply and add.
  static constexpr bool gathers = true;
  static constexpr bool single_lane = true;  // whether the rule works for one lane
  // A larger change of a weight means divergence. Rules that square changes have lower limits.
  static double largest_slope() { return 1e37; }
  static double largest_step() { return 1e25; }
  static constexpr bool bets = false;  // whether update needs w x
  static constexpr double offset = 0;  // of the score: it is <w, x> + offset
  static constexpr double low = -kLargestValue, high = kLargestValue;  // of the features
  static constexpr bool starts_at_zero = true;  // whether a feature that was not seen has weight 0
  int shared_slots() const { return 0; }
  bool needs_clock() const { return false; }
  bool needs_norm() const { return false; }          // n = ||x||^2 for the step
  bool prepares() const { return false; }            // a sweep of its own before the step
  bool keeps_gradient_sum() const { return false; }  // float slot 0 is minus the sum of gradients
  bool signed_slot(int slot) const { return slot == 0; }  // changes sign with the labels
  bool signed_clock() const { return false; }
  bool rests() const { return true; }   // a step of 0 leaves a row as it is
  bool votes() const { return false; }  // predicts by a vote of all earlier weights: votes.hpp
  void start(Lanes, int) const {}
  double step(const Loss&, double, double, double, double g, double) const { return g; }
  double gain(Lanes, int) const { return 1; }  // change of a weight if step and value are 1
};

}  // namespace regretless
