// Players that learn every coordinate by itself.
#pragma once
#include <algorithm>

#include "oco/player.hpp"

namespace regretless::oco {

// AdaGrad, diagonal (Duchi, Hazan and Singer (2011)):  w_i <- P( w_i - eta z_i / sqrt(G_i) ),
// G_i = sum z_i^2. In a box |w_i - u_i| <= D_i the regret is at most
// sum_i (D_i^2 / (2 eta) + eta) sqrt(G_i).
class AdaGradPlayer : public Player {
 public:
  AdaGradPlayer(std::size_t dimension, double eta, Domain box)
      : Player(dimension), eta_(eta), box_(std::move(box)), squares_(dimension) {
    box_.project(point_.data(), dimension);
  }
  const std::vector<double>& squares() const { return squares_; }
  // strength: sum_i sqrt(G_i); paid: eta times that
  Account account() const override { return {roots_, eta_ * roots_}; }

 protected:
  Parts parts() override {
    return with({Field::positive("roots", roots_), Field::positive("squares", squares_)});
  }
  void check() override {
    double roots = 0;
    for (std::size_t i = 0; i < dimension(); ++i) {
      roots += std::sqrt(squares_[i]);
      require(
          std::fabs(theta_[i]) <= (1 + 1e-6) * std::sqrt(rounds_) * std::sqrt(squares_[i]) + 1e-150,
          "theta is larger than its squares allow");
    }
    require(near(roots, roots_), "roots are not those of the squares");
    std::vector<double> inside = point_;
    box_.project(inside.data(), dimension());
    require(inside == point_, "point is not in the domain");
  }
  void move(const double* z) override {
    roots_ = 0;
    for (std::size_t i = 0; i < dimension(); ++i) {
      squares_[i] += z[i] * z[i];
      const double root = std::sqrt(squares_[i]);
      roots_ += root;
      if (root > 0) point_[i] -= eta_ * z[i] / root;
    }
    box_.project(point_.data(), dimension());
  }

 private:
  double eta_;
  Domain box_;
  std::vector<double> squares_;
  double roots_ = 0;
};

// Coin betting (Orabona and Pal (2016), KT): coordinate i, whose gradients are at most L, bets the
// fraction theta_i / (L t) of the wealth e - sum z_i w_i. There is nothing to tune: the regret
// against u is at most sum_i e + |u_i| L sqrt(T ln(1 + 24 T^2 L^2 u_i^2 / e^2)).
class CoinPlayer : public Player {
 public:
  CoinPlayer(std::size_t dimension, double wealth, double gradient)
      : Player(dimension), gradient_(gradient), wealth_(dimension, wealth) {}

  double largest_gradient() const { return most_; }

 protected:
  Parts parts() override {
    return with({Field::positive("largest gradient", most_), Field::number("wealth", wealth_)});
  }
  void check() override {
    for (std::size_t i = 0; i < dimension(); ++i) {
      require(std::fabs(theta_[i]) <= (1 + 1e-6) * rounds_ * most_,
              "theta is larger than the largest gradient allows");
      require(near(point_[i], rounds_ > 0 ? bet(i) : 0), "point is not what is bet");
    }
  }
  void move(const double* z) override {
    for (std::size_t i = 0; i < dimension(); ++i) {
      most_ = std::max(most_, std::fabs(z[i]));
      wealth_[i] -= z[i] * point_[i];
      point_[i] = bet(i);
    }
  }

 private:
  // Gradients beyond L may win any wealth; the bet must stay finite.
  double bet(std::size_t i) const {
    const double bets = 1 / (gradient_ * gradient_ * (rounds_ + 1));
    return std::clamp(theta_[i] * bets * wealth_[i], -kFarthest, kFarthest);
  }
  static constexpr double kFarthest = 1e100;
  double gradient_;
  std::vector<double> wealth_;
  double most_ = 0;
};

}  // namespace regretless::oco
