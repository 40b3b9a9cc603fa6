// Operations of Newton's sketches on rows of the bank.
#pragma once

#include "kernels/lanes.hpp"
#include "sketch/oja_steps.hpp"

namespace regretless {
namespace {

inline double* doubles_of(const BankView& bank, std::uint32_t row) {
  return reinterpret_cast<double*>(bank.data + row * bank.layout.stride);
}

void gather_rows(const BankView& bank, std::size_t width, const Example& x, const double* values,
                 double* out) {
  in_fours(width, [&]<int N>(std::size_t at, Count<N>) {
    Four sum[N]{};
    for (std::size_t j = 0; j < x.size; ++j) {
      const double* row = doubles_of(bank, x.rows[j]) + at;
      for (int i = 0; i < N; ++i) sum[i] += four(row + 4 * i) * all(values[j]);
    }
    for (int i = 0; i < N; ++i) put(out + at + 4 * i, sum[i]);
  });
}
void scatter_rows(const BankView& bank, std::size_t width, const Example& x, const double* values,
                  const double* vector) {
  in_fours(width, [&]<int N>(std::size_t at, Count<N>) {
    Four add[N];
    for (int i = 0; i < N; ++i) add[i] = four(vector + at + 4 * i);
    for (std::size_t j = 0; j < x.size; ++j) {
      double* row = doubles_of(bank, x.rows[j]) + at;
      for (int i = 0; i < N; ++i) put(row + 4 * i, four(row + 4 * i) + add[i] * all(values[j]));
    }
  });
}
// N entries of an example, 4 or 1.
template <int N>
Four normalise_some(const BankView& bank, std::size_t at, const Example& x, std::size_t j,
                    double floor, const double* slope) {
  double values[4] = {}, squares[4] = {1, 1, 1, 1}, mosts[4] = {};
  for (int i = 0; i < N; ++i) values[i] = x.values[j + i];
  const Four value = four(values);
  if (!(floor > 0)) return value;
  double* rows[4];
  for (int i = 0; i < N; ++i) {
    rows[i] = doubles_of(bank, x.rows[j + i]) + at;
    squares[i] = rows[i][0], mosts[i] = rows[i][1];
  }
  Four square = four(squares);
  const Four most = larger_of(four(mosts), magnitude_of(value));
  if (slope) {
    const Four g = all(*slope) * value;
    square = smaller_of(square + g * g, all(1e38));
    for (int i = 0; i < N; ++i) rows[i][0] = square[i], rows[i][1] = most[i];
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

}  // namespace
}  // namespace regretless
