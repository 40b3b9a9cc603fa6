// UCB1 (Auer, Cesa-Bianchi and Fischer (2002)) for losses: plays the arm with the least
// mean - sqrt(8 noise^2 ln t / seen), where t counts the losses seen of all arms. noise is 1/2 for
// losses between 0 and 1.
#pragma once
#include "bandits/means.hpp"

namespace regretless::bandits {

class Ucb1 : public OfMeans {
 public:
  Ucb1(std::size_t n, double low, double high, double noise)
      : OfMeans(n, 0, low, high), noise_(noise), widths_(n) {}
  void probabilities(const double* awake, double* p) override {
    std::fill_n(p, size(), 0.0);
    p[best(among(awake))] = 1;
  }
  void grow(double rate) override {
    OfMeans::grow(rate);
    widths_.push_back(0);
  }

 protected:
  Parts parts() override { return join(OfMeans::parts(), {Field::positive("widths", widths_)}); }
  void check() override {
    OfMeans::check();
    for (std::size_t i = 0; i < size(); ++i)
      require(near(widths_[i], seen_[i] > 0 ? std::sqrt(8 / seen_[i]) * noise_ : 0),
              "widths are not those of the losses seen");
  }
  std::size_t choose(const double* awake, Stream&, Pull& pull) override {
    pull.propensity = 1;
    return best(awake);
  }
  void learn(const Pull& pull, double y) override {
    OfMeans::learn(pull, y);
    const auto arm = std::size_t(pull.arm);
    widths_[arm] = std::sqrt(8 / (seen_[arm] + 1)) * noise_;
  }

 private:
  std::size_t best(const double* awake) const {
    if (const std::size_t first = unseen(awake); first < size()) return first;
    const double root = std::sqrt(std::log(updates_));
    return least(awake, [&](std::size_t i) { return means_[i] - root * widths_[i]; });
  }

  double noise_;
  std::vector<double> widths_;  // sqrt(8 noise^2 / seen)
};

}  // namespace regretless::bandits
