// A piece of a stream: the examples that a reader makes of some lines and a learner learns at once.
//
// Features are stored in the form that the learner needs: as rows of a hashed bank; by name, to be
// looked up (exact features); or both, if a hashed learner remembers names.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "bank.hpp"
#include "features.hpp"
#include "hash.hpp"
#include "repeats.hpp"
#include "text/buffer.hpp"

namespace regretless::text {

// An error in a line; the parser adds the number of the line.
struct Malformed : std::invalid_argument {
  using std::invalid_argument::invalid_argument;
};

// A text for an error message: in quotes, and cut between characters if it is long.
inline std::string shown(std::string_view text, std::size_t longest = 60) {
  std::size_t size = std::min(text.size(), longest);
  while (size < text.size() && size && (text[size] & 0xc0) == 0x80) --size;
  return "'" + std::string(text.substr(0, size)) + (size < text.size() ? "...'" : "'");
}

class Examples {
 public:
  struct Name {
    static constexpr std::uint32_t kColumn = std::numeric_limits<std::uint32_t>::max();
    std::uint64_t key;     // hash of the text, or the column
    std::uint32_t at;      // where the text begins in `text`
    std::uint32_t length;  // of the text, or kColumn
    bool is_column() const { return length == kColumn; }
  };

  // bits: of a hashed bank, 0 for none; named: keep the names of features; precise: keep the values
  // in double precision as well
  explicit Examples(int bits = 0, bool intercept = true, bool named = true, bool precise = false)
      : bits_(bits),
        intercept_(intercept),
        named_(named || bits == 0),
        precise_(precise),
        mask_(bits ? (std::uint64_t(1) << bits) - 1 : 0) {}

  int bits() const { return bits_; }
  bool intercept() const { return intercept_; }
  bool named() const { return named_; }
  bool precise() const { return precise_; }
  std::size_t size() const { return labels.size(); }
  // As precise as it is kept.
  double value(std::size_t j) const { return precise_ ? doubles[j] : double(values[j]); }
  std::string_view name(const Name& n) const { return {text.data() + n.at, n.length}; }
  // The names of example t, if they are kept; that of the intercept is empty. Two examples can
  // share them. If the examples have rows, too, a row has the name that came first.
  std::span<const Name> names(std::size_t t) const {
    return {names_.data() + names_at_[t], starts[t + 1] - starts[t]};
  }

  // --- reading -----------------------------------------------------------------------------------
  // First the features of an example, then `finish`, or `drop` if the line is bad.

