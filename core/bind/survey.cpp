// A first look at sparse arrays, before they are read.
#include "arrays.hpp"
#include "bindings.hpp"
#include "checks.hpp"
#include "kernels.hpp"
#include "rows.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace regretless {
namespace {

bool narrow_columns(
    Vector<std::int64_t> columns,
    Aligned<nb::ndarray<std::int32_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>> to) {
  if (columns.size() != to.size()) throw nb::value_error("the arrays differ in size");
  return kernels().narrow(columns.data(), columns.size(), to.data());
}

// (whether every row's columns strictly increase, whether some value is 0); ValueError if the
// arrays are not a CSR matrix or hold a value that cannot be learned.
TupleOf<bool, bool> survey(std::int32_t width, Vector<std::int64_t> starts,
                           Vector<std::int32_t> columns, Vector<double> values,
                           const std::string& name) {
  check_starts(starts, columns.size(), values.size());
  const std::size_t n = starts.size() - 1;
  const auto first = std::size_t(starts(0)), last = std::size_t(starts(n));
  const std::int32_t* c = columns.data();
  const Survey found =
      kernels().survey_sparse(c + first, values.data() + first, last - first, width);
  if (!found.within)
    throw nb::value_error("X.indices has a column outside X.shape: X is malformed");
  for (std::size_t t = 0; !found.fits && t < n; ++t)
    for (auto j = std::size_t(starts(t)); j < std::size_t(starts(t + 1)); ++j)
      checked_value(values(j), name + "[" + std::to_string(t) + ", " + std::to_string(c[j]) + "]");
  // Columns may fall or stay the same from one row to the next, but not within a row.
  std::size_t between = 0;
  for (std::size_t t = 1; t < n; ++t)
    if (const auto j = std::size_t(starts(t)); starts(t) > starts(t - 1) && j < last && j > first)
      between += c[j] <= c[j - 1];
  return nb::make_tuple(found.falls == between, found.has_zero);
}

}  // namespace

void bind_survey(nb::module_& m) {
  m.def("narrow", &narrow_columns, "columns"_a, "to"_a,
        "Copy int64 columns to int32; False if one does not fit.");
  m.def("survey", &survey, "width"_a, "starts"_a, "columns"_a, "values"_a, "name"_a,
        "Check a CSR matrix: (whether columns increase in every row, whether a value is 0).");
}

}  // namespace regretless
