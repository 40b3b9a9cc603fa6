// From the name of a feature to its row in the bank. A name is a text or a column, a number from 0
// on. A text that is such a number means the column: `as_column` decides that for every reader.
// Row 0 belongs to the intercept.
//
//   exact   every name has a row of its own; rows are given in order of appearance, names are kept
//   hashed  2^bits rows, fixed memory; column c has row c mod 2^bits, a string the row of its hash;
//           the first names met, up to a limit, are remembered: for each row the first one
#pragma once
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "hash.hpp"

namespace regretless {

// Whether a name is a column: digits without leading zeros, below 2^63.
inline bool as_column(std::string_view name, std::int64_t& column) {
  if (name.empty() || name.size() > 19 || (name[0] == '0' && name.size() > 1)) return false;
  std::uint64_t value = 0;  // 19 digits fit
  for (const char c : name) {
    if (unsigned(c - '0') > 9) return false;
    value = value * 10 + unsigned(c - '0');
  }
  column = std::int64_t(value);
  return column >= 0;
}

class Features {
 public:
  static constexpr std::uint32_t kAbsent = std::numeric_limits<std::uint32_t>::max();
  static constexpr std::uint32_t kIntercept = 0;

  explicit Features(int bits = 0, std::uint32_t limit = 0)
      : bits_(bits), limit_(bits ? limit : 0), slots_(bits ? 0 : 64, kAbsent) {
    keys_.push_back(0);
    kinds_.push_back(kNobody);  // the intercept: no feature can have this kind
  }

  bool hashed() const { return bits_ > 0; }
  int bits() const { return bits_; }
  // Rows in use, that of the intercept included.
  std::uint32_t size() const {
    return hashed() ? (std::uint32_t(1) << bits_) + 1 : std::uint32_t(keys_.size());
  }

  std::uint32_t find(std::string_view name) const {
    std::int64_t column;
    return as_column(name, column) ? find(column) : find(name, hash_bytes(name));
  }
  // For a caller that knows that the name is not a column and has h = hash_bytes(name).
  std::uint32_t find(std::string_view name, std::uint64_t h) const {
    return hashed() ? hashed_row(h) : probe(h, [&](std::uint32_t r) { return is(r, name); }).row;
  }
  std::uint32_t find(std::int64_t column) const {
    if (hashed()) return hashed_row(std::uint64_t(column));
    if (std::size_t(column) < columns_.size()) return columns_[std::size_t(column)];
    if (std::size_t(column) < kDirect) return kAbsent;
    return probe(key(column), [&](std::uint32_t r) { return is(r, column); }).row;
  }
  std::uint32_t insert(std::string_view name) {
    std::int64_t column;
    return as_column(name, column) ? insert(column) : insert(name, hash_bytes(name));
  }
  std::uint32_t insert(std::string_view name, std::uint64_t h) {
    if (hashed()) return hashed_row(h);
    const Place place = probe(h, [&](std::uint32_t r) { return is(r, name); });
    if (place.row != kAbsent) return place.row;
    return occupy(place.slot, append(keep(name), kText));
  }
  [[gnu::noinline]] std::uint32_t insert(std::int64_t column) {
    if (hashed()) return find(column);
    const auto c = std::size_t(column);
    if (c >= kDirect) {
      const Place place = probe(key(column), [&](std::uint32_t r) { return is(r, column); });
      return place.row != kAbsent ? place.row : occupy(place.slot, append(column, kColumn));
    }
    if (c >= columns_.size()) columns_.resize(std::max(c + 1, columns_.size() * 2), kAbsent);
    if (columns_[c] == kAbsent) columns_[c] = append(column, kColumn);
    return columns_[c];
  }

  // Hashed features: whether another name can be remembered; and remembering one.
  bool remembers() const { return hashed() && keys_.size() <= limit_; }
  void remember(std::uint32_t row, std::int64_t column) {
    if (is_news(row)) append(column, kColumn);
  }
  void remember(std::uint32_t row, std::string_view name) {
    if (is_news(row)) append(keep(name), kText);
  }
  // The rows of the names that are remembered, in the order of `keys`; empty when exact.
  const std::vector<std::uint32_t>& remembered() const { return remembered_; }

  // The rows of columns 0 to width - 1 as an array, kAbsent for those without a row; null if
  // features are hashed or there are too many columns.
  const std::uint32_t* columns(std::size_t width) {
    if (hashed() || width > kDirect) return nullptr;
    if (width > columns_.size()) columns_.resize(width, kAbsent);
    return columns_.data();
  }

  bool is_column(std::uint32_t row) const { return kinds_[row] == kColumn; }
  std::int64_t column(std::uint32_t row) const { return keys_[row]; }
  std::string_view name(std::uint32_t row) const {
    std::uint32_t length;
    const char* at = names_.data() + keys_[row];
    std::memcpy(&length, at, sizeof(length));
    return {at + sizeof(length), length};
  }

  // The hash of the name of a row, for learners whose draws depend on it; not of the intercept's.
  std::uint64_t hash_of(std::uint32_t row) const {
    return is_column(row) ? key(column(row)) : hash_bytes(name(row));
  }

