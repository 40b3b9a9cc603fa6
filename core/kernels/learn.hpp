// Predicting and learning a batch, for every rule.
#pragma once

#include "kernels/scatter.hpp"
#include "kernels/score.hpp"
#include "logistic.hpp"

namespace regretless {
namespace {

void audit(const BankView& bank, Example x, const double* gradient) {
  for (std::size_t j = 0; j < x.size; ++j) {
    double* z = reinterpret_cast<double*>(bank.data + std::size_t(x.rows[j]) * bank.layout.stride) +
                std::size_t(bank.audit) * bank.layout.width;
    const double value = x.values[j];
    for (int k = 0; k < bank.layout.active(); ++k) z[k] += gradient[k] * value;
  }
}

struct Magnitudes {
  double least, largest;  // of the values that are not 0
};
Magnitudes magnitudes(Example x) {
  // The bits of positive floats are ordered as the floats are; those of 0 are the largest, less 1.
  std::uint32_t least = 0xffffffffu, most = 0;
  for (std::size_t j = 0; j < x.size; ++j) {
    std::uint32_t bits;
    std::memcpy(&bits, x.values + j, sizeof(bits));
    bits &= 0x7fffffffu;
    most = bits > most ? bits : most;
    least = bits - 1 < least ? bits - 1 : least;
  }
  if (most == 0) return {1, 0};
  least += 1;
  float values[2];
  std::memcpy(values, &least, sizeof(least));
  std::memcpy(values + 1, &most, sizeof(most));
  return {values[0], values[1]};
}

// What a sum of floats may not exceed; and what an ordinary example adds to it at most.
constexpr float kFull = 1e38f;
constexpr double kOrdinary = 1e14, kTiny = 1e-18;

// Sums of the rows of an example that is not ordinary stay where they are full.
void tame(const BankView& bank, Example x) {
  const std::size_t first = bank.layout.float_offset(),
                    count = std::size_t(bank.layout.floats) * std::size_t(bank.layout.width);
  for (std::size_t j = 0; j < x.size; ++j) {
    float* v = bank.data + std::size_t(x.rows[j]) * bank.layout.stride + first;
    for (std::size_t i = 0; i < count; ++i)
      v[i] = v[i] > kFull ? kFull : v[i] < -kFull ? -kFull : v[i];
  }
}

struct Scratch {  // one stack buffer for narrow banks, the heap for wide ones
  static constexpr int kOnStack = 64, kArrays = 4;
  double stack[kOnStack * kArrays];
  double* heap = nullptr;
  explicit Scratch(int width) : width_(width) {
    if (width > kOnStack) heap = new double[std::size_t(width) * kArrays];
    double* all = heap ? heap : stack;
    for (int i = 0; i < width * kArrays; ++i) all[i] = 0;
  }
  ~Scratch() { delete[] heap; }
  double* operator[](int i) { return (heap ? heap : stack) + std::size_t(i) * width_; }

