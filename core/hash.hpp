// The hash of feature names: the same number in every process and on every machine.
#pragma once
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "splitmix.hpp"

namespace regretless {

static_assert(std::endian::native == std::endian::little, "names are read as little-endian words");

// The last 1 to 7 bytes of a name as a word, with zeros above them. Overlapping loads of fixed
// sizes are faster than a copy of a variable number of bytes.
inline std::uint64_t last_word(const char* p, std::size_t left, std::size_t size) {
  std::uint64_t word;
  if (size >= 8) {
    std::memcpy(&word, p + left - 8, 8);
    return word >> (64 - 8 * left);
  }
  if (left >= 4) {
    std::uint32_t low, high;
    std::memcpy(&low, p, 4);
    std::memcpy(&high, p + left - 4, 4);
    return low | std::uint64_t(high) << (8 * left - 32);
  }
  const auto byte = [p](std::size_t i) { return std::uint64_t(static_cast<unsigned char>(p[i])); };
  return byte(0) | byte(left / 2) << (8 * (left / 2)) | byte(left - 1) << (8 * (left - 1));
}

inline std::uint64_t hash_bytes(std::string_view bytes, std::uint64_t seed = 0) {
  std::uint64_t h = splitmix(seed + 0x9e3779b97f4a7c15ULL * (bytes.size() + 1)), word;
  const char* p = bytes.data();
  std::size_t left = bytes.size();
  for (; left >= 8; left -= 8, p += 8) {
    std::memcpy(&word, p, 8);
    h = splitmix(h ^ word);
  }
  return left ? splitmix(h ^ last_word(p, left, bytes.size())) : h;
}

}  // namespace regretless
