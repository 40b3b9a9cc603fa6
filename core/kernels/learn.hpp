// Learning a batch, for every rule: LearnLoop::learn has the steps of one example.
#pragma once

#include "kernels/by_lane.hpp"
#include "kernels/predict.hpp"
#include "kernels/scatter.hpp"
#include "kernels/working.hpp"

namespace regretless {
namespace {

struct Magnitudes {
  double least, largest;  // of the values that are not 0
};
Magnitudes magnitudes(Example x) {
  // The bits of positive numbers are ordered as the numbers are. Less 1, those of 0 are the largest.
  using Bits = std::make_unsigned_t<RealBits>;
  Bits least = Bits(-1), most = 0;
  for (std::size_t j = 0; j < x.size; ++j) {
    Bits bits;
    std::memcpy(&bits, x.values + j, sizeof(bits));
    bits &= Bits(std::numeric_limits<RealBits>::max());
    most = bits > most ? bits : most;
    least = bits - 1 < least ? bits - 1 : least;
  }
  if (most == 0) return {1, 0};
  least += 1;
  Real values[2];
  std::memcpy(values, &least, sizeof(least));
  std::memcpy(values + 1, &most, sizeof(most));
  return {values[0], values[1]};
}

// Sums are kept within +-kFullSum. An example whose values are all above kTiny in size
// and that adds at most kOrdinary to any sum cannot bring one near that limit.
constexpr Real kFullSum = 1e38f;
constexpr double kOrdinary = 1e14, kTiny = 1e-18;

// Keep the sums in the rows of an example within their limit.
void clamp_sums(const BankView& bank, Example x) {
  const std::size_t first = bank.layout.float_offset(),
                    count = std::size_t(bank.layout.floats) * std::size_t(bank.layout.width);
  for (std::size_t j = 0; j < x.size; ++j) {
    Real* v = bank.data + std::size_t(x.rows[j]) * bank.layout.stride + first;
    for (std::size_t i = 0; i < count; ++i)
      v[i] = v[i] > kFullSum ? kFullSum : v[i] < -kFullSum ? -kFullSum : v[i];
  }
}

// Add the gradient of an example to the sums of gradients that the certificate needs.
void audit(const BankView& bank, Example x, const double* gradient) {
  for (std::size_t j = 0; j < x.size; ++j) {
    double* z = reinterpret_cast<double*>(bank.data + std::size_t(x.rows[j]) * bank.layout.stride) +
                std::size_t(bank.audit) * bank.layout.width;
    const double value = x.values[j];
    for (int k = 0; k < bank.layout.active(); ++k) z[k] += gradient[k] * value;
  }
}

// The target of each lane: that of the example, or whether the example is of the lane's class.
void set_targets(const Batch& batch, std::size_t t, int count, int per_class, double* target) {
  const bool one = count == per_class;
  const double all = batch.targets ? batch.targets[t] : one ? 2.0 * batch.classes[t] - 1 : -1.0;
  for (int k = 0; k < count; ++k) target[k] = all;
  if (batch.targets || one) return;
  for (int k = 0; k < per_class; ++k) target[batch.classes[t] * per_class + k] = 1;
}

// A lane whose steps would be out of range does not move.
void hold_lane(const BankView& bank, Example x, int lane, double* travel, Real* moves) {
  travel[lane] = 0;
  for (std::size_t j = 0; j < x.size; ++j)
    moves[j * std::size_t(bank.layout.active()) + std::size_t(lane)] = 0;
}

// How large the values of an example are, and from where on gradients and steps are too large.
struct Sizes {
  double largest;            // max |x_i|
  double squared_norm;       // ||x||^2, or 0 if neither the rule nor the certificate needs it
  double steepest, longest;  // limits of the rule: of a change, and of a change times max |x_i|
  bool ordinary;             // no sum of the example's rows can come near its limit

