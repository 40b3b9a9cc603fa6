// Two players that learn from each other (Mohri et al. (2018), section 8.5): their average
// strategies come close to an equilibrium.
//
// With weights w_t of the rounds, W their sum, and p, q the average strategies,
//   max_j (p'A)_j - min_i (A q)_i = (R_row + R_column - (V - U)) / W,
//   R_row = V - min_i sum w_t (A q_t)_i,  R_column = max_j sum w_t (p_t'A)_j - U,
// V is the sum of w_t p_t'A q_t, and U that of w_t p_t'A q, where q is the strategy of the column
// player before it saw p_t: q_t if both move at once, q_{t-1} if they alternate.
#pragma once
#include <cmath>
#include <vector>

#include "experts/experts.hpp"
#include "games/payoffs.hpp"

namespace regretless::games {

// The bounds that a pair of strategies proves for the value of the game.
struct Bounds {
  double upper = HUGE_VAL, lower = -HUGE_VAL;
};

class SelfPlay {
 public:
  // Payoffs are between `low` and `high`, which differ. Round t counts t^power.
  SelfPlay(experts::Experts& row, experts::Experts& column, const Payoffs& payoffs, double low,
           double high, bool alternating, double power)
      : row_(row),
        column_(column),
        payoffs_(payoffs),
        low_(low),
        high_(high),
        alternating_(alternating),
        power_(power),
        p_(payoffs.rows()),
        Aq_(payoffs.rows()),
        p_sum_(payoffs.rows()),
        Aq_sum_(payoffs.rows()),
        row_losses_(payoffs.rows()),
        q_(payoffs.columns()),
        pA_(payoffs.columns()),
        q_sum_(payoffs.columns()),
        pA_sum_(payoffs.columns()),
        column_losses_(payoffs.columns()) {}

  // Plays until the best of the average and last strategies are within `enough`, or so many rounds.
  void play(std::size_t rounds, double enough) {
    for (std::size_t t = 0; t < rounds && !(gap() <= enough); ++t) round();
  }

  std::size_t rounds() const { return rounds_; }
  double weight() const { return weight_; }  // W
  double last_weight() const { return last_weight_; }
  double played() const { return played_; }    // V
  double guessed() const { return guessed_; }  // U
  Bounds average() const { return average_; }
  Bounds last() const { return last_; }
  double gap() const {
    return std::min(average_.upper, last_.upper) - std::max(average_.lower, last_.lower);
  }
  const std::vector<double>& row() const { return p_; }
  const std::vector<double>& column() const { return q_; }
  std::vector<double> average_row() const { return shares(p_sum_); }
  std::vector<double> average_column() const { return shares(q_sum_); }
  // The gaps of average and last strategies after some rounds, which lie further and further apart.
  const std::vector<double>& noted_rounds() const { return noted_rounds_; }
  const std::vector<double>& noted_average() const { return noted_average_; }
  const std::vector<double>& noted_last() const { return noted_last_; }

 private:
  void round() {
    row_.distribution(nullptr, p_.data());
    payoffs_.gains(p_.data(), pA_.data());
    if (!alternating_) column_.distribution(nullptr, q_.data());
    const double width = high_ - low_;
    for (std::size_t j = 0; j < pA_.size(); ++j) column_losses_[j] = (high_ - pA_[j]) / width;
    const double guessed = high_ - width * column_.update(column_losses_.data(), nullptr);
    if (alternating_) column_.distribution(nullptr, q_.data());
    payoffs_.losses(q_.data(), Aq_.data());
    for (std::size_t i = 0; i < Aq_.size(); ++i) row_losses_[i] = (Aq_[i] - low_) / width;
    const double played = low_ + width * row_.update(row_losses_.data(), nullptr);

    rounds_ += 1;
    last_weight_ = std::pow(double(rounds_), power_);
    weight_ += last_weight_;
    played_ += last_weight_ * played;
    guessed_ += last_weight_ * guessed;
    average_.upper = added(p_, p_sum_, pA_, pA_sum_, last_.upper, 1);
    average_.lower = -added(q_, q_sum_, Aq_, Aq_sum_, last_.lower, -1);
    last_.lower = -last_.lower;
    note();
  }
  // Adds a strategy and the other player's payoffs against it to their sums. Computes the largest
  // payoff, times a sign, against the strategy and, returned, against the average.
  double added(const std::vector<double>& played, std::vector<double>& played_sum,
               const std::vector<double>& theirs, std::vector<double>& their_sum, double& last,
               double sign) const {
    for (std::size_t i = 0; i < played.size(); ++i) played_sum[i] += last_weight_ * played[i];
    double largest = -HUGE_VAL;
    last = -HUGE_VAL;
    for (std::size_t j = 0; j < theirs.size(); ++j) {
      their_sum[j] += last_weight_ * theirs[j];
      last = std::max(last, sign * theirs[j]);
      largest = std::max(largest, sign * their_sum[j]);
    }
    return largest / weight_;
  }
  void note() {
    if (double(rounds_) < 1.02 * (noted_rounds_.empty() ? 0 : noted_rounds_.back())) return;
    noted_rounds_.push_back(double(rounds_));
    noted_average_.push_back(average_.upper - average_.lower);
    noted_last_.push_back(last_.upper - last_.lower);
  }
  // The average as a distribution. It is divided by its own sum, so it adds up to 1 after any
  // number of rounds.
  static std::vector<double> shares(std::vector<double> sums) {
    double total = 0;
    for (const double x : sums) total += x;
    for (double& x : sums) x /= total;
    return sums;
  }

  experts::Experts &row_, &column_;
  const Payoffs& payoffs_;
  double low_, high_;
  bool alternating_;
  double power_;
  std::vector<double> p_, Aq_, p_sum_, Aq_sum_, row_losses_;
  std::vector<double> q_, pA_, q_sum_, pA_sum_, column_losses_;
  std::size_t rounds_ = 0;
  double weight_ = 0, last_weight_ = 0, played_ = 0, guessed_ = 0;
  Bounds average_, last_;
  std::vector<double> noted_rounds_, noted_average_, noted_last_;
};

}  // namespace regretless::games
