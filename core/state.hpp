// The state of a player as one row of numbers, for files and copies.
//
// A class lists its parts once: their names, where they are and which values are allowed. The list
// writes the state, and checks a state before it is taken over; `check` tests what no part can tell
// by itself. Numbers may come from a damaged file: std::invalid_argument names the part that is
// wrong.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <initializer_list>
#include <stdexcept>
#include <string>
#include <vector>

#include "owned.hpp"

namespace regretless {

inline constexpr double kMost = 1e305;    // limit of sums of squares: a few add up
inline constexpr double kCount = 0x1p53;  // limit of counts: doubles count no further

[[noreturn]] inline void refuse(const std::string& what) { throw std::invalid_argument(what); }
inline void require(bool sound, const char* what) {
  if (!sound) refuse(what);
}
// Whether two numbers are equal up to rounding.
inline bool near(double a, double b) {
  return std::fabs(a - b) <= 1e-9 * (std::fabs(a) + std::fabs(b)) + 1e-300;
}

// One number, or several with one name.
struct Field {
  struct Where {
    double* data;
    std::size_t size;
    Where(double& number) : data(&number), size(1) {}
    Where(std::vector<double>& numbers) : data(numbers.data()), size(numbers.size()) {}
    Where(double* numbers, std::size_t count) : data(numbers), size(count) {}
  };
  const char* name;
  Where at;
  double low, high;
  bool whole = false, unknown = false;  // unknown: NaN is allowed

  static Field number(const char* name, Where at, double low = -kMost, double high = kMost) {
    return {name, at, low, high};
  }
  static Field positive(const char* name, Where at, double high = kMost) {
    return {name, at, 0, high};
  }
  static Field count(const char* name, Where at, double high = kCount) {
    return {name, at, 0, high, true};
  }
  static Field flag(const char* name, Where at) { return count(name, at, 1); }

  void check(const double* values) const {
    for (std::size_t i = 0; i < at.size; ++i) {
      const double x = values[i];
      if (unknown && std::isnan(x)) continue;
      if (x >= low && x <= high && !(whole && x != std::floor(x))) continue;
      char text[160];
      const std::string place = at.size > 1 ? "[" + std::to_string(i) + "]" : "";
      std::snprintf(text, sizeof(text), "%s%s = %g is not a%s number from %g to %g", name,
                    place.c_str(), x, whole ? " whole" : "", low, high);
      refuse(text);
    }
  }
  void check() const { check(at.data); }
};

class Stateful : public Owned {
 public:
  virtual ~Stateful() = default;
  virtual std::vector<double> state() {
    std::vector<double> all;
    for (const Field& part : parts())
      all.insert(all.end(), part.at.data, part.at.data + part.at.size);
    return all;
  }
  // Takes a state over. Nothing has changed if it is refused.
  virtual void restore(const double* state, std::size_t size) {
    const Parts all = parts();
    std::size_t expected = 0;
    for (const Field& part : all) expected += part.at.size;
    if (size != expected)
      refuse("the state has " + std::to_string(size) + " numbers, not " + std::to_string(expected));
    const double* at = state;
    for (const Field& part : all) part.check(at), at += part.at.size;
    const std::vector<double> before = Stateful::state();
    put(state);
    try {
      check();
    } catch (...) {
      put(before.data());
      throw;
    }
  }

 protected:
  using Parts = std::vector<Field>;
  virtual Parts parts() = 0;
  // Throws unless the parts fit each other; called when they have been taken over.
  virtual void check() {}
  static Parts join(Parts all, std::initializer_list<Field> more) {
    all.insert(all.end(), more);
    return all;
  }

 private:
  void put(const double* from) {
    for (const Field& part : parts()) {
      std::copy_n(from, part.at.size, part.at.data);
      from += part.at.size;
    }
  }
};

}  // namespace regretless
