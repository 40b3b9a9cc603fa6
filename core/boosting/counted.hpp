// What every booster adds up of its voters, weighted by the importance h of the examples.
#pragma once
#include <algorithm>

#include "boosting/voting.hpp"

namespace regretless {

class Counted : public Voting {
 public:
  int voters() const override { return int(wrong_.size()); }
  std::map<std::string, std::vector<double>> measured() const override {
    return {{"rounds", {rounds_}},     {"weight", {weight_}}, {"heaviest", {heaviest_}},
            {"mistakes", {mistakes_}}, {"wrong", wrong_},     {"correlation", correlation_},
            {"weights", weights_}};
  }

 protected:
  explicit Counted(int n) : wrong_(std::size_t(n)), correlation_(wrong_), weights_(wrong_) {}

  void count(double score, double y, double h) {
    rounds_ += 1;
    weight_ += h;
    heaviest_ = std::max(heaviest_, h);
    if ((score >= 0) != (y > 0)) mistakes_ += h;
  }
  // Voter i learns with weight w, and z = y votes[i].
  void count_vote(std::size_t i, double w, double z, double h) {
    if (z < 0) wrong_[i] += h;
    correlation_[i] += h * w * z;
    weights_[i] += h * w;
  }
  Parts parts() override {
    return {rounds_, weight_, heaviest_, mistakes_, wrong_, correlation_, weights_};
  }

  double rounds_ = 0, weight_ = 0, heaviest_ = 0, mistakes_ = 0;
  std::vector<double> wrong_;        // how often each voter was
  std::vector<double> correlation_;  // w.z
  std::vector<double> weights_;      // |w|_1
};

}  // namespace regretless
