// OSBoost and OSBoost.OCP (Chen, Lin and Lu (2012); Luo (2016), Table 3.1): smooth weights, which
// fall with the margin by which the voters before have been right,
//
//   w_i = min(1, (1 - edge)^{(s - (i - 1) theta) / 2}),    theta = edge / (2 + edge)
#pragma once
#include <numeric>

#include "boosting/counted.hpp"
#include "oco/geometry.hpp"

namespace regretless {

// All votes count the same.
class OsBoost : public Counted {
 public:
  OsBoost(int n, double edge)
      : Counted(n), edge_(edge), theta_(edge / (2 + edge)), decay_(std::log1p(-edge) / 2) {}
  std::unique_ptr<Voting> clone() const override { return std::make_unique<OsBoost>(*this); }

  double margin(const double* votes, double) const override {
    return std::accumulate(votes, votes + voters(), 0.0);
  }
  void learn(const double* votes, double tie, double y, double h, double* weights) override {
    count(says(votes, tie), y, h);
    weigh(votes, y, h, weights);
  }
  std::map<std::string, std::vector<double>> measured() const override {
    auto all = Counted::measured();
    all["edge"] = {edge_};
    return all;
  }

 protected:
  void weigh(const double* votes, double y, double h, double* weights) {
    double s = 0;
    for (int i = 0; i < voters(); ++i) {
      const double z = y * votes[i];
      weights[i] = std::min(1.0, std::exp(decay_ * (s - i * theta_)));
      count_vote(std::size_t(i), weights[i], z, h);
      s += z;
    }
  }

  double edge_, theta_, decay_;
};

// Votes weigh alpha on the simplex, by gradient descent on max(0, theta - y alpha.h).
class OsBoostOcp : public OsBoost {
 public:
  OsBoostOcp(int n, double edge) : OsBoost(n, edge), alpha_(std::size_t(n), 1.0 / n) {}
  std::unique_ptr<Voting> clone() const override { return std::make_unique<OsBoostOcp>(*this); }

  double margin(const double* votes, double) const override { return vote(votes); }
  void learn(const double* votes, double tie, double y, double h, double* weights) override {
    count(says(votes, tie), y, h);
    weigh(votes, y, h, weights);
    const double n = voters(), even = y * std::accumulate(votes, votes + voters(), 0.0) / n;
    hinge_ += h * std::max(0.0, theta_ - even);
    if (y * vote(votes) >= theta_) return;
    const double step = h / std::sqrt(n * rounds_);
    // from a step of 1 on, only voters that were right have weight; a larger step would lose digits
    const double moved = std::min(step, 2.0);
    for (std::size_t i = 0; i < alpha_.size(); ++i) alpha_[i] += moved * y * votes[i];
    steps_ += step * h * n / 2;
    oco::Domain simplex;
    simplex.kind = oco::Domain::simplex;
    simplex.project(alpha_.data(), alpha_.size());
  }
  std::map<std::string, std::vector<double>> measured() const override {
    auto all = OsBoost::measured();
    all["alpha"] = alpha_;
    all["hinge"] = {hinge_};
    all["steps"] = {steps_};
    return all;
  }

 protected:
  Parts parts() override {
    return join(OsBoost::parts(),
                {Field::positive("alpha", alpha_, 1 + 1e-6), Field::positive("hinge", hinge_),
                 Field::positive("steps", steps_)});
  }
  void check() override {
    OsBoost::check();
    const double sum = std::accumulate(alpha_.begin(), alpha_.end(), 0.0);
    require(std::fabs(sum - 1) < 1e-6, "alpha does not add up to 1");
  }

 private:
  double vote(const double* votes) const {
    return std::inner_product(alpha_.begin(), alpha_.end(), votes, 0.0);
  }

  std::vector<double> alpha_;
  double hinge_ = 0;  // of even weights
  double steps_ = 0;  // the cost of the steps: the sum of step * n / 2
};

}  // namespace regretless
