// What a single tree and a forest have in common, for the models that hold them.
#pragma once
#include <cstdint>
#include <vector>

#include "bank.hpp"
#include "trees/nodes.hpp"

namespace regretless {

// An example in two forms: its entries, and the values of all features by row. The hashes of the
// names of features, by row, make what is learned independent of the order of features.
struct Spread {
  Example sparse;
  const float* by_row;
  const std::uint64_t* names;
  std::size_t rows;
};

class Grower {
 public:
  virtual ~Grower() = default;
  virtual std::size_t outputs() const = 0;
  // Forgets everything.
  virtual void reset(std::size_t outputs) = 0;
  // Makes new classes from old ones; -1 is a new class.
  virtual void relabel(const std::vector<int>& sources) = 0;
  // The probability of each class, or a number.
  virtual void predict(const float* by_row, double* out) const = 0;
  // Learns an example of weight w > 0.
  virtual void learn(const Spread& x, const Target& y, double w) = 0;
  virtual std::size_t nodes() const = 0;
  virtual std::size_t bytes() const = 0;
  // The whole state, and back: std::invalid_argument if it is impossible. `rows` are known.
  virtual void write(std::vector<double>& out) const = 0;
  virtual void read(StateReader& in, std::size_t rows) = 0;
};

// Deeper nodes would be reached by nobody: floats separate no more.
inline constexpr std::size_t kDeepest = 1000;

}  // namespace regretless
