// The hash of feature names: the same number in every process and on every machine.
#pragma once
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace regretless {

static_assert(std::endian::native == std::endian::little, "names are read as little-endian words");

// A bijection of 64-bit words in which every input bit moves every output bit (the finaliser of
// splitmix64, Steele, Lea & Flood 2014).
inline std::uint64_t mix(std::uint64_t h) {
  h = (h ^ (h >> 30)) * 0xbf58476d1ce4e5b9ULL;
  h = (h ^ (h >> 27)) * 0x94d049bb133111ebULL;
  return h ^ (h >> 31);
}

inline std::uint64_t hash_bytes(std::string_view bytes, std::uint64_t seed = 0) {
  std::uint64_t h = mix(seed + 0x9e3779b97f4a7c15ULL * (bytes.size() + 1)), word;
  const char* p = bytes.data();
  std::size_t left = bytes.size();
  for (; left >= 8; left -= 8, p += 8) {
    std::memcpy(&word, p, 8);
    h = mix(h ^ word);
  }
  if (left) {
    word = 0;
    std::memcpy(&word, p, left);
    h = mix(h ^ word);
  }
  return h;
}

}  // namespace regretless