  // Forgets the names of the rows from `size` on: an example turned out to be bad.
  void truncate(std::uint32_t size) {
    if (hashed()) return;
    while (keys_.size() > size) {
      // In reverse order of insertion no probe sequence runs through the slot.
      const auto row = std::uint32_t(keys_.size() - 1);
      if (is_direct(row)) {
        columns_[std::size_t(column(row))] = kAbsent;
      } else {
        slots_[probe(hash_of(row), [&](std::uint32_t r) { return r == row; }).slot] = kAbsent;
        --used_;
      }
      if (kinds_[row] == kText) names_.resize(std::size_t(keys_[row]));
      keys_.pop_back();
      kinds_.pop_back();
    }
  }

  // The whole map as arrays, and back.
  const std::string& names() const { return names_; }
  const std::vector<std::int64_t>& keys() const { return keys_; }
  const std::vector<std::uint8_t>& kinds() const { return kinds_; }
  void restore(std::string_view names, const std::int64_t* keys, const std::uint8_t* kinds,
               const std::uint32_t* rows, std::size_t count) {
    const auto damaged = [] {
      throw std::invalid_argument("the table of feature names is damaged");
    };
    Features fresh(bits_, limit_);
    // Puts a name back: to row i, or among hashed features as the i-th name remembered.
    const auto give = [&](std::size_t i, auto name) -> std::uint32_t {
      if (!hashed()) return fresh.insert(name);
      if (fresh.remembers() && rows[i - 1] < size()) fresh.remember(rows[i - 1], name);
      return std::uint32_t(fresh.keys_.size() - 1);
    };
    for (std::size_t row = 1; row < count; ++row) {
      std::uint32_t got = kAbsent;
      std::int64_t column;
      if (kinds[row] == kColumn) {
        if (keys[row] >= 0) got = give(row, keys[row]);
      } else if (kinds[row] == kText && std::size_t(keys[row]) == fresh.names_.size() &&
                 std::size_t(keys[row]) + sizeof(std::uint32_t) <= names.size()) {
        std::uint32_t length;
        std::memcpy(&length, names.data() + keys[row], sizeof(length));
        const std::size_t start = std::size_t(keys[row]) + sizeof(length);
        if (length <= names.size() - start && !as_column(names.substr(start, length), column))
          got = give(row, names.substr(start, length));
      }
      if (got != row) damaged();
    }
    *this = std::move(fresh);
  }

 private:
  // Columns below this have their row in a plain array; larger ones are looked up like strings.
  static constexpr std::size_t kDirect = std::size_t(1) << 22;
  enum Kind : std::uint8_t { kText, kColumn, kNobody };
  struct Place {
    std::uint32_t row;
    std::size_t slot;
  };

  static std::uint64_t key(std::int64_t column) { return splitmix(std::uint64_t(column) + 1); }
  bool is(std::uint32_t row, std::string_view text) const {
    return kinds_[row] == kText && name(row) == text;
  }
  bool is(std::uint32_t row, std::int64_t column) const {
    return kinds_[row] == kColumn && keys_[row] == column;
  }
  bool is_direct(std::uint32_t row) const {
    return is_column(row) && std::size_t(column(row)) < kDirect;
  }
  std::uint32_t hashed_row(std::uint64_t h) const {
    return 1 + std::uint32_t(h & ((std::uint64_t(1) << bits_) - 1));
  }

  bool is_news(std::uint32_t row) {
    if (seen_.empty()) seen_.resize(size());
    if (seen_[row]) return false;
    seen_[row] = true;
    remembered_.push_back(row);
    return true;
  }
  std::int64_t keep(std::string_view name) {
    const auto length = std::uint32_t(name.size());
    const auto at = std::int64_t(names_.size());
    names_.append(reinterpret_cast<const char*>(&length), sizeof(length)).append(name);
    return at;
  }

  template <class Same>
  Place probe(std::uint64_t hash, Same same) const {
    const std::size_t mask = slots_.size() - 1;
    for (std::size_t i = hash & mask;; i = (i + 1) & mask)
      if (slots_[i] == kAbsent || same(slots_[i])) return {slots_[i], i};
  }
  std::uint32_t append(std::int64_t key, Kind kind) {
    if (keys_.size() >= kAbsent) throw std::length_error("more than 2^32 - 1 features");
    keys_.push_back(key);
    kinds_.push_back(kind);
    return std::uint32_t(keys_.size() - 1);
  }
  std::uint32_t occupy(std::size_t slot, std::uint32_t row) {
    slots_[slot] = row;
    if (++used_ * 2 > slots_.size()) rehash();
    return row;
  }
  void rehash() {
    slots_.assign(slots_.size() * 4, kAbsent);
    for (std::uint32_t row = 1; row < keys_.size(); ++row)
      if (!is_direct(row))
        slots_[probe(hash_of(row), [](std::uint32_t) { return false; }).slot] = row;
  }

  int bits_;
  std::uint32_t limit_;     // names that hashed features remember
  std::vector<bool> seen_;  // by row: whether its name is remembered
  std::vector<std::uint32_t> remembered_;
  std::vector<std::uint32_t> slots_;    // open addressing: rows
  std::vector<std::uint32_t> columns_;  // column -> row, for those below kDirect
  std::vector<std::int64_t> keys_;      // by row: the column, or where the name begins in names_
  std::vector<std::uint8_t> kinds_;     // by row: which of the two
  std::string names_;                   // lengths and bytes, end to end
  std::size_t used_ = 0;
};

}  // namespace regretless
