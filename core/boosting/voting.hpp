// How the votes of weak learners are combined, and how much each weak learner learns from an
// example (Luo (2016), section 3.1). Votes and labels are -1 and 1.
#pragma once
#include <cmath>
#include <cstdint>
#include <map>
#include <memory>
#include <string>

#include "splitmix.hpp"
#include "state.hpp"

namespace regretless {

class Voting : public Stateful {
 public:
  virtual std::unique_ptr<Voting> clone() const = 0;
  virtual int voters() const = 0;
  // The log-odds of label 1; label 1 is predicted if they are at least 0. The same votes give the
  // same score until something is learned.
  virtual double score(const double* votes) const = 0;
  // Learns the label of votes that were scored, with importance h > 0. Returns the weights in [0,
  // 1] with which the voters learn the example; the caller multiplies them by h.
  virtual void learn(const double* votes, double y, double h, double* weights) = 0;
  // The terms of certificates, by name.
  virtual std::map<std::string, std::vector<double>> measured() const = 0;
};

// A number in [0, 1) that depends only on seed, round and place, so that predicting changes
// nothing.
inline double drawn(std::uint64_t seed, std::uint64_t round, std::uint64_t place) {
  return double(splitmix(splitmix(seed * 0x9E3779B97F4A7C15 + round) + place) >> 11) * 0x1p-53;
}

}  // namespace regretless
