// Players with a rate for each expert, from the squares of its regrets: R, V = sum r^2.
#pragma once
#include "experts/experts.hpp"

namespace regretless::experts {

class SecondOrder : public Experts {
 public:
  using Experts::Experts;
  const std::vector<double>* spread() const override { return &squares_; }
  double paid() const override { return paid_; }

 protected:
  Parts parts() override {
    return join(Experts::parts(),
                {Field::number("paid", paid_), Field::positive("squares", squares_)});
  }
  void check() override {
    Experts::check();
    const double most = (1 + 1e-6) * most_ * most_ * rounds_;
    Field::positive("squares", squares_, most).check();
    for (std::size_t i = 0; i < size(); ++i)  // Cauchy and Schwarz
      require(std::fabs(regrets_[i]) <=
                  (1 + 1e-6) * std::sqrt(rounds_) * std::sqrt(squares_[i]) + 1e-150,
              "a regret is larger than its squares allow");
  }
  void learn(const Round& round) override {
    round.each(size(), [&](std::size_t i, double r) {
      regrets_[i] += r;
      squares_[i] += r * r;
    });
  }

  std::vector<double> squares_ = std::vector<double>(size());
  double paid_ = 0;
};

// Adapt-ML-Prod (Gaillard, Stoltz and van Erven (2014)):
//   w_i <- (w_i (1 + eta_i r_i))^{eta'_i / eta_i},  p_i ~ eta_i w_i,
//   eta_i = min(1 / (2 E_i), sqrt(ln N / (1 + V_i)))
// with E_i = 1 for losses in [0, 1], or the largest |r_i| so far if the range is not known. Then w
// is multiplied by 1 + eta'_i r_i, with the new rate, because 1 + eta_i r_i could be negative.
class AdaptMLProd : public SecondOrder {
 public:
  AdaptMLProd(std::vector<double> prior, bool known_range)
      : SecondOrder(std::move(prior)),
        known_range_(known_range),
        largest_(size(), known_range),
        rates_(size(), known_range ? std::min(0.5, root_log()) : 0),
        logs_(size()) {
    double sum = 0;
    for (const double q : prior_) sum += q;
    for (std::size_t i = 0; i < size(); ++i) logs_[i] = std::log(prior_[i] / sum);
  }

 protected:
  Parts parts() override {
    return join(SecondOrder::parts(),
                {Field::positive("largest", largest_), Field::positive("rates", rates_),
                 Field::number("logs", logs_)});
  }
  void check() override {
    SecondOrder::check();
    Field::positive("largest", largest_, (1 + 1e-6) * most_).check();
    for (std::size_t i = 0; i < size(); ++i)
      require(largest_[i] == 0 ? rates_[i] == 0 && !known_range_
                               : rates_[i] > 0 && rates_[i] <= (1 + 1e-6) * rate_of(i),
              "a rate is not that of its squares");
  }
  void weigh(double* w) override {
    double most = -HUGE_VAL, fastest = 0;
    for (std::size_t i = 0; i < size(); ++i)
      most = std::max(most, logs_[i]), fastest = std::max(fastest, rates_[i]);
    for (std::size_t i = 0; i < size(); ++i) w[i] = logs_[i] - most;
    kernels_.exponentials(w, size(), w);
    // an expert that is not known yet has the largest rate
    for (std::size_t i = 0; i < size(); ++i)
      w[i] *= rates_[i] > 0 ? rates_[i] : fastest > 0 ? fastest : 1;
  }
  void learn(const Round& round) override {
    SecondOrder::learn(round);
    round.each(size(), [&](std::size_t i, double r) { move(i, r); });
  }

 private:
  void move(std::size_t i, double r) {
    if (!known_range_) largest_[i] = std::max(largest_[i], std::fabs(r));
    if (largest_[i] == 0) return;
    const double before = rates_[i], rate = rate_of(i);
    rates_[i] = rate;
    const double power = before > 0 ? rate / before : 0;
    logs_[i] = known_range_ ? power * (logs_[i] + std::log1p(before * r))
                            : power * logs_[i] + std::log1p(rate * r);
  }
  double rate_of(std::size_t i) const {
    return std::min(0.5 / largest_[i], root_log() / std::sqrt(1 + squares_[i]));
  }
  double root_log() const { return std::sqrt(std::log(double(size()))); }
  bool known_range_;
  std::vector<double> largest_, rates_, logs_;  // E, eta, ln w
};

// Bernstein online aggregation (Wintenberger (2017)), as opera 1.2 has it:
//   1 / eta_i^2 = 2.2 V_i,   p_i ~ q_i eta_i e^{eta_i S_i},   S_i = sum (r - eta r^2)
// with the rate after each r: |eta r| <= 0.675, where e^{x - x^2} <= 1 + x. Any range of losses.
//
// `paid` is ln W, where W >= sum q_i e^{eta_i S_i} is made of the sizes of r alone. With the rate
// eta before the round and eta' = a eta after it, x = e^{eta S} becomes at most x^a (1 + a z), z =
// eta r. As sum q_i eta_i x_i r_i <= 0, the sum grows by at most that of q_i (x^a (1 + a z) - x (1
// + z)), in which x^a A - x B <= (1 - a) A (a A / B)^{a / (1 - a)}. For a = (1 + 2.2 z^2)^{-1/2}
// that is at most 0.51 (1 - a) if |z| <= 1/2 and 1.675 (1 - a) if z > 1/2. If z < -1/2, so that r
// is far beyond all before, x (-z - 1/2) is put aside first.
class Boa : public SecondOrder {
 public:
  explicit Boa(std::vector<double> prior)
      : SecondOrder(std::move(prior)),
        scores_(size()),
        rates_(size()),
        unseen_(size()),
        all_(total(prior_)) {}
  double paid() const override { return W_ < kTooLarge ? std::log(W_) : HUGE_VAL; }

