#include "kernels.hpp"

#include "experts/normal.hpp"
#include "logistic.hpp"
#include "mixing/exp_concave.hpp"
#include "sketch/oja_steps.hpp"

namespace regretless::REGRETLESS_ISA {
namespace {

constexpr int kBlocks = 4;  // blocks of lanes whose sums stay in registers

// All blocks of V in so many lanes, by fours and then the rest: f(first lane, Count<how many>).
template <int N>
struct Count {
  static constexpr int count = N;
};
template <class V, class F>
void in_blocks(int lanes, F f) {
  constexpr int width = Traits<V>::width;
  int first = 0;
  for (; first + kBlocks * width <= lanes; first += kBlocks * width) f(first, Count<kBlocks>{});
  const int left = (lanes - first) / width;
  if (left == 1) f(first, Count<1>{});
  if (left == 2) f(first, Count<2>{});
  if (left == 3) f(first, Count<3>{});
}

template <class V>
Cell<V> cell(const BankView& bank, std::uint32_t row, int block) {
  float* base = bank.data + std::size_t(row) * bank.layout.stride;
  double* clock = bank.clock < 0 ? nullptr
                                 : reinterpret_cast<double*>(base) +
                                       std::size_t(bank.clock) * bank.layout.width + block;
  return {base + bank.layout.float_offset() + block, clock, bank.layout.width,
          base + bank.layout.shared_offset()};
}

void put(double* to, double v) { *to = v; }
template <class W>
void put(double* to, W v) {
  std::memcpy(to, &v, sizeof(v));
}
void get(const double* from, double& v) { v = *from; }
template <class W>
void get(const double* from, W& v) {
  std::memcpy(&v, from, sizeof(v));
}

// A single lane takes this many features of an example at a time.
using Several = Packed<4>::Floats;
constexpr std::size_t kSeveral = Traits<Several>::width;

struct Column {  // the bank as a single lane sees it
  float* floats;
  double* clocks;
  std::size_t stride;
  int shared;
  explicit Column(const BankView& bank)
      : floats(bank.data + bank.layout.float_offset()),
        clocks(reinterpret_cast<double*>(bank.data) + bank.clock),
        stride(bank.layout.stride),
        shared(bank.layout.floats) {}
  Gathered<Several> several(const std::uint32_t* rows) const {
    Gathered<Several> g;
    g.shared = shared;
    for (std::size_t i = 0; i < kSeveral; ++i) {
      const std::size_t at = rows[i] * stride;
      g.floats[i] = floats + at;
      g.clocks[i] = clocks + at / 2;
    }
    return g;
  }
  Cell<float> one(std::uint32_t row) const {
    const std::size_t at = row * stride;
    return {floats + at, clocks + at / 2, 1, floats + at + shared};
  }
};

// Two names of an example can be hashed to one row.
bool distinct(const std::uint32_t* rows) {
  typedef std::uint32_t Rows __attribute__((vector_size(kSeveral * sizeof(std::uint32_t))));
  Rows r;
  std::memcpy(&r, rows, sizeof(r));
  const auto same =
      (r == __builtin_shuffle(r, Rows{1, 2, 3, 0})) | (r == __builtin_shuffle(r, Rows{2, 3, 0, 1}));
  std::uint64_t halves[2];
  std::memcpy(halves, &same, sizeof(same));
  return !(halves[0] | halves[1]);
}

template <class W>
double total(W v) {
  return (v[0] + v[1]) + (v[2] + v[3]);
}

// The rows of the example to come are asked for one by one, while those of this one are at work:
// all at once they would wait for each other.
struct Ahead {
  const char* data;
  std::size_t bytes;
  Example x;
  Ahead(const BankView& bank, Example next)
      : data(reinterpret_cast<const char*>(bank.data)),
        bytes(bank.layout.stride * sizeof(float)),
        x(next) {}
  void row(std::size_t j) const {
    if (j >= x.size) return;
    const char* at = data + x.rows[j] * bytes;
    fetch(at);
    for (std::size_t line = 64; line < bytes && line < 256; line += 64) fetch(at + line);
  }
  void rest(std::size_t j) const {
    for (; j < x.size; ++j) row(j);
  }
};
Example example(const Batch& batch, std::size_t t) {
  if (t >= batch.size) return {};
  const std::size_t start = batch.starts[t];
  return {batch.rows + start, batch.values + start, batch.starts[t + 1] - start};
}

// gather-dot: x -> one score per lane; what each row adds goes to `bets` if the rule wants it back
// Its own function, as is scatter_one: among all of `learn` the loop would run out of registers.
template <class R, bool Keep>
[[gnu::noinline]] double score_one(const R& rule, Column bank, Lanes lanes, Example x,
                                   const Ahead& ahead, float* bets) {
  const auto all = rule.template at<Several>(lanes, 0);
  const auto one = rule.template at<float>(lanes, 0);
  Wide<Several> sum{};
  double rest = 0;
  std::size_t j = 0;
  for (; j + kSeveral <= x.size; j += kSeveral) {
    for (std::size_t i = 0; i < kSeveral; ++i) ahead.row(j + i);
    const auto value = load<Several>(x.values + j);
    const auto bet = widen(rule.weight(bank.several(x.rows + j), all, value)) * widen(value);
    if constexpr (Keep) store<Several>(bets + j, narrow(bet));
    sum += bet;
  }
  ahead.rest(j);
  for (; j < x.size; ++j) {
    const double bet =
        widen(rule.weight(bank.one(x.rows[j]), one, x.values[j])) * double(x.values[j]);
    if constexpr (Keep) bets[j] = float(bet);
    rest += bet;
  }
  return (total(sum) + rest) * rule.factor(lanes, 0);
}

template <class V, bool Keep, class R>
void score(const R& given, const BankView& bank, Lanes lanes, Example x, Example next, double* out,
           float* bets = nullptr) {
  const R rule = given;  // its own, or every store could have changed it
  constexpr int width = Traits<V>::width;
  const Ahead ahead(bank, next);
  if constexpr (width == 1) {
    out[0] = score_one<R, Keep>(rule, Column(bank), lanes, x, ahead, bets);
    return;
  }
  in_blocks<V>(bank.layout.width, [&]<int N>(int first, Count<N>) {
    typename R::template At<V> at[N];
    Wide<V> sum[N]{};
    for (int i = 0; i < N; ++i) at[i] = rule.template at<V>(lanes, first + i * width);
    for (std::size_t j = 0; j < x.size; ++j) {
      if (first == 0) ahead.row(j);
      [[maybe_unused]] float* to = bets + j * std::size_t(bank.layout.width) + first;
#pragma GCC unroll 4
      for (int i = 0; i < N; ++i) {
        const Wide<V> bet = widen(rule.weight(cell<V>(bank, x.rows[j], first + i * width), at[i],
                                              V{} + x.values[j])) *
                            double(x.values[j]);
        if constexpr (Keep) store<V>(to + i * width, narrow(bet));
        sum[i] += bet;
      }
    }
    for (int i = 0; i < N; ++i) put(out + first + i * width, sum[i]);
  });
  ahead.rest(x.size);
  for (int k = 0; k < bank.layout.lanes; ++k) out[k] *= rule.factor(lanes, k);
}

// Not a std::vector: its code would be compiled for this instruction set and shared with others.
struct Room {
  float* data = nullptr;
  std::size_t size = 0;
  Room() = default;
  Room(const Room&) = delete;
  Room& operator=(const Room&) = delete;
  ~Room() { delete[] data; }
  float* of(std::size_t wanted) {
    if (wanted > size) {
      delete[] data;
      data = nullptr, size = 0;
      data = new float[2 * wanted];
      size = 2 * wanted;
    }
    return data;
  }
};

// What a row does in an update; `bet` is what it had added to the score.
template <class R, class C, class At, class V>
void update_row(const R& rule, const C& row, const At& at, Wide<V> g, V x, Sums<V>& sums,
                const float* bet) {
  if constexpr (R::bets)
    rule.update(row, at, g, x, sums, load<V>(bet));
  else
    rule.update(row, at, g, x, sums);
}

template <class R>
concept Shares = requires(const R& rule, Cell<float> cell) { rule.share(cell, 0.0f, 0.0); };

// scatter-axpy: every row moves by coefficient times x, as the rule has it
template <class R>
[[gnu::noinline]] Sums<float> scatter_one(const R& rule, Column bank, Lanes lanes, Example x,
                                          double g, const float* bets) {
  const auto all = rule.template at<Several>(lanes, 0);
  const auto one = rule.template at<float>(lanes, 0);
  Sums<Several> sums;
  Sums<float> rest;
  const auto update = [&](const auto& rows, const auto& at, auto step, auto value, auto& to,
                          std::size_t j) {
    update_row(rule, rows, at, step, value, to, bets + j);
    if constexpr (Shares<R>) to.tracked += rule.share(rows, value, 0);
  };
  const auto update_one = [&](std::size_t j) {
    update(bank.one(x.rows[j]), one, g, x.values[j], rest, j);
  };
  std::size_t j = 0;
  for (; R::gathers && j + kSeveral <= x.size; j += kSeveral) {
    if (distinct(x.rows + j)) {
      update(bank.several(x.rows + j), all, Wide<Several>{} + g, load<Several>(x.values + j), sums,
             j);
    } else {
      for (std::size_t i = 0; i < kSeveral; ++i) update_one(j + i);
    }
  }
  for (; j < x.size; ++j) update_one(j);
  return {rest.tracked + total(sums.tracked), rest.rounding + total(sums.rounding)};
}

template <class V, class R>
void scatter(const R& given, const BankView& bank, Lanes lanes, Example x,
             const double* coefficient, const float* bets, double* tracked, double* rounding,
             Room& room) {
  const R rule = given;
  constexpr int width = Traits<V>::width;
  if constexpr (width == 1) {
    const Sums<float> sums = scatter_one(rule, Column(bank), lanes, x, *coefficient, bets);
    *tracked = sums.tracked;
    *rounding = sums.rounding;
    return;
  }
  // what all lanes share comes first, and as it is for each occurrence of a row
  double shared = 0;
  [[maybe_unused]] float* seen = nullptr;
  const auto slots = std::size_t(bank.layout.shared);
  if constexpr (Shares<R>) {
    seen = room.of(x.size * slots);
    for (std::size_t j = 0; j < x.size; ++j) {
      const auto row = cell<float>(bank, x.rows[j], 0);
      shared += rule.share(row, x.values[j], lanes(kRounds, 0));
      for (std::size_t i = 0; i < slots; ++i) seen[j * slots + i] = row.shared[i];
    }
  }
  for (int b = 0; b < bank.layout.width; b += width) {
    const auto at = rule.template at<V>(lanes, b);
    Wide<V> g;
    get(coefficient + b, g);
    Sums<V> sums;
    sums.tracked += shared;
    for (std::size_t j = 0; j < x.size; ++j) {
      Cell<V> row = cell<V>(bank, x.rows[j], b);
      if constexpr (Shares<R>) row.shared = seen + j * slots;
      update_row(rule, row, at, g, V{} + x.values[j], sums,
                 bets + j * std::size_t(bank.layout.width) + b);
    }
    put(tracked + b, sums.tracked);
    put(rounding + b, sums.rounding);
  }
}

// A rule that prepares: every row takes the gradient in and tells how far a unit step will move it,
struct Prepared {
  double travel;  // and these how far that moves the score
  double tracked;
};
template <class R>
[[gnu::noinline]] Prepared prepare_one(const R& rule, Column bank, Lanes lanes, Example x, double g,
                                       float* moves) {
  const auto all = rule.template at<Several>(lanes, 0);
  const auto one = rule.template at<float>(lanes, 0);
  Sums<Several> sums;
  Sums<float> rest;
  Wide<Several> travel{};
  double more = 0;
  const auto prepare_row = [&](std::size_t j) {
    moves[j] = rule.prepare(bank.one(x.rows[j]), one, g, x.values[j], rest);
    more += double(moves[j]) * double(x.values[j]);
  };
  std::size_t j = 0;
  for (; j + kSeveral <= x.size; j += kSeveral) {
    if (distinct(x.rows + j)) {
      const auto value = load<Several>(x.values + j);
      const auto move =
          rule.prepare(bank.several(x.rows + j), all, Wide<Several>{} + g, value, sums);
      store<Several>(moves + j, move);
      travel += widen(move) * widen(value);
    } else {
      for (std::size_t i = 0; i < kSeveral; ++i) prepare_row(j + i);
    }
  }
  for (; j < x.size; ++j) prepare_row(j);
  return {more + total(travel), rest.tracked + total(sums.tracked)};
}
template <class V, class R>
void prepare(const R& given, const BankView& bank, Lanes lanes, Example x, const double* gradient,
             double* travel, double* tracked, float* moves) {
  const R rule = given;
  constexpr int width = Traits<V>::width;
  if constexpr (width == 1) {
    const Prepared prepared = prepare_one(rule, Column(bank), lanes, x, *gradient, moves);
    *travel = prepared.travel;
    *tracked = prepared.tracked;
    return;
  }
  in_blocks<V>(bank.layout.width, [&]<int N>(int first, Count<N>) {
    typename R::template At<V> at[N];
    Wide<V> g[N];
    Wide<V> sum[N]{};
    Sums<V> sums[N];
    for (int i = 0; i < N; ++i) {
      at[i] = rule.template at<V>(lanes, first + i * width);
      get(gradient + first + i * width, g[i]);
    }
    for (std::size_t j = 0; j < x.size; ++j) {
      const V value = V{} + x.values[j];
      float* to = moves + j * std::size_t(bank.layout.width) + first;
#pragma GCC unroll 4
      for (int i = 0; i < N; ++i) {
        const V move =
            rule.prepare(cell<V>(bank, x.rows[j], first + i * width), at[i], g[i], value, sums[i]);
        store<V>(to + i * width, move);
        sum[i] += widen(move) * widen(value);
      }
    }
    for (int i = 0; i < N; ++i) {
      put(travel + first + i * width, sum[i]);
      put(tracked + first + i * width, sums[i].tracked);
    }
  });
}
// then the weights, their first slot, move by as many steps; after(j) is for what else a row needs.
template <class V, class F>
void shift(const BankView& bank, Example x, const double* steps, const float* moves, F after) {
  constexpr int width = Traits<V>::width;
  in_blocks<V>(bank.layout.width, [&]<int N>(int first, Count<N>) {
    V step[N];
    for (int i = 0; i < N; ++i) {
      Wide<V> wide;
      get(steps + first + i * width, wide);
      step[i] = narrow(wide);
    }
    for (std::size_t j = 0; j < x.size; ++j) {
      const float* move = moves + j * std::size_t(bank.layout.width) + first;
#pragma GCC unroll 4
      for (int i = 0; i < N; ++i) {
        const Cell<V> c = cell<V>(bank, x.rows[j], first + i * width);
        c.set(0, c.get(0) - step[i] * load<V>(move + i * width));
      }
      if (first == 0) after(j);
    }
  });
}

void audit(const BankView& bank, Example x, const double* gradient) {
  for (std::size_t j = 0; j < x.size; ++j) {
    double* z = reinterpret_cast<double*>(bank.data + std::size_t(x.rows[j]) * bank.layout.stride) +
                std::size_t(bank.audit) * bank.layout.width;
    const double value = x.values[j];
    for (int k = 0; k < bank.layout.width; ++k) z[k] += gradient[k] * value;
  }
}

double largest_magnitude(Example x) {
  std::uint32_t most = 0;  // the bits of positive floats are ordered as the floats are
  for (std::size_t j = 0; j < x.size; ++j) {
    std::uint32_t bits;
    std::memcpy(&bits, x.values + j, sizeof(bits));
    bits &= 0x7fffffffu;
    most = bits > most ? bits : most;
  }
  float value;
  std::memcpy(&value, &most, sizeof(value));
  return value;
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
  Scratch scratch(bank.layout.width);
  double* scores = scratch[0];
  if constexpr (PredictsOtherwise<R>) rule.predicting = true;
  for (std::size_t t = 0; t < batch.size; ++t) {
    if constexpr (requires { rule.features; })
      if (batch.known) rule.features = batch.known[t];
    score<V, false>(rule, bank, lanes, example(batch, t), example(batch, t + 1), scores);
    if constexpr (R::offset != 0)
      for (int k = 0; k < bank.layout.lanes && !batch.bare; ++k) scores[k] += R::offset;
    for (int k = 0; k < bank.layout.lanes; ++k) batch.scores[t * bank.layout.lanes + k] = scores[k];
  }
  return batch.size;
}

constexpr double kWorst = 1e100;  // a lane that loses more than this loses this

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

template <class V, class R>
concept Prepares = requires(const R& rule, Sums<V>& sums) {
  rule.prepare(Cell<V>{}, typename R::template At<V>{}, Wide<V>{}, V{}, sums);
};

template <class V, class R>
std::size_t learn(R rule, const Loss& loss, BankView bank, const Batch& batch) {
  const int count = bank.layout.lanes;
  const Lanes lanes{bank.lanes, bank.layout.width};
  const Table table{bank.data, bank.rows, bank.layout.stride, bank.layout.float_offset(),
                    bank.layout.width};
  Scratch scratch(bank.layout.width);
  double *s = scratch[0], *g = scratch[1], *step = scratch[2], *tracked = scratch[3];
  Scratch more(bank.layout.width);
  double *rounding = more[0], *suffered = more[1], *target = more[2], *value = more[3];
  Scratch last(bank.layout.width);
  double *slope = last[0], *norms = last[1];
  [[maybe_unused]] double* predicted = last[2];
  double* h = last[3];
  Room room, bets;
  for (std::size_t t = 0; t < batch.size; ++t) {
    const Example x = example(batch, t);
    const double importance = batch.importance ? batch.importance[t] : 1;
    if constexpr (requires { rule.features; })
      if (batch.known) rule.features = batch.known[t];
    float* played = R::bets ? bets.of(x.size * std::size_t(bank.layout.width)) : nullptr;
    score<V, R::bets>(rule, bank, lanes, x, example(batch, t + 1), s, played);
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
    double suffered_by_all = 0;
    for (int k = 0; k < count; ++k)
      target[k] = batch.targets             ? batch.targets[t]
                  : count == bank.per_class ? 2.0 * batch.classes[t] - 1
                                            : (batch.classes[t] == k / bank.per_class ? 1.0 : -1.0);
    outcomes(loss, s, target, count, value, slope);
    for (int k = 0; k < count; ++k) suffered_by_all += value[k];
    if (batch.losses) batch.losses[t] = suffered_by_all;
    for (int k = 0; k < count; ++k) h[k] = importance;
    if (batch.weigh) batch.weigh(batch.weigher, t, s, h);
    if (importance == 0) continue;  // as if it were not there

    const double largest = largest_magnitude(x);
    double norm = 0;
    if (rule.needs_norm() || bank.audit >= 0)
      for (std::size_t j = 0; j < x.size; ++j) norm += Loss::square(x.values[j]);

    const auto too_large = [largest](double change) {
      return !(std::fabs(change) <= 1e37) || !(std::fabs(change * largest) <= R::largest_step);
    };
    for (int k = 0; k < count; ++k) {
      suffered[k] = h[k] * value[k];
      g[k] = h[k] * slope[k];
      norms[k] = norm;
      const bool sound = std::isfinite(s[k]) && std::isfinite(suffered[k]);
      if (sound && !(bank.forgiving && too_large(g[k]))) continue;
      if (!bank.forgiving) return t;
      suffered[k] = std::min(suffered[k], kWorst);
      g[k] = 0;
    }
    bool prepared = false;
    if constexpr (Prepares<V, R>)
      if (rule.prepares()) {
        for (int k = 0; k < count; ++k)  // the step will be no larger
          if (too_large(g[k])) return t;
        prepare<V>(rule, bank, lanes, x, g, norms, tracked,
                   room.of(x.size * std::size_t(bank.layout.width)));
        prepared = true;
      }
    if (prepared) {
      flow(loss, s, target, h, norms, count, step);
    } else {
      for (int k = 0; k < count; ++k)
        step[k] = rule.step(lanes, k, loss, s[k], target[k], h[k], g[k], norms[k]);
    }
    for (int k = 0; k < count; ++k) {
      if (!too_large(step[k])) continue;
      if (!bank.forgiving) return t;
      step[k] = 0;
    }
    if (prepared) {
      double shared = 0;
      shift<V>(bank, x, step, room.data, [&](std::size_t j) {
        if constexpr (Shares<R>)
          shared += rule.share(cell<float>(bank, x.rows[j], 0), x.values[j], lanes(kRounds, 0));
      });
      if constexpr (Shares<R>)
        for (int k = 0; k < bank.layout.width; ++k) tracked[k] = shared;
    } else {
      scatter<V>(rule, bank, lanes, x, step, played, tracked, rounding, room);
    }
    if (bank.audit >= 0) audit(bank, x, g);
    for (int k = 0; k < count; ++k) {
      if (h[k] == 0) continue;  // it was not there for this lane
      lanes(kLoss, k) += suffered[k];
      lanes(kLinear, k) += g[k] * (s[k] - R::offset);
      if (bank.audit >= 0) {
        lanes(kSquares, k) += g[k] * g[k] * norm;
        if (step[k] != 0) lanes(kRadius, k) = std::max(lanes(kRadius, k), std::sqrt(norm));
      }
      lanes(kRounding, k) += rounding[k];
      rule.finish(lanes, k, {step[k], target[k], largest, norm, x, bank.audit >= 0}, tracked[k],
                  table);
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

// These look for a sign bit in differences, without a branch, so that they vectorise. The bits of
// positive doubles are ordered as the doubles are, with infinities and NaNs above all numbers.
Survey survey_values(const double* values, std::size_t size) {
  const double limit = kLargestValue;
  std::int64_t most, high = 0, low = 0;
  std::memcpy(&most, &limit, sizeof(most));
  for (std::size_t j = 0; j < size; ++j) {
    std::int64_t bits;
    std::memcpy(&bits, values + j, sizeof(bits));
    bits &= 0x7fffffffffffffff;
    high |= most - bits;
    low |= bits - 1;
  }
  return {.fits = high >= 0, .has_zero = low < 0};
}

Survey survey_sparse(const std::int32_t* columns, const double* values, std::size_t size,
                     std::int32_t width) {
  constexpr std::size_t kPiece = 1u << 12;  // stays in the cache from one loop to the next
  Survey all{.fits = true, .has_zero = false};
  std::uint32_t seen = 0;
  for (std::size_t first = 0; first < size; first += kPiece) {
    const std::size_t last = std::min(size, first + kPiece);
    const Survey piece = survey_values(values + first, last - first);
    all.fits &= piece.fits;
    all.has_zero |= piece.has_zero;
    std::int32_t falls = 0;
    for (std::size_t j = first; j < last; ++j)
      seen |= std::uint32_t(columns[j]) | (std::uint32_t(width) - 1 - std::uint32_t(columns[j]));
    for (std::size_t j = first + !first; j < last; ++j) falls += columns[j] <= columns[j - 1];
    all.falls += std::size_t(falls);
  }
  all.within = seen >> 31 == 0;
  return all;
}

bool place(const std::int32_t* columns, const double* values, std::size_t size,
           const std::uint32_t* table, std::uint32_t mask, std::uint32_t* rows, float* floats) {
  for (std::size_t j = 0; j < size; ++j) floats[j] = float(values[j]);
  if (!table) {
    for (std::size_t j = 0; j < size; ++j) rows[j] = 1 + (std::uint32_t(columns[j]) & mask);
    return true;
  }
#pragma GCC unroll 8
  for (std::size_t j = 0; j < size; ++j) rows[j] = table[columns[j]];
  std::uint32_t most = 0;  // kAbsent is the largest of all
  for (std::size_t j = 0; j < size; ++j) most = rows[j] > most ? rows[j] : most;
  return most != std::numeric_limits<std::uint32_t>::max();
}

bool belongs(const std::uint32_t* rows, const float* values, std::size_t size,
             std::uint32_t count) {
  const float limit = float(kLargestValue);
  std::int32_t largest, high = 0;
  std::memcpy(&largest, &limit, sizeof(largest));
  std::uint32_t most = 0;
  for (std::size_t j = 0; j < size; ++j) most = rows[j] > most ? rows[j] : most;
  for (std::size_t j = 0; j < size; ++j) {
    std::int32_t bits;
    std::memcpy(&bits, values + j, sizeof(bits));
    high |= largest - (bits & 0x7fffffff);
  }
  return high >= 0 && (most < count || !size);
}

// Experts, four at a time; the last may be fewer, and weigh nothing beyond.
template <class F>
void by_fours(std::size_t n, F f) {
  std::size_t i = 0;
  for (; i + 4 <= n; i += 4) f(i, std::size_t(4));
  if (i < n) f(i, n - i);
}
Four take(const double* from, std::size_t count) {
  Four x = {};
  if (count == 4)
    std::memcpy(&x, from, sizeof(x));
  else
    for (std::size_t k = 0; k < count; ++k) x[k] = from[k];
  return x;
}
void put(double* to, Four x, std::size_t count) {
  if (count == 4)
    std::memcpy(to, &x, sizeof(x));
  else
    for (std::size_t k = 0; k < count; ++k) to[k] = x[k];
}

void normal_weights(const double* regret, const double* spread, const double* prior, std::size_t n,
                    double* weight) {
  by_fours(n, [=](std::size_t i, std::size_t count) {
    const Four D = all(3) * (take(spread + i, count) + all(1));
    const Four w = experts::normal_weight(take(regret + i, count), D);
    put(weight + i, take(prior + i, count) * w, count);
  });
}
double total(const double* x, std::size_t n) {
  Four sum = {};
  by_fours(n, [&](std::size_t i, std::size_t count) { sum += take(x + i, count); });
  return sum_of(sum);
}
Weighted weighted(const double* weight, const double* x, std::size_t n) {
  Four sum = {}, low = all(x[0]), high = low;
  by_fours(n, [&](std::size_t i, std::size_t count) {
    Four each = take(x + i, count);
    for (std::size_t k = count; k < 4; ++k) each[k] = x[0];
    sum += take(weight + i, count) * each;
    low = each < low ? each : low;
    high = each > high ? each : high;
  });
  Weighted all{sum_of(sum), low[0], high[0]};
  for (int k = 1; k < 4; ++k) {
    all.low = low[k] < all.low ? low[k] : all.low;
    all.high = high[k] > all.high ? high[k] : all.high;
  }
  return all;
}
void exponentials(const double* x, std::size_t n, double* out) {
  by_fours(n, [=](std::size_t i, std::size_t count) {
    const Four each = take(x + i, count), least = all(-700);
    const Four e = exponential(each > least ? each : least);
    put(out + i, each > least ? e : all(0), count);
  });
}
double normal_step(const double* losses, double suffered, const double* prior, std::size_t n,
                   double* regret, double* spread, double* weight) {
  Four sum = {};
  by_fours(n, [&](std::size_t i, std::size_t count) {
    const Four r = all(suffered) - take(losses + i, count);
    const Four R = take(regret + i, count) + r;
    const Four C = take(spread + i, count) + (r > all(0) ? r : -r);
    const Four D = all(3) * (C + all(1));
    put(regret + i, R, count);
    put(spread + i, C, count);
    const Four w = take(prior + i, count) * experts::normal_weight(R, D);
    put(weight + i, w, count);
    sum += w;
  });
  return sum_of(sum);
}

// N rows at a time: more sums are on their way than a processor can wait for.
template <int N>
void some_products(const double* rows, std::size_t n, const double* x, double* out) {
  Four sums[N] = {};
  by_fours(n, [&](std::size_t j, std::size_t count) {
    const Four each = take(x + j, count);
    for (int k = 0; k < N; ++k) sums[k] += take(rows + std::size_t(k) * n + j, count) * each;
  });
  for (int k = 0; k < N; ++k) out[k] = sum_of(sums[k]);
}
void row_products(const double* rows, std::size_t m, std::size_t n, const double* x, double* out) {
  std::size_t i = 0;
  for (; i + 4 <= m; i += 4) some_products<4>(rows + i * n, n, x, out + i);
  for (; i < m; ++i) some_products<1>(rows + i * n, n, x, out + i);
}
template <int N>
void add_some(const double* const* rows, const double* y, std::size_t n, double* out) {
  by_fours(n, [=](std::size_t j, std::size_t count) {
    Four sum = take(out + j, count);
    for (int k = 0; k < N; ++k) sum += take(rows[k] + j, count) * all(y[k]);
    put(out + j, sum, count);
  });
}
void row_sum(const double* rows, std::size_t m, std::size_t n, const double* y, double* out) {
  for (std::size_t j = 0; j < n; ++j) out[j] = 0;
  const double* waiting[4];
  double times[4];
  int count = 0;
  for (std::size_t i = 0; i < m; ++i) {
    if (y[i] == 0) continue;
    waiting[count] = rows + i * n, times[count] = y[i];
    if (++count < 4) continue;
    add_some<4>(waiting, times, n, out);
    count = 0;
  }
  for (int k = 0; k < count; ++k) add_some<1>(waiting + k, times + k, n, out);
}

void gather_rows(const BankView& bank, std::size_t first, std::size_t width, const Example& x,
                 const double* values, double* out) {
  for (std::size_t b = 0; b < width; b += 4 * kSeveral)
    in_blocks<Several>(int(width - b < 4 * kSeveral ? width - b : 4 * kSeveral),
                       [&]<int N>(int at, Count<N>) {
                         Wide<Several> sum[N]{};
                         const float* data = bank.data + first + b + std::size_t(at);
                         for (std::size_t j = 0; j < x.size; ++j) {
                           const float* row = data + x.rows[j] * bank.layout.stride;
                           for (int i = 0; i < N; ++i)
                             sum[i] += widen(load<Several>(row + 4 * i)) * values[j];
                         }
                         for (int i = 0; i < N; ++i) put(out + b + std::size_t(at) + 4 * i, sum[i]);
                       });
}
void scatter_rows(const BankView& bank, std::size_t first, std::size_t width, const Example& x,
                  const double* values, const double* vector) {
  for (std::size_t b = 0; b < width; b += 4 * kSeveral)
    in_blocks<Several>(
        int(width - b < 4 * kSeveral ? width - b : 4 * kSeveral), [&]<int N>(int at, Count<N>) {
          Wide<Several> add[N];
          for (int i = 0; i < N; ++i) get(vector + b + std::size_t(at) + 4 * i, add[i]);
          float* data = bank.data + first + b + std::size_t(at);
          for (std::size_t j = 0; j < x.size; ++j) {
            float* row = data + x.rows[j] * bank.layout.stride;
            for (int i = 0; i < N; ++i)
              store<Several>(row + 4 * i,
                             narrow(widen(load<Several>(row + 4 * i)) + add[i] * values[j]));
          }
        });
}
// Four of the entries of an example, or one.
template <int N>
Four normalise_some(const BankView& bank, std::size_t at, const Example& x, std::size_t j,
                    double floor, const double* slope) {
  double values[4] = {}, squares[4] = {1, 1, 1, 1}, mosts[4] = {};
  for (int i = 0; i < N; ++i) values[i] = x.values[j + i];
  const Four value = four(values);
  if (!(floor > 0)) return value;
  float* rows[4];
  for (int i = 0; i < N; ++i) {
    rows[i] = bank.data + x.rows[j + i] * bank.layout.stride + at;
    squares[i] = rows[i][0], mosts[i] = rows[i][1];
  }
  Four square = four(squares);
  const Four most = larger_of(four(mosts), magnitude_of(value));
  if (slope) {
    const Four g = all(*slope) * value;
    square += g * g;
    for (int i = 0; i < N; ++i) rows[i][0] = float(square[i]), rows[i][1] = float(most[i]);
  }
  const Four below = all(floor) * most * most + square;
  return below > all(0) ? value / root_of(below) : all(0);
}
Extent normalise(const BankView& bank, std::size_t at, const Example& x, double floor,
                 const double* slope, double* out) {
  Four sum = {}, largest = {};
  const auto take_in = [&]<int N>(std::size_t j, Count<N>) {
    const Four value = normalise_some<N>(bank, at, x, j, floor, slope);
    for (int i = 0; i < N; ++i) out[j + std::size_t(i)] = value[i];
    sum += value * value;
    largest = larger_of(largest, magnitude_of(value));
  };
  std::size_t j = 0;
  for (; j + 4 <= x.size; j += 4) take_in(j, Count<4>{});
  for (; j < x.size; ++j) take_in(j, Count<1>{});
  const double low = largest[0] > largest[1] ? largest[0] : largest[1];
  const double high = largest[2] > largest[3] ? largest[2] : largest[3];
  return {sum_of(sum), low > high ? low : high};
}
double oja_along(const OjaView& view, double e, const double* y) {
  return OjaSteps(view).along(e, y);
}
void oja_turn(const OjaView& view, double e, double xx, double* y, double* delta) {
  OjaSteps(view).turn(e, xx, y, delta);
}
void oja_apply(const OjaView& view, int width, const double* alpha, const double* strength,
               const double* y, double* out) {
  OjaSteps(view).apply(width, alpha, strength, y, out);
}
void prefetch_rows(const BankView& bank, const Example& x) { Ahead(bank, x).rest(0); }

double mixed_score(const Loss& loss, const MixingView& view, double* scores) {
  return ExpConcave(loss, view).score(scores);
}
void mixed_learn(const Loss& loss, const MixingView& view, double* scores, double suffered,
                 double y, double h) {
  ExpConcave(loss, view).learn(scores, suffered, y, h);
}

}  // namespace

extern const Kernels table;
const Kernels table{predict_any,   learn_any,      survey_values, survey_sparse, place,
                    belongs,       normal_weights, normal_step,   total,         weighted,
                    exponentials,  row_products,   row_sum,       gather_rows,   scatter_rows,
                    prefetch_rows, normalise,      oja_along,     oja_turn,      oja_apply,
                    flow,          mixed_score,    mixed_learn};

}  // namespace regretless::REGRETLESS_ISA