  // Called before an example: makes room for so many features and the intercept.
  void make_room(std::size_t features) {
    if (bits_) rows.make_room(features + 1);
    names_.make_room(features + 1);
    values.make_room(features + 1);
    if (precise_) doubles.make_room(features + 1);
  }
  void begin() {
    if (intercept_) {
      if (bits_) rows.push_back(Features::kIntercept);
      names_.push_back({0, 0, 0});
      values.push_back(1.0f);
      if (precise_) doubles.push_back(1.0);
    }
  }
  void add(std::string_view name, double value) {
    if (present(value, name)) push(known(name), value);
  }
  // A name that is certainly not a column.
  void add_text(std::string_view name, double value) {
    if (present(value, name)) push(keep(name), value);
  }
  void add(std::int64_t column, double value) {
    if (present(value, column)) push({std::uint64_t(column), 0, Name::kColumn}, value);
  }
  // A name that is in many examples is stored once and then added as often as needed.
  Name known(std::string_view name) {
    std::int64_t column;
    if (as_column(name, column)) return {std::uint64_t(column), 0, Name::kColumn};
    return keep(name);
  }
  void add(const Name& known, double value) {
    if (!(std::fabs(value) <= kLargestValue)) {
      if (known.is_column()) out_of_range(std::int64_t(known.key));
      out_of_range(name(known));
    }
    if (float(value) != 0) push(known, value);
  }
  // Adds several; all values are within range.
  void add(const Name* known, const double* several, std::size_t count) {
    const auto write = [&]<bool kRows>() {
      const Space to = space();
      std::size_t n = 0;
      for (std::size_t k = 0; k < count; ++k) {  // a 0 is written, but not counted
        if (kRows) to.rows[n] = to.row(known[k].key);
        to.names[n] = known[k];
        to.set(n, several[k]);
        n += to.values[n] != 0;
      }
      took(n);
    };
    bits_ ? write.template operator()<true>() : write.template operator()<false>();
  }
  // For a loop that adds many columns: makes room and returns where they go; then their number.
  struct Space {
    std::uint32_t* rows;
    Name* names;
    float* values;
    double* doubles;  // null unless they are kept
    std::uint64_t mask;
    std::uint32_t row(std::uint64_t key) const { return 1 + std::uint32_t(key & mask); }
    void set(std::size_t i, double value) const {
      values[i] = float(value);
      if (doubles) doubles[i] = value;
    }
  };
  Space space() {
    return {rows.next(), names_.next(), values.next(), precise_ ? doubles.next() : nullptr, mask_};
  }
  void took(std::size_t count) {
    if (bits_) rows.resize(rows.size() + count);
    names_.resize(names_.size() + count);
    resize_values(values.size() + count);
  }
  // The value `category` of a column of text: the feature "column=category" with the value 1.
  void add_category(std::string_view column, std::string_view category) {
    joined_.assign(column).append(1, '=').append(category);
    add(joined_, 1.0);
  }
  // A label of NaN means that there is none. Labels are numbers or texts throughout a stream.
  void finish(double label, double weight = 1, std::string_view tag = {}) {
    settle();
    complete(label, weight, tag);
  }
  void finish(std::string_view label, double weight = 1, std::string_view tag = {}) {
    settle();
    if (label_texts.size() < size()) label_texts.resize(size());
    label_texts.emplace_back(label);
    complete(std::nan(""), weight, tag);
  }
  void drop() {  // what was added since the last finish
    const std::size_t dropped = values.size() - starts.back();
    resize_values(starts.back());
    if (bits_) rows.resize(starts.back());
    names_.resize(names_.size() - dropped);
  }

  std::vector<double> labels, importance;
  std::vector<std::int64_t> lines;       // where each example begins; empty if there is no file
  std::vector<std::string> label_texts;  // empty when labels are numbers
  std::vector<std::string> tags;         // empty when no example has one
  bool weighted = false;                 // some importance is not 1
  std::vector<std::size_t> starts{0};
  Buffer<std::uint32_t> rows;  // when bits
  Buffer<float> values;
  Buffer<double> doubles;  // when precise: the values before they were rounded
  std::string text;        // of the names, end to end

 private:
  void complete(double label, double weight, std::string_view tag) {
    starts.push_back(values.size());
    labels.push_back(label);
    importance.push_back(weight);
    weighted |= weight != 1;
    if (!tag.empty() && tags.empty()) tags.resize(size() - 1);
    if (!tag.empty() || !tags.empty()) tags.emplace_back(tag);
  }

