// Optimistic Hedge (Rakhlin and Sridharan (2013); Syrgkanis, Agarwal, Luo and Schapire (2015)):
// Hedge that expects the losses of the last round once more, w_i = q_i e^{-eta (L_i + l_i)}.
//
// Let d be the span (largest minus smallest) of losses minus expected losses. The rate
// eta = sqrt(8 c / (4 + sum d^2)) never grows, and `paid` is the sum of eta d^2 / 8. The regret
// against u is at most RE(u || q) / eta + paid: this is optimistic follow-the-regularised-leader,
// and as a constant added to all losses changes nothing, half the span is their norm.
#pragma once
#include "experts/experts.hpp"

namespace regretless::games {

class OptimisticHedge : public experts::Experts {
 public:
  OptimisticHedge(std::vector<double> prior, double complexity)
      : Experts(std::move(prior)), complexity_(complexity), expected_(size()) {}
  double paid() const override { return paid_; }
  // The rate of the last round played, or of the first if none was.
  double rate() const override { return std::sqrt(8 * complexity_ / (4 + before_)); }

 protected:
  Parts parts() override {
    return join(Experts::parts(),
                {Field::positive("paid", paid_), Field::positive("spans", spans_),
                 Field::positive("spans before", before_), Field::number("expected", expected_)});
  }
  void check() override {
    Experts::check();
    const double most = (1 + 1e-6) * most_;
    Field::number("expected", expected_, -most, most).check();
    Field::positive("spans", spans_, 4 * most * most * rounds_).check();
    Field::positive("spans before", before_, spans_).check();
    Field::positive("paid", paid_, rates() * spans_ / 8 * (1 + 1e-6)).check();
  }
  void weigh(double* w) override {
    const double eta = std::sqrt(8 * complexity_ / (4 + spans_));
    double most = -HUGE_VAL;
    for (std::size_t i = 0; i < size(); ++i)
      if (prior_[i] > 0) most = std::max(most, regrets_[i] - expected_[i]);
    for (std::size_t i = 0; i < size(); ++i)
      w[i] = eta * std::min(regrets_[i] - expected_[i] - most, 0.0);
    kernels_.exponentials(w, size(), w);
    for (std::size_t i = 0; i < size(); ++i) w[i] *= prior_[i];
  }
  void learn(const experts::Round& round) override {
    Experts::learn(round);
    double low = HUGE_VAL, high = -HUGE_VAL;
    for (std::size_t i = 0; i < size(); ++i) {
      const double surprise = round.losses[i] - expected_[i];
      low = std::min(low, surprise);
      high = std::max(high, surprise);
      expected_[i] = round.losses[i];
    }
    before_ = spans_;
    paid_ += rate() * (high - low) * (high - low) / 8;
    spans_ += (high - low) * (high - low);
  }

 private:
  double rates() const { return std::sqrt(2 * complexity_); }  // the largest rate

  double complexity_;  // ln n
  std::vector<double> expected_;
  double spans_ = 0, before_ = 0, paid_ = 0;
};

}  // namespace regretless::games
