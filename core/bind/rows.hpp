// Reads Python rows as examples: dicts are walked here, without a Python loop.
#pragma once
#include <span>
#include <string>
#include <vector>

#include "bank.hpp"
#include "casters.hpp"
#include "features.hpp"
#include "repeats.hpp"
#include "text/examples.hpp"

namespace regretless {

// Names are mostly the same string objects row after row, often in the same order. This cache finds
// the bank row of a string object by its address: first at its position in the last dict, then in a
// small table. It owns the strings, so an address cannot come to mean another name.
class NameCache {
 public:
  NameCache() = default;
  NameCache(const NameCache&) = delete;
  NameCache& operator=(const NameCache&) = delete;
  ~NameCache() { clear(); }

  struct Entry {
    PyObject* name = nullptr;
    std::uint32_t row = Features::kAbsent;
  };
  // The names of the last dict, in its order.
  std::span<const Entry> order() const { return order_; }
  std::uint32_t find(std::size_t position, PyObject* name) {
    if (table_.empty()) return Features::kAbsent;
    const Entry& e = table_[place(name)];
    if (e.name != name) return Features::kAbsent;
    remember_order(position, name, e.row);
    return e.row;
  }
  void remember(std::size_t position, PyObject* name, std::uint32_t row) {
    if (table_.empty()) table_.resize(kSize);
    put(table_[place(name)], name, row);
    remember_order(position, name, row);
  }
  void clear() {
    for (auto* entries : {&table_, &order_}) {
      for (Entry& e : *entries) Py_XDECREF(e.name);
      entries->clear();
    }
    distinct_ = 0;
  }
  // Whether the first `count` names of the last dict have rows of their own; looked up once.
  bool order_is_distinct(std::size_t count, Repeats& repeats) {
    if (distinct_ < count && count <= order_.size() &&
        !repeats.possible(count, [&](std::size_t j) { return order_[j].row; }))
      distinct_ = count;
    return distinct_ >= count;
  }

 private:
  static constexpr std::size_t kBits = 13, kSize = std::size_t(1) << kBits;
  static std::size_t place(PyObject* p) {
    return std::size_t(
        (std::uint64_t(reinterpret_cast<std::uintptr_t>(p)) * 0x9e3779b97f4a7c15ULL) >>
        (64 - kBits));
  }
  static void put(Entry& e, PyObject* name, std::uint32_t row) {
    Py_INCREF(name);
    Py_XDECREF(e.name);
    e = {name, row};
  }
  void remember_order(std::size_t position, PyObject* name, std::uint32_t row) {
    if (position >= kSize) return;
    if (position >= order_.size()) order_.resize(position + 1);
    put(order_[position], name, row);
    distinct_ = std::min(distinct_, position);
  }
  std::vector<Entry> table_, order_;
  std::size_t distinct_ = 0;  // the first so many of order_ are known to have different rows
};

// The range of values that a rule takes.
struct Range {
  double low = -kLargestValue, high = kLargestValue;
  bool has(double v) const { return v >= low && v <= high; }
  bool any() const { return low == -kLargestValue; }
};
// How a feature without a row is represented if it gets none.
enum class Absent {
  kept_place,  // value 0, in the intercept's row: it adds nothing to a score, but rounding is the
               // same as with a row of weight 0, which it will have once it is learned
  numbered,    // its value, in a row after all others: for learners that use more than the score
  untouched,   // its value, in the intercept's row, which has the weight of a new feature
};
template <class Number>
void place_absent(Absent kind, std::uint32_t known, std::uint32_t before, std::uint32_t& row,
                  Number& value) {
  row = kind == Absent::numbered ? known + before : Features::kIntercept;
  if (kind == Absent::kept_place) value = 0;
}

// A name as features.hpp compares it: an integer from 0 on is a column, anything else is its text.
class PyName {
 public:
  explicit PyName(PyObject* name);
  bool is_column() const { return column_ >= 0; }
  std::int64_t column() const { return column_; }
  std::string_view text() const { return text_; }
  // Calls f(column) or f(text).
  auto apply(auto f) const { return is_column() ? f(column_) : f(text_); }

 private:
  nanobind::object held_;
  std::string_view text_;
  std::int64_t column_ = -1;
};

// Adds up values of the same row. `where` says in an error what they are.
template <class Number>
std::size_t add_up_rows(Repeats& repeats, std::uint32_t* rows, Number* values, std::size_t size,
                        const std::string& where, Range range);

// One decoded example, in buffers that are used again for the next. Number: float or double.
template <class Number>
class RowReader {
 public:
  RowReader(Features& features, bool intercept, Absent absent, Range range)
      : features_(features), intercept_(intercept), kind_(absent), range_(range) {}

  // With `learning`, unknown names get rows. If the example turns out to be bad they lose them
  // again.
  void read_dict(PyObject* dict, bool learning);
  void read_arrays(const std::int64_t* columns, const double* values, std::size_t size,
                   bool learning);

  std::size_t size() const { return size_; }
  std::uint32_t absent() const { return absent_; }  // features that have no row
  const std::uint32_t* rows() const { return rows_.data(); }
  const Number* values() const { return values_.data(); }
  void forget() { cache_.clear(); }

 private:
  void start(std::size_t most);
  [[gnu::always_inline]] void push(std::uint32_t row, Number value) {  // once per feature
    if (row == Features::kAbsent) place_absent(kind_, features_.size(), absent_++, row, value);
    rows_[size_] = row;
    values_[size_++] = value;
  }
  void push_any(std::size_t position, PyObject* name, PyObject* value, bool learning);
  std::uint32_t row_of_text(std::size_t position, PyObject* name, bool learning);
  std::uint32_t row_of(const PyName& name, bool learning);
  std::uint32_t row_of(std::string_view name, bool learning);
  std::uint32_t row_of(std::int64_t column, bool learning);
  void settle(PyObject* dict, bool learning, std::uint32_t known);
  bool may_repeat(std::size_t count);
  void read_by_name(PyObject* dict, bool learning);

  Features& features_;
  bool intercept_;
  Absent kind_;
  Range range_;
  NameCache cache_;
  Repeats repeats_;
  std::string category_;
  bool as_last_ = false;                // the names are those of the last dict, in its order
  bool has_others_ = false;             // some names are not strings, or some values are categories
  std::vector<std::uint64_t> unknown_;  // keys of the names that have no row
  std::size_t size_ = 0;
  std::uint32_t absent_ = 0;
  std::vector<std::uint32_t> rows_;
  std::vector<Number> values_;
};

// Adds a dict as an example without a label. If it is bad, nothing is added.
void add_dict(PyObject* dict, text::Examples& out);

// The bytes of a str; ValueError if it is not valid Unicode.
std::string_view utf8(PyObject* text);

// The value, or a ValueError if it is out of range; `where` names the feature.
double checked_value(double value, const std::string& where, Range range = {});

}  // namespace regretless
