#include "classes/hypotheses.hpp"

#include <algorithm>
#include <array>

namespace regretless::classes {

namespace {

// Bit j of word i becomes bit i of word j.
void transpose(std::array<std::uint64_t, 64>& block) {
  std::uint64_t mask = 0x00000000FFFFFFFF;
  for (unsigned j = 32; j; j >>= 1, mask ^= mask << j)
    for (unsigned k = 0; k < 64; k = ((k | j) + 1) & ~j) {
      const std::uint64_t t = ((block[k] >> j) ^ block[k | j]) & mask;
      block[k] ^= t << j;
      block[k | j] ^= t;
    }
}

// Goes through a word of all rows, relative to `base`, 64 rows at a time; `take` gets the columns
// of each block.
template <class Take>
void blocks(const Hypotheses& all, const Ids& ids, std::size_t w, std::uint64_t base, Take take) {
  std::array<std::uint64_t, 64> block;
  for (std::size_t i = 0; i < ids.size(); i += 64) {
    const std::size_t rows = std::min<std::size_t>(64, ids.size() - i);
    for (std::size_t k = 0; k < rows; ++k) block[k] = all.row(ids[i + k])[w] ^ base;
    std::fill(block.begin() + std::ptrdiff_t(rows), block.end(), 0);
    transpose(block);
    take(block);
  }
}

void dense_splits(const Hypotheses& all, const Ids& ids, std::vector<Column>& to) {
  const std::uint32_t n = std::uint32_t(ids.size());
  std::array<std::uint64_t, 64> a, b;
  std::array<std::uint32_t, 64> ones;
  for (std::size_t w = 0; w < all.words; ++w) {
    const std::uint64_t first = all.row(ids[0])[w];
    std::uint64_t varied = 0;
    for (const std::uint32_t h : ids) varied |= all.row(h)[w] ^ first;
    if (!varied) continue;
    a.fill(0), b.fill(0), ones.fill(0);
    blocks(all, ids, w, first, [&](const auto& block) {
      for (std::uint64_t left = varied; left; left &= left - 1) {
        const int j = std::countr_zero(left);
        const std::uint64_t c = block[j];
        ones[j] += std::uint32_t(std::popcount(c));
        a[j] = (a[j] ^ c) * 0x9E3779B97F4A7C15;
        a[j] ^= a[j] >> 29;
        b[j] = (b[j] + c + 1) * 0xD6E8FEB86659FD93;
        b[j] ^= b[j] >> 32;
      }
    });
    for (std::uint64_t left = varied; left; left &= left - 1) {
      const int j = std::countr_zero(left);
      const std::uint32_t point = std::uint32_t(w * 64) + std::uint32_t(j);
      to.push_back({point, std::min(ones[j], n - ones[j]), {a[j], b[j]}});
    }
  }
}

// The same for rows that are much like the row before: only the bits that change are looked at.
void sparse_splits(const Hypotheses& all, const Ids& ids, std::vector<Column>& to) {
  const std::uint32_t n = std::uint32_t(ids.size());
  thread_local std::vector<std::uint32_t> place;  // of each point in `to`, plus 1
  place.resize(std::max(place.size(), all.points));
  for (std::uint32_t i = 1; i < n; ++i) {
    const std::uint64_t *before = all.row(ids[i - 1]), *now = all.row(ids[i]);
    const std::uint64_t a = mixed(i), b = mixed(~a);
    for (std::size_t w = 0; w < all.words; ++w)
      for (std::uint64_t left = before[w] ^ now[w]; left; left &= left - 1) {
        const std::uint32_t x = std::uint32_t(w * 64) + std::uint32_t(std::countr_zero(left));
        if (!place[x]) {
          to.push_back({x, 0, {0, 0}});
          place[x] = std::uint32_t(to.size());
        }
        Column& c = to[place[x] - 1];
        c.hash[0] += a, c.hash[1] += b;
        c.minority = n - i - c.minority;  // after an even number of changes, the negative
      }
  }
  for (Column& c : to) {
    place[c.point] = 0;
    if (all.says(ids[0], c.point) == all.says(ids[n - 1], c.point)) c.minority = -c.minority;
    c.minority = std::min(c.minority, n - c.minority);
  }
}

}  // namespace

void count_ones(const Hypotheses& all, const Ids& ids, std::vector<std::uint32_t>& to) {
  to.assign(all.words * 64, 0);
  for (std::size_t w = 0; w < all.words; ++w)
    blocks(all, ids, w, 0, [&](const auto& block) {
      for (std::size_t j = 0; j < 64; ++j) to[w * 64 + j] += std::uint32_t(std::popcount(block[j]));
    });
}

void splits(const Hypotheses& all, const Ids& ids, std::vector<Column>& to) {
  to.clear();
  const std::size_t many = 2 * ids.size() * all.words;
  std::size_t changes = 0;
  for (std::size_t i = 1; i < ids.size() && changes < many; ++i) {
    const std::uint64_t *before = all.row(ids[i - 1]), *now = all.row(ids[i]);
    for (std::size_t w = 0; w < all.words; ++w)
      changes += std::size_t(std::popcount(before[w] ^ now[w]));
  }
  (changes < many ? sparse_splits : dense_splits)(all, ids, to);
  const auto key = [](const Column& c) { return std::make_tuple(c.hash[0], c.hash[1], c.point); };
  std::sort(to.begin(), to.end(),
            [&](const Column& l, const Column& r) { return key(l) < key(r); });
  const auto same = [](const Column& l, const Column& r) {
    return l.hash[0] == r.hash[0] && l.hash[1] == r.hash[1];
  };
  to.erase(std::unique(to.begin(), to.end(), same), to.end());
  std::sort(to.begin(), to.end(), [](const Column& l, const Column& r) {
    return l.minority != r.minority ? l.minority > r.minority : l.point < r.point;
  });
}

}  // namespace regretless::classes
