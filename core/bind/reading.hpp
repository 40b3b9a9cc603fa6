// Examples of every form, as rows of a bank: for the learners of the core and for those in Python.
#pragma once
#include <algorithm>
#include <cfloat>
#include <cmath>
#include <optional>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

#include "arrays.hpp"
#include "casters.hpp"
#include "checks.hpp"
#include "columns.hpp"
#include "kernels.hpp"
#include "rows.hpp"
#include "text/examples.hpp"

namespace regretless {

namespace nb = nanobind;

// Reads examples in all the forms that a learner takes: a dict, a sparse row, a CSR matrix,
// columns, and what the readers of text have made.
class Reading {
 public:
  static constexpr std::size_t kChunk = 256;  // examples converted at a time: they stay in cache

  // precise: values are read as doubles, for a learner that keeps them
  Reading(Features& features, bool intercept, Absent absent = Absent::kept_place, Range range = {},
          bool precise = false)
      : features_(features),
        intercept_(intercept),
        kind_(absent),
        range_(range),
        rows_(features, intercept, absent, range) {
    if (precise) doubles_.emplace(features, intercept, absent, range);
  }

  bool intercept() const { return intercept_; }
  void forget() {  // names may have been taken back
    rows_.forget();
    if (doubles_) doubles_->forget();
  }

  // One row: its values are floats, or doubles if they are read precisely.
  struct Row {
    const std::uint32_t* rows;
    const float* values;
    const double* doubles;
    std::size_t size;
    std::uint32_t absent;  // features that have no row
  };
  Row read(nb::handle x, bool learning) {
    if (!doubles_) {
      read_one(rows_, x, learning);
      return {rows_.rows(), rows_.values(), nullptr, rows_.size(), rows_.absent()};
    }
    RowReader<double>& r = *doubles_;
    read_one(r, x, learning);
    return {r.rows(), nullptr, r.values(), r.size(), r.absent()};
  }

  // --- batches -----------------------------------------------------------------------------------
  // Each method calls use(number of examples, source), and source.part(...) gives some of them.
  // `survey` has checked the columns and values, but the arrays belong to the user, and other
  // threads may change them meanwhile. So each entry is read once, and a column or code is compared
  // with its limit where it is used. `starts` is our own copy.
  template <class Use>
  auto csr(std::int32_t width, Vector<std::int64_t> starts, Vector<std::int32_t> columns,
           Vector<double> values, bool has_zero, Use use) {
    check_starts(starts, columns.size(), values.size());
    const std::size_t n = starts.size() - 1;
    Features& f = features_;
    const std::int64_t* start = starts.data();
    check_range(start, n, values.data(), [&](std::size_t t, std::size_t j) {
      return "X[" + std::to_string(t) + ", " + std::to_string(columns(j)) + "]";
    });
    const auto most = [=](std::size_t first, std::size_t last) {
      return std::size_t(start[last] - start[first]);
    };
    const std::uint32_t mask = f.hashed() ? (std::uint32_t(1) << f.bits()) - 1 : 0;
    const bool direct = !has_zero && width > 0 && (f.columns(std::size_t(width)) || f.hashed());
    const auto fill = [&, place = kernels().place, c = columns.data(), v = values.data()](
                          std::size_t t, bool naming, std::uint32_t* row, auto* value) {
      using Number = std::remove_pointer_t<decltype(value)>;
      const auto first = std::size_t(start[t]), last = std::size_t(start[t + 1]);
      const std::uint32_t* table = f.columns(std::size_t(width));  // which moves when it grows
      if (table && t + 3 < n)
        for (auto j = start[t + 2]; j < start[t + 3]; ++j) fetch(table + c[j]);
      if constexpr (std::is_same_v<Number, float>)
        if (direct) {
          if (place(c + first, v + first, last - first, table, std::uint32_t(width), mask, row,
                    value))
            return last - first;
          for (std::size_t j = 0; naming && j < last - first; ++j)
            if (row[j] == Features::kAbsent) row[j] = f.insert(std::int64_t(c[first + j]));
          if (naming) return last - first;
        }
      std::size_t n = 0;
      for (std::size_t j = first; j < last; ++j) {
        if (float(v[j]) == 0) continue;
        row[n] = naming ? f.insert(std::int64_t(c[j])) : f.find(std::int64_t(c[j]));
        value[n] = Number(v[j]);
        keep_place(row[n], value[n]);
        ++n;
      }
      return n;
    };
    // The columns of a row increase: only a table that is smaller than the matrix can confuse them.
    Converted source{most, fill, f.hashed() && std::uint32_t(width) > mask + 1};
    check_sums(source, n, [&] {
      return can_add_up(values.data() + start[0], most(0, n), 1, longest(start, n));
    });
    return use(n, std::move(source));
  }