  double unit() const { return largest > 1 ? largest : 1; }
  double far() const { return 1e4 * unit(); }
  // Changes up to this are neither too large nor out of the ordinary.
  double safe() const {
    return std::min({steepest / 2, longest / (2 * largest), kOrdinary / far()});
  }
  bool too_large(double change) const {
    return !(std::fabs(change) <= steepest) || !(std::fabs(change * largest) <= longest);
  }
};

template <class V, class R>
concept Prepares = requires(const R& rule, Sums<V>& sums) {
  rule.prepare(Cell<V>{}, typename R::template At<V>{}, Wide<V>{}, V{}, sums);
};

template <class V, class R>
class LearnLoop {
 public:
  LearnLoop(const R& rule, const Loss& loss, const BankView& bank, const Batch& batch,
            double* cells)
      : rule_(rule),
        loss_(loss),
        bank_(bank),
        batch_(batch),
        lanes_{bank.lanes, bank.layout.width},
        count_(kMany ? bank.layout.lanes : 1),
        active_(kMany ? bank.layout.active() : 1),
        at_(cells, active_) {}

  // Returns the number of examples learned: all, or those before one that is out of range.
  std::size_t run() {
    for (std::size_t t = 0; t < batch_.size; ++t)
      if (!learn(t)) return t;
    return batch_.size;
  }

 private:
  static constexpr bool kMany = Traits<V>::width > 1;

  // The steps of one example. They are inlined here: as calls they would cost a single lane more
  // than its few features do. Returns false, and leaves the model as it was, if the example is out
  // of range.
  [[gnu::always_inline]] bool learn(std::size_t t) {
    const Example x = batch_.example(t);
    score_lanes(t, x);
    if (batch_.scores) report_scores(t, x);
    compare_with_targets(t);
    const double importance = batch_.importance ? batch_.importance[t] : 1;
    set_importance(t, importance);
    if (importance == 0) return true;  // as if it were not there

    Sizes sizes = measure(x);
    if (!find_gradients(sizes)) return false;
    bool prepared = false;
    if constexpr (Prepares<V, R>)
      if (rule_.prepares()) {
        if (!prepare_rows(x, sizes)) return false;
        prepared = true;
      }
    if (!choose_steps(sizes, prepared)) return false;
    move_weights(x, prepared);
    if (!sizes.ordinary) clamp_sums(bank_, x);
    if (bank_.audit >= 0) audit(bank_, x, at_.gradient);
    if (kMany && !batch_.weigh && bank_.audit < 0)
      account_together(x, sizes);
    else
      account_one_by_one(x, sizes);
    return true;
  }

  // --- the score, and the loss that it suffers ---------------------------------------------------

  [[gnu::always_inline]] void score_lanes(std::size_t t, Example x) {
    if constexpr (requires { rule_.features; })
      if (batch_.known) rule_.features = batch_.known[t];
    bets_ = R::bets ? bet_room_.of(x.size * std::size_t(active_)) : nullptr;
    score<V, R::bets>(rule_, bank_, lanes_, x, batch_.example(t + 1), at_.score, bets_);
    if constexpr (R::offset != 0)
      for (int k = 0; k < count_; ++k) at_.score[k] += R::offset;
  }

  [[gnu::always_inline]] void report_scores(std::size_t t, Example x) {
    const double* reported = at_.score;
    if constexpr (PredictsOtherwise<R>) {
      rule_.predicting = true;
      score<V, false>(rule_, bank_, lanes_, x, {}, at_.prediction);
      rule_.predicting = false;
      reported = at_.prediction;
    }
    for (int k = 0; k < count_; ++k) batch_.scores[t * count_ + k] = reported[k];
  }

  [[gnu::always_inline]] void compare_with_targets(std::size_t t) {
    set_targets(batch_, t, count_, bank_.per_class, at_.target);
    outcomes(loss_, at_.score, at_.target, count_, at_.value, at_.slope);
    if (batch_.losses) batch_.losses[t] = sum(at_.value, count_);
  }

