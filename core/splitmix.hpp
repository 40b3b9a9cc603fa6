// The mixing function of SplitMix64 (Steele, Lea and Flood (2014)): turns a number into random
// bits.
#pragma once
#include <cstdint>

namespace regretless {

inline std::uint64_t splitmix(std::uint64_t z) {
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return z ^ (z >> 31);
}

}  // namespace regretless
