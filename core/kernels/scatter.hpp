// scatter-axpy, the second of the two primitives: every row of the example moves by the rule.
#pragma once

#include "kernels/lanes.hpp"

namespace regretless {
namespace {

// Not a std::vector: its code would be compiled for this instruction set and shared with others.
struct Room {
  Real* data = nullptr;
  std::size_t size = 0;
  Room() = default;
  Room(const Room&) = delete;
  Room& operator=(const Room&) = delete;
  ~Room() { delete[] data; }
  Real* of(std::size_t wanted) {
    if (wanted > size) {
      delete[] data;
      data = nullptr, size = 0;
      data = new Real[2 * wanted];
      size = 2 * wanted;
    }
    return data;
  }
};

// Updates a row; `bet` is what it has added to the score.
template <class R, class C, class At, class V>
void update_row(const R& rule, const C& row, const At& at, Wide<V> g, V x, Sums<V>& sums,
                const Real* bet) {
  if constexpr (R::bets)
    rule.update(row, at, g, x, sums, load<V>(bet));
  else
    rule.update(row, at, g, x, sums);
}

template <class R>
concept Shares = requires(const R& rule, Cell<Real> cell) { rule.share(cell, Real(0), 0.0); };

bool none(const double* steps, int count) {
  bool any = false;
  for (int k = 0; k < count; ++k) any |= steps[k] != 0;
  return !any;
}

// Calls f(first lane, awake lanes) for the blocks of lanes of which some are awake: the example has
// importance for them. Without the last argument all lanes of the block are.
template <class V, class F>
void awake_blocks(const BankView& bank, const double* importance, F f) {
  constexpr int width = Traits<V>::width;
  for (int first = 0; first < bank.layout.active(); first += width) {
    V open{};
    int count = 0;
    for (int k = 0; k < width; ++k) count += (open[k] = importance[first + k] > 0) > 0;
    if (count == width)
      f(first);
    else if (count)
      f(first, open);
  }
}
template <class V>
Cell<V> awake(const Cell<V>& all) {
  return all;
}
template <class V>
AwakeCell<V> awake(const Cell<V>& all, V open) {
  return {all, open};
}

// Every row moves by coefficient times x.
template <class R>
[[gnu::noinline]] Sums<Real> scatter_one(const R& rule, Column bank, Lanes lanes, Example x,
                                         double g, const Real* bets) {
  const auto all = rule.template at<Several>(lanes, 0);
  const auto one = rule.template at<Real>(lanes, 0);
  Sums<Several> sums;
  Sums<Real> rest;
  const auto update = [&](const auto& rows, const auto& at, auto step, auto value, auto& to,
                          std::size_t j) {
    update_row(rule, rows, at, step, value, to, bets + j);
    if constexpr (Shares<R>) to.tracked += rule.share(rows, value, 0);
  };
  std::size_t j = 0;
  for (; R::gathers && j + kSeveral <= x.size; j += kSeveral)
    update(bank.several(x.rows + j), all, Wide<Several>{} + g, load<Several>(x.values + j), sums,
           j);
  for (; j < x.size; ++j) update(bank.one(x.rows[j]), one, g, x.values[j], rest, j);
  return {rest.tracked + total(sums.tracked), rest.rounding + total(sums.rounding)};
}

template <class V, class R>
void scatter_many(const R& given, const BankView& view, Lanes lanes, Example x,
                  const double* coefficient, const Real* bets, double* tracked, double* rounding,
                  Room& room) {
  const R rule = given;
  const BankView bank = view;
  constexpr int width = Traits<V>::width;
  // what the lanes of a row share is updated first, and copied for each occurrence of a row
  double shared = 0;
  [[maybe_unused]] Real* seen = nullptr;
  const auto slots = std::size_t(bank.layout.shared);
  if constexpr (Shares<R>) {
    seen = room.of(x.size * slots);
    for (std::size_t j = 0; j < x.size; ++j) {
      const auto row = cell<Real>(bank, x.rows[j], 0);
      shared += rule.share(row, x.values[j], lanes(kRounds, 0));
      for (std::size_t i = 0; i < slots; ++i) seen[j * slots + i] = row.shared[i];
    }
  }
  const auto active = std::size_t(bank.layout.active());
  in_blocks<V>(int(active), [&]<int N>(int first, Count<N>) {
    typename R::template At<V> at[N];
    Wide<V> g[N];
    Sums<V> sums[N];
    int busy[N], moving = 0;  // with many labels most losses are 0, and few blocks move
    for (int i = 0; i < N; ++i) {
      sums[i].tracked += shared;
      if (rule.rests() && none(coefficient + first + i * width, width)) continue;
      at[i] = rule.template at<V>(lanes, first + i * width);
      get(coefficient + first + i * width, g[i]);
      busy[moving++] = i;
    }
    for (std::size_t j = 0; j < x.size && moving; ++j) {
      const V value = V{} + x.values[j];
      const Real* bet = bets + j * active + first;
      for (int b = 0; b < moving; ++b) {
        const int i = busy[b];
        Cell<V> row = cell<V>(bank, x.rows[j], first + i * width);
        if constexpr (Shares<R>) row.shared = seen + j * slots;
        update_row(rule, row, at[i], g[i], value, sums[i], bet + i * width);
      }
    }
    for (int i = 0; i < N; ++i) {
      put(tracked + first + i * width, sums[i].tracked);
      put(rounding + first + i * width, sums[i].rounding);
    }
  });
}

// The same for lanes of which some must stay as they are, as the example has importance 0 for them.
template <class V, class R>
[[gnu::noinline]] void scatter_awake(const R& rule, const BankView& bank, Lanes lanes, Example x,
                                     const double* coefficient, const double* importance,
                                     const Real* bets, double* tracked, double* rounding) {
  for (int k = 0; k < bank.layout.active(); ++k) tracked[k] = rounding[k] = 0;
  awake_blocks<V>(bank, importance, [&](int first, auto... open) {
    const auto at = rule.template at<V>(lanes, first);
    Wide<V> g;
    get(coefficient + first, g);
    Sums<V> sums;
    for (std::size_t j = 0; j < x.size; ++j)
      update_row(rule, awake<V>(cell<V>(bank, x.rows[j], first), open...), at, g, V{} + x.values[j],
                 sums, bets + j * bank.layout.active() + first);
    put(tracked + first, sums.tracked);
    put(rounding + first, sums.rounding);
  });
}

template <class V, class R>
void scatter(const R& rule, const BankView& bank, Lanes lanes, Example x, const double* coefficient,
             const double* importance, const Real* bets, double* tracked, double* rounding,
             Room& room) {
  if constexpr (Traits<V>::width == 1) {
    const Sums<Real> sums = scatter_one(rule, Column(bank), lanes, x, *coefficient, bets);
    *tracked = sums.tracked;
    *rounding = sums.rounding;
  } else {
    // if a step of 0 leaves a row as it is, nothing else is needed
    if (importance && !Shares<R> && !rule.rests())
      return scatter_awake<V>(rule, bank, lanes, x, coefficient, importance, bets, tracked,
                              rounding);
    scatter_many<V>(rule, bank, lanes, x, coefficient, bets, tracked, rounding, room);
  }
}

// A rule that prepares moves in two sweeps. In the first, `prepare`, every row takes the gradient
// in and tells how far a unit step will move its weight: `moves`. In the second, `shift`, the
// weights move by the step that was chosen.
struct Prepared {
  double travel;  // how far a unit step moves the score
  double tracked;
};
template <class R>
[[gnu::noinline]] Prepared prepare_one(const R& rule, Column bank, Lanes lanes, Example x, double g,
                                       Real* moves) {
  const auto all = rule.template at<Several>(lanes, 0);
  const auto one = rule.template at<Real>(lanes, 0);
  Sums<Several> sums;
  Sums<Real> rest;
  Wide<Several> travel{};
  double more = 0;
  std::size_t j = 0;
  for (; j + kSeveral <= x.size; j += kSeveral) {
    const auto value = load<Several>(x.values + j);
    const auto move = rule.prepare(bank.several(x.rows + j), all, Wide<Several>{} + g, value, sums);
    store<Several>(moves + j, move);
    travel += widen(move) * widen(value);
  }
  for (; j < x.size; ++j) {
    moves[j] = rule.prepare(bank.one(x.rows[j]), one, g, x.values[j], rest);
    more += double(moves[j]) * double(x.values[j]);
  }
  return {more + total(travel), rest.tracked + total(sums.tracked)};
}
template <class V, class R>
void prepare_many(const R& given, const BankView& view, Lanes lanes, Example x,
                  const double* gradient, double* travel, double* tracked, Real* moves) {
  const R rule = given;
  const BankView bank = view;
  const auto active = std::size_t(bank.layout.active());
  constexpr int width = Traits<V>::width;
  in_blocks<V>(int(active), [&]<int N>(int first, Count<N>) {
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
      Real* to = moves + j * active + first;
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
template <class V, class R>
[[gnu::noinline]] void prepare_awake(const R& rule, const BankView& bank, Lanes lanes, Example x,
                                     const double* gradient, const double* importance,
                                     double* travel, double* tracked, Real* moves) {
  const int active = bank.layout.active();
  // lanes that stay do not move
  for (std::size_t i = 0; i < x.size * std::size_t(active); ++i) moves[i] = 0;
  for (int k = 0; k < active; ++k) travel[k] = tracked[k] = 0;
  awake_blocks<V>(bank, importance, [&](int first, auto... open) {
    const auto at = rule.template at<V>(lanes, first);
    Wide<V> g, sum{};
    get(gradient + first, g);
    Sums<V> sums;
    for (std::size_t j = 0; j < x.size; ++j) {
      const V value = V{} + x.values[j];
      const V move =
          rule.prepare(awake<V>(cell<V>(bank, x.rows[j], first), open...), at, g, value, sums);
      store<V>(moves + j * std::size_t(active) + first, move);
      sum += widen(move) * widen(value);
    }
    put(travel + first, sum);
    put(tracked + first, sums.tracked);
  });
}
template <class V, class R>
void prepare(const R& rule, const BankView& bank, Lanes lanes, Example x, const double* gradient,
             const double* importance, double* travel, double* tracked, Real* moves) {
  if constexpr (Traits<V>::width == 1) {
    const Prepared prepared = prepare_one(rule, Column(bank), lanes, x, *gradient, moves);
    *travel = prepared.travel;
    *tracked = prepared.tracked;
  } else {
    if (importance && !rule.rests())
      return prepare_awake<V>(rule, bank, lanes, x, gradient, importance, travel, tracked, moves);
    prepare_many<V>(rule, bank, lanes, x, gradient, travel, tracked, moves);
  }
}

// after(j) is called for every row, once it has moved.
template <class V, class F>
[[gnu::noinline]] void shift(const BankView& view, Example x, const double* steps,
                             const Real* moves, F after) {
  constexpr int width = Traits<V>::width;
  const BankView bank = view;
  const auto active = std::size_t(bank.layout.active());
  in_blocks<V>(int(active), [&]<int N>(int first, Count<N>) {
    V step[N];
    for (int i = 0; i < N; ++i) {
      Wide<V> wide;
      get(steps + first + i * width, wide);
      step[i] = narrow(wide);
    }
    for (std::size_t j = 0; j < x.size; ++j) {
      const Real* move = moves + j * active + first;
#pragma GCC unroll 4
      for (int i = 0; i < N; ++i) {
        const Cell<V> c = cell<V>(bank, x.rows[j], first + i * width);
        c.set(0, c.get(0) - step[i] * load<V>(move + i * width));
      }
      if (first == 0) after(j);
    }
  });
}

}  // namespace
}  // namespace regretless
