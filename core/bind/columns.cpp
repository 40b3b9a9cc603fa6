#include "columns.hpp"

#include "kernels.hpp"

namespace nb = nanobind;

namespace regretless {
namespace {

Column read_column(std::size_t n, nb::tuple spec, const Features& f) {
  Column c;
  const nb::str text = nb::str(nb::object(spec[0]));
  const std::string name(utf8(text.ptr()));
  if (spec.size() == 2) {
    auto a = nb::cast<Column::Held>(spec[1]);
    if (a.shape(0) != n) throw nb::value_error("columns differ in length");
    c.held_numbers = a;
    c.numbers = a.data();
    c.stride = a.stride(0);
    c.given = nb::borrow(spec[0]);
    const PyName called(c.given.ptr());
    c.is_number = called.is_column();
    c.number = called.column();
    c.names.push_back(name);
  } else {
    auto a = nb::cast<Vector<std::int32_t>>(spec[1]);
    if (a.size() != n) throw nb::value_error("columns differ in length");
    for (nb::handle value : nb::cast<nb::list>(spec[2]))
      c.names.push_back(name + "=" + std::string(utf8(value.ptr())));
    for (std::size_t t = 0; t < n; ++t)
      if (a(t) < -1 || a(t) >= std::int64_t(c.names.size()))
        throw nb::value_error("a category code is out of range");
    c.held_codes = a;
    c.codes = a.data();
  }
  for (const std::string& text : c.names)
    c.rows.push_back(c.is_number ? f.find(c.number) : f.find(text));
  return c;
}

// Whether the columns are those of one matrix, side by side in memory.
bool is_matrix(const std::vector<Column>& columns) {
  std::size_t j = 0;
  while (j < columns.size() && !columns[j].codes && columns[j].numbers == columns[0].numbers + j &&
         columns[j].stride == std::ptrdiff_t(columns.size()))
    ++j;
  return j && j == columns.size();
}

}  // namespace

std::vector<Column> read_columns(nb::list columns, std::size_t size, const Features& f) {
  std::vector<Column> all;
  for (nb::handle item : columns) all.push_back(read_column(size, nb::cast<nb::tuple>(item), f));
  return all;
}

void check_columns(const std::vector<Column>& columns, std::size_t size, Range range) {
  const auto fit = [&](const double* values, std::size_t count) {
    return range.any() && kernels().survey_values(values, count).fits;
  };
  if (is_matrix(columns) && fit(columns[0].numbers, size * columns.size())) return;
  for (const Column& c : columns) {
    if (c.codes || (c.stride == 1 && fit(c.numbers, size))) continue;
    for (std::size_t t = 0; t < size; ++t)
      if (const double v = c.numbers[std::ptrdiff_t(t) * c.stride]; !range.has(v))
        checked_value(
            v, "X[" + std::to_string(t) + ", " + nb::cast<std::string>(nb::repr(c.given)) + "]",
            range);
  }
}

}  // namespace regretless
