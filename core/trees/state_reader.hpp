// The state of trees as one row of numbers: writing, and reading of what may be damaged.
#pragma once
#include <cstdint>

#include "state.hpp"
#include "trees/target_sums.hpp"

namespace regretless {

class StateReader {
 public:
  StateReader(const double* at, std::size_t size) : at_(at), left_(size) {}

  double number(const char* name, double low = -kMost, double high = kMost, bool whole = false) {
    require(left_ > 0, "the state of a tree is too short");
    double x = *at_++;
    --left_;
    Field{name, x, low, high, whole}.check();
    return x;
  }
  std::size_t count(const char* name, double high = kCount) {
    return std::size_t(number(name, 0, high, true));
  }
  std::uint32_t index(const char* name, std::size_t size) {
    require(size > 0, "a tree refers to something that is not there");
    return std::uint32_t(number(name, 0, double(size - 1), true));
  }
  // The length of a list whose elements have so many numbers each.
  std::size_t length(const char* name, std::size_t each) {
    const std::size_t n = count(name);
    require(n <= left_ / each, "the state of a tree is too short");
    return n;
  }
  // Weights, and sums of squares or of a class, are not negative.
  void sums(TargetSums& out, std::size_t size, bool classes) {
    require(size <= left_ / out.width(), "the state of a tree is too short");
    out.resize(size);
    for (std::size_t i = 0; i < size; ++i)
      for (std::size_t k = 0; k < out.width(); ++k)
        out[i][k] = number("sums", k < 2 || classes ? 0 : -1e150, 1e150);
  }
  bool ended() const { return left_ == 0; }

  static void write(std::vector<double>& out, const TargetSums& sums) {
    if (sums.size()) out.insert(out.end(), sums[0], sums[0] + sums.size() * sums.width());
  }

 private:
  const double* at_;
  std::size_t left_;
};

}  // namespace regretless
