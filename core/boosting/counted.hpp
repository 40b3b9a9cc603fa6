// Sums that every booster keeps about its voters, weighted by the importance h of the examples.
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

  void count(bool says, double y, double h) {
    rounds_ += 1;
    weight_ += h;
    heaviest_ = std::max(heaviest_, h);
    if (says != (y > 0)) mistakes_ += h;
  }
  // Voter i learns with weight w, and z = y votes[i].
  void count_vote(std::size_t i, double w, double z, double h) {
    if (z < 0) wrong_[i] += h;
    correlation_[i] += h * w * z;
    weights_[i] += h * w;
  }
  Parts parts() override {
    return {Field::count("rounds", rounds_),        Field::positive("weight", weight_),
            Field::positive("heaviest", heaviest_), Field::positive("mistakes", mistakes_),
            Field::positive("wrong", wrong_),       Field::number("correlation", correlation_),
            Field::positive("weights", weights_)};
  }
  void check() override {
    require(heaviest_ <= (1 + 1e-6) * weight_ && weight_ <= (1 + 1e-6) * rounds_ * heaviest_,
            "weight is not that of the rounds");
    up_to_weight("mistakes", mistakes_), up_to_weight("wrong", wrong_);
    up_to_weight("weights", weights_);
    for (std::size_t i = 0; i < weights_.size(); ++i)
      require(std::fabs(correlation_[i]) <= (1 + 1e-6) * weights_[i] + 1e-300,
              "a correlation is larger than its weights");
  }
  // A sum over the examples of numbers in [0, 1].
  void up_to_weight(const char* name, Field::Where at) const {
    Field::positive(name, at, (1 + 1e-6) * weight_).check();
  }

  double rounds_ = 0, weight_ = 0, heaviest_ = 0, mistakes_ = 0;
  std::vector<double> wrong_;        // how often each voter was wrong
  std::vector<double> correlation_;  // w.z
  std::vector<double> weights_;      // |w|_1
};

}  // namespace regretless
