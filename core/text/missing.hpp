// The texts that stand for a missing value in CSV files and in text columns of Parquet files, Arrow
// tables and data frames. The list is that of pandas.read_csv, with "?" and "NAN".
#pragma once
#include <algorithm>
#include <array>
#include <string_view>

namespace regretless::text {

inline constexpr auto kMissing = std::to_array<std::string_view>(
    {"",       "?",        "NA",      "N/A",      "n/a",  "<NA>", "#NA",
     "#N/A",   "#N/A N/A", "NaN",     "nan",      "NAN",  "-NaN", "-nan",
     "1.#IND", "-1.#IND",  "1.#QNAN", "-1.#QNAN", "null", "NULL", "None"});

inline bool is_missing(std::string_view field) {
  constexpr std::size_t kLongest = 8;
  if (field.empty()) return true;
  // most fields are decided by their first character
  if (field.size() > kLongest || std::string_view("?Nn<#-1").find(field[0]) == field.npos)
    return false;
  return std::find(kMissing.begin(), kMissing.end(), field) != kMissing.end();
}

}  // namespace regretless::text
