// From the name of a feature to its row in the bank. A name is a string or an integer (a column).
// Row 0 belongs to the intercept.
//
//   exact   every name has a row of its own; rows are given in order of appearance, names are kept
//   hashed  2^bits rows, fixed memory; column c has row c mod 2^bits, a string the row of its hash
#pragma once
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "hash.hpp"

namespace regretless {

class Features {
 public:
  static constexpr std::uint32_t kAbsent = std::numeric_limits<std::uint32_t>::max();
  static constexpr std::uint32_t kIntercept = 0;

  explicit Features(int bits = 0) : bits_(bits), slots_(bits ? 0 : 64, kAbsent) {
    ends_.push_back(0);
    numeric_.push_back(0);  // the intercept, a name nobody else can have
  }

  bool hashed() const { return bits_ > 0; }
  int bits() const { return bits_; }
  // Rows in use, the intercept's among them.
  std::uint32_t size() const {
    return hashed() ? (std::uint32_t(1) << bits_) + 1 : std::uint32_t(ends_.size());
  }

  std::uint32_t find(std::string_view name) const {
    return hashed() ? hashed_row(hash_bytes(name)) : probe(name, false, hash_bytes(name)).row;
  }
  std::uint32_t find(std::int64_t column) const {
    if (hashed()) return hashed_row(std::uint64_t(column));
    if (std::size_t(column) < columns_.size()) return columns_[std::size_t(column)];
    return std::size_t(column) < kDirect ? kAbsent : probe(bytes(column), true, key(column)).row;
  }
  std::uint32_t insert(std::string_view name) {
    return hashed() ? find(name) : insert(name, false, hash_bytes(name));
  }
  [[gnu::noinline]] std::uint32_t insert(std::int64_t column) {
    if (hashed()) return find(column);
    const auto c = std::size_t(column);
    if (c >= kDirect) return insert(bytes(column), true, key(column));
    if (c >= columns_.size()) columns_.resize(std::max(c + 1, columns_.size() * 2), kAbsent);
    if (columns_[c] == kAbsent) columns_[c] = append(bytes(column), true);
    return columns_[c];
  }

  // The rows of columns 0 to width - 1 as an array, kAbsent where there is none yet; null when
  // hashed or too wide for one.
  const std::uint32_t* columns(std::size_t width) {
    if (hashed() || width > kDirect) return nullptr;
    if (width > columns_.size()) columns_.resize(width, kAbsent);
    return columns_.data();
  }

  bool is_column(std::uint32_t row) const { return numeric_[row]; }
  std::string_view name(std::uint32_t row) const {
    const std::size_t start = row == 0 ? 0 : ends_[row - 1];
    return std::string_view(names_).substr(start, ends_[row] - start);
  }
  std::int64_t column(std::uint32_t row) const {
    std::int64_t c;
    std::memcpy(&c, name(row).data(), sizeof(c));
    return c;
  }

  // Forget the names that were given rows from `size` on: an example turned out to be bad.
  void truncate(std::uint32_t size) {
    if (hashed()) return;
    while (ends_.size() > size) {
      // Taken back in reverse order of insertion no probe sequence can run through the slot.
      const auto row = std::uint32_t(ends_.size() - 1);
      if (is_column(row) && std::size_t(column(row)) < kDirect) {
        columns_[std::size_t(column(row))] = kAbsent;
      } else {
        slots_[probe(name(row), is_column(row), hash_of(row)).slot] = kAbsent;
        --used_;
      }
      ends_.pop_back();
      numeric_.pop_back();
      names_.resize(ends_.back());
    }
  }

  // The whole map as arrays, and back.
  const std::string& names() const { return names_; }
  const std::vector<std::uint64_t>& ends() const { return ends_; }
  const std::vector<std::uint8_t>& numeric() const { return numeric_; }
  void restore(std::string_view names, const std::uint64_t* ends, const std::uint8_t* numeric,
               std::size_t count) {
    Features fresh;
    for (std::size_t row = 1; row < count; ++row) {
      if (ends[row] < ends[row - 1] || ends[row] > names.size() || numeric[row] > 1 ||
          (numeric[row] && ends[row] - ends[row - 1] != sizeof(std::int64_t)))
        throw std::invalid_argument("the table of feature names is damaged");
      const std::string_view name = names.substr(ends[row - 1], ends[row] - ends[row - 1]);
      std::int64_t column = 0;
      if (numeric[row]) std::memcpy(&column, name.data(), sizeof(column));
      const std::uint32_t got = numeric[row] ? fresh.insert(column) : fresh.insert(name);
      if (got != row) throw std::invalid_argument("the table of feature names is damaged");
    }
    *this = std::move(fresh);
  }

 private:
  // Columns below this have their row in a plain array; larger ones are looked up like strings.
  static constexpr std::size_t kDirect = std::size_t(1) << 22;
  struct Place {
    std::uint32_t row;
    std::size_t slot;
  };

  static std::string_view bytes(const std::int64_t& column) {
    return {reinterpret_cast<const char*>(&column), sizeof(column)};
  }
  static std::uint64_t key(std::int64_t column) { return mix(std::uint64_t(column) + 1); }
  std::uint64_t hash_of(std::uint32_t row) const {
    return is_column(row) ? key(column(row)) : hash_bytes(name(row));
  }
  std::uint32_t hashed_row(std::uint64_t h) const {
    return 1 + std::uint32_t(h & ((std::uint64_t(1) << bits_) - 1));
  }

  Place probe(std::string_view bytes, bool numeric, std::uint64_t hash) const {
    const std::size_t mask = slots_.size() - 1;
    for (std::size_t i = hash & mask;; i = (i + 1) & mask) {
      const std::uint32_t row = slots_[i];
      if (row == kAbsent || (bool(numeric_[row]) == numeric && name(row) == bytes)) return {row, i};
    }
  }
  std::uint32_t insert(std::string_view bytes, bool numeric, std::uint64_t hash) {
    const Place place = probe(bytes, numeric, hash);
    if (place.row != kAbsent) return place.row;
    const std::uint32_t row = append(bytes, numeric);
    slots_[place.slot] = row;
    if (++used_ * 2 > slots_.size()) rehash();
    return row;
  }
  std::uint32_t append(std::string_view bytes, bool numeric) {
    if (ends_.size() >= kAbsent) throw std::length_error("more than 2^32 - 1 features");
    names_.append(bytes);
    ends_.push_back(names_.size());
    numeric_.push_back(numeric);
    return std::uint32_t(ends_.size() - 1);
  }
  void rehash() {
    slots_.assign(slots_.size() * 4, kAbsent);
    for (std::uint32_t row = 1; row < ends_.size(); ++row) {
      if (is_column(row) && std::size_t(column(row)) < kDirect) continue;
      slots_[probe(name(row), is_column(row), hash_of(row)).slot] = row;
    }
  }

  int bits_;
  std::vector<std::uint32_t> slots_;    // open addressing: rows
  std::vector<std::uint32_t> columns_;  // column -> row
  std::string names_;                   // all names end to end
  std::vector<std::uint64_t> ends_;     // where the name of each row ends
  std::vector<std::uint8_t> numeric_;   // whether it is a column
  std::size_t used_ = 0;
};

}  // namespace regretless
