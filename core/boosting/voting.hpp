// How the votes of weak learners become one, and how much each of them is to learn from an example
// (Luo (2016), section 3.1). Votes are -1 and 1, labels too.
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
  // The log-odds of label 1, which is predicted from 0 on. The same votes give the same score until
  // something is learned.
  virtual double score(const double* votes) const = 0;
  // The label of votes that were scored, and its importance h > 0: the weights in [0, 1] with which
  // the voters are to learn it, which the caller multiplies by h.
  virtual void learn(const double* votes, double y, double h, double* weights) = 0;
  // What certificates are made of, by name.
  virtual std::map<std::string, std::vector<double>> measured() const = 0;
};

// A number in [0, 1) that depends on seed, round and place alone, so that to predict changes
// nothing.
inline double drawn(std::uint64_t seed, std::uint64_t round, std::uint64_t place) {
  return double(splitmix(splitmix(seed * 0x9E3779B97F4A7C15 + round) + place) >> 11) * 0x1p-53;
}

}  // namespace regretless