  [[gnu::always_inline]] void set_importance(std::size_t t, double importance) {
    for (int k = 0; k < count_; ++k) at_.importance[k] = importance;
    if (batch_.weigh) batch_.weigh(batch_.weigher, t, at_.score, at_.importance);
  }

  // --- the gradient, and the step that follows from it -------------------------------------------

  [[gnu::always_inline]] Sizes measure(Example x) const {
    const auto [least, largest] = magnitudes(x);
    double squared_norm = 0;
    if (rule_.needs_norm() || bank_.audit >= 0)
      for (std::size_t j = 0; j < x.size; ++j) squared_norm += Loss::square(x.values[j]);
    return {largest, squared_norm, rule_.largest_slope(), rule_.largest_step(), least >= kTiny};
  }

  // Returns false if a lane is out of range, unless lanes are to be forgiven: those learn nothing.
  [[gnu::always_inline]] bool find_gradients(Sizes& sizes) {
    weigh(count_, at_.importance, at_.value, at_.slope, at_.loss, at_.gradient);
    for (int k = 0; k < count_; ++k) at_.travel[k] = sizes.squared_norm;
    // With many lanes, one pass nearly always shows that all are within range.
    calm_ = kMany && within(at_.score, count_, kWorst) && within(at_.loss, count_, kWorst) &&
            within(at_.gradient, count_, sizes.safe());
    for (int k = 0; k < count_ && !calm_; ++k) {
      double &loss = at_.loss[k], &gradient = at_.gradient[k];
      sizes.ordinary &= std::fabs(gradient) * sizes.unit() <= kOrdinary;
      if (in_range(at_.score[k]) && in_range(loss) && in_range(gradient) &&
          !(bank_.forgiving && sizes.too_large(gradient)))
        continue;
      if (!bank_.forgiving) return false;
      loss = loss <= kWorst ? loss : kWorst;
      gradient = 0;
    }
    return true;
  }

  // The rows take the gradient in, and say how far a unit step will move them and the score.
  [[gnu::always_inline]] bool prepare_rows(Example x, const Sizes& sizes) {
    for (int k = 0; k < count_ && !calm_; ++k)  // the step will be no larger than the gradient
      if (sizes.too_large(at_.gradient[k])) return false;
    Real* moves = room_.of(x.size * std::size_t(active_));
    prepare<V>(rule_, bank_, lanes_, x, at_.gradient, unequal(), at_.travel, at_.tracked, moves);
    for (int k = 0; k < count_; ++k)
      if (!in_range(at_.travel[k])) hold_lane(bank_, x, k, at_.travel, moves);
    return true;
  }

  [[gnu::always_inline]] bool choose_steps(Sizes& sizes, bool prepared) {
    if (prepared) {
      invariant_steps(loss_, at_.score, at_.target, at_.importance, at_.travel, count_, at_.step);
    } else {
      for (int k = 0; k < count_; ++k)
        at_.step[k] = rule_.step(lanes_, k, loss_, at_.score[k], at_.target[k], at_.importance[k],
                                 at_.gradient[k], at_.travel[k]);
    }
    for (int k = 0; k < count_; ++k) at_.change[k] = at_.step[k] * rule_.gain(lanes_, k);
    const bool calm = kMany && within(at_.change, count_, sizes.safe()) &&
                      (!prepared || within(at_.travel, count_, sizes.far()));
    for (int k = 0; k < count_ && !calm; ++k) {
      sizes.ordinary &=
          std::fabs(at_.change[k]) * (prepared ? at_.travel[k] : sizes.unit()) <= kOrdinary;
      if (!sizes.too_large(at_.change[k])) continue;
      if (!bank_.forgiving && !prepared) return false;
      at_.step[k] = 0;
    }
    return true;
  }

  // The importance of the example for each lane, if it may be 0 for some; otherwise null.
  const double* unequal() const { return batch_.weigh ? at_.importance : nullptr; }
  static bool in_range(double v) { return std::fabs(v) <= kWorst; }

  // --- the new weights, and the totals -----------------------------------------------------------