 protected:
  Parts parts() override {
    return join(SecondOrder::parts(),
                {Field::number("W", W_, 1, kTooLarge), Field::number("scores", scores_),
                 Field::positive("rates", rates_)});
  }
  void check() override {
    SecondOrder::check();
    unseen_ = size();  // they are counted in the next round
    for (std::size_t i = 0; i < size(); ++i) {
      const double V = squares_[i], R = regrets_[i], S = scores_[i];
      require(near(rates_[i], V > 0 ? 1 / std::sqrt(2.2 * V) : 0),
              "a rate is not that of its squares");
      // eta r^2 adds up to 2 sqrt(V / 2.2) at most
      const double slack = 1e-6 * (std::fabs(R) + std::sqrt(V));
      require(S <= R + slack && S >= R - 1.36 * std::sqrt(V) - slack,
              "a score is not that of its regret");
    }
  }
  void weigh(double* w) override {
    const std::size_t n = size();
    double most = 0, all = 0, known = 0, weight = 0;
    for (std::size_t i = 0; i < n; ++i) {
      w[i] = rates_[i] * scores_[i];
      most = std::max(most, w[i]);
    }
    for (std::size_t i = 0; i < n; ++i) w[i] -= most;
    kernels_.exponentials(w, n, w);
    for (std::size_t i = 0; i < n; ++i) {
      all += prior_[i];
      w[i] = prior_[i] * w[i] * rates_[i];
      weight += w[i];
      known += rates_[i] > 0 ? prior_[i] : 0;
    }
    if (known == all) return;
    // experts that never differed from the mixture keep their part of the prior
    for (std::size_t i = 0; i < n; ++i) w[i] = rates_[i] > 0 ? w[i] / weight * known : prior_[i];
  }
  void learn(const Round& round) override {
    SecondOrder::learn(round);
    const double drift = unseen_ ? first_seen(round) : 0;
    double slowed = 0, jumped = 0, factor = 0;
    round.each(size(), [&](std::size_t i, double r) {
      const double before = rates_[i], z = before * r, x = 2.2 * z * z;
      rates_[i] = squares_[i] > 0 ? 1 / std::sqrt(2.2 * squares_[i]) : 0;
      scores_[i] += r - rates_[i] * r * r;
      if (x <= 0.55) {  // 1 - a = 1 - (1 + x)^{-1/2} is at most three terms of its series
        slowed += prior_[i] * (x * (0.5 + x * (-0.375 + x * 0.3125)));
      } else {
        jumped += prior_[i] * (z < 0 ? 0.51 : 1.675) * (1 - 1 / std::sqrt(1 + x));
        factor = std::max(factor, -z - 0.5);
      }
      if (drift > 0) factor = std::max(factor, before * drift + std::max(-z - 0.5, 0.0));
    });
    W_ = std::min(W_ * (1 + factor) + (0.51 * slowed + jumped) / all_, kTooLarge);
  }

 private:
  // Experts that differ for the first time were played by the prior, the others by the rest of it.
  // This bounds what that may have cost.
  double first_seen(const Round& round) {
    double known = 0, owed = 0;
    unseen_ = 0;
    for (std::size_t i = 0; i < size(); ++i) {
      const double r = round.regret(i);
      if (rates_[i] > 0) {
        known += prior_[i];
        continue;
      }
      owed -= prior_[i] * r;
      if (r > 0) W_ += 0.675 * prior_[i] / all_;  // e^{x - x^2} <= 1 + x, x = eta r
      unseen_ += !(squares_[i] > 0);
    }
    return owed > 0 && known > 0 ? owed / known : 0;
  }

