// AdaBoost.OL (Luo (2016), Algorithm 8): the logistic loss l(s) = ln(1 + e^-s) of the votes so far
// weighs the examples, gradient descent on [-2, 2] weighs the votes. Expert i predicts by the first
// i voters. The expert that predicts is drawn by Hedge with rate 1, or it is the last one.
#pragma once
#include <numeric>

#include "boosting/counted.hpp"
#include "sampling.hpp"

namespace regretless {

class AdaBoostOl : public Counted {
 public:
  AdaBoostOl(int n, std::uint64_t seed, bool last)
      : Counted(n),
        seed_(seed),
        last_(last),
        alpha_(std::size_t(n)),
        log_v_(alpha_),
        expert_mistakes_(alpha_),
        steps_(alpha_) {}
  std::unique_ptr<Voting> clone() const override { return std::make_unique<AdaBoostOl>(*this); }

  double margin(const double* votes, double) const override {
    const std::size_t i = expert();
    return std::inner_product(votes, votes + i + 1, alpha_.begin(), 0.0);
  }
  void learn(const double* votes, double tie, double y, double h, double* weights) override {
    count(says(votes, tie), y, h);
    const std::vector<double> shares = hedge();
    const double all = std::accumulate(shares.begin(), shares.end(), 0.0);
    const double rate = 4 / std::sqrt(rounds_);
    double s = 0;
    for (std::size_t i = 0; i < alpha_.size(); ++i) {
      const double z = y * votes[i];
      weights[i] = 1 / (1 + std::exp(s));
      count_vote(i, weights[i], z, h);
      s += alpha_[i] * z;
      const double slope = h / (1 + std::exp(s));
      alpha_[i] = std::clamp(alpha_[i] + rate * slope * z, -2.0, 2.0);
      steps_[i] += rate * slope * slope / 2;
      if (wins(y * s, tie) == (y > 0)) continue;
      expert_mistakes_[i] += h;
      expected_ += h * shares[i] / all;
      log_v_[i] -= h;
    }
    logistic_ += h * (std::log1p(std::exp(-std::fabs(s))) + std::max(-s, 0.0));
  }
  std::map<std::string, std::vector<double>> measured() const override {
    auto all = Counted::measured();
    all["alpha"] = alpha_;
    all["log_v"] = log_v_;
    all["expert_mistakes"] = expert_mistakes_;
    all["steps"] = steps_;
    all["expected"] = {expected_};
    all["logistic"] = {logistic_};
    return all;
  }

 protected:
  Parts parts() override {
    return join(
        Counted::parts(),
        {Field::number("alpha", alpha_, -2, 2), Field::number("log v", log_v_, -kMost, 0),
         Field::positive("experts' mistakes", expert_mistakes_), Field::positive("steps", steps_),
         Field::positive("expected", expected_), Field::positive("logistic", logistic_)});
  }
  void check() override {
    Counted::check();
    up_to_weight("experts' mistakes", expert_mistakes_), up_to_weight("expected", expected_);
    for (std::size_t i = 0; i < alpha_.size(); ++i)
      require(near(-log_v_[i], expert_mistakes_[i]), "log v is not that of the mistakes");
  }

 private:
  // v, divided by the largest
  std::vector<double> hedge() const {
    std::vector<double> v = log_v_;
    const double top = *std::max_element(v.begin(), v.end());
    for (double& each : v) each = std::exp(each - top);
    return v;
  }
  std::size_t expert() const {
    if (last_) return alpha_.size() - 1;
    const std::vector<double> v = hedge();
    const double all = std::accumulate(v.begin(), v.end(), 0.0);
    const double u = drawn(seed_, std::uint64_t(rounds_), 0);
    return drawn_index(v.data(), v.size(), nullptr, u, all);
  }

  std::uint64_t seed_;
  bool last_;
  std::vector<double> alpha_, log_v_, expert_mistakes_;
  std::vector<double> steps_;  // the cost of the steps: the sum of rate * slope^2 / 2
  double expected_ = 0;        // mistakes, in expectation over the experts drawn
  double logistic_ = 0;        // loss of the last expert
};

}  // namespace regretless
