// Checks of a batch as it came, and its columns as rows of the bank.
#pragma once

#include "kernels.hpp"

namespace regretless {
namespace {

// These loops look for a sign bit in differences. They have no branch, so they vectorise. The bits
// of positive doubles are ordered as the doubles are, with infinities and NaNs above all numbers.
Survey survey_values(const double* values, std::size_t size) {
  const double limit = kLargestValue, tiny = 0x1p-150;  // the largest double that is 0 as a float
  std::int64_t most, least, high = 0, low = 0;
  std::memcpy(&most, &limit, sizeof(most));
  std::memcpy(&least, &tiny, sizeof(least));
  for (std::size_t j = 0; j < size; ++j) {
    std::int64_t bits;
    std::memcpy(&bits, values + j, sizeof(bits));
    bits &= 0x7fffffffffffffff;
    high |= most - bits;
    low |= bits - least - 1;
  }
  return {.fits = high >= 0, .has_zero = low < 0};
}

Survey survey_sparse(const std::int32_t* columns, const double* values, std::size_t size,
                     std::int32_t width) {
  constexpr std::size_t kPiece = 1u << 12;  // stays in the cache from one loop to the next
  Survey all{.fits = true, .has_zero = false};
  std::uint32_t seen = 0;
  for (std::size_t first = 0; first < size; first += kPiece) {
    const std::size_t last = std::min(size, first + kPiece);
    const Survey piece = survey_values(values + first, last - first);
    all.fits &= piece.fits;
    all.has_zero |= piece.has_zero;
    std::int32_t falls = 0;
    for (std::size_t j = first; j < last; ++j)
      seen |= std::uint32_t(columns[j]) | (std::uint32_t(width) - 1 - std::uint32_t(columns[j]));
    for (std::size_t j = first + !first; j < last; ++j) falls += columns[j] <= columns[j - 1];
    all.falls += std::size_t(falls);
  }
  all.within = seen >> 31 == 0;
  return all;
}

bool narrow(const std::int64_t* columns, std::size_t size, std::int32_t* out) {
  std::uint64_t bits = 0;
  for (std::size_t j = 0; j < size; ++j) {
    bits |= std::uint64_t(columns[j]);
    out[j] = std::int32_t(columns[j]);
  }
  return bits < std::uint64_t(1) << 31;
}

bool place(const std::int32_t* columns, const double* values, std::size_t size,
           const std::uint32_t* table, std::uint32_t width, std::uint32_t mask, std::uint32_t* rows,
           float* floats) {
  for (std::size_t j = 0; j < size; ++j) floats[j] = float(values[j]);
  if (!table) {
    for (std::size_t j = 0; j < size; ++j) rows[j] = 1 + (std::uint32_t(columns[j]) & mask);
    return true;
  }
  // Another thread may have changed a column since it was checked: then the last column is used. The
  // compiler must not read a column once to compare and once more to use it, so a copy is compared.
  for (std::size_t j = 0; j < size; ++j) rows[j] = std::uint32_t(columns[j]);
  asm volatile("" : : : "memory");
  for (std::size_t j = 0; j < size; ++j) rows[j] = rows[j] < width ? rows[j] : width - 1;
#pragma GCC unroll 8
  for (std::size_t j = 0; j < size; ++j) rows[j] = table[rows[j]];
  std::uint32_t most = 0;  // kAbsent is the largest of all
  for (std::size_t j = 0; j < size; ++j) most = rows[j] > most ? rows[j] : most;
  return most != std::numeric_limits<std::uint32_t>::max();
}

bool belongs(const std::uint32_t* rows, const float* values, std::size_t size,
             std::uint32_t count) {
  const float limit = float(kLargestValue);
  std::int32_t largest, high = 0;
  std::memcpy(&largest, &limit, sizeof(largest));
  std::uint32_t most = 0;
  for (std::size_t j = 0; j < size; ++j) most = rows[j] > most ? rows[j] : most;
  for (std::size_t j = 0; j < size; ++j) {
    std::int32_t bits;
    std::memcpy(&bits, values + j, sizeof(bits));
    high |= largest - (bits & 0x7fffffff);
  }
  return high >= 0 && (most < count || !size);
}

}  // namespace
}  // namespace regretless
