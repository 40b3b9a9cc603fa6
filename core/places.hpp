// The places of hashed rows in the bank, if there are many lanes. A row is laid out when it is
// touched for the first time. So memory, and the time to lay rows out anew, grow with the rows in
// use and not with 2^bits.
#pragma once
#include <cstdint>
#include <vector>

namespace regretless {

class Places {
 public:
  // Place 0 is that of the intercept, as everywhere. Place 1 stands for all rows not touched yet:
  // its numbers stay 0.
  static constexpr std::uint32_t kUntouched = 1;

  bool used() const { return !place_.empty(); }
  std::size_t size() const { return rows_.size(); }
  std::uint32_t find(std::uint32_t row) const { return used() ? place_[row] : row; }
  std::uint32_t give(std::uint32_t row) {
    std::uint32_t& place = place_[row];
    if (place == kUntouched) {
      place = std::uint32_t(rows_.size());
      rows_.push_back(row);
    }
    return place;
  }
  void start(std::size_t rows) {
    place_.assign(rows, kUntouched);
    place_[0] = 0;
    rows_ = {0, 0};
  }
  // Takes back the places given last.
  void truncate(std::size_t size) {
    for (; rows_.size() > size; rows_.pop_back()) place_[rows_.back()] = kUntouched;
  }
  void clear() { *this = {}; }

 private:
  std::vector<std::uint32_t> place_;  // by row
  std::vector<std::uint32_t> rows_;   // by place
};

}  // namespace regretless
