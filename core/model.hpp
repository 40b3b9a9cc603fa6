// The interface of everything that learns from batches of examples.
#pragma once
#include <array>
#include <numeric>
#include <stdexcept>
#include <string>
#include <vector>

#include "features.hpp"
#include "kernels.hpp"
#include "places.hpp"
#include "state.hpp"

namespace regretless {

// Checks scalars from a file: those of lanes, or of one lane followed by further numbers of its
// model.
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
  for (const Scalar s : {kSquares, kWeights, kRounding, kRadius, kGross})
    Field::positive("scalars that add up", lanes(s)).check();
  // Products of a rule's scalars must be numbers. Only sums of powers may be larger.
  for (int s = kRuleScalars; s < kScalars; ++s)
    if (s != PNorm::kPowers) Field::number("scalars of the rule", lanes(s), -1e150, 1e150).check();
}

// A score left the range of floating point: the step size is too large for the data.
struct Diverged : std::runtime_error {
  // example: its number in the call
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
  // Requirements on features: the range of their values, and whether unseen ones have weight 0.
  virtual double low() const { return -kLargestValue; }
  virtual double high() const { return kLargestValue; }
  virtual bool starts_at_zero() const { return true; }

  virtual void predict(const Batch& batch) const = 0;
  // offset: the number of examples of the call before this batch, for errors
  virtual void learn(const Batch& batch, std::size_t offset = 0) = 0;
  // Gives rows to the features that were named since the last example.
  virtual void grow() = 0;
  // Makes new lanes from old ones: source -1 is a fresh lane, sign -1 exchanges the labels.
  virtual void relane(const std::vector<int>& sources, const std::vector<int>& signs) = 0;
  // Appends fresh lanes.
  virtual void extend(int count) {
    std::vector<int> sources(std::size_t(lanes()), 0);
    std::iota(sources.begin(), sources.end(), 0);
    sources.resize(sources.size() + std::size_t(count), -1);
    relane(sources, std::vector<int>(sources.size(), 1));
  }
  // Lays out memory for so many lanes at once, or throws NoRoom.
  virtual void reserve(int) {}
  // Lays out no more lanes than are in use.
  virtual void pack() {}

  using Rows = std::vector<std::uint32_t>;
  virtual std::vector<double> weights(const Rows& rows) const = 0;  // rows x lanes
  std::vector<double> weights() const {
    Rows all(features().size());
    std::iota(all.begin(), all.end(), 0u);
    return weights(all);
  }
  virtual double scalar(Scalar s, int lane) const = 0;
  virtual bool has_gradient_sum() const { return false; }
  // The l1, l2 and l-infinity norm of the sum of gradients over all rows and lanes, and how many of
  // its numbers are not 0.
  virtual std::array<double, 4> gradient_norms() const { return {}; }

  // The parts of a model, for files and copies: banks with their scalars, and further numbers.
  struct Part {
    Bank* bank;
    std::vector<double>* scalars;
    Places* places = nullptr;
    std::size_t bounded = 0;  // the first so many doubles of a row are at most `bound`
    double bound = 1e20;
    // The row of a feature. `touch` gives it a place if it has none.
    const float* row(std::uint32_t i) const { return bank->row(places ? places->find(i) : i); }
    // The key by which rows are sorted: their place; those without one come last.
    std::uint32_t order(std::uint32_t i) const {
      const bool placed = places && places->used();
      if (!placed) return i;
      const std::uint32_t place = places->find(i);
      return place == Places::kUntouched ? Features::kAbsent : place;
    }
    float* touch(std::uint32_t i) const {
      if (!places || !places->used()) return bank->row(i);
      const std::uint32_t place = places->give(i);
      if (bank->rows() < places->size()) bank->resize(places->size());
      return bank->row(place);
    }
  };
  virtual std::vector<Part> parts() = 0;
  virtual std::size_t bytes() const { return 0; }  // the memory of what is not in banks
  virtual std::vector<double> numbers() { return {}; }
  virtual void restore_numbers(const double*, std::size_t size) {
    require(size == 0, "the numbers are of another model");
  }
};

}  // namespace regretless
