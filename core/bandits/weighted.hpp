// Players that draw an arm by its weight and learn from an estimate z of all losses.
//
// If arm A was chosen with probability p_A, its loss is y, and estimates divide by w_A >= p_A:
//   z_A = y / w_A,  z_i = 0 for the others,  z_i = y for those that were asleep.
// The weights q are those of FTRL on the sums of z, in any order of rounds. Let q be the weights
// when the loss is learned. Then with certainty, for every arm i (Shalev-Shwartz (2012), Theorem
// 2.21),
//   sum <q, z> - sum z_i <= penalty + sum stability(q, z),
// and y - z_i = 0 where i was asleep. With `drift` the sum of y - <q, z>, which is 0 if losses come
// at once and w_A = p_A,
//   sum_{i awake} (y - z_i) <= penalty + paid + drift.
#pragma once
#include "bandits/arms.hpp"

namespace regretless::bandits {

class Weighted : public Arms {
 public:
  Weighted(std::size_t n, std::uint64_t seed, double low, double high)
      : Arms(n, seed, low, high), sums_(n), weights_(padded(n)), changed_(n), regrets_(n) {}

  void probabilities(const double* awake, double* p) override {
    weigh();
    awake = among(awake);
    const double sum = awake_sum(awake);
    for (std::size_t i = 0; i < size(); ++i) p[i] = is_awake(awake, i) ? weights_[i] / sum : 0;
  }
  double paid() const override { return paid_; }
  double drift() const override { return drift_; }
  const std::vector<double>* figures() override {
    for (std::size_t i = 0; i < size(); ++i) regrets_[i] = suffered_ - sums_[i];
    return &regrets_;
  }
  void grow(double rate) override {
    Arms::grow(rate);
    // treat it as asleep until now
    sums_.push_back(suffered_);
    weights_.resize(padded(size()));
    regrets_.push_back(0);
    fresh_ = false;
    changed_ = size();
  }

 protected:
  // Computes the weights of the next choice. They are positive and add up to `total_`; `least` is
  // the smallest of `sums_`.
  virtual void find_weights(double least) = 0;
  // The number added to p_A before dividing by it.
  virtual double floor_of_weight() const { return 0; }
  // A bound on <q, z> plus the change of the conjugate by z, for an estimate of one arm.
  virtual double stability(double q, double z) const = 0;
  virtual void before_learning() {}
  // The number subtracted from losses before they are divided, where the theorem allows it.
  virtual double baseline(double) const { return 0; }
  virtual bool has_baseline() const { return false; }

  Parts parts() override {
    fresh_ = false;
    changed_ = size();
    return join(Arms::parts(), {Field::positive("paid", paid_, HUGE_VAL),
                                Field::number("drift", drift_, -kFar, kFar),
                                Field::number("suffered", suffered_, -kFar, kFar),
                                Field::number("sums", sums_, -kFar, kFar)});
  }
  bool remembers_awake() const override { return true; }
  void weigh() {
    if (fresh_) return;
    // sums that stay small stay exact
    double least = sums_[0];
    for (const double sum : sums_) least = sum < least ? sum : least;
    if (std::fabs(least) > 0x1p20) {
      for (double& sum : sums_) sum -= least;
      suffered_ -= least;
      least = 0;
      changed_ = size();
    }
    find_weights(least);
    fresh_ = true;
    changed_ = size();
  }
  double awake_sum(const double* awake) const {
    if (!awake) return total_;
    double sum = 0;
    for (std::size_t i = 0; i < size(); ++i)
      if (awake[i] > 0) sum += weights_[i];
    return sum;
  }
  std::size_t choose(const double* awake, Stream& random, Pull& pull) override {
    weigh();
    const double sum = awake_sum(awake);
    const std::size_t arm = drawn(weights_, awake, random.uniform(), sum);
    pull.propensity = weights_[arm] / sum;
    pull.weight = pull.propensity + floor_of_weight();
    if (awake) pull.notes.assign(awake, awake + size());
    return arm;
  }
  void learn(const Pull& pull, double y) override {
    weigh();
    before_learning();
    const auto arm = std::size_t(pull.arm);
    const double* awake = pull.notes.empty() ? nullptr : pull.notes.data();
    if (!awake && !has_baseline()) {
      const double q = weights_[arm] / total_, z = y / pull.weight;
      paid_ += stability(q, z);
      drift_ += y - q * z;
      add(arm, z);
      changed_ = arm;
    } else {
      double mean = 0;
      for (std::size_t i = 0; i < size(); ++i) {
        const double q = weights_[i] / total_, b = baseline(q);
        const double z = !is_awake(awake, i) ? y : i == arm ? (y - b) / pull.weight + b : b;
        mean += q * z;
        paid_ += stability(q, z);
        add(i, z);
      }
      changed_ = size();
      drift_ += y - mean;
    }
    suffered_ += y;
    fresh_ = false;
  }

  double paid_ = 0, drift_ = 0;
  double suffered_ = 0;          // like sums_, up to a common constant
  std::vector<double> sums_;     // of the estimates
  std::vector<double> weights_;  // with room for a multiple of four
  double total_ = 0;
  bool fresh_ = false;
  std::size_t changed_ = 0;  // the one arm whose sum has changed since the weights; size(): any

 private:
  static std::size_t padded(std::size_t n) { return (n + 3) / 4 * 4; }  // for kernels
  void add(std::size_t i, double z) { sums_[i] = std::min(sums_[i] + z, 1e300); }

  std::vector<double> regrets_;
};

}  // namespace regretless::bandits