  // Called when all features of the example are there: adds up those that repeat, and keeps the
  // names, drops them or, in a table, finds that they are those of the example before.
  void settle() {
    const std::size_t count = values.size() - starts.back(), at = names_.size() - count;
    if (named_ && as_before(names_.data() + at, count, [&] { return names(size() - 1).data(); })) {
      names_.resize(at);
      names_at_.push_back(names_at_.back());
      return;
    }
    const bool distinct = bits_ ? are_distinct_rows(count) : are_distinct_names(count);
    if (!distinct) add_up(count);
    if (named_)
      names_at_.push_back(at);
    else
      names_.resize(at);
  }
  // Whether the example before has the same names; those are distinct.
  template <class T, class Before>
  bool as_before(const T* now, std::size_t count, Before before) const {
    static_assert(std::has_unique_object_representations_v<T>);
    return size() && starts[size()] - starts[size() - 1] == count &&
           std::memcmp(before(), now, count * sizeof(T)) == 0;
  }
  // Usually this is clear without a hash table: in svmlight columns increase, and the rows of a
  // table are those of the example before.
  bool are_distinct_rows(std::size_t count) {
    const std::uint32_t* now = rows.data() + starts.back();
    std::int32_t falls = count > 2 && now[1] >= now[2];
    for (std::size_t j = 1; j < count && !(falls & 1); j += kBlock) {
      // signed, and without a branch, so that it vectorises
      const std::size_t last = std::min(count, j + kBlock);
      for (std::size_t i = j; i < last; ++i)
        falls |= std::int32_t(now[i]) <= std::int32_t(now[i - 1]) ? -1 : 0;
    }
    return !falls || as_before(now, count, [&] { return rows.data() + starts[size() - 1]; }) ||
           !repeats_.possible(count, [now](std::size_t j) { return now[j]; });
  }
  bool are_distinct_names(std::size_t count) {
    const Name* now = names_.next() - count + intercept_;
    count -= intercept_;
    std::size_t j = 1;
    while (j < count && now[j - 1].key < now[j].key) ++j;
    return j >= count || !repeats_.possible(count, [now](std::size_t k) { return now[k].key; });
  }
  // First by name, then by row: a learner that reads the sums by name gets the same model.
  [[gnu::noinline]] void add_up(std::size_t count) {
    count -= intercept_;
    Name* const name = names_.next() - count;
    float* const value = values.next() - count;
    double* const whole = precise_ ? doubles.next() - count : nullptr;
    std::uint32_t* const row = bits_ ? rows.next() - count : nullptr;
    const auto move = [&](std::size_t from, std::size_t to) {
      name[to] = name[from];
      if (row) row[to] = row[from];
    };
    const auto refuse = [&](std::size_t j) {
      throw Malformed("the values of " + described(name[j]) + " add up to more than 1e19");
    };
    const auto same_name = [&](std::size_t i, std::size_t j) {
      return name[i].key == name[j].key && name[i].length == name[j].length &&
             (!named_ || name[i].is_column() || this->name(name[i]) == this->name(name[j]));
    };
    const auto sum_up = [&](auto* numbers) {
      std::size_t left = repeats_.add_up(
          count, [&](std::size_t j) { return name[j].key; }, same_name, numbers, move, refuse);
      if (row && repeats_.possible(left, [&](std::size_t j) { return row[j]; }))
        left = repeats_.add_up(
            left, [&](std::size_t j) { return row[j]; },
            [&](std::size_t i, std::size_t j) { return row[i] == row[j]; }, numbers, move, refuse);
      return left;
    };
    const std::size_t left = whole ? sum_up(whole) : sum_up(value);
    for (std::size_t j = 0; whole && j < left; ++j) value[j] = float(whole[j]);
    const std::size_t gone = count - left;
    if (bits_) rows.resize(rows.size() - gone);
    names_.resize(names_.size() - gone);
    resize_values(values.size() - gone);
  }
  std::string described(const Name& n) const {
    if (n.is_column()) return shown(std::to_string(n.key));
    return named_ ? shown(name(n)) : "one feature";
  }

  Name keep(std::string_view name) {
    const Name kept{hash_bytes(name), std::uint32_t(text.size()), std::uint32_t(name.size())};
    if (named_) text.append(name);
    return kept;
  }
  void push(const Name& name, double value) {
    if (bits_) rows.push_back(1 + std::uint32_t(name.key & mask_));
    names_.push_back(name);
    values.push_back(float(value));
    if (precise_) doubles.push_back(value);
  }
  void resize_values(std::size_t size) {
    values.resize(size);
    if (precise_) doubles.resize(size);
  }
  // A value that is 0 as a float is absent, in every form of input.
  template <class Which>
  static bool present(double value, const Which& name) {
    if (!(std::fabs(value) <= kLargestValue)) out_of_range(name);
    return float(value) != 0;
  }
  [[noreturn, gnu::cold]] static void out_of_range(std::string_view name) {
    throw Malformed("the value of " + shown(name) + " is not a finite number of at most 1e19");
  }
  [[noreturn, gnu::cold]] static void out_of_range(std::int64_t column) {
    out_of_range(std::string_view(std::to_string(column)));
  }

  static constexpr std::size_t kBlock = 64;
  int bits_;
  bool intercept_, named_, precise_;
  std::uint64_t mask_;
  Buffer<Name> names_;                 // without `named`, only of the present example
  std::vector<std::size_t> names_at_;  // where those of each example begin
  Repeats repeats_;
  std::string joined_;
};

}  // namespace regretless::text
