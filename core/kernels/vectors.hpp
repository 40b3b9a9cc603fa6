// Sums, products and weights of plain vectors, for experts and games.
#pragma once

#include "experts/normal.hpp"
#include "kernels.hpp"

namespace regretless {
namespace {

// Calls f(first, count) for four numbers at a time; the last call may have fewer.
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

// N rows at a time: independent sums keep the processor busy while each waits for its additions.
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

}  // namespace
}  // namespace regretless