  template <class Use>
  auto table(std::size_t size, nb::list columns, Use use) {
    std::vector<Column> plan = read_columns(columns, size, features_);
    check_columns(plan, size, range_);
    Features& f = features_;
    const auto most = [&](std::size_t first, std::size_t last) {
      return (last - first) * plan.size();
    };
    struct Plain {  // a column of numbers that has a row
      const double* numbers;
      std::ptrdiff_t stride;
      std::uint32_t row;
    };
    std::vector<Plain> plain;
    for (const Column& c : plan)
      if (!c.codes && c.rows[0] != Features::kAbsent)
        plain.push_back({c.numbers, c.stride, c.rows[0]});
    const std::size_t width = plain.size();
    const bool all_plain = width == plan.size() && width;
    // The numbers of one example lie far apart, often at addresses that share a line of the cache.
    // So some examples at a time are copied to one place.
    const std::size_t height = all_plain ? std::max<std::size_t>(1, 2048 / width) : 0;
    std::vector<double> block(height * width);
    std::size_t block_at = size;
    const auto fill = [&](std::size_t t, bool naming, std::uint32_t* row, auto* value) {
      using Number = std::remove_pointer_t<decltype(value)>;
      std::size_t n = 0;
      if (all_plain) {
        if (t - block_at >= height) {
          block_at = t;
          const std::size_t count = std::min(height, size - t);
          for (std::size_t c = 0; c < width; ++c)
            for (std::size_t r = 0; r < count; ++r)
              block[r * width + c] = plain[c].numbers[std::ptrdiff_t(t + r) * plain[c].stride];
        }
        const double* v = block.data() + (t - block_at) * width;
        for (std::size_t c = 0; c < width; ++c) {  // a 0 is written, but not counted
          row[n] = plain[c].row;
          value[n] = Number(v[c]);
          n += float(v[c]) != 0;
        }
        return n;
      }
      for (Column& c : plan) {
        const double v = c.codes ? 1 : c.numbers[std::ptrdiff_t(t) * c.stride];
        const std::size_t code = c.codes ? std::size_t(c.codes[t]) : 0;
        if (float(v) == 0 || code >= c.names.size())
          continue;  // a code of -1 is larger than any size
        row[n] = c.row(code, f, naming);
        value[n] = Number(v);
        keep_place(row[n], value[n]);
        ++n;
      }
      return n;
    };
    const bool alone = !repeats_.possible(width, [&](std::size_t j) { return plain[j].row; });
    Converted source{most, fill, f.hashed() && !(all_plain && alone)};
    check_sums(source, size, [&] {
      return std::all_of(plan.begin(), plan.end(), [&](const Column& c) {
        return c.codes || can_add_up(c.numbers, size, c.stride, plan.size());
      });
    });
    return use(size, std::move(source));
  }

  // The examples from `from` to `to` of those that a reader has made of some lines.
  template <class Use>
  auto examples(const text::Examples& x, std::size_t from, std::size_t to, bool learning, Use use) {
    if (from > to || to > x.size()) throw nb::value_error("there are not as many examples");
    Features& f = features_;
    const bool placed = f.hashed() && x.bits() == f.bits();
    const bool same = placed && x.intercept() == intercept_ && (!doubles_ || x.precise());
    if (!placed && x.bits())
      throw nb::value_error("the examples were read for another learner, as rows of its table");
    const auto where = [](std::size_t t, std::size_t) {
      return "a feature of example " + std::to_string(t) + " of this call";
    };
    if (doubles_ && x.precise())
      check_range(x.starts.data() + from, to - from, x.doubles.data(), where);
    else
      check_range(x.starts.data() + from, to - from, x.values.data(), where);
    if (learning && x.named()) remember(x, from, to);
    const auto most = [&](std::size_t first, std::size_t last) {
      return x.starts[from + last] - x.starts[from + first];
    };
    using Name = text::Examples::Name;
    std::vector<std::uint32_t> last;   // the rows of an example, none of them absent,
    const Name* last_names = nullptr;  // and its names
    const auto fill = [&](std::size_t t, bool naming, std::uint32_t* row, auto* value) {
      const std::size_t first = x.starts[from + t] + x.intercept();
      const std::size_t count = x.starts[from + t + 1] - first;
      if (std::is_same_v<decltype(value), double*> && x.precise())
        std::copy_n(x.doubles.data() + first, count, value);
      else
        std::copy_n(x.values.data() + first, count, value);
      if (placed) {
        std::copy_n(x.rows.data() + first, count, row);
        return count;
      }
      const Name* names = x.names(from + t).data() + x.intercept();
      if (names == last_names && count == last.size()) {  // they are shared
        std::copy_n(last.data(), count, row);
        return count;
      }
      const std::uint32_t absent = absent_;
      for (std::size_t k = 0; k < count; ++k) {
        row[k] = row_of(x, names[k], naming);
        keep_place(row[k], value[k]);
      }
      last.assign(row, row + count);
      last_names = absent_ == absent ? names : nullptr;
      return count;
    };
    const Ready ready{x.starts.data() + from, x.rows.data(), x.values.data(), x.doubles.data()};
    if (same) return use(to - from, ready);
    Converted source{most, fill, f.hashed() && !placed};
    check_sums(source, to - from, [&] {
      return can_add_up(x.values.data() + x.starts[from], most(0, to - from), 1,
                        longest(x.starts.data() + from, to - from));
    });
    return use(to - from, std::move(source));
  }

