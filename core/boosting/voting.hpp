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
  // By how much label 1 is ahead, in the booster's own unit. Even votes are decided by the sign of
  // `tie`, for label 1 if that is 0 as well. The same votes give the same margin until something is
  // learned.
  virtual double margin(const double* votes, double tie) const = 0;
  // Whether label 1 wins.
  static bool wins(double margin, double tie) { return margin != 0 ? margin > 0 : tie >= 0; }
  bool says(const double* votes, double tie) const { return wins(margin(votes, tie), tie); }
  // Learns the label of some votes, with importance h > 0. Returns the weights in [0, 1] with which
  // the voters learn the example; the caller multiplies them by h.
  virtual void learn(const double* votes, double tie, double y, double h, double* weights) = 0;
  // The terms of certificates, by name.
  virtual std::map<std::string, std::vector<double>> measured() const = 0;
};

// A number in [0, 1) that depends only on seed, round and place, so that predicting changes
// nothing.
inline double drawn(std::uint64_t seed, std::uint64_t round, std::uint64_t place) {
  return double(splitmix(splitmix(seed * 0x9E3779B97F4A7C15 + round) + place) >> 11) * 0x1p-53;
}

}  // namespace regretless
