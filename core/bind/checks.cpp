#include "checks.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "bank.hpp"

namespace nb = nanobind;

namespace regretless {
namespace {

// If the value belongs to one example of many, the error has the attributes `row`, the number of
// the example, and `what`, the message without that number: a caller that knows the file names the
// line instead.
[[noreturn]] void refuse(const std::string& name, std::ptrdiff_t at, double value,
                         const char* why) {
  const std::string place = at < 0 ? "" : "[" + std::to_string(at) + "]";
  const std::string what = " = " + nb::cast<std::string>(nb::repr(nb::float_(value))) + " " + why;
  nb::object error = nb::handle(PyExc_ValueError)(name + place + what);
  if (at >= 0) error.attr("row") = at, error.attr("what") = name + what;
  PyErr_SetObject(PyExc_ValueError, error.ptr());
  throw nb::python_error();
}

}  // namespace

void check_starts(const Vector<std::int64_t>& starts, std::size_t columns, std::size_t values) {
  if (starts.size() == 0 || starts(0) < 0)
    throw nb::value_error("X.indptr does not start at 0: X is malformed");
  if (!std::is_sorted(starts.data(), starts.data() + starts.size()))
    throw nb::value_error("X.indptr decreases: X is malformed");
  if (std::size_t(starts(starts.size() - 1)) > columns || columns != values)
    throw nb::value_error("X.indptr, X.indices and X.data do not fit each other: X is malformed");
}

double checked_importance(double w, const char* name, std::ptrdiff_t at) {
  if (!(w >= 0 && w <= kLargestValue))
    refuse(name, at, w,
           std::isfinite(w) && w > kLargestValue
               ? "is beyond 1e19; scale the weights"
               : "is not a weight: it must be finite and not negative");
  return w < kSmallestWeight ? 0 : w;
}

void check_target(double y, const char* name, std::ptrdiff_t at) {
  if (!(std::fabs(y) <= kLargestValue))
    refuse(name, at, y, std::isfinite(y) ? "is beyond 1e19; scale the targets" : "is not finite");
}

}  // namespace regretless
