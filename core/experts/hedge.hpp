// Weights that shrink exponentially with the loss: Hedge and its relatives.
#pragma once
#include "experts/experts.hpp"

namespace regretless::experts {

// Hedge (Mohri et al. (2018), section 8.2.4): w_i = q_i e^{eta R_i}, R the regret, which is the
// same as e^{-eta L_i}.
//
//   fixed       eta as given
//   anytime     eta_t = eta / sqrt(t)
//   doubling    eta_k = eta / sqrt(2^k), and regrets from 0 again, at rounds 2^k
//   majority    the same with eta_k = -ln(max(1/2, 1 - eta / sqrt(2^k)))
//               (Mohri et al. (2018), Theorem 8.4)
//   small_loss  eta = ln N / Delta, Delta = sum_t p.l_t - m_t, m_t = -1/eta ln sum p e^{-eta l_t}
//               (AdaHedge: de Rooij, van Erven, Grunwald and Koolen (2014))
//
// `paid` is the sum of eta_t / 8 (Hoeffding), and Delta for small_loss. Rates never grow, so the
// regret against u is at most RE(u || q) / eta_T + paid; for doubling, period by period.
class Hedge : public Experts {
 public:
  enum Schedule { fixed, anytime, doubling, small_loss, majority };
  Hedge(std::vector<double> prior, Schedule schedule, double eta)
      : Experts(std::move(prior)), schedule_(schedule), eta_(eta), before_(size()) {}

  double paid() const override { return paid_; }
  // The rate of the next round; infinite while Delta is 0.
  double rate() const override {
    const double t = rounds_ + 1;
    switch (schedule_) {
      case fixed:
        break;
      case anytime:
        return eta_ / std::sqrt(t);
      case doubling:
        return eta_ / std::sqrt(std::exp2(std::floor(std::log2(t))));
      case majority:
        return -std::log(std::max(0.5, 1 - eta_ / std::sqrt(std::exp2(std::floor(std::log2(t))))));
      case small_loss:
        return eta_ / paid_;
    }
    return eta_;
  }

 protected:
  Parts parts() override {
    return join(Experts::parts(),
                {Field::positive("paid", paid_), Field::number("before", before_)});
  }
  void check() override {
    Experts::check(), so_many("before", before_);
    if (schedule_ == small_loss) so_many("paid", paid_);
    const bool fresh = !restarts() || rounds_ + 1 < 2;
    require(!fresh || *std::max_element(before_.begin(), before_.end()) == 0,
            "before: there has been no period yet");
  }
  void weigh(double* w) override {
    const double eta = rate();
    double most = -HUGE_VAL;
    for (std::size_t i = 0; i < size(); ++i)
      if (prior_[i] > 0) most = std::max(most, regrets_[i] - before_[i]);
    for (std::size_t i = 0; i < size(); ++i) {
      const double behind = regrets_[i] - before_[i] - most;
      w[i] = behind < 0 ? eta * behind : 0;
    }
    kernels_.exponentials(w, size(), w);
    for (std::size_t i = 0; i < size(); ++i) w[i] *= prior_[i];
  }
  void learn(const Round& round) override {
    const double eta = rate();
    paid_ += schedule_ == small_loss ? gap(round, eta) : eta / 8;
    Experts::learn(round);
    const double t = rounds_ + 2;
    if (restarts() && std::exp2(std::floor(std::log2(t))) == t) before_ = regrets_;
  }

 private:
  bool restarts() const { return schedule_ == doubling || schedule_ == majority; }
  // p.l - m, never negative. It is p.l even if less was suffered, as with forecasts and a convex
  // loss.
  double gap(const Round& round, double eta) const {
    const double* w = round.weights;
    double least = HUGE_VAL, mixed = 0, mean = 0;
    for (std::size_t i = 0; i < size(); ++i)
      if (w[i] > 0) least = std::min(least, round.losses[i]);
    for (std::size_t i = 0; i < size(); ++i)
      if (w[i] > 0) {
        const double above = round.losses[i] - least;
        mixed += above > 0 ? w[i] * std::exp(-eta * above) : w[i];
        mean += w[i] * above;
      }
    const double mix = std::isinf(eta) ? 0 : -std::log(mixed / sum_) / eta;
    return std::max(mean / sum_ - mix, 0.0);
  }

  Schedule schedule_;
  double eta_;
  std::vector<double> before_;  // the regrets when the period began
  double paid_ = 0;
};

// Mohri et al. (2018), Exercise 8.7: w_i <- w_i (1 - (1 - beta) l_i), in logarithms. Against each
// expert the regret is at most ln(1 / q_i) / (1 - beta) + (1 - beta) sum l_i^2, the sum being
// `spread`.
class LinearHedge : public Experts {
 public:
  LinearHedge(std::vector<double> prior, double beta)
      : Experts(std::move(prior)), beta_(beta), logs_(size()), squares_(size()) {}
  const std::vector<double>* spread() const override { return &squares_; }

 protected:
  Parts parts() override {
    return join(Experts::parts(),
                {Field::number("logs", logs_), Field::positive("squares", squares_)});
  }
  void check() override {
    Experts::check(), so_many("squares", squares_);
    const double least = std::log(beta_) * (1 + 1e-6) * rounds_;  // of losses in [0, 1]
    Field::number("logs", logs_, least, 1e-6 * rounds_).check();
  }
  void weigh(double* w) override {
    const double most = *std::max_element(logs_.begin(), logs_.end());
    for (std::size_t i = 0; i < size(); ++i) w[i] = logs_[i] - most;
    kernels_.exponentials(w, size(), w);
    for (std::size_t i = 0; i < size(); ++i) w[i] *= prior_[i];
  }
  void learn(const Round& round) override {
    Experts::learn(round);
    for (std::size_t i = 0; i < size(); ++i) {
      logs_[i] += std::log1p(-(1 - beta_) * round.losses[i]);
      squares_[i] += round.losses[i] * round.losses[i];
    }
  }

 private:
  double beta_;
  std::vector<double> logs_, squares_;
};

// Fixed share (Herbster and Warmuth (1998)): v_i ~ p_i e^{-eta l_i}, p_i = (1 - a) v_i + a / N.
class FixedShare : public Experts {
 public:
  FixedShare(std::vector<double> prior, double eta, double share)
      : Experts(std::move(prior)), eta_(eta), shared_(share), p_(prior_) {
    normalise();
  }

 protected:
  Parts parts() override {
    return join(Experts::parts(), {Field::positive("weights", p_, 1 + 1e-6)});
  }
  void check() override {
    Experts::check();
    require(std::fabs(total(p_) - 1) < 1e-6, "weights do not add up to 1");
  }
  void weigh(double* w) override { std::copy(p_.begin(), p_.end(), w); }
  void learn(const Round& round) override {
    Experts::learn(round);
    double least = HUGE_VAL;
    for (std::size_t i = 0; i < size(); ++i)
      if (p_[i] > 0) least = std::min(least, round.losses[i]);
    for (std::size_t i = 0; i < size(); ++i)
      if (p_[i] > 0) p_[i] *= std::exp(-eta_ * (round.losses[i] - least));
    normalise();
    for (double& p : p_) p = (1 - shared_) * p + shared_ / double(size());
  }

 private:
  void normalise() {
    double sum = 0;
    for (const double p : p_) sum += p;
    for (double& p : p_) p /= sum;
  }

  double eta_, shared_;
  std::vector<double> p_;
};

}  // namespace regretless::experts
