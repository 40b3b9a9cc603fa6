// What learns from batches of examples, whatever it is made of.
#pragma once
#include <array>
#include <stdexcept>
#include <string>
#include <vector>

#include "features.hpp"
#include "kernels.hpp"
#include "state.hpp"

namespace regretless {

// The scalars of lanes, or of one and what its model keeps after them, as a file has them.
inline void check_scalars(const double* scalars, std::size_t size) {
  std::vector<double> all(scalars, scalars + size);
  const std::size_t width = size % kScalars ? 1 : size / kScalars;
  Field::number("scalars", all).check();
  const auto lanes = [&](int s) {
    return Field::Where(all.data() + std::size_t(s) * width, width);
  };
  require(size >= kScalars, "scalars do not fit the lanes");
  Field::count("rounds", lanes(kRounds)).check();
  Field::count("updates", lanes(kUpdates)).check();
  for (const Scalar s : {kSquares, kWeights, kRounding, kRadius})
    Field::positive("scalars that add up", lanes(s)).check();
}

// A score left the range of floating point: the step size is too large for the data.
struct Diverged : std::runtime_error {
  // example: its number in a call with so many
  Diverged(std::size_t example, bool alone, const std::string& advice)
      : std::runtime_error("the score overflowed" +
                           (alone ? ", and the example was not learned. "
                                  : " at example " + std::to_string(example) +
                                        " of this call; the examples before it were learned. ") +
                           advice),
        example(example) {}
  std::size_t example;
};

class Model {
 public:
  virtual ~Model() = default;
  std::string advice;  // what to do if it diverges
  virtual const Loss& loss() const = 0;
  virtual Features& features() = 0;
  const Features& features() const { return const_cast<Model&>(*this).features(); }
  virtual int lanes() const = 0;  // scores of an example
  // What it asks of features: the range of their values, and the weight of those not seen.
  virtual double low() const { return -kLargestValue; }
  virtual double high() const { return kLargestValue; }
  virtual bool starts_at_zero() const { return true; }

  virtual void predict(const Batch& batch) const = 0;
  // offset: of the batch in the call, for errors
  virtual void learn(const Batch& batch, std::size_t offset = 0) = 0;
  // Give rows to the features that were named since the last example.
  virtual void grow() = 0;
  // New lanes made of old ones: source -1 is a fresh lane, sign -1 a lane with the labels
  // exchanged.
  virtual void relane(const std::vector<int>& sources, const std::vector<int>& signs) = 0;

  virtual std::vector<double> weights() const = 0;  // rows x lanes
  virtual double scalar(Scalar s, int lane) const = 0;
  virtual bool has_gradient_sum() const { return false; }
  // l1, l2 and l-infinity norm of the sum of gradients over all rows and lanes.
  virtual std::array<double, 3> gradient_norms() const { return {}; }

  // What it is made of, for files and copies: banks with their scalars, and numbers besides.
  struct Part {
    Bank* bank;
    std::vector<double>* scalars;
  };
  virtual std::vector<Part> parts() = 0;
  virtual std::vector<double> numbers() { return {}; }
  virtual void restore_numbers(const double*, std::size_t size) {
    require(size == 0, "the numbers are of another model");
  }
};

}  // namespace regretless
