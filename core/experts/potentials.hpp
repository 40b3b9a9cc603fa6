// Players whose weights are functions of the regrets R alone.
#pragma once
#include "experts/experts.hpp"

namespace regretless::experts {

// PolynomialWeights (Mohri et al. (2018), Exercise 8.8): [R]_+^{alpha - 1}.
// TwoNorm (Luo (2016), Corollary 1): [R + 1]_+^2 - [R - 1]_+^2.
// NormalHedgeDT (Luo (2016), Corollary 2): e^{[R + 1]_+^2 / (d t)} - e^{[R - 1]_+^2 / (d t)},
// d >= 3.
// NormalHedge (Luo (2016), Table 2.1): [R]_+ e^{[R]_+^2 / c} with the c for which e^{[R]_+^2 / c}
// is e on average.
class PotentialPlayer : public Experts {
 public:
  enum Kind { polynomial, two_norm, normal_hedge_dt, normal_hedge };
  PotentialPlayer(std::vector<double> prior, Kind kind, double parameter)
      : Experts(std::move(prior)), kind_(kind), parameter_(parameter) {}
  // c of NormalHedge
  double rate() const override { return kind_ == normal_hedge ? scale() : 0; }

 protected:
  void weigh(double* w) override {
    const std::size_t n = size();
    switch (kind_) {
      case polynomial: {
        // relative to the largest, so that no power overflows
        const double most = *std::max_element(regrets_.begin(), regrets_.end());
        for (std::size_t i = 0; i < n; ++i)
          w[i] = regrets_[i] > 0 ? prior_[i] * std::pow(regrets_[i] / most, parameter_ - 1) : 0;
        break;
      }
      case two_norm:
        for (std::size_t i = 0; i < n; ++i)
          w[i] = prior_[i] * (square(regrets_[i] + 1) - square(regrets_[i] - 1));
        break;
      case normal_hedge_dt: {
        const std::vector<double> C(n, parameter_ * (rounds_ + 1) / 3 - 1);  // D = 3 (C + 1)
        kernels_.normal_weights(regrets_.data(), C.data(), prior_.data(), n, w);
        break;
      }
      case normal_hedge: {
        const double c = scale();
        for (std::size_t i = 0; i < n; ++i) {
          const double R = std::max(regrets_[i], 0.0);
          w[i] = c > 0 ? prior_[i] * R * std::exp(R * R / c) / c : prior_[i];
        }
        break;
      }
    }
  }

 private:
  static double square(double x) { return x > 0 ? x * x : 0; }
  // The logarithm of the average of e^{x [R]_+^2} is convex in x, 0 at 0, and 1 at x = 1 / c, which
  // is at most ln(e / q) / M, where M = max [R]_+^2 and q is its prior. Newton's method descends
  // from there. 0 if no regret is positive.
  double scale() const {
    double most = 0, least = 1, weight = 0;
    for (std::size_t i = 0; i < size(); ++i) {
      weight += prior_[i];
      if (prior_[i] > 0 && square(regrets_[i]) > most)
        most = square(regrets_[i]), least = prior_[i];
    }
    if (!(most > 0)) return 0;
    double x = (1 + std::log(weight / least)) / most;
    for (int k = 0; k < 100; ++k) {
      double sum = 0, slope = 0;  // relative to the largest term
      for (std::size_t i = 0; i < size(); ++i) {
        const double s = square(regrets_[i]), term = prior_[i] * std::exp(x * (s - most));
        sum += term, slope += term * s;
      }
      const double step = (std::log(sum / weight) + x * most - 1) * sum / slope;
      x -= step;
      if (!(step > 1e-15 * x)) break;
    }
    return 1 / x;
  }

  Kind kind_;
  double parameter_;
};

}  // namespace regretless::experts
