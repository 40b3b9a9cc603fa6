// Thompson sampling: draw a mean loss for each arm from its posterior and play the arm with the
// least.
#pragma once
#include "bandits/means.hpp"

namespace regretless::bandits {

// Losses are 0 or 1, posteriors Beta(a + ones, b + zeros). A loss in between is replaced by a coin
// with that mean (Agrawal and Goyal (2012)).
class BernoulliThompson : public OfMeans {
 public:
  BernoulliThompson(std::size_t n, std::uint64_t seed, double low, double high, double a, double b)
      : OfMeans(n, seed, low, high), a_(a), b_(b), extreme_(std::min(a, b) < 0.1), ones_(n) {}
  void probabilities(const double*, double* p) override { std::fill_n(p, size(), std::nan("")); }
  void grow(double rate) override {
    OfMeans::grow(rate);
    ones_.push_back(0);
  }
  const std::vector<double>* figures() override { return &ones_; }

 protected:
  Parts parts() override { return join(OfMeans::parts(), {Field::count("ones", ones_)}); }
  void check() override {
    OfMeans::check();
    for (std::size_t i = 0; i < size(); ++i)
      require(ones_[i] <= seen_[i], "ones are more than the losses seen");
  }
  std::size_t choose(const double* awake, Stream& random, Pull& pull) override {
    pull.propensity = std::nan("");
    return least(awake, [&](std::size_t i) {
      const double a = a_ + ones_[i], b = b_ + (seen_[i] - ones_[i]);
      return extreme_ ? random.beta_log_odds(a, b) : random.beta_odds(a, b);
    });
  }
  void learn(const Pull& pull, double y) override {
    OfMeans::learn(pull, y);
    ones_[std::size_t(pull.arm)] += Stream(seed_, Stream::coin, pull.ticket).uniform() < y;
  }

 private:
  double a_, b_;
  bool extreme_;  // posteriors so close to 0 and 1 that only logarithms tell them apart
  std::vector<double> ones_;
};

// Losses have normal noise of a known size, means a normal prior.
class GaussianThompson : public OfMeans {
 public:
  GaussianThompson(std::size_t n, std::uint64_t seed, double low, double high, double mean,
                   double scale, double noise)
      : OfMeans(n, seed, low, high),
        mean_(mean),
        precision_(1 / (scale * scale)),
        per_loss_(1 / (noise * noise)) {}
  void probabilities(const double*, double* p) override { std::fill_n(p, size(), std::nan("")); }

 protected:
  std::size_t choose(const double* awake, Stream& random, Pull& pull) override {
    pull.propensity = std::nan("");
    return least(awake, [&](std::size_t i) {
      const double precision = precision_ + per_loss_ * seen_[i];
      const double mean = (precision_ * mean_ + per_loss_ * seen_[i] * means_[i]) / precision;
      return mean + random.normal() / std::sqrt(precision);
    });
  }

 private:
  double mean_, precision_, per_loss_;
};

}  // namespace regretless::bandits
