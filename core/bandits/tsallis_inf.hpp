// Tsallis-INF (Zimmert and Seldin (2021)): FTRL with the regulariser -2 sum sqrt(w) / eta_t:
//
//   w_i = 1 / (eta (S_i - x))^2   with the x for which they add up to 1
//
// The rate is 1 / sqrt(t). With reduced variance it is min(1, 2 / sqrt(t)); then losses of arms
// with q >= eta^2 are estimated relative to 1/2.
//
// For one coordinate the conjugate is 1 / (eta^2 L), so the cost of z is exactly
// eta q^{3/2} z^2 / (1 + eta sqrt(q) z), and a constant may be subtracted from z. The penalty is
// sum_t (1 / eta_t - 1 / eta_{t-1}) (2 sum_i sqrt(q_i) - 2).
#pragma once
#include "bandits/weighted.hpp"

namespace regretless::bandits {

class TsallisInf : public Weighted {
 public:
  TsallisInf(std::size_t n, std::uint64_t seed, double low, double high, bool reduced)
      : Weighted(n, seed, low, high), reduced_(reduced) {}

  double rate() const override { return rate_of(updates_ + 1); }
  // A new arm can only raise the conjugate; the increase is added to the cost.
  void grow(double rate) override {
    weigh();
    const double before = conjugate();
    Weighted::grow(rate);
    weigh();
    paid_ += conjugate() - before;
  }

 protected:
  Parts parts() override { return join(Weighted::parts(), {Field::positive("gap", gap_)}); }
  void check() override {
    Weighted::check();
    const double most = std::sqrt(double(size())) * std::sqrt(updates_ + 1);
    Field::positive("gap", gap_, (1 + 1e-6) * most).check();
  }
  void find_weights(double least) override {
    const double eta = now_ = rate();
    // sum (eta (S_i - least + s))^-2 = 1 for an s from 1 / eta to sqrt(n) / eta. The power -1/2 of
    // the sum is concave in s and increases: a Newton step never passes the solution.
    double s = std::max(gap_, 1 / eta);
    for (int step = 0; step < 60; ++step) {
      double squares = 0, cubes = 0;
      for (std::size_t i = 0; i < size(); ++i) {
        const double r = 1 / (eta * (sums_[i] - least + s)), r2 = r * r;
        weights_[i] = r2;
        squares += r2, cubes += r2 * r;
      }
      total_ = squares;
      const double root = std::sqrt(squares), by = (root - 1) * squares / (eta * cubes);
      if (!(std::fabs(by) > 1e-14 * s)) break;
      s = std::max(s + by, 1 / eta);
    }
    gap_ = s;
  }
  void before_learning() override {
    double roots = 0;
    for (std::size_t i = 0; i < size(); ++i) roots += std::sqrt(weights_[i] / total_);
    paid_ += (1 / now_ - (updates_ > 0 ? 1 / rate_of(updates_) : 0)) * (2 * roots - 2);
  }
  double stability(double q, double z) const override {
    const double eta = now_, d = z - (reduced_ ? 0.5 : 0), below = 1 + eta * std::sqrt(q) * d;
    return below > 0 ? eta * q * std::sqrt(q) * d * d / below : HUGE_VAL;
  }
  bool has_baseline() const override { return reduced_; }
  double baseline(double q) const override { return reduced_ && q >= now_ * now_ ? 0.5 : 0; }

 private:
  double rate_of(double t) const {
    return reduced_ ? std::min(1.0, 2 / std::sqrt(t)) : 1 / std::sqrt(t);
  }
  // max_w -<w, S> + 2 sum sqrt(w) / eta
  double conjugate() const {
    double value = 0;
    for (std::size_t i = 0; i < size(); ++i)
      value += 2 / now_ * std::sqrt(weights_[i] / total_) - weights_[i] / total_ * sums_[i];
    return value;
  }

  bool reduced_;
  double now_ = 1;  // the rate that the weights were computed with
  double gap_ = 0;  // least - x
};

}  // namespace regretless::bandits
