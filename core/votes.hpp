// The vote of all weight vectors that a Perceptron has had (Freund and Schapire (1999); Mohri et
// al. (2018), section 8.3.1):
//
//   score(x) = sum_k c_k sign(<u_k, x>) / sum_k c_k
//
// u_k is the vector after k updates, and c_k the number of rounds after which it was the current
// one. A vector differs from the one before by multiples of one example, one per lane. So only the
// examples of the updates are kept: memory and the time of a prediction grow with their sizes.
#pragma once
#include <cstdint>
#include <type_traits>
#include <utility>
#include <vector>

#include "bank.hpp"

namespace regretless {

struct Votes {
  std::vector<std::size_t> starts{0};
  std::vector<std::uint32_t> rows;
  std::vector<float> values;  // one of these two has the values
  std::vector<double> doubles;
  std::vector<double> steps;  // updates x lanes: u += step x
  std::vector<double> lives;  // rounds from an update to the next; u = 0 has no vote

  template <class Number>
  const std::vector<Number>& numbers() const {
    if constexpr (std::is_same_v<Number, double>)
      return doubles;
    else
      return values;
  }
  template <class Number>
  std::vector<Number>& numbers() {
    return const_cast<std::vector<Number>&>(std::as_const(*this).numbers<Number>());
  }

  // Records a round with these steps; all are 0 if nothing was updated.
  template <class Number>
  void add(const std::uint32_t* row, const Number* value, std::size_t size, const double* step,
           int lanes) {
    bool updated = false;
    for (int k = 0; k < lanes; ++k) updated |= step[k] != 0;
    if (updated) {
      rows.insert(rows.end(), row, row + size);
      numbers<Number>().insert(numbers<Number>().end(), value, value + size);
      starts.push_back(rows.size());
      steps.insert(steps.end(), step, step + lanes);
      lives.push_back(0);
    }
    if (!lives.empty()) lives.back() += 1;
  }
  // `place` has a 0 for each row of the bank, before and after the call. Lanes vote from their
  // first update on.
  template <class Number>
  void score(const std::uint32_t* row, const Number* value, std::size_t size, int lanes,
             std::vector<double>& place, double* out) const {
    const std::vector<Number>& kept = numbers<Number>();
    struct Lane {
      double score = 0, votes = 0, all = 0;
      bool begun = false;
    };
    std::vector<Lane> tally(std::size_t(lanes), Lane{});
    for (std::size_t j = 0; j < size; ++j) place[row[j]] += double(value[j]);
    const double* step = steps.data();
    for (std::size_t u = 0; u < lives.size(); ++u) {
      double dot = 0;
      for (std::size_t j = starts[u]; j < starts[u + 1]; ++j) dot += place[rows[j]] * kept[j];
      for (Lane& lane : tally) {
        lane.begun |= *step != 0;
        lane.score += *step++ * dot;
        lane.votes += lane.score > 0 ? lives[u] : lane.score < 0 ? -lives[u] : 0;
        lane.all += lane.begun ? lives[u] : 0;
      }
    }
    for (const Lane& lane : tally) *out++ = lane.all > 0 ? lane.votes / lane.all : 0;
    for (std::size_t j = 0; j < size; ++j) place[row[j]] = 0;
  }
  void extend(int before, int lanes) {
    std::vector<double> fresh(lives.size() * std::size_t(lanes));
    for (std::size_t u = 0; u < lives.size(); ++u)
      std::copy_n(steps.begin() + std::ptrdiff_t(u) * before, before,
                  fresh.begin() + std::ptrdiff_t(u) * lanes);
    steps = std::move(fresh);
  }
  void relane(int before, const std::vector<int>& sources, const std::vector<int>& signs) {
    const std::size_t lanes = sources.size();
    std::vector<double> fresh(lives.size() * lanes);
    for (std::size_t u = 0; u < lives.size(); ++u)
      for (std::size_t k = 0; k < lanes; ++k)
        if (sources[k] >= 0)
          fresh[u * lanes + k] =
              signs[k] * steps[u * std::size_t(before) + std::size_t(sources[k])];
    steps = std::move(fresh);
  }
};

}  // namespace regretless
