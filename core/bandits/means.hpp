// Players that look at the mean loss of each arm: UCB1 and epsilon-greedy (Auer, Cesa-Bianchi and
// Fischer (2002)).
#pragma once
#include "bandits/arms.hpp"

namespace regretless::bandits {

class OfMeans : public Arms {
 public:
  OfMeans(std::size_t n, std::uint64_t seed, double low, double high)
      : Arms(n, seed, low, high), means_(n) {}
  void grow(double rate) override {
    Arms::grow(rate);
    means_.push_back(0);
  }

 protected:
  Parts parts() override {
    return join(Arms::parts(), {Field::count("known", known_), Field::number("means", means_)});
  }
  void check() override {
    Arms::check();
    double known = 0;
    const double unit = any_range() ? 1e100 : 1;
    for (std::size_t i = 0; i < size(); ++i) {
      known += seen_[i] > 0;
      const double mean = seen_[i] > 0 ? losses_[i] / seen_[i] : 0;
      Field::number("means", means_[i], -unit, unit).check();
      require(any_range() || std::fabs(means_[i] - mean) <= 1e-6,
              "means are not those of the losses");
    }
    require(known == known_, "known is not the number of arms of which a loss was seen");
  }
  void learn(const Pull& pull, double y) override {
    const auto arm = std::size_t(pull.arm);
    known_ += seen_[arm] == 0;
    means_[arm] += (y - means_[arm]) / (seen_[arm] + 1);
  }
  // An arm without a known loss, the one chosen least often; size() if there is none.
  std::size_t unseen(const double* awake) const {
    std::size_t best = size();
    if (known_ == double(size())) return best;
    for (std::size_t i = 0; i < size(); ++i)
      if (is_awake(awake, i) && seen_[i] == 0 && (best == size() || chosen_[i] < chosen_[best]))
        best = i;
    return best;
  }
  template <class Index>  // the first arm with the least index
  std::size_t least(const double* awake, Index index) const {
    std::size_t best = size();
    double lowest = HUGE_VAL;
    for (std::size_t i = 0; i < size(); ++i) {
      if (!is_awake(awake, i)) continue;
      const double each = index(i);
      if (best == size() || each < lowest) best = i, lowest = each;
    }
    return best;
  }

  double known_ = 0;  // number of arms with a known loss
  std::vector<double> means_;
};

}  // namespace regretless::bandits