  [[gnu::always_inline]] void move_weights(Example x, bool prepared) {
    if (!prepared)
      return scatter<V>(rule_, bank_, lanes_, x, at_.step, unequal(), bets_, at_.tracked,
                        at_.rounding, room_);
    double shared = 0;
    const auto share_row = [&shared, x, rule = rule_, bank = bank_,
                            rounds = lanes_(kRounds, 0)](std::size_t j) {
      if constexpr (Shares<R>)
        shared += rule.share(cell<Real>(bank, x.rows[j], 0), x.values[j], rounds);
    };
    shift<V>(bank_, x, at_.step, room_.data, share_row);
    if constexpr (Shares<R>)
      for (int k = 0; k < active_; ++k) at_.tracked[k] = shared;
  }

  [[gnu::always_inline]] void finish(int k, Example x, const Sizes& sizes, bool certified) {
    const Round round{at_.step[k], at_.score[k], at_.target[k], sizes.largest, sizes.squared_norm,
                      x,           certified};
    const Table table{bank_.data, bank_.rows, bank_.layout.stride, bank_.layout.float_offset(),
                      bank_.layout.width};
    rule_.finish(lanes_, k, round, at_.tracked[k], table);
  }

  // Many lanes that all see the example: one total at a time.
  [[gnu::always_inline]] void account_together(Example x, const Sizes& sizes) {
    double* some = at_.change;  // not needed any more
    add(&lanes_(kLoss, 0), at_.loss, count_);
    for (int k = 0; k < count_; ++k) some[k] = at_.gradient[k] * (at_.score[k] - R::offset);
    add(&lanes_(kLinear, 0), some, count_);
    for (int k = 0; k < count_; ++k) some[k] = std::fabs(some[k]);
    add(&lanes_(kGross, 0), some, count_);
    add(&lanes_(kRounding, 0), at_.rounding, count_);
    for (int k = 0; k < count_; ++k) finish(k, x, sizes, false);
    for (int k = 0; k < count_; ++k) some[k] = at_.step[k] != 0;
    add(&lanes_(kUpdates, 0), some, count_);
    add(&lanes_(kWeights, 0), at_.importance, count_);
    for (int k = 0; k < count_; ++k) lanes_(kRounds, k) += 1;
  }

  [[gnu::always_inline]] void account_one_by_one(Example x, const Sizes& sizes) {
    const bool certified = bank_.audit >= 0;
    for (int k = 0; k < count_; ++k) {
      if (at_.importance[k] == 0) continue;  // the lane does not see the example
      const double gradient = at_.gradient[k], linear = gradient * (at_.score[k] - R::offset);
      lanes_(kLoss, k) += at_.loss[k];
      lanes_(kLinear, k) += linear;
      lanes_(kGross, k) += std::fabs(linear);
      if (certified) {
        double& radius = lanes_(kRadius, k);
        lanes_(kSquares, k) += gradient * gradient * sizes.squared_norm;
        if (at_.step[k] != 0) radius = std::max(radius, std::sqrt(sizes.squared_norm));
      }
      lanes_(kRounding, k) += at_.rounding[k];
      finish(k, x, sizes, certified);
      lanes_(kRounds, k) += 1;
      lanes_(kUpdates, k) += at_.step[k] != 0;
      lanes_(kWeights, k) += at_.importance[k];
    }
  }

  R rule_;
  const Loss& loss_;
  const BankView bank_;
  const Batch& batch_;
  const Lanes lanes_;
  const int count_, active_;  // lanes in use, and those in whole blocks
  const Working at_;          // the numbers of the example that is being learned
  Room room_, bet_room_;
  Real* bets_ = nullptr;  // what each row adds to the score, for rules that ask for it
  bool calm_ = false;     // all gradients are well within range
};

template <class V, class R>
std::size_t learn(const R& rule, const Loss& loss, const BankView& bank, const Batch& batch) {
  Cells cells(bank.layout.active());
  return LearnLoop<V, R>(rule, loss, bank, batch, cells.data()).run();
}

}  // namespace
}  // namespace regretless
