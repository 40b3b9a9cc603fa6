// A finite class of functions to {0, 1}: a row of bits per hypothesis, a column per point.
#pragma once
#include <bit>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

namespace regretless::classes {

inline std::uint64_t mixed(std::uint64_t x) {  // a bijection without any pattern
  x = (x ^ x >> 33) * 0xFF51AFD7ED558CCD;
  x = (x ^ x >> 33) * 0xC4CEB9FE1A85EC53;
  return x ^ x >> 33;
}

using Ids = std::vector<std::uint32_t>;  // some of the hypotheses, in rising order

struct Hypotheses {
  std::size_t count, points, words;  // words of 64 points in a row
  std::vector<std::uint64_t> bits;

  const std::uint64_t* row(std::uint32_t h) const { return bits.data() + h * words; }
  bool says(std::uint32_t h, std::uint32_t x) const { return row(h)[x / 64] >> x % 64 & 1; }
  // The hypotheses among `all` that say `label` at x.
  void restrict(const Ids& all, std::uint32_t x, bool label, Ids& to) const {
    to.clear();
    for (const std::uint32_t h : all)
      if (says(h, x) == label) to.push_back(h);
  }
};

// How a point splits some hypotheses. The hash depends on the split only: two points at which every
// hypothesis says the same, or at which every one says the opposite, have the same hash.
struct Column {
  std::uint32_t point;
  std::uint32_t minority;  // how many are on the smaller side
  std::uint64_t hash[2];
};

// The splits of some hypotheses, one point for each, the most even first. Different splits have the
// same hash of 128 bits with probability 2^-128.
void splits(const Hypotheses& all, const Ids& ids, std::vector<Column>& to);

// How many say 1, at every point.
void count_ones(const Hypotheses& all, const Ids& ids, std::vector<std::uint32_t>& to);

// Long searches call this now and then; it may throw.
class Patience {
 public:
  explicit Patience(std::function<void()> poll) : poll_(std::move(poll)) {}
  void spend(std::size_t work) {
    if ((spent_ += work) < kOften) return;
    spent_ = 0;
    if (poll_) poll_();
  }

 private:
  static constexpr std::size_t kOften = 1 << 22;  // words of 64 points: some hundredths of a second
  std::function<void()> poll_;
  std::size_t spent_ = 0;
};

}  // namespace regretless::classes
