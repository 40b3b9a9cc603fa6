// AdaNormalHedge (Luo (2016), Algorithm 6 and section 2.3.2) and its version for competitors that
// change (section 2.3.3).
#pragma once
#include <cstdint>

#include "experts/experts.hpp"

namespace regretless::experts {

// p_i ~ q_i w(R_i, C_i), C_i = sum |r_i|^power; 0^0 is 1, for those awake.
// What has been gained is no more than what has changed.
inline void fits(const double* regrets, const double* spread, std::size_t count, double power = 1) {
  for (std::size_t i = 0; i < count; ++i)
    require(power < 1 || std::fabs(regrets[i]) <= (1 + 1e-6) * spread[i] + 1e-300,
            "a regret is larger than its spread");
}

class AdaNormalHedge : public Experts {
 public:
  AdaNormalHedge(std::vector<double> prior, double power)
      : Experts(std::move(prior)), power_(power), spread_(size()) {}
  const std::vector<double>* spread() const override { return &spread_; }

  // Adds experts. They start as all did.
  void grow(std::size_t count) {
    prior_.resize(size() + count, prior_[0]);
    for (auto* each : {&regrets_, &weights_, &spread_}) each->resize(size());
    fresh_ = false;
  }
  // From now on losses are measured in larger units.
  void rescale(double by) {
    for (auto* each : {&regrets_, &spread_})
      for (double& x : *each) x *= by;
    fresh_ = false;
  }

 protected:
  Parts parts() override { return join(Experts::parts(), {Field::positive("spread", spread_)}); }
  void check() override {
    Experts::check();
    if (most_ <= 1) so_many("spread", spread_);
    fits(regrets_.data(), spread_.data(), size(), power_);
  }
  void weigh(double* w) override {
    kernels_.normal_weights(regrets_.data(), spread_.data(), prior_.data(), size(), w);
  }
  void learn(const Round& round) override {
    if (power_ == 1 && !round.awake) {  // one pass over all, for many experts
      const double sum = kernels_.normal_step(round.losses, round.suffered, prior_.data(), size(),
                                              regrets_.data(), spread_.data(), weights_.data());
      has_weights(is_few() ? total(weights_) : sum);
      return;
    }
    for (std::size_t i = 0; i < size(); ++i) {
      const double r = round.regret(i);
      regrets_[i] += r;
      spread_[i] += !round.is_awake(i) ? 0
                    : power_ == 1      ? std::fabs(r)
                                       : std::pow(std::fabs(r), power_);
    }
  }

 private:
  double power_;
  std::vector<double> spread_;
};

// A copy of every expert starts in every round tau, with the prior 1 / tau^2. The weight of an
// expert is the sum of those of its copies, which sleep when it does. `streaming` keeps only O(log
// t) copies, by Hazan and Seshadhri (2009): the copy of tau = odd 2^k lives until round tau + 2^{k
// + 2}. So the copies of 1, 4, 16, ... cover all rounds, one after the other. `spread` has a row
// for each of these parts, with its sums of |r|. Without `streaming` the copy of 1 lives on, and
// there is one part.
class AdaNormalHedgeTV : public Experts {
 public:
  AdaNormalHedgeTV(std::vector<double> prior, bool streaming)
      : Experts(std::move(prior)), streaming_(streaming), added_(size()) {}
  const std::vector<double>* spread() const override { return &parts_C_; }

  void restore(const double* state, std::size_t count) override {
    const std::size_t n = size(), each = 2 * n + 1;
    require(count > 0 && state[0] >= 0 && state[0] <= kCount, "rounds is not a whole number");
    const std::size_t lives = state[0] > 0 ? life(state[0]) + 1 : 0, fixed = 3 + n + lives * n;
    require(count >= fixed && (count - fixed) % each == 0, "the copies are not whole");
    const std::size_t copies = (count - fixed) / each;
    parts_C_.resize(lives * n);
    starts_.resize(copies), copies_R_.resize(copies * n), copies_C_.resize(copies * n);
    Experts::restore(state, count);
  }

 protected:
  Parts parts() override {
    return join(Experts::parts(),
                {Field::positive("spread", parts_C_), Field::count("starts", starts_),
                 Field::number("copies' regrets", copies_R_),
                 Field::positive("copies' spread", copies_C_)});
  }
  void check() override {
    Experts::check();
    so_many("copies' spread", copies_C_), so_many("spread", parts_C_);
    fits(copies_R_.data(), copies_C_.data(), copies_R_.size());
    // the copy of the next round may exist already
    for (std::size_t c = 0; c < starts_.size(); ++c)
      require(starts_[c] >= (c ? starts_[c - 1] : 0) + 1 && starts_[c] <= rounds_ + 1,
              "starts do not rise from 1 to the round to come");
    const auto copies = double(starts_.size());
    require(streaming_ || copies == rounds_ || copies == rounds_ + 1,
            "starts: not every round has a copy");
  }
  void weigh(double* w) override {
    const std::size_t n = size();
    begin_round();
    std::fill_n(w, n, 0.0);
    for (std::size_t c = 0; c < starts_.size(); ++c) {
      kernels_.normal_weights(&copies_R_[c * n], &copies_C_[c * n], prior_.data(), n,
                              added_.data());
      const double by = 1 / (starts_[c] * starts_[c]);
      for (std::size_t i = 0; i < n; ++i) w[i] += by * added_[i];
    }
  }
  void learn(const Round& round) override {
    const std::size_t n = size(), part = life(rounds_ + 1) * n;
    if (parts_C_.size() == part) parts_C_.resize(part + n);
    round.each(n, [&](std::size_t i, double r) {
      regrets_[i] += added_[i] = r;
      parts_C_[part + i] += std::fabs(r);
    });
    for (std::size_t c = 0; c < starts_.size(); ++c)
      for (std::size_t i = 0; i < n; ++i) {
        copies_R_[c * n + i] += added_[i];
        copies_C_[c * n + i] += std::fabs(added_[i]);
      }
  }

 private:
  // Which of the copies of 1, 4, 16, ... a round belongs to.
  std::size_t life(double round) const {
    return streaming_ ? std::size_t(std::ilogb(round)) / 2 : 0;
  }
  void begin_round() {
    const double tau = rounds_ + 1;
    if (!starts_.empty() && starts_.back() == tau) return;
    if (streaming_) retire(tau);
    starts_.push_back(tau);
    for (auto* each : {&copies_R_, &copies_C_}) each->resize(starts_.size() * size());
  }
  void retire(double tau) {
    const std::size_t n = size();
    std::size_t kept = 0;
    for (std::size_t c = 0; c < starts_.size(); ++c) {
      const auto start = std::uint64_t(starts_[c]);
      if (tau > starts_[c] + 4.0 * double(start & -start)) continue;
      if (kept != c) {
        starts_[kept] = starts_[c];
        for (auto* each : {&copies_R_, &copies_C_})
          std::copy_n(each->begin() + std::ptrdiff_t(c * n), n,
                      each->begin() + std::ptrdiff_t(kept * n));
      }
      ++kept;
    }
    starts_.resize(kept);
    for (auto* each : {&copies_R_, &copies_C_}) each->resize(kept * n);
  }

  bool streaming_;
  std::vector<double> starts_;               // tau of each copy, rising
  std::vector<double> copies_R_, copies_C_;  // size() numbers for each
  std::vector<double> parts_C_;              // the same for each part
  std::vector<double> added_;
};

}  // namespace regretless::experts
