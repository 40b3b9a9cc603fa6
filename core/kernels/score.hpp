// gather-dot, the first of the two primitives: x -> one score per lane.
#pragma once

#include "kernels/lanes.hpp"

namespace regretless {
namespace {

// The loops over rows are functions of their own, here and in scatter.hpp: inlined into all of
// `learn` they would run out of registers. With Keep, `bets` receives what each row adds to the
// score.
template <class R, bool Keep>
[[gnu::noinline]] double score_one(const R& rule, Column bank, Lanes lanes, Example x,
                                   const Ahead& ahead, Real* bets) {
  const auto all = rule.template at<Several>(lanes, 0);
  const auto one = rule.template at<Real>(lanes, 0);
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
    if constexpr (Keep) bets[j] = Real(bet);
    rest += bet;
  }
  return (total(sum) + rest) * rule.factor(lanes, 0);
}

template <class V, bool Keep, class R>
[[gnu::noinline]] void score_many(const R& given, const BankView& seen, Lanes lanes, Example x,
                                  const Ahead& ahead, double* out, Real* bets) {
  const R rule = given;  // local copies: a store through a pointer cannot change them
  const BankView bank = seen;
  const auto active = std::size_t(bank.layout.active());
  constexpr int width = Traits<V>::width;
  in_blocks<V>(int(active), [&]<int N>(int first, Count<N>) {
    typename R::template At<V> at[N];
    Wide<V> sum[N]{};
    for (int i = 0; i < N; ++i) at[i] = rule.template at<V>(lanes, first + i * width);
    for (std::size_t j = 0; j < x.size; ++j) {
      if (first == 0) ahead.row(j);
      [[maybe_unused]] Real* to = bets + j * active + first;
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

template <class V, bool Keep, class R>
void score(const R& rule, const BankView& bank, Lanes lanes, Example x, Example next, double* out,
           Real* bets = nullptr) {
  const Ahead ahead(bank, next);
  if constexpr (Traits<V>::width == 1)
    out[0] = score_one<R, Keep>(rule, Column(bank), lanes, x, ahead, bets);
  else
    score_many<V, Keep>(rule, bank, lanes, x, ahead, out, bets);
}

}  // namespace
}  // namespace regretless
