// What an example has twice is added up, here and nowhere else: a learner is given every row once.
// A feature can repeat because its name does, and two names can be hashed to one row.
#pragma once
#include <array>
#include <cmath>
#include <cstdint>
#include <vector>

#include "bank.hpp"

namespace regretless {

class Repeats {
 public:
  // Whether two of key(0), ..., key(n - 1) may be equal; if not, they are not. A byte for each of
  // 2^14 classes of keys says in which round the class was met last, so that nothing is cleared.
  // Of examples with forty features one in twenty is suspected in vain.
  template <class Key>
  bool possible(std::size_t n, Key key) {
    thread_local Met met;  // it is too large to be in every learner
    if (++met.round == 0) met = {.last = {}, .round = 1};
    const std::uint8_t round = met.round;
    unsigned found = 0;
    for (std::size_t j = 0; j < n; ++j) {
      std::uint8_t& last = met.last[std::size_t(key(j)) % kClasses];
      found |= unsigned(last == round);
      last = round;
    }
    return found != 0;
  }

  // Adds up the values of entries that are the same, which have the same key. The sum stands where
  // the first of them stood; what adds up to 0 is absent. Returns how many entries are left, where
  // move(from, to) has moved them; calls refuse(j) for a sum beyond the largest value.
  template <class Key, class Same, class Move, class Refuse>
  std::size_t add_up(std::size_t n, Key key, Same same, float* values, Move move, Refuse refuse) {
    std::size_t size = 64;
    while (size < 2 * n) size *= 2;
    slots_.assign(size, 0);
    firsts_.clear();
    sums_.clear();
    for (std::size_t j = 0; j < n; ++j) {
      const auto k = std::uint64_t(key(j));
      std::size_t at = std::size_t(k ^ (k >> 32)) % size;
      while (slots_[at] && !same(firsts_[slots_[at] - 1], j)) at = (at + 1) % size;
      if (slots_[at]) {
        sums_[slots_[at] - 1] += double(values[j]);
      } else {
        firsts_.push_back(j);
        sums_.push_back(double(values[j]));
        slots_[at] = std::uint32_t(firsts_.size());
      }
    }
    if (firsts_.size() == n) return n;
    for (std::size_t i = 0; i < firsts_.size(); ++i)
      if (!(std::fabs(sums_[i]) <= kLargestValue)) refuse(firsts_[i]);
    std::size_t kept = 0;
    for (std::size_t i = 0; i < firsts_.size(); ++i) {
      const auto sum = float(sums_[i]);
      if (sum == 0) continue;
      move(firsts_[i], kept);
      values[kept++] = sum;
    }
    return kept;
  }

 private:
  static constexpr std::size_t kClasses = std::size_t(1) << 14;
  struct Met {
    std::array<std::uint8_t, kClasses> last{};
    std::uint8_t round = 0;
  };
  // of the example at hand: entries that came first, their sums, and a hash table of both
  std::vector<std::size_t> firsts_;
  std::vector<double> sums_;
  std::vector<std::uint32_t> slots_;
};

}  // namespace regretless
