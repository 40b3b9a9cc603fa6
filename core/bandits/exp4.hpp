// Exp4 (Auer, Cesa-Bianchi, Freund and Schapire (2002)), without exploration: Exp3 over experts,
// each of which gives a distribution over the arms. p = sum_m q_m E_m, and the estimated loss of an
// expert is z_m = E_m[A] y / p_A. As E_m[A] <= 1, sum_m q_m z_m^2 <= y^2 / p_A.
#pragma once
#include "bandits/arms.hpp"
#include "kernels.hpp"

namespace regretless::bandits {

class Exp4 : public Arms {
 public:
  Exp4(std::size_t n, std::size_t experts, std::uint64_t seed, double low, double high, double eta,
       bool falls)
      : Arms(n, seed, low, high),
        eta_(eta),
        falls_(falls),
        sums_(experts),
        weights_(experts),
        mixture_(n),
        advice_(experts * n, 1.0 / double(n)),
        regrets_(experts),
        kernels_(kernels()) {}

  std::size_t advisers() const override { return sums_.size(); }
  void advise(const double* advice) override {
    std::copy_n(advice, advice_.size(), advice_.data());
  }
  double rate() const override { return falls_ ? eta_ / std::sqrt(updates_ + 1) : eta_; }
  double paid() const override { return paid_; }
  double drift() const override { return drift_; }
  const std::vector<double>* figures() override {
    for (std::size_t m = 0; m < advisers(); ++m) regrets_[m] = suffered_ - sums_[m];
    return &regrets_;
  }
  void probabilities(const double*, double* p) override {
    mix();
    std::copy_n(mixture_.data(), size(), p);
  }
  void grow(double eta) override {
    Arms::grow(eta);
    eta_ = std::min(eta_, eta);
    mixture_.push_back(0);
    advice_.assign(advisers() * size(), 1.0 / double(size()));
  }
  // The weights of the experts.
  const std::vector<double>& weights() {
    const double eta = rate(), least = *std::min_element(sums_.begin(), sums_.end());
    for (std::size_t m = 0; m < advisers(); ++m)
      weights_[m] = std::max(eta * (least - sums_[m]), -690.0);
    kernels_.exponentials(weights_.data(), advisers(), weights_.data());
    double total = 0;
    for (const double w : weights_) total += w;
    for (double& w : weights_) w /= total;
    return weights_;
  }

 protected:
  Parts parts() override {
    return join(
        Arms::parts(),
        {Field::positive("paid", paid_, HUGE_VAL), Field::number("drift", drift_, -kFar, kFar),
         Field::number("suffered", suffered_, -kFar, kFar),
         Field::number("rate", eta_, first_ / 2, first_ * (1 + 1e-9)),
         Field::number("sums", sums_, -kFar, kFar), Field::positive("advice", advice_, 1 + 1e-6)});
  }
  void check() override {
    Arms::check();
    for (std::size_t m = 0; m < advisers(); ++m) {
      double sum = 0;
      for (std::size_t i = 0; i < size(); ++i) sum += advice_[m * size() + i];
      require(std::fabs(sum - 1) < 1e-5, "an expert's advice does not add up to 1");
    }
  }
  std::size_t choose(const double* awake, Stream& random, Pull& pull) override {
    mix();
    double total = 0;
    for (std::size_t i = 0; i < size(); ++i) total += is_awake(awake, i) ? mixture_[i] : 0;
    const std::size_t arm = drawn(mixture_, awake, random.uniform(), total);
    pull.propensity = pull.weight = mixture_[arm] / total;
    pull.notes.resize(advisers());
    for (std::size_t m = 0; m < advisers(); ++m) pull.notes[m] = advice_[m * size() + arm];
    return arm;
  }
  void learn(const Pull& pull, double y) override {
    const std::vector<double>& q = weights();
    double mean = 0, square = 0;
    for (std::size_t m = 0; m < advisers(); ++m) {
      const double z = pull.notes[m] * (y / pull.weight);
      mean += q[m] * z, square += q[m] * z * z;
      sums_[m] = std::min(sums_[m] + z, 1e300);
    }
    paid_ += rate() / 2 * square;
    drift_ += y - mean;
    suffered_ += y;
  }

 private:
  void mix() {
    const std::vector<double>& q = weights();
    std::fill(mixture_.begin(), mixture_.end(), 0.0);
    for (std::size_t m = 0; m < advisers(); ++m)
      for (std::size_t i = 0; i < size(); ++i) mixture_[i] += q[m] * advice_[m * size() + i];
  }

  double eta_, first_ = eta_;
  bool falls_;
  std::vector<double> sums_, weights_, mixture_;
  std::vector<double> advice_;  // for the next choice, a row for each expert
  std::vector<double> regrets_;
  Kernels kernels_;
  double paid_ = 0, drift_ = 0, suffered_ = 0;
};

}  // namespace regretless::bandits
