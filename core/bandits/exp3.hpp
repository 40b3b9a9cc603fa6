// Exp3 without exploration (Shalev-Shwartz (2012), section 4.2; Luo (2016), Algorithm 24 with the
// exponential potential):
// w_i = e^{-eta S_i}, S the sums of the estimates; and Exp3-IX (Neu (2015)), which divides losses
// by p + gamma, gamma being `implicit` times the rate.
#pragma once
#include "bandits/weighted.hpp"
#include "kernels.hpp"

namespace regretless::bandits {

class Exp3 : public Weighted {
 public:
  // The rate is eta, or eta / sqrt(t) if it falls.
  Exp3(std::size_t n, std::uint64_t seed, double low, double high, double eta, bool falls,
       double implicit)
      : Weighted(n, seed, low, high),
        eta_(eta),
        falls_(falls),
        implicit_(implicit),
        kernels_(kernels()) {}

  double rate() const override { return falls_ ? eta_ / std::sqrt(updates_ + 1) : eta_; }
  void grow(double eta) override {
    Weighted::grow(eta);
    eta_ = std::min(eta_, eta);  // rates must not rise
  }

 protected:
  Parts parts() override {
    // the rate is that for the present number of arms, or smaller
    return join(Weighted::parts(), {Field::number("rate", eta_, first_ / 2, first_ * (1 + 1e-9)),
                                    Field::number("base", base_)});
  }
  void find_weights(double least) override {
    now_ = rate();
    if (falls_) {
      base_ = least;
      std::fill(weights_.begin() + std::ptrdiff_t(size()), weights_.end(), 0.0);
      for (std::size_t i = 0; i < size(); ++i) weights_[i] = exponent(i);
      kernels_.exponentials(weights_.data(), weights_.size(), weights_.data());
    } else if (changed_ < size()) {
      weights_[changed_] = std::exp(exponent(changed_));
    } else {
      base_ = std::min(base_, least);  // a new arm may be ahead, or sums were shifted
      all();
    }
    add_up();
    if (falls_ || total_ > 0x1p-10) return;
    base_ = least;
    all();
    add_up();
  }
  double floor_of_weight() const override { return implicit_ * now_; }
  // e^{-x} <= 1 - x + x^2 / 2 for x >= 0 (Shalev-Shwartz (2012), Theorem 2.22)
  double stability(double q, double z) const override { return now_ / 2 * q * z * z; }

 private:
  // e^-690 = 1e-300: no arm has the probability 0
  double exponent(std::size_t i) const { return std::max(now_ * (base_ - sums_[i]), -690.0); }
  void all() {
    for (std::size_t i = 0; i < size(); ++i) weights_[i] = std::exp(exponent(i));
  }
  void add_up() {
    total_ = 0;
    for (std::size_t i = 0; i < size(); ++i) total_ += weights_[i];
  }

  double eta_, first_ = eta_;
  bool falls_;
  double implicit_;
  double now_ = 0;   // the rate that the weights were computed with
  double base_ = 0;  // the sum whose weight is 1: that of a recent best arm
  Kernels kernels_;
};

}  // namespace regretless::bandits
