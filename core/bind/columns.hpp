// A batch by columns: a dense matrix, a data frame or an Arrow table.
#pragma once
#include <string>
#include <vector>

#include "arrays.hpp"
#include "features.hpp"
#include "rows.hpp"

namespace regretless {

// As Python gives them: (name, float64 values) or (name, int32 codes, list of category names). A
// code of -1 is a missing value. A dense matrix is n columns named by number. The names, those of
// categories included, are distinct.
using Columns = ListOf<TupleOf<Any, nanobind::ellipsis>>;

// One column: numbers, or codes of categories. Each name has a row once it has been needed.
struct Column {
  using Held = Aligned<nanobind::ndarray<const double, nanobind::ndim<1>, nanobind::device::cpu>>;
  Held held_numbers;  // keeps alive what the pointers point to
  Vector<std::int32_t> held_codes;
  const double* numbers = nullptr;
  std::ptrdiff_t stride = 1;
  const std::int32_t* codes = nullptr;
  nanobind::object given;  // its name
  bool is_number = false;  // named by a number
  std::int64_t number = 0;
  std::vector<std::string> names;   // one for numbers, one per category for codes
  std::vector<std::uint32_t> rows;  // one per name

  std::uint32_t row(std::size_t i, Features& f, bool naming) {
    if (rows[i] == Features::kAbsent && naming)
      rows[i] = is_number ? f.insert(number) : f.insert(names[i]);
    return rows[i];
  }
};

// The columns of a batch with `size` examples; ValueError if one of them is malformed.
std::vector<Column> read_columns(nanobind::list columns, std::size_t size, const Features& f);

// ValueError if a number is outside the range that a rule takes.
void check_columns(const std::vector<Column>& columns, std::size_t size, Range range);

}  // namespace regretless
