#include "rows.hpp"

#include <nanobind/stl/string.h>

#include <cmath>

namespace nb = nanobind;

namespace regretless {

namespace {

// As the rest of the library shows a value, which may be one that must not be printed.
std::string shown(PyObject* object) {
  try {
    const nb::object text =
        nb::module_::import_("regretless.arguments").attr("shown")(nb::handle(object));
    const nb::object bytes = text.attr("encode")("utf-8", "backslashreplace");
    return {PyBytes_AS_STRING(bytes.ptr()), std::size_t(PyBytes_GET_SIZE(bytes.ptr()))};
  } catch (nb::python_error&) {
    return "<unprintable>";
  }
}

// Dates convert to floats, but the count of some unit since 1970 is hardly what was meant.
bool is_date(PyObject* value) {
  const std::string_view type = Py_TYPE(value)->tp_name;
  return type == "numpy.datetime64" || type == "numpy.timedelta64";
}

[[noreturn]] void fail(const std::string& message) { throw nb::value_error(message.c_str()); }

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
  fail("x[" + shown(name) + "] = " + shown(value) +
       " is not a number, bool, string or None; spread it over several features");
}

}  // namespace

std::int64_t column_of(PyObject* name) {
  nb::object index = nb::steal(PyNumber_Index(name));
  const long long column = index.is_valid() ? PyLong_AsLongLong(index.ptr()) : -1;
  if (PyErr_Occurred()) {
    PyErr_Clear();
    fail("the column " + shown(name) + " does not fit 64 bits; use a string as its name");
  }
  return column;
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

float checked_float(double value, const std::string& where, Range range) {
  if (range.has(value)) return float(value);
  char text[120];
  if (!Range().has(value)) {
    std::snprintf(text, sizeof(text), "%g", value);
    fail(where + " = " + text + " is not a finite number below 1e19; drop or scale the feature");
  }
  std::snprintf(text, sizeof(text), "%g is outside [%g, %g]; scale it, or use BalancedWinnow",
                value, range.low, range.high);
  fail(where + " = " + text + ", which takes any number");
}

void RowReader::start(std::size_t most) {
  if (rows_.size() < most + 1) {
    rows_.resize(most + 1);
    values_.resize(most + 1);
  }
  size_ = 0;
  absent_ = 0;
  if (intercept_) push(Features::kIntercept, 1.0f);
}

std::uint32_t RowReader::row_of_text(std::size_t position, PyObject* name, bool learning) {
  std::uint32_t row = cache_.find(position, name);
  if (row != Features::kAbsent) return row;
  row = learning ? features_.insert(utf8(name)) : features_.find(utf8(name));
  if (row != Features::kAbsent) cache_.remember(position, name, row);
  return row;
}

std::uint32_t RowReader::row_of_other(PyObject* name, bool learning) {
  if (PyIndex_Check(name)) {
    const std::int64_t column = column_of(name);
    return learning ? features_.insert(column) : features_.find(column);
  }
  nb::object text = nb::steal(PyObject_Str(name));
  if (!text.is_valid()) nb::raise_python_error();
  return learning ? features_.insert(utf8(text.ptr())) : features_.find(utf8(text.ptr()));
}

std::uint32_t RowReader::row_of_category(PyObject* name, PyObject* value, bool learning) {
  nb::object text = nb::steal(PyObject_Str(name));
  if (!text.is_valid()) nb::raise_python_error();
  category_.assign(utf8(text.ptr()));
  category_ += '=';
  category_ += utf8(value);
  return learning ? features_.insert(category_) : features_.find(category_);
}

// Everything but a float under a name that stood here in the last dict.
void RowReader::push_any(std::size_t position, PyObject* name, PyObject* value, bool learning) {
  // Conversions may run Python code, which may drop what the dict holds.
  const nb::object held_name = nb::borrow(name), held_value = nb::borrow(value);
  if (value == Py_None) return;
  std::uint32_t row;
  float v = 1;
  if (PyUnicode_Check(value)) {
    row = row_of_category(name, value, learning);
  } else {
    const double wide = PyFloat_Check(value) ? PyFloat_AS_DOUBLE(value) : number(value, name);
    if (wide == 0) return;
    if (!range_.has(wide)) checked_float(wide, "x[" + shown(name) + "]", range_);
    v = float(wide);
    row = PyUnicode_CheckExact(name) ? row_of_text(position, name, learning)
                                     : row_of_other(name, learning);
  }
  push(row, v);
}

void RowReader::read_dict(PyObject* dict, bool learning) {
  const auto most = std::size_t(PyDict_GET_SIZE(dict));
  start(most);
  const std::uint32_t known = features_.size();
  try {
    PyObject *name, *value;
    Py_ssize_t cursor = 0;
    std::uint32_t* const rows =
        rows_.data();  // locals: a call in the loop hides members from registers
    float* const values = values_.data();
    const Range range = range_;
    auto last = cache_.order();
    // The count guards the buffers against a conversion that adds to the dict while it is walked.
    for (std::size_t position = 0; position < most && PyDict_Next(dict, &cursor, &name, &value);
         ++position) {
      if (position < last.size() && last[position].name == name && PyFloat_CheckExact(value)) {
        const double v = PyFloat_AS_DOUBLE(value);
        if (!range.has(v)) checked_float(v, "x[" + shown(name) + "]", range);
        // What is 0 is absent, in every form of input: written, but not counted.
        rows[size_] = last[position].row;
        values[size_] = float(v);
        size_ += v != 0;
      } else {
        push_any(position, name, value, learning);
        last = cache_.order();
      }
    }
  } catch (...) {
    if (learning) {
      features_.truncate(known);
      cache_.clear();
    }
    throw;
  }
}

void add_dict(PyObject* dict, text::Examples& out) {
  const auto text_of = [](PyObject* name) {
    nb::object text = nb::steal(PyObject_Str(name));
    if (!text.is_valid()) nb::raise_python_error();
    return text;
  };
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
        category.assign(utf8(text_of(key).ptr())).append(1, '=').append(utf8(item));
        out.add_text(category, 1.0);
        continue;
      }
      const double v = PyFloat_Check(item) ? PyFloat_AS_DOUBLE(item) : number(item, key);
      if (!(std::fabs(v) <= kLargestValue)) checked_float(v, "x[" + shown(key) + "]");
      if (PyIndex_Check(key)) {
        out.add(column_of(key), v);
      } else {
        out.add_text(utf8(text_of(key).ptr()), v);
      }
    }
  } catch (...) {
    out.drop();
    throw;
  }
  out.finish(std::nan(""));
}

void RowReader::read_arrays(const std::int64_t* columns, const double* values, std::size_t size,
                            bool learning) {
  start(size);
  for (std::size_t j = 0; j < size; ++j)
    if (!range_.has(values[j]))
      checked_float(values[j], "x[" + std::to_string(columns[j]) + "]", range_);
  for (std::size_t j = 0; j < size; ++j) {
    if (values[j] == 0) continue;
    const std::uint32_t row = learning ? features_.insert(columns[j]) : features_.find(columns[j]);
    push(row, float(values[j]));
  }
}

}  // namespace regretless