 private:
  int width_;
};

template <class R>
concept PredictsOtherwise = requires(R& rule) { rule.predicting = true; };

template <class V, class R>
std::size_t predict(R rule, BankView bank, const Batch& batch) {
  const Lanes lanes{bank.lanes, bank.layout.width};
  Scratch scratch(bank.layout.active());
  double* scores = scratch[0];
  if constexpr (PredictsOtherwise<R>) rule.predicting = true;
  for (std::size_t t = 0; t < batch.size; ++t) {
    if constexpr (requires { rule.features; })
      if (batch.known) rule.features = batch.known[t];
    score<V, false>(rule, bank, lanes, batch.example(t), batch.example(t + 1), scores);
    if constexpr (R::offset != 0)
      for (int k = 0; k < bank.layout.lanes && !batch.bare; ++k) scores[k] += R::offset;
    for (int k = 0; k < bank.layout.lanes; ++k) batch.scores[t * bank.layout.lanes + k] = scores[k];
  }
  return batch.size;
}

bool sound(double v) { return std::fabs(v) <= kWorst; }

// Values and derivatives of the loss for all lanes.
void outcomes(const Loss& loss, const double* s, const double* y, int count, double* value,
              double* slope) {
  int k = 0;
  if (loss.kind == LossKind::logistic)
    for (; k + 4 <= count; k += 4) {
      const Logistic all_of(four(s + k) * four(y + k));
      put(value + k, all_of.loss());
      put(slope + k, -four(y + k) * all_of.wrong);
    }
  const bool hinge = loss.kind == LossKind::hinge, squared = loss.kind == LossKind::squared_hinge;
  for (; (hinge || squared) && k + 4 <= count; k += 4) {
    const Four m = four(s + k) * four(y + k), short_of = all(loss.parameter) - m;
    const Four lost = short_of > all(0) ? short_of : all(0);
    const auto within = m < all(loss.parameter);
    put(value + k, squared ? lost * lost : lost);
    put(slope + k, within ? squared ? all(-2) * short_of * four(y + k) : -four(y + k) : all(0));
  }
  for (; k < count; ++k) {
    const Loss::Outcome outcome = loss.outcome(s[k], y[k]);
    value[k] = outcome.value;
    slope[k] = outcome.derivative;
  }
}

// The importance-aware steps of all lanes: see Loss::invariant_step.
void flow(const Loss& loss, const double* s, const double* y, const double* h, const double* n,
          int count, double* step) {
  int k = 0;
  if (loss.kind == LossKind::logistic)
    for (; k + 4 <= count; k += 4) {
      const Four side = four(y + k), travel = four(n + k), m = four(s + k) * side;
      const Four moved = margin_shifts(m, travel * four(h + k)) / travel;
      put(step + k, travel > all(0) ? -side * moved : all(0));  // what moves nothing has no step
    }
  for (; k < count; ++k) step[k] = loss.invariant_step(s[k], y[k], h[k], n[k]);
}

// Whether all are at most so large in size; what is not a number is not.
bool within(const double* x, int count, double limit) {
  int k = 0;
  decltype(all(0) <= all(0)) beyond = {};
  for (; k + 4 <= count; k += 4) beyond |= ~(magnitude_of(four(x + k)) <= all(limit));
  bool sound = !(beyond[0] | beyond[1] | beyond[2] | beyond[3]);
  for (; k < count; ++k) sound = sound && std::fabs(x[k]) <= limit;
  return sound;
}

void add(double* __restrict to, const double* __restrict x, int count) {
  for (int k = 0; k < count; ++k) to[k] += x[k];
}

double summed(const double* x, int count) {
  int k = 0;
  Four fours = all(0);
  for (; k + 4 <= count; k += 4) fours += four(x + k);
  double sum = sum_of(fours);
  for (; k < count; ++k) sum += x[k];
  return sum;
}

// Losses and slopes, each times its importance.
void weighed(int count, const double* __restrict h, const double* __restrict value,
             const double* __restrict slope, double* __restrict suffered, double* __restrict g) {
  for (int k = 0; k < count; ++k) suffered[k] = h[k] * value[k], g[k] = h[k] * slope[k];
}

// What each lane is to predict: the target, or whether the example is of its class.
void aim(const Batch& batch, std::size_t t, int count, int per_class, double* target) {
  const bool one = count == per_class;
  const double all = batch.targets ? batch.targets[t] : one ? 2.0 * batch.classes[t] - 1 : -1.0;
  for (int k = 0; k < count; ++k) target[k] = all;
  if (batch.targets || one) return;
  for (int k = 0; k < per_class; ++k) target[batch.classes[t] * per_class + k] = 1;
}

// A lane whose steps would be out of range does not move.
void stay(const BankView& bank, Example x, int lane, double* travel, float* moves) {
  travel[lane] = 0;
  for (std::size_t j = 0; j < x.size; ++j)
    moves[j * std::size_t(bank.layout.active()) + std::size_t(lane)] = 0;
}

template <class V, class R>
concept Prepares = requires(const R& rule, Sums<V>& sums) {
  rule.prepare(Cell<V>{}, typename R::template At<V>{}, Wide<V>{}, V{}, sums);
};

template <class V, class R>
std::size_t learn(R rule, const Loss& loss, BankView bank, const Batch& batch) {
  const int count = bank.layout.lanes, active = bank.layout.active();
  const Lanes lanes{bank.lanes, bank.layout.width};
  const Table table{bank.data, bank.rows, bank.layout.stride, bank.layout.float_offset(),
                    bank.layout.width};
  Scratch scratch(active);
  double *s = scratch[0], *g = scratch[1], *step = scratch[2], *tracked = scratch[3];
  Scratch more(active);
  double *rounding = more[0], *suffered = more[1], *target = more[2], *value = more[3];
  Scratch last(active);
  double *slope = last[0], *norms = last[1];
  [[maybe_unused]] double* predicted = last[2];
  double* h = last[3];
  Room room, bets;
  constexpr bool many = Traits<V>::width > 1;
  for (std::size_t t = 0; t < batch.size; ++t) {
    const Example x = batch.example(t);
    const double importance = batch.importance ? batch.importance[t] : 1;
    if constexpr (requires { rule.features; })
      if (batch.known) rule.features = batch.known[t];
    float* played = R::bets ? bets.of(x.size * std::size_t(active)) : nullptr;
    score<V, R::bets>(rule, bank, lanes, x, batch.example(t + 1), s, played);
    if constexpr (R::offset != 0)
      for (int k = 0; k < count; ++k) s[k] += R::offset;
    if (batch.scores) {
      const double* said = s;
      if constexpr (PredictsOtherwise<R>) {
        rule.predicting = true;
        score<V, false>(rule, bank, lanes, x, {}, predicted);
        rule.predicting = false;
        said = predicted;
      }
      for (int k = 0; k < count; ++k) batch.scores[t * count + k] = said[k];
    }
    aim(batch, t, count, bank.per_class, target);
    outcomes(loss, s, target, count, value, slope);
    if (batch.losses) batch.losses[t] = summed(value, count);
    for (int k = 0; k < count; ++k) h[k] = importance;
    if (batch.weigh) batch.weigh(batch.weigher, t, s, h);
    if (importance == 0) continue;  // as if it were not there

    const auto [least, largest] = magnitudes(x);
    bool ordinary = least >= kTiny;
    double norm = 0;
    if (rule.needs_norm() || bank.audit >= 0)
      for (std::size_t j = 0; j < x.size; ++j) norm += Loss::square(x.values[j]);

    const double steepest = rule.largest_slope(), longest = rule.largest_step();
    const auto too_large = [=](double change) {
      return !(std::fabs(change) <= steepest) || !(std::fabs(change * largest) <= longest);
    };
    weighed(count, h, value, slope, suffered, g);
    for (int k = 0; k < count; ++k) norms[k] = norm;
    // Of many lanes it is nearly always clear at a glance that all are sound and ordinary.
    const double size = largest > 1 ? largest : 1, far = 1e4 * size;
    const double small = std::min({steepest / 2, longest / (2 * largest), kOrdinary / far});
    const bool calm = many && within(s, count, kWorst) && within(suffered, count, kWorst) &&
                      within(g, count, small);
    for (int k = 0; k < count && !calm; ++k) {
      ordinary &= std::fabs(g[k]) * size <= kOrdinary;
      if (sound(s[k]) && sound(suffered[k]) && sound(g[k]) && !(bank.forgiving && too_large(g[k])))
        continue;
      if (!bank.forgiving) return t;
      suffered[k] = suffered[k] <= kWorst ? suffered[k] : kWorst;
      g[k] = 0;
    }
    bool prepared = false;
    if constexpr (Prepares<V, R>)
      if (rule.prepares()) {
        for (int k = 0; k < count && !calm; ++k)  // the step will be no larger
          if (too_large(g[k])) return t;
        float* moves = room.of(x.size * std::size_t(active));
        prepare<V>(rule, bank, lanes, x, g, norms, tracked, moves);
        for (int k = 0; k < count; ++k)
          if (!sound(norms[k])) stay(bank, x, k, norms, moves);
        prepared = true;
      }
    if (prepared) {
      flow(loss, s, target, h, norms, count, step);
    } else {
      for (int k = 0; k < count; ++k)
        step[k] = rule.step(lanes, k, loss, s[k], target[k], h[k], g[k], norms[k]);
    }
    for (int k = 0; k < count; ++k) value[k] = step[k] * rule.gain(lanes, k);  // as weights change
    const bool brief =
        many && within(value, count, small) && (!prepared || within(norms, count, far));
    for (int k = 0; k < count && !brief; ++k) {
      ordinary &= std::fabs(value[k]) * (prepared ? norms[k] : size) <= kOrdinary;
      if (!too_large(value[k])) continue;
      if (!bank.forgiving && !prepared) return t;
      step[k] = 0;
    }
    if (prepared) {
      double shared = 0;
      shift<V>(bank, x, step, room.data, [&](std::size_t j) {
        if constexpr (Shares<R>)
          shared += rule.share(cell<float>(bank, x.rows[j], 0), x.values[j], lanes(kRounds, 0));
      });
      if constexpr (Shares<R>)
        for (int k = 0; k < active; ++k) tracked[k] = shared;
    } else {
      scatter<V>(rule, bank, lanes, x, step, played, tracked, rounding, room);
    }
    if (!ordinary) tame(bank, x);
    if (bank.audit >= 0) audit(bank, x, g);
    if (many && !batch.weigh && bank.audit < 0) {  // the same for all lanes, one total at a time
      add(&lanes(kLoss, 0), suffered, count);
      for (int k = 0; k < count; ++k) value[k] = g[k] * (s[k] - R::offset);
      add(&lanes(kLinear, 0), value, count);
      for (int k = 0; k < count; ++k) value[k] = std::fabs(value[k]);
      add(&lanes(kGross, 0), value, count);
      add(&lanes(kRounding, 0), rounding, count);
      for (int k = 0; k < count; ++k)
        rule.finish(lanes, k, {step[k], s[k], target[k], largest, norm, x, false}, tracked[k],
                    table);
      for (int k = 0; k < count; ++k) value[k] = step[k] != 0;
      add(&lanes(kUpdates, 0), value, count);
      add(&lanes(kWeights, 0), h, count);
      for (int k = 0; k < count; ++k) lanes(kRounds, k) += 1;
      continue;
    }
    for (int k = 0; k < count; ++k) {
      if (h[k] == 0) continue;  // it was not there for this lane
      lanes(kLoss, k) += suffered[k];
      const double linear = g[k] * (s[k] - R::offset);
      lanes(kLinear, k) += linear;
      lanes(kGross, k) += std::fabs(linear);
      if (bank.audit >= 0) {
        lanes(kSquares, k) += g[k] * g[k] * norm;
        if (step[k] != 0) lanes(kRadius, k) = std::max(lanes(kRadius, k), std::sqrt(norm));
      }
      lanes(kRounding, k) += rounding[k];
      rule.finish(lanes, k, {step[k], s[k], target[k], largest, norm, x, bank.audit >= 0},
                  tracked[k], table);
      lanes(kRounds, k) += 1;
      lanes(kUpdates, k) += step[k] != 0;
      lanes(kWeights, k) += h[k];
    }
  }
  return batch.size;
}

template <class R, class F>
std::size_t by_width(int width, F f) {
  if constexpr (R::single_lane)
    if (width == 1) return f(float{});
  return f(Packed<4>::Floats{});
}

template <class F, std::size_t I = 0>
std::size_t by_rule(const Rule& rule, F f) {
  if constexpr (I + 1 < std::variant_size_v<Rule>) {
    if (rule.index() != I) return by_rule<F, I + 1>(rule, f);
  }
  return f(*std::get_if<I>(&rule));
}

std::size_t predict_any(const Rule& rule, const Loss&, BankView bank, const Batch& batch) {
  return by_rule(rule, [&]<class R>(const R& r) {
    return by_width<R>(bank.layout.width,
                       [&](auto v) { return predict<decltype(v)>(r, bank, batch); });
  });
}
std::size_t learn_any(const Rule& rule, const Loss& loss, BankView bank, const Batch& batch) {
  return by_rule(rule, [&]<class R>(const R& r) {
    return by_width<R>(bank.layout.width,
                       [&](auto v) { return learn<decltype(v)>(r, loss, bank, batch); });
  });
}

}  // namespace
}  // namespace regretless
