// The bank and the batch as the loops see them: blocks of lanes, cells of rows, prefetching.
#pragma once

#include "kernels.hpp"

namespace regretless {
namespace {

constexpr int kBlocks = 4;  // blocks of lanes whose sums stay in registers
// Many lanes are processed in runs. A run of a row is so long that the processor prefetches it, and
// so short that the sums of its lanes stay in the first cache.
constexpr int kRun = 32;

// Goes through all blocks of V in so many lanes, by runs, then by fours, then the rest: calls
// f(first lane, Count<number of blocks>).
template <int N>
struct Count {
  static constexpr int count = N;
};
template <class V, class F>
void in_blocks(int lanes, F f) {
  constexpr int width = Traits<V>::width;
  int first = 0;
  for (; first + kRun * width <= lanes; first += kRun * width) f(first, Count<kRun>{});
  for (; first + kBlocks * width <= lanes; first += kBlocks * width) f(first, Count<kBlocks>{});
  const int left = (lanes - first) / width;
  if (left == 1) f(first, Count<1>{});
  if (left == 2) f(first, Count<2>{});
  if (left == 3) f(first, Count<3>{});
}

// Calls f(first double, Count<number of fours>) for all of so many doubles, at most 16 at a time:
// their sums stay in registers.
template <class F>
void in_fours(std::size_t width, F f) {
  std::size_t at = 0;
  for (; at + 16 <= width; at += 16) f(at, Count<4>{});
  const std::size_t left = (width - at) / 4;
  if (left == 1) f(at, Count<1>{});
  if (left == 2) f(at, Count<2>{});
  if (left == 3) f(at, Count<3>{});
}

template <class V>
Cell<V> cell(const BankView& bank, std::uint32_t row, int block) {
  Real* base = bank.data + std::size_t(row) * bank.layout.stride;
  double* clock = bank.clock < 0 ? nullptr
                                 : reinterpret_cast<double*>(base) +
                                       std::size_t(bank.clock) * bank.layout.width + block;
  return {base + bank.layout.float_offset() + block, clock, bank.layout.width,
          base + bank.layout.shared_offset()};
}

inline void put(double* to, double v) { *to = v; }
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
using Several = Packed<4>::Reals;
constexpr std::size_t kSeveral = Traits<Several>::width;

struct Column {  // the bank as a single lane sees it
  Real* floats;
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
      g.clocks[i] = clocks + at / kPerDouble;
    }
    return g;
  }
  Cell<Real> one(std::uint32_t row) const {
    const std::size_t at = row * stride;
    return {floats + at, clocks + at / kPerDouble, 1, floats + at + shared};
  }
};

template <class W>
double total(W v) {
  return (v[0] + v[1]) + (v[2] + v[3]);
}

// Prefetches the rows of the next example one by one while the rows of this one are processed: all
// at once they would wait for each other.
struct Ahead {
  const char* data;
  std::size_t bytes;
  Example x;
  Ahead(const BankView& bank, Example next)
      : data(reinterpret_cast<const char*>(bank.data)),
        bytes(bank.layout.stride * sizeof(Real)),
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

}  // namespace
}  // namespace regretless