  static constexpr double kTooLarge = 1e304;  // from here on W says nothing
  std::vector<double> scores_, rates_;        // S, eta
  std::size_t unseen_;                        // experts that have never differed from the mixture
  double W_ = 1, all_;                        // W, and the sum of the prior
};

// ML-Poly (Gaillard, Stoltz and van Erven (2014)), as opera has it: p_i ~ [R_i]_+ / (V_i + B),
// B the largest r^2 of all so far. Any range of losses. `paid` bounds
// Phi = sum q_i eta_i [R_i]_+^2, eta = 1 / (V + B): as sum q_i eta_i [R_i]_+ r_i = 0,
// Phi_t <= Phi_{t-1} + sum q_i eta_{i,t-1} r_i^2, and after the first round Phi is
// sum q_i eta_{i,1} r_i^2.
class MlPoly : public SecondOrder {
 public:
  explicit MlPoly(std::vector<double> prior)
      : SecondOrder(std::move(prior)), rates_(size()), terms_(size()) {}
  double rate() const override { return largest_; }

 protected:
  Parts parts() override {
    return join(SecondOrder::parts(),
                {Field::positive("largest", largest_), Field::positive("rates", rates_)});
  }
  void check() override {
    SecondOrder::check();
    Field::positive("largest", largest_, (1 + 1e-6) * most_ * most_).check();
    Field::positive("paid", paid_).check();
    for (std::size_t i = 0; i < size(); ++i) {
      require(squares_[i] <= (1 + 1e-6) * rounds_ * largest_,
              "squares are larger than the largest");
      require(near(rates_[i], largest_ < kNothing ? 0 : 1 / (squares_[i] + largest_)),
              "a rate is not that of its squares");
    }
  }
  void weigh(double* w) override {
    for (std::size_t i = 0; i < size(); ++i)
      w[i] = prior_[i] * std::max(regrets_[i], 0.0) * rates_[i];
  }
  void learn(const Round& round) override {
    const bool first = largest_ < kNothing;
    double most = largest_;
    round.each(size(), [&](std::size_t i, double r) {
      const double square = r * r;
      regrets_[i] += r;
      squares_[i] += square;
      terms_[i] = prior_[i] * square * rates_[i];  // rates before the round
      most = std::max(most, square);
    });
    largest_ = most;
    if (largest_ < kNothing) return;
    for (std::size_t i = 0; i < size(); ++i) rates_[i] = 1 / (squares_[i] + largest_);
    for (std::size_t i = 0; first && i < size(); ++i)
      terms_[i] = prior_[i] * squares_[i] * rates_[i];
    paid_ += total(terms_);
  }

 private:
  static constexpr double kNothing = 1e-300;  // the inverse of a smaller number may be infinite
  double largest_ = 0;                        // B
  std::vector<double> rates_, terms_;         // 1 / (V + B), and the cost of a round
};

// Squint (Koolen and van Erven (2015)) with the improper prior 1 / eta on rates:
//   w_i = q_i int_0^{1/2} e^{eta R_i - eta^2 V_i} d eta
class Squint : public SecondOrder {
 public:
  using SecondOrder::SecondOrder;

 protected:
  void weigh(double* w) override {
    double most = -HUGE_VAL;
    std::vector<double>& logs = logs_;
    logs.resize(size());
    for (std::size_t i = 0; i < size(); ++i)
      logs[i] = log_integral(regrets_[i], squares_[i]), most = std::max(most, logs[i]);
    for (std::size_t i = 0; i < size(); ++i) w[i] = logs[i] - most;
    kernels_.exponentials(w, size(), w);
    for (std::size_t i = 0; i < size(); ++i) w[i] *= prior_[i];
  }

 private:
  // e^{x^2} (1 - erf x), for x >= 0
  static double scaled_erfc(double x) {
    if (x < 25) return std::exp(x * x) * std::erfc(x);
    const double s = 1 / (x * x);  // asymptotic
    return (1 - s / 2 * (1 - 1.5 * s * (1 - 2.5 * s))) / (x * 1.7724538509055160273);
  }
  // ln int_0^{1/2} e^{eta R - eta^2 V} d eta. With a = -R / (2 sqrt V), b = a + sqrt(V) / 2 it is
  // sqrt(pi / 4V) e^{a^2} (erf b - erf a).
  static double log_integral(double R, double V) {
    if (V < 1e-10) {  // V = 0 up to rounding: (e^{R/2} - 1) / R
      return std::fabs(R) < 1e-10 ? std::log(0.5) : std::log(std::expm1(R / 2) / R);
    }
    const double root = std::sqrt(V), a = -R / (2 * root), b = a + root / 2;
    const double scale = 0.5 * std::log(3.14159265358979323846 / (4 * V));
    if (a >= 0)  // erfcx(a) - e^{a^2 - b^2} erfcx(b)
      return scale + std::log(scaled_erfc(a) - std::exp(a * a - b * b) * scaled_erfc(b));
    if (b <= 0)  // mirrored: e^{a^2} (erfc(-b) - erfc(-a))
      return scale + a * a - b * b +
             std::log(scaled_erfc(-b) - std::exp(b * b - a * a) * scaled_erfc(-a));
    return scale + a * a + std::log(std::erf(b) - std::erf(a));
  }

  std::vector<double> logs_;
};

}  // namespace regretless::experts
