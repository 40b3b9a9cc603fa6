// Regret matching+ (Tammelin, 2014): p ~ z, z <- [z + r]_+, r the regrets of the round; and the
// predictive one (Farina, Kroer and Sandholm, 2021), p ~ [z + m]_+, m the regrets of the round
// before.
//
// F(y) = |[y]_+|^2 / 2 is convex and 1-smooth, and <r, [z + m]_+> = 0, whence
//   F(z + r) <= F(z + m) + <[z + m]_+, r - m> + |r - m|^2 / 2 <= F(z) + |r - m|^2 / 2,
// so that |z|^2 is at most what was paid, the sum of |r - m|^2. From any round on the regret to i
// grows by at most z_i at the end.
#pragma once
#include "experts/experts.hpp"

namespace regretless::games {

class RegretMatchingPlus : public experts::Experts {
 public:
  RegretMatchingPlus(std::vector<double> prior, bool predictive)
      : Experts(std::move(prior)), predictive_(predictive), z_(size()), expected_(size()) {}
  const std::vector<double>* spread() const override { return &z_; }
  double paid() const override { return paid_; }

 protected:
  Parts parts() override { return join(Experts::parts(), {paid_, z_, expected_}); }
  void weigh(double* w) override {
    for (std::size_t i = 0; i < size(); ++i) w[i] = std::max(z_[i] + expected_[i], 0.0);
  }
  void learn(const experts::Round& round) override {
    Experts::learn(round);
    double paid = 0;
    round.each(size(), [&](std::size_t i, double r) {
      const double surprise = r - expected_[i];
      paid += surprise * surprise;
      z_[i] = std::max(z_[i] + r, 0.0);
      if (predictive_) expected_[i] = r;
    });
    paid_ += paid;
  }

 private:
  bool predictive_;
  std::vector<double> z_, expected_;
  double paid_ = 0;
};

}  // namespace regretless::games
