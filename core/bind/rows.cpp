#include "rows.hpp"

#include <cmath>

namespace nb = nanobind;

namespace regretless {

namespace {

// A value for an error message, shown as in the rest of the library. Some values must not be
// printed.
std::string shown(PyObject* object) {
  try {
    const nb::object text =
        nb::module_::import_("regretless.base.arguments").attr("shown")(nb::handle(object));
    const nb::object bytes = text.attr("encode")("utf-8", "backslashreplace");
    return {PyBytes_AS_STRING(bytes.ptr()), std::size_t(PyBytes_GET_SIZE(bytes.ptr()))};
  } catch (nb::python_error&) {
    return "<unprintable>";
  }
}

void append_category(PyObject* name, PyObject* value, std::string& out) {
  nb::object text = nb::steal(PyObject_Str(name));
  if (!text.is_valid()) nb::raise_python_error();
  out.assign(utf8(text.ptr()));
  out += '=';
  out += utf8(value);
}

// Dates convert to floats, but a count of some unit since 1970 is hardly what the user meant.
bool is_date(PyObject* value) {
  const std::string_view type = Py_TYPE(value)->tp_name;
  return type == "numpy.datetime64" || type == "numpy.timedelta64";
}

[[noreturn]] void fail(const std::string& message) { throw nb::value_error(message.c_str()); }

// NaN if the value is missing.
double number(PyObject* value, PyObject* name) {
  if (PyLong_Check(value)) {
    const double v = PyLong_AsDouble(value);
    if (v == -1.0 && PyErr_Occurred()) {
      PyErr_Clear();
      return HUGE_VAL;  // beyond a double: the range check names it
    }
    return v;
  }
  if (nb::object f =
          nb::steal(PyNumber_Check(value) && !is_date(value) ? PyNumber_Float(value) : nullptr);
      f.is_valid())
    return PyFloat_AsDouble(f.ptr());
  PyErr_Clear();
  if (std::string_view(Py_TYPE(value)->tp_name) == "pandas._libs.missing.NAType") return NAN;
  fail("x[" + shown(name) + "] = " + shown(value) +
       " is not a number, bool, string or None; spread it over several features");
}

}  // namespace

PyName::PyName(PyObject* name) : held_(nb::borrow(name)) {
  if (PyIndex_Check(name) && !PyBool_Check(name)) {
    nb::object index = nb::steal(PyNumber_Index(name));
    int overflow = 0;
    const long long column =
        index.is_valid() ? PyLong_AsLongLongAndOverflow(index.ptr(), &overflow) : -1;
    PyErr_Clear();
    if (column >= 0 && !overflow) {
      column_ = column;
      return;
    }
  }
  if (!PyUnicode_CheckExact(name)) held_ = nb::steal(PyObject_Str(name));
  if (!held_.is_valid()) nb::raise_python_error();
  text_ = utf8(held_.ptr());
  if (!as_column(text_, column_)) column_ = -1;
}

std::string_view utf8(PyObject* text) {
  Py_ssize_t size;
  const char* data = PyUnicode_AsUTF8AndSize(text, &size);
  if (!data) {  // lone surrogates
    PyErr_Clear();
    fail("the name " + shown(text) + " is not valid Unicode");
  }
  return {data, std::size_t(size)};
}

double checked_value(double value, const std::string& where, Range range) {
  if (range.has(value)) return value;
  char text[120];
  if (!Range().has(value)) {
    std::snprintf(text, sizeof(text), "%g", value);
    fail(where + " = " + text + " is not a finite number below 1e19; drop or scale the feature");
  }
  std::snprintf(text, sizeof(text), "%g is outside [%g, %g]; scale it, or use BalancedWinnow",
                value, range.low, range.high);
  fail(where + " = " + text + ", which takes any number");
}

template <class Number>
void RowReader<Number>::start(std::size_t most) {
  if (rows_.size() < most + 1) {
    rows_.resize(most + 1);
    values_.resize(most + 1);
  }
  size_ = 0;
  absent_ = 0;
  if (intercept_) push(Features::kIntercept, 1);
}

template <class Number>
std::uint32_t RowReader<Number>::row_of(std::string_view name, bool learning) {
  if (learning) return features_.insert(name);
  std::int64_t column;
  if (as_column(name, column)) return row_of(column, learning);
  const std::uint64_t hash = hash_bytes(name);
  const std::uint32_t row = features_.find(name, hash);
  if (row == Features::kAbsent) unknown_.push_back(hash);
  return row;
}

template <class Number>
std::uint32_t RowReader<Number>::row_of(std::int64_t column, bool learning) {
  if (learning) return features_.insert(column);
  const std::uint32_t row = features_.find(column);
  if (row == Features::kAbsent) unknown_.push_back(std::uint64_t(column));
  return row;
}

template <class Number>
std::uint32_t RowReader<Number>::row_of(const PyName& name, bool learning) {
  return name.apply([&](auto it) { return row_of(it, learning); });
}

template <class Number>
std::uint32_t RowReader<Number>::row_of_text(std::size_t position, PyObject* name, bool learning) {
  std::uint32_t row = cache_.find(position, name);
  if (row != Features::kAbsent) return row;
  row = row_of(utf8(name), learning);
  if (row != Features::kAbsent) cache_.remember(position, name, row);
  return row;
}

// Everything but a float under a name that stood here in the last dict.
template <class Number>
void RowReader<Number>::push_any(std::size_t position, PyObject* name, PyObject* value,
                                 bool learning) {
  // Conversions may run Python code, which may drop what the dict holds.
  const nb::object held_name = nb::borrow(name), held_value = nb::borrow(value);
  as_last_ = false;
  if (value == Py_None) return;
  if (PyUnicode_Check(value)) {
    has_others_ = true;
    append_category(name, value, category_);
    return push(row_of(category_, learning), 1);
  }
  const double wide = PyFloat_Check(value) ? PyFloat_AS_DOUBLE(value) : number(value, name);
  if (float(wide) == 0 || std::isnan(wide)) return;
  if (!range_.has(wide)) checked_value(wide, "x[" + shown(name) + "]", range_);
  if (PyUnicode_CheckExact(name)) return push(row_of_text(position, name, learning), Number(wide));
  has_others_ = true;
  push(row_of(PyName(name), learning), Number(wide));
}

template <class Number>
void RowReader<Number>::read_dict(PyObject* dict, bool learning) {
  const auto most = std::size_t(PyDict_GET_SIZE(dict));
  start(most);
  as_last_ = true;
  has_others_ = false;
  unknown_.clear();
  const std::uint32_t known = features_.size();
  try {
    PyObject *name, *value;
    Py_ssize_t cursor = 0;
    std::uint32_t* const rows =
        rows_.data();  // locals stay in registers in spite of the call in the loop
    Number* const values = values_.data();
    const Range range = range_;
    auto last = cache_.order();
    // The count guards the buffers against a conversion that adds to the dict while it is walked.
    for (std::size_t position = 0; position < most && PyDict_Next(dict, &cursor, &name, &value);
         ++position) {
      if (position < last.size() && last[position].name == name && PyFloat_CheckExact(value)) {
        const double v = PyFloat_AS_DOUBLE(value);
        if (!range.has(v)) {
          if (std::isnan(v)) continue;
          checked_value(v, "x[" + shown(name) + "]", range);
        }
        // A value of 0 is absent, in every form of input: it is written, but not counted.
        rows[size_] = last[position].row;
        values[size_] = Number(v);
        size_ += float(v) != 0;
      } else {
        push_any(position, name, value, learning);
        last = cache_.order();
      }
    }
    if ((features_.hashed() || has_others_) && may_repeat(most)) settle(dict, learning, known);
  } catch (...) {
    if (learning) {
      features_.truncate(known);
      cache_.clear();
    }
    throw;
  }
}

// The strings of a dict differ, but 7 and "7" are one name, and two names can be hashed to one row.
template <class Number>
bool RowReader<Number>::may_repeat(std::size_t count) {
  if (as_last_ && cache_.order_is_distinct(count, repeats_)) return false;
  // A feature without a row has the row of the intercept and the value 0: that is not a repeat.
  const auto row = [&](std::size_t j) { return rows_[j] ? std::uint64_t(rows_[j]) : ~j; };
  return repeats_.possible(size_, row) ||
         repeats_.possible(unknown_.size(), [&](std::size_t j) { return unknown_[j]; });
}

template <class Number>
void RowReader<Number>::settle(PyObject* dict, bool learning, std::uint32_t known) {
  if (!has_others_) {
    size_ = intercept_ + add_up_rows(repeats_, rows_.data() + intercept_,
                                     values_.data() + intercept_, size_ - intercept_, "x", range_);
    return;
  }
  if (features_.size() > known) {  // a name whose values add up to 0 gets no row
    features_.truncate(known);
    cache_.clear();
  }
  read_by_name(dict, learning);
}

// Goes through the form in which text is read: there repeated names are added up.
template <class Number>
void RowReader<Number>::read_by_name(PyObject* dict, bool learning) {
  constexpr bool kPrecise = std::is_same_v<Number, double>;
  text::Examples x(features_.bits(), false, true, kPrecise);
  add_dict(dict, x);
  start(x.values.size());
  for (std::size_t j = 0; j < x.values.size(); ++j) {
    const text::Examples::Name& name = x.names(0)[j];
    const double value = kPrecise ? x.doubles[j] : double(x.values[j]);
    if (!range_.has(value)) checked_value(value, "the sum of features of x", range_);
    std::uint32_t row;
    if (name.is_column()) {
      row = row_of(std::int64_t(name.key), learning);
    } else {
      row = row_of(x.name(name), learning);
    }
    push(row, Number(value));
  }
}

void add_dict(PyObject* dict, text::Examples& out) {
  const auto most = std::size_t(PyDict_GET_SIZE(dict));
  out.make_room(most);
  out.begin();
  try {
    PyObject *key, *item;
    Py_ssize_t cursor = 0;
    std::string category;
    // The count guards the buffers against a conversion that adds to the dict while it is walked.
    for (std::size_t k = 0; k < most && PyDict_Next(dict, &cursor, &key, &item); ++k) {
      const nb::object name = nb::borrow(key), value = nb::borrow(item);
      if (item == Py_None) continue;
      if (PyUnicode_Check(item)) {
        append_category(key, item, category);
        out.add(category, 1.0);
        continue;
      }
      const double v = PyFloat_Check(item) ? PyFloat_AS_DOUBLE(item) : number(item, key);
      if (std::isnan(v)) continue;
      if (!(std::fabs(v) <= kLargestValue)) checked_value(v, "x[" + shown(key) + "]");
      PyName(key).apply([&](auto it) { out.add(it, v); });
    }
    out.finish(std::nan(""));
  } catch (...) {
    out.drop();
    throw;
  }
}

template <class Number>
std::size_t add_up_rows(Repeats& repeats, std::uint32_t* rows, Number* values, std::size_t size,
                        const std::string& where, Range range) {
  const auto name = "the sum of features of " + where + " that share a row";
  const std::size_t left = repeats.add_up(
      size, [=](std::size_t j) { return rows[j]; },
      [=](std::size_t i, std::size_t j) { return rows[i] == rows[j]; }, values,
      [=](std::size_t from, std::size_t to) { rows[to] = rows[from]; },
      [&](std::size_t) { fail(name + " is not a finite number below 1e19; scale them"); });
  for (std::size_t j = 0; j < left && !range.any(); ++j)
    if (!range.has(values[j])) checked_value(values[j], name, range);
  return left;
}

template <class Number>
void RowReader<Number>::read_arrays(const std::int64_t* columns, const double* values,
                                    std::size_t size, bool learning) {
  start(size);
  for (std::size_t j = 0; j < size; ++j)
    if (!range_.has(values[j]))
      checked_value(values[j], "x[" + std::to_string(columns[j]) + "]", range_);
  for (std::size_t j = 0; j < size; ++j) {
    if (float(values[j]) == 0) continue;
    const std::uint32_t row = learning ? features_.insert(columns[j]) : features_.find(columns[j]);
    push(row, Number(values[j]));
  }
  // The columns increase, so only those beyond the size of the table can share a row.
  if (features_.hashed() && size && columns[size - 1] >> features_.bits() &&
      repeats_.possible(size_, [&](std::size_t j) { return rows_[j]; }))
    size_ = intercept_ + add_up_rows(repeats_, rows_.data() + intercept_,
                                     values_.data() + intercept_, size_ - intercept_, "x", range_);
}

template class RowReader<float>;
template class RowReader<double>;
template std::size_t add_up_rows(Repeats&, std::uint32_t*, float*, std::size_t, const std::string&,
                                 Range);
template std::size_t add_up_rows(Repeats&, std::uint32_t*, double*, std::size_t, const std::string&,
                                 Range);

}  // namespace regretless
