// Epsilon-greedy: with probability epsilon any arm, otherwise the one with the least mean loss.
// With a scale c, epsilon_t = min(1, c / t) (Auer, Cesa-Bianchi and Fischer (2002)).
#pragma once
#include "bandits/means.hpp"

namespace regretless::bandits {

class EpsilonGreedy : public OfMeans {
 public:
  EpsilonGreedy(std::size_t n, std::uint64_t seed, double low, double high, double epsilon,
                double scale)
      : OfMeans(n, seed, low, high), epsilon_(epsilon), scale_(scale) {}
  double rate() const override {
    return scale_ > 0 ? std::min(1.0, scale_ / (decisions_ + 1)) : epsilon_;
  }
  void probabilities(const double* awake, double* p) override {
    awake = among(awake);
    const std::size_t greedy = best(awake);
    for (std::size_t i = 0; i < size(); ++i) p[i] = probability(awake, i, greedy);
  }

 protected:
  std::size_t choose(const double* awake, Stream& random, Pull& pull) override {
    const std::size_t greedy = best(awake);
    std::size_t arm = greedy;
    if (random.uniform() < rate())
      arm = drawn(present_, awake, random.uniform(), awake_count(awake));
    pull.propensity = probability(awake, arm, greedy);
    return arm;
  }

 private:
  std::size_t best(const double* awake) const {
    if (const std::size_t first = unseen(awake); first < size()) return first;
    return least(awake, [&](std::size_t i) { return means_[i]; });
  }
  double awake_count(const double* awake) const {
    double count = 0;
    for (std::size_t i = 0; i < size(); ++i) count += is_awake(awake, i);
    return count;
  }
  double probability(const double* awake, std::size_t i, std::size_t greedy) const {
    if (!is_awake(awake, i)) return 0;
    return rate() / awake_count(awake) + (i == greedy ? 1 - rate() : 0);
  }

  double epsilon_, scale_;
};

}  // namespace regretless::bandits
