// Regret matching+ (Tammelin (2014)): p ~ z, z <- [z + r]_+, r the regrets of the round; and its
// predictive version (Farina, Kroer and Sandholm (2021)), p ~ [z + m]_+, m the regrets of the round
// before.
//
// F(y) = |[y]_+|^2 / 2 is convex and 1-smooth, and <r, [z + m]_+> = 0, whence
//   F(z + r) <= F(z + m) + <[z + m]_+, r - m> + |r - m|^2 / 2 <= F(z) + |r - m|^2 / 2,
// so |z|^2 is at most `paid`, the sum of |r - m|^2. From any round on, the regret to i grows by at
// most the last z_i.
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
  Parts parts() override {
    return join(Experts::parts(), {Field::positive("paid", paid_), Field::positive("z", z_),
                                   Field::number("expected", expected_)});
  }
  void check() override {
    Experts::check(), so_many("z", z_);
    const double most = (1 + 1e-6) * most_, n = double(size());
    Field::number("expected", expected_, -most, most).check();
    Field::positive("paid", paid_, 4 * n * most * most * rounds_).check();
    require(predictive_ ||
                std::all_of(expected_.begin(), expected_.end(), [](double e) { return e == 0; }),
            "expected: nothing is expected by who does not predict");
  }
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
