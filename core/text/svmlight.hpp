// svmlight / libsvm text: `label index:value index:value ... # comment`, one example a line.
#pragma once
#include <charconv>
#include <cmath>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace regretless::svmlight {

struct Parsed {
  std::vector<double> labels;
  std::vector<std::int64_t> starts{0};
  std::vector<std::int32_t> columns;
  std::vector<double> values;
  std::size_t consumed = 0;  // bytes of whole lines
  std::int64_t lines = 0;
};

// Parses the whole lines of a piece of a file; what follows the last newline is left for the next
// piece unless this is the last one. Columns are kept as written (libsvm counts from 1).
Parsed parse(std::string_view text, bool last, std::int64_t first_line);

}  // namespace regretless::svmlight
