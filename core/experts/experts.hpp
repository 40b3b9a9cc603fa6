// Players that mix the advice of n experts (Luo (2016), sections 2.1.2 and 2.3.2): p is
// proportional to awake_i w_i, the losses l come, p.l is suffered, and expert i is told its regret
// r_i = awake_i (p.l - l_i).
#pragma once
#include <cmath>
#include <vector>

#include "kernels.hpp"
#include "state.hpp"

namespace regretless::experts {

// A round as a rule sees it. The loss of an expert that is asleep may be anything, even NaN.
struct Round {
  const double* losses;
  const double* awake;    // confidence in [0, 1]; null: all are awake
  const double* weights;  // those played, before they were divided by their sum
  double suffered;
  bool is_awake(std::size_t i) const { return !awake || awake[i] > 0; }
  double regret(std::size_t i) const {
    if (!awake) return suffered - losses[i];
    return awake[i] > 0 ? awake[i] * (suffered - losses[i]) : 0;
  }
  // Calls f(i, regret(i)) for all experts.
  template <class F>
  void each(std::size_t n, F f) const {
    if (!awake)
      for (std::size_t i = 0; i < n; ++i) f(i, suffered - losses[i]);
    else
      for (std::size_t i = 0; i < n; ++i) f(i, regret(i));
  }
};

class Experts : public Stateful {
 public:
  // prior: relative sizes, not all 0
  explicit Experts(std::vector<double> prior)
      : prior_(std::move(prior)),
        regrets_(prior_.size()),
        weights_(prior_.size()),
        kernels_(kernels()) {
    Field::positive("prior", prior_).check();
    const double sum = total(prior_);
    require(sum > 0 && sum <= kMost, "prior is 0 for all experts, or adds up to no number");
  }

  std::size_t size() const { return prior_.size(); }
  double rounds() const { return rounds_; }
  double loss() const { return loss_; }
  // The sum of the sizes of the losses suffered. Rounding errors are relative to it.
  double gross() const { return gross_; }
  // The state of a player whose regret in a round is at most so much: 1 for losses in [0, 1].
  void restore_within(const double* state, std::size_t size, double most) {
    most_ = most;
    restore(state, size);
  }
  const std::vector<double>& regrets() const { return regrets_; }
  // Terms of the bound, per expert and in all.
  virtual const std::vector<double>* spread() const { return nullptr; }
  virtual double paid() const { return 0; }
  virtual double rate() const { return 0; }

  void distribution(const double* awake, double* p) {
    const double* w = shares(awake);
    for (std::size_t i = 0; i < size(); ++i) p[i] = w[i] / sum_;
  }
  double update(const double* losses, const double* awake) {
    const double* w = shares(awake);
    return learned({losses, awake, w, mean(w, losses, awake)});
  }
  // The same with all awake. If a loss is outside `low` to `high`, it returns NaN and learns
  // nothing.
  double update_within(const double* losses, double low, double high) {
    const double* w = shares(nullptr);
    const Weighted seen = weighted(w, losses);
    if (!(seen.low >= low && seen.high <= high && std::isfinite(seen.sum))) return std::nan("");
    return learned({losses, nullptr, w, seen.sum / sum_});
  }
  // A player that suffers less than the mean, as with forecasts and a convex loss, has less regret.
  double update(const double* losses, const double* awake, double suffered) {
    return learned({losses, awake, shares(awake), suffered});
  }

 protected:
  double learned(const Round& round) {
    fresh_ = false;
    learn(round);
    loss_ += round.suffered;
    gross_ += std::fabs(round.suffered);
    rounds_ += 1;
    return round.suffered;
  }
  Parts parts() override {
    fresh_ = false;
    return {Field::count("rounds", rounds_), Field::number("loss", loss_),
            Field::positive("gross", gross_), Field::number("regrets", regrets_)};
  }
  void check() override { so_many("loss", loss_), so_many("regrets", regrets_); }
  // Limits of sums over all rounds; losses are within their range up to rounding.
  double most_of_all() const { return (1 + 1e-6) * most_ * rounds_; }
  void so_many(const char* name, Field::Where at) const {
    Field::number(name, at, -most_of_all(), most_of_all()).check();
  }
  // Computes the weights of the next round: at least 0 and finite.
  virtual void weigh(double* w) = 0;
  // By default the regrets are all that is learned.
  virtual void learn(const Round& round) {
    round.each(size(), [&](std::size_t i, double r) { regrets_[i] += r; });
  }
  // The weights in this round, 0 for experts that are asleep; `sum_` is their sum.
  const double* shares(const double* awake) {
    if (!fresh_) {
      weigh(weights_.data());
      has_weights(total(weights_));
    }
    if (const double* w = times(weights_, total_, awake)) return w;
    // the bounds hold for any weights here
    if (const double* w = times(prior_, total(prior_), awake)) return w;
    refuse("all experts are asleep: somebody must be awake");
  }
  // For a few experts a plain loop is faster than a kernel.
  bool is_few() const { return size() <= 16; }
  double total(const std::vector<double>& x) const {
    if (!is_few()) return kernels_.total(x.data(), size());
    double sum = 0;
    for (const double each : x) sum += each;
    return sum;
  }
  Weighted weighted(const double* w, const double* x) const {
    if (!is_few()) return kernels_.weighted(w, x, size());
    Weighted all{0, x[0], x[0]};
    for (std::size_t i = 0; i < size(); ++i) {
      all.sum += w[i] * x[i];
      all.low = std::min(all.low, x[i]);
      all.high = std::max(all.high, x[i]);
    }
    return all;
  }
  // Marks the weights of the next round as computed; `sum` is their sum.
  void has_weights(double sum) { total_ = sum, fresh_ = true; }

  std::vector<double> prior_, regrets_, weights_;
  double rounds_ = 0, loss_ = 0, gross_ = 0;
  double most_ = 1;     // |regret| of a round
  double sum_ = 0;      // of the weights played last
  bool fresh_ = false;  // weights_ are those of the next round
  Kernels kernels_;

 private:
  // Null if all are 0.
  const double* times(const std::vector<double>& w, double sum, const double* awake) {
    sum_ = sum;
    if (!awake) return sum_ > 0 ? w.data() : nullptr;
    awake_weights_.resize(size());
    for (std::size_t i = 0; i < size(); ++i) awake_weights_[i] = awake[i] * w[i];
    sum_ = total(awake_weights_);
    return sum_ > 0 ? awake_weights_.data() : nullptr;
  }
  double mean(const double* w, const double* losses, const double* awake) const {
    if (!awake) return weighted(w, losses).sum / sum_;
    double all = 0;
    for (std::size_t i = 0; i < size(); ++i)
      if (w[i] > 0) all += w[i] * losses[i];
    return all / sum_;
  }

  std::vector<double> awake_weights_;
  double total_ = 0;  // of weights_
};

// Plays rounds of n losses and, unless null, n confidences. Writes the losses suffered and, unless
// null, the weights played. Stops before a round in which all are awake and a loss is outside `low`
// to `high`; returns the number of rounds played.
inline std::size_t play(Experts& experts, const double* losses, const double* awake,
                        std::size_t count, double low, double high, double* suffered,
                        double* weights) {
  const std::size_t n = experts.size();
  for (std::size_t t = 0; t < count; ++t) {
    const double* a = awake ? awake + t * n : nullptr;
    if (weights) experts.distribution(a, weights + t * n);
    suffered[t] =
        a ? experts.update(losses + t * n, a) : experts.update_within(losses + t * n, low, high);
    if (std::isnan(suffered[t])) return t;
  }
  return count;
}

}  // namespace regretless::experts