  // Examples whose rows have been found already, and their part from `first` to `last`.
  struct Ready {
    const std::size_t* starts;
    const std::uint32_t* rows;
    const float* values;
    const double* doubles;
    Batch part(Reading&, std::size_t first, std::size_t last, const auto&) const {
      Batch batch;
      batch.size = last - first;
      batch.starts = starts + first;
      batch.rows = rows;
      batch.values = values;
      batch.doubles = doubles;
      return batch;
    }
  };
  // Examples that have to be converted. most(first, last) bounds the number of their entries.
  // fill(t, naming, rows, values) writes the entries of example t and returns how many there are;
  // with `naming` it gives rows to new names. If rows may repeat in an example, their values are
  // added up.
  template <class Most, class Fill>
  struct Converted {
    Most most;
    Fill fill;
    bool repeats;
    std::vector<std::size_t> starts{};
    std::vector<std::uint32_t> rows{}, known{};
    std::vector<float> values{};
    std::vector<double> doubles{};

    Batch part(Reading& self, std::size_t first, std::size_t last, const auto& naming) {
      Batch batch;
      batch.size = last - first;
      if (self.doubles_)
        batch.doubles = convert(self, first, last, naming, doubles);
      else
        batch.values = convert(self, first, last, naming, values);
      batch.starts = starts.data();
      batch.rows = rows.data();
      batch.known = known.data();
      return batch;
    }

   private:
    template <class Number>
    const Number* convert(Reading& self, std::size_t first, std::size_t last, const auto& naming,
                          std::vector<Number>& values) {
      const std::size_t room = most(first, last) + (last - first);
      if (rows.size() < room) {
        rows.resize(room);
        values.resize(room);
      }
      starts.assign(last - first + 1, 0);
      known.resize(last - first);
      std::size_t used = 0;
      for (std::size_t t = first; t < last; ++t) {
        if (self.intercept_) {
          rows[used] = Features::kIntercept;
          values[used++] = 1;
        }
        self.absent_ = 0;
        const std::size_t count = fill(t, naming(t), rows.data() + used, values.data() + used);
        used += repeats ? self.add_up(t, rows.data() + used, values.data() + used, count) : count;
        starts[t - first + 1] = used;
        known[t - first] = self.features_.size() + self.absent_;
      }
      return values.data();
    }
  };
  template <class Most, class Fill>
  Converted(Most, Fill, bool) -> Converted<Most, Fill>;

  // Examples as rows of the bank, to be kept and passed to `located` later: (starts, rows, values).
  // Every name must be known.
  using Located = TupleOf<Array<std::uint64_t>, Array<std::uint32_t>, AnyArray>;
  Located locate(const text::Examples& x);
  nb::object values_of(const float* values, const double* doubles, std::size_t size) const {
    return doubles_ ? nb::object(array_of(doubles, size)) : array_of(values, size);
  }
  template <class Use>
  auto located(Vector<std::uint64_t> starts, Vector<std::uint32_t> rows, AnyArray values, Use use) {
    const auto at = reinterpret_cast<const std::size_t*>(starts.data());
    static_assert(sizeof(std::size_t) == sizeof(std::uint64_t));
    const std::size_t n = std::max<std::size_t>(starts.size(), 1) - 1;
    if (doubles_) {
      const auto own = nb::cast<Vector<double>>(values);
      check_located(starts, rows, own);
      return use(n, Ready{at, rows.data(), nullptr, own.data()});
    }
    const auto own = nb::cast<Vector<float>>(values);  // rounded if they were read precisely
    check_located(starts, rows, own);
    return use(n, Ready{at, rows.data(), own.data(), nullptr});
  }

  // --- names -------------------------------------------------------------------------------------
  std::uint32_t row_of(const text::Examples& x, const text::Examples::Name& n, bool naming) {
    Features& f = features_;
    if (n.is_column()) {
      const auto column = std::int64_t(n.key);
      return naming ? f.insert(column) : f.find(column);
    }
    return naming ? f.insert(x.name(n), n.key) : f.find(x.name(n), n.key);
  }

