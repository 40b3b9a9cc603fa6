// What changes while one plays, as one row of numbers, for files and copies.
#pragma once
#include <algorithm>
#include <cstddef>
#include <initializer_list>
#include <stdexcept>
#include <vector>

#include "owned.hpp"

namespace regretless {

class Stateful : public Owned {
 public:
  virtual ~Stateful() = default;
  virtual std::vector<double> state() {
    std::vector<double> all;
    for (const Part& part : parts()) all.insert(all.end(), part.data, part.data + part.size);
    return all;
  }
  virtual void restore(const double* state, std::size_t size) {
    std::size_t expected = 0;
    for (const Part& part : parts()) expected += part.size;
    if (size != expected) throw std::invalid_argument("the state is of another player");
    for (const Part& part : parts()) {
      std::copy_n(state, part.size, part.data);
      state += part.size;
    }
  }

 protected:
  struct Part {
    double* data;
    std::size_t size;
    Part(double& number) : data(&number), size(1) {}
    Part(std::vector<double>& numbers) : data(numbers.data()), size(numbers.size()) {}
  };
  using Parts = std::vector<Part>;
  virtual Parts parts() = 0;
  static Parts join(Parts all, std::initializer_list<Part> more) {
    all.insert(all.end(), more);
    return all;
  }
};

}  // namespace regretless
