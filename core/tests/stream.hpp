// Random examples, and helpers to make learners.
#pragma once
#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "learner.hpp"

using namespace regretless;

struct Stream {  // random sparse examples with labels
  std::vector<std::size_t> starts{0};
  std::vector<std::uint32_t> rows;
  std::vector<float> values;
  std::vector<double> doubles;  // before they were rounded
  std::vector<double> targets;
  std::vector<std::int32_t> classes;
  std::vector<double> importance;

  Stream(std::size_t size, std::uint32_t features, int labels, unsigned seed) {
    std::mt19937 random(seed);
    std::normal_distribution<double> normal;
    for (std::size_t t = 0; t < size; ++t) {
      const std::size_t active = random() % 7;  // some examples are empty
      for (std::size_t j = 0; j < active; ++j) {
        const auto row = std::uint32_t(random() % features);
        if (std::find(rows.begin() + std::ptrdiff_t(starts[t]), rows.end(), row) != rows.end())
          continue;
        rows.push_back(row);
        doubles.push_back(normal(random) * std::pow(10.0, double(random() % 5) - 2));
        values.push_back(float(doubles.back()));
      }
      starts.push_back(rows.size());
      targets.push_back(3 * normal(random));
      classes.push_back(std::int32_t(random() % unsigned(labels)));
      importance.push_back(double(random() % 3));
    }
  }
  Batch batch(bool classification) const {
    return {targets.size(),
            starts.data(),
            rows.data(),
            values.data(),
            doubles.data(),
            classification ? nullptr : targets.data(),
            classification ? classes.data() : nullptr,
            importance.data(),
            nullptr};
  }
  Batch row(std::size_t t, bool classification) const {
    return {1,
            starts.data() + t,
            rows.data(),
            values.data(),
            doubles.data(),
            classification ? nullptr : targets.data() + t,
            classification ? classes.data() + t : nullptr,
            importance.data() + t,
            nullptr};
  }
};

inline void grow_to(Learner& learner, std::uint32_t features) {
  for (std::int64_t c = 0; c < std::int64_t(features); ++c) learner.features().insert(c);
  learner.grow();
}

inline std::vector<int> fresh(int lanes) { return std::vector<int>(std::size_t(lanes), -1); }
inline std::vector<int> ones(int lanes) { return std::vector<int>(std::size_t(lanes), 1); }

inline std::vector<double> scores(const Learner& learner, const Stream& stream) {
  Batch batch = stream.batch(true);
  std::vector<double> out(batch.size * std::size_t(learner.lanes()));
  batch.scores = out.data();
  learner.predict(batch);
  return out;
}

inline bool finite(Learner& learner) {
  for (double w : learner.weights())
    if (!std::isfinite(w)) return false;
  return true;
}