  // Names by row, without the intercept; of hashed features only those that are remembered.
  using Names = nb::typed<nb::dict, int, Any>;
  Names names() const;
  void save(nb::dict d) const;
  void restore(Vector<std::uint8_t> names, Vector<std::int64_t> keys, Vector<std::uint8_t> kinds,
               Vector<std::uint32_t> rows);

 private:
  template <class Reader>
  void read_one(Reader& reader, nb::handle x, bool learning) {
    if (PyDict_Check(x.ptr())) return reader.read_dict(x.ptr(), learning);
    nb::tuple pair = nb::cast<nb::tuple>(x);
    auto columns = nb::cast<Vector<std::int64_t>>(pair[0]);
    auto values = nb::cast<Vector<double>>(pair[1]);
    if (columns.size() != values.size()) throw nb::value_error("x has as many indices as values");
    reader.read_arrays(columns.data(), values.data(), values.size(), learning);
  }

  template <class Number>
  void check_located(const Vector<std::uint64_t>& starts, const Vector<std::uint32_t>& rows,
                     const Vector<Number>& values) const {
    bool sound = starts.size() > 0 && rows.size() == values.size();
    const std::size_t n = sound ? starts.size() - 1 : 0;
    sound = sound && starts(n) <= rows.size();
    for (std::size_t t = 0; sound && t < n; ++t) sound = starts(t) <= starts(t + 1);
    if (!sound || !belong(rows.data(), values.data(), rows.size()))
      throw nb::value_error("the rows do not belong to this learner: the cache is damaged");
    check_range(starts.data(), n, values.data(), [](std::size_t t, std::size_t) {
      return "a feature of example " + std::to_string(t) + " of this call";
    });
  }
  bool belong(const std::uint32_t* rows, const float* values, std::size_t size) const {
    return kernels().belongs(rows, values, size, std::uint32_t(features_.size()));
  }
  bool belong(const std::uint32_t* rows, const double* values, std::size_t size) const {
    return std::all_of(rows, rows + size, [&](std::uint32_t r) { return r < features_.size(); }) &&
           std::all_of(values, values + size, [](double v) { return Range().has(v); });
  }

  template <class Number>
  void keep_place(std::uint32_t& row, Number& value) {
    if (row == Features::kAbsent) place_absent(kind_, features_.size(), absent_++, row, value);
  }

  template <class Number>
  std::size_t add_up(std::size_t t, std::uint32_t* rows, Number* values, std::size_t size) {
    if (!repeats_.possible(size, [=](std::size_t j) { return rows[j]; })) return size;
    return add_up_rows(repeats_, rows, values, size,
                       "example " + std::to_string(t) + " of this call", range_);
  }
  // Values of rows that repeat are added up while a batch is learned. If a sum could be refused,
  // all sums are checked before anything is learned.
  template <class Source, class Safe>
  void check_sums(Source& source, std::size_t n, Safe safe) {
    if (!source.repeats || safe()) return;
    for (std::size_t first = 0; first < n; first += kChunk)
      source.part(*this, first, std::min(first + kChunk, n), [](std::size_t) { return false; });
  }
  // Whether the sum of any `count` of these values is within range.
  template <class Value>
  bool can_add_up(const Value* values, std::size_t size, std::ptrdiff_t stride,
                  std::size_t count) const {
    const double most = range_.any() ? kLargestValue / double(std::max<std::size_t>(1, count)) : 0;
    unsigned beyond = 0;
    for (std::size_t j = 0; j < size; ++j)
      beyond |= unsigned(!(std::fabs(double(values[std::ptrdiff_t(j) * stride])) <= most));
    return !beyond;
  }
  template <class Starts>
  static std::size_t longest(const Starts* starts, std::size_t n) {
    Starts most = 0;
    for (std::size_t t = 0; t < n; ++t) most = std::max(most, starts[t + 1] - starts[t]);
    return std::size_t(most);
  }

  // Values are finite, as a reader or a survey has found; here they are compared with the rule's
  // range.
  template <class Starts, class Value, class Where>
  void check_range(const Starts* starts, std::size_t n, const Value* values, Where where) const {
    for (std::size_t t = 0; t < n && !range_.any(); ++t)
      for (auto j = starts[t]; j < starts[t + 1]; ++j)
        if (!range_.has(values[j])) checked_value(values[j], where(t, std::size_t(j)), range_);
  }

  void remember(const text::Examples& x, std::size_t from, std::size_t to);

  Features& features_;
  bool intercept_;
  Absent kind_;
  Range range_;
  RowReader<float> rows_;
  std::optional<RowReader<double>> doubles_;  // if values are read precisely
  Repeats repeats_;
  std::uint32_t absent_ = 0;  // features of the example being converted that have no row
};

}  // namespace regretless
