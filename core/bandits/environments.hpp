// Environments give the losses of arms; `play` lets a player choose in one.
#pragma once
#include "bandits/arms.hpp"

namespace regretless::bandits {

class Environment {
 public:
  enum Kind { table, bernoulli, gaussian };
  // table: `rows` of n numbers. bernoulli: 1 with probability means_i, else 0. gaussian: means_i
  // plus normal noise of size `scale`. The losses of a round depend on the seed and the round only.
  Environment(Kind kind, std::vector<double> means, double scale, std::uint64_t seed)
      : kind_(kind), means_(std::move(means)), scale_(scale), seed_(seed), row_(means_.size()) {}
  Environment(const double* rows, std::size_t n) : kind_(table), rows_(rows), row_(n) {}

  std::size_t size() const { return row_.size(); }
  const std::vector<double>& means() const { return means_; }  // empty for a table
  const double* losses(std::size_t t) {
    if (kind_ == table) return rows_ + t * size();
    Stream random(seed_, Stream::world, double(t));
    for (std::size_t i = 0; i < size(); ++i)
      row_[i] = kind_ == bernoulli ? double(random.uniform() < means_[i])
                                   : means_[i] + scale_ * random.normal();
    return row_.data();
  }

 private:
  Kind kind_;
  std::vector<double> means_;
  double scale_ = 0;
  std::uint64_t seed_ = 0;
  const double* rows_ = nullptr;
  std::vector<double> row_;
};

// The loss of choice t comes after `delays[t]` further choices; at the end all losses come. Losses
// that are due together come in the order of their choices.
class Delays {
 public:
  Delays(const std::int64_t* delays, std::size_t count) {
    if (!delays) return;
    due_.resize(count);
    for (std::size_t t = 0; t < count; ++t)
      due_[std::min(count - 1, t + std::size_t(std::min<std::int64_t>(delays[t], count)))]
          .push_back(t);
  }
  // Calls f(t') for every loss that is due after choice t.
  template <class F>
  void each(std::size_t t, F f) const {
    if (due_.empty()) return f(t);
    for (const std::size_t earlier : due_[t]) f(earlier);
  }

 private:
  std::vector<std::vector<std::size_t>> due_;
};

struct Record {  // arrays with one entry per round; each may be null
  std::int64_t* arms = nullptr;
  double* losses = nullptr;
  double* propensities = nullptr;
};

// Plays `count` rounds and calls `after(t, arm, losses of all arms)` in each. Stops before the
// first round in which the loss of the chosen arm is out of range; returns the number of rounds
// played.
template <class After>
std::size_t play(Arms& player, Environment& world, std::size_t first, std::size_t count,
                 const double* advice, const Delays& delays, const Record& record, After after) {
  const double start = player.tickets();
  const std::size_t rows = player.advisers() * player.size();
  std::vector<double> lost(count);
  for (std::size_t t = 0; t < count; ++t) {
    const double* losses = world.losses(first + t);
    if (advice) player.advise(advice + t * rows);
    const std::size_t arm = player.act(nullptr);
    if (!player.within(lost[t] = losses[arm])) return t;
    if (record.arms) record.arms[t] = std::int64_t(arm);
    if (record.losses) record.losses[t] = lost[t];
    if (record.propensities) record.propensities[t] = player.propensity();
    delays.each(t, [&](std::size_t earlier) {
      player.update(player.place_of(start + double(earlier)), lost[earlier]);
    });
    after(t, arm, losses);
  }
  return count;
}

}  // namespace regretless::bandits
