// Adds up the values of features that repeat in an example: a learner gets every row once. A
// feature repeats if its name does, or if two names are hashed to one row. No other code does this.
#pragma once
#include <array>
#include <cmath>
#include <cstdint>
#include <vector>

#include "bank.hpp"

namespace regretless {

class Repeats {
 public:
  // Returns false only if key(0), ..., key(n - 1) all differ. A byte for each of 2^14 classes of
  // keys says in which round the class was met last, so nothing has to be cleared. With forty
  // features one example in twenty is suspected without cause.
  template <class Key>
  bool possible(std::size_t n, Key key) {
    thread_local Met met;  // too large to be in every learner
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

  // Adds up the values of equal entries, which have the same key. The sum takes the place of the
  // first; a sum of 0 is left out. Returns the number of entries left, which move(from, to) has
  // moved; calls refuse(j) for a sum beyond the largest value.
  template <class Key, class Same, class Number, class Move, class Refuse>
  std::size_t add_up(std::size_t n, Key key, Same same, Number* values, Move move, Refuse refuse) {
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
      if (float(sums_[i]) == 0) continue;
      move(firsts_[i], kept);
      values[kept++] = Number(sums_[i]);
    }
    return kept;
  }

 private:
  static constexpr std::size_t kClasses = std::size_t(1) << 14;
  struct Met {
    std::array<std::uint8_t, kClasses> last{};
    std::uint8_t round = 0;
  };
  // of the present example: the first of equal entries, their sums, and a hash table of them
  std::vector<std::size_t> firsts_;
  std::vector<double> sums_;
  std::vector<std::uint32_t> slots_;
};

}  // namespace regretless
