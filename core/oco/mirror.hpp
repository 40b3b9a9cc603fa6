// Online mirror descent (Shalev-Shwartz (2012), section 2.6; Srebro (lecture 16), slide Dual
// Averaging), with strength s_t = 1 / eta_t:
//
//   lazy (dual averaging):  w_{t+1} = P( link(theta_{t+1} / s_t) ),  theta = - sum z
//   agile:                  w_{t+1} = P( link( grad psi(w_t) - eta_t z_t ) )
//
// and w_1 = P(link(0)).
//
// Both have regret at most  s (psi(u) - psi(w_1)) + sum ||z_t||_*^2 / (2 sigma s')  with
// s = s_{T-1}, s' = s_{t-1} and s_0 = s_1 when lazy (Srebro (lecture 16), slide FTRL for Linear
// Problems), and s = s' = 1 / eta when agile with a constant rate (Shalev-Shwartz (2012), section
// 2.9).
#pragma once
#include "oco/player.hpp"

namespace regretless::oco {

struct Schedule {
  enum Kind { constant, inverse_sqrt, inverse, adaptive };
  Kind kind = constant;
  double eta = 1;
  // eta_t after t rounds; `squares` is the sum of the squared dual norms of their gradients
  double operator()(double t, double squares) const {
    switch (kind) {
      case constant:
        return eta;
      case inverse_sqrt:
        return eta / std::sqrt(t);
      case inverse:
        return eta / t;
      case adaptive:
        return squares > 0 ? eta / std::sqrt(squares) : 0;
    }
    return 0;
  }
};

class MirrorDescent : public Player {
 public:
  MirrorDescent(std::size_t dimension, Geometry geometry, Domain domain, Schedule rate, bool lazy)
      : Player(dimension),
        geometry_(std::move(geometry)),
        domain_(std::move(domain)),
        rate_(rate),
        lazy_(lazy),
        dual_(lazy ? 0 : dimension) {
    play(theta_.data(), 1);
  }

  // Without strong convexity the cost is measured in local norms (Shalev-Shwartz (2012), Theorem
  // 2.23), or not bounded.
  Account account() const override {
    if (std::isfinite(geometry_.convexity)) return {strength_, paid_};
    const double paid = steepest_ >= 0 ? local_ / 2 : local_;
    return {strength_, steepest_ >= -1 ? paid : std::numeric_limits<double>::infinity()};
  }
  double squares() const { return squares_; }  // sum of ||z_t||_*^2
  double lengths() const { return lengths_; }  // sum of ||z_t||_*
  double largest_gradient() const { return most_; }
  double local() const { return local_; }        // sum of eta_{t-1} sum_i w_t[i] z_t[i]^2
  double spread() const { return spread_; }      // sum of eta_{t-1} (max_i z_t[i] - min_i z_t[i])^2
  double steepest() const { return steepest_; }  // least eta_{t-1} z_t[i]

 protected:
  Parts parts() override {
    return with({Field::positive("strength", strength_), Field::positive("paid", paid_),
                 Field::positive("squares", squares_), Field::positive("lengths", lengths_),
                 Field::positive("largest gradient", most_), Field::positive("local", local_),
                 Field::positive("spread", spread_),
                 Field::number("steepest", steepest_, -kMost, 0), Field::positive("rate", next_),
                 Field::number("dual", dual_, -kFar, kFar)});
  }
  void check() override {
    require(most_ <= (1 + 1e-6) * std::sqrt(squares_), "a gradient is larger than all of them");
    const double eta = rounds_ > 0 ? rate_(rounds_, squares_) : 0;
    require(near(next_, eta), "rate is not that of the rounds and the squares");
    require(!(eta > 0) || strength_ <= (1 + 1e-6) / eta, "strength is more than the rate allows");
    const std::vector<double> found = point_;
    play(lazy_ || rounds_ == 0 ? theta_.data() : dual_.data(), lazy_ && rounds_ > 0 ? eta : 1);
    double size = 0;
    for (const double each : point_) size = std::max(size, std::fabs(each));
    for (std::size_t i = 0; i < dimension(); ++i)
      require(std::fabs(point_[i] - found[i]) <= 1e-9 * size, "point is not that of the gradients");
    point_ = found;
  }
  void move(const double* z) override {
    const std::size_t d = dimension();
    const double square = geometry_.dual_square(z, d);
    squares_ += square;
    lengths_ += std::sqrt(square);
    most_ = std::max(most_, std::sqrt(square));
    const double eta = rate_(rounds_, squares_);
    // eta_{t-1}; before the first gradient that is not 0 the point does not depend on the rate
    const double played = lazy_ && next_ > 0 ? next_ : eta;
    strength_ = played > 0 ? 1 / played : 0;
    if (square > 0) paid_ += played * square / (2 * geometry_.convexity);
    if (geometry_.kind == Geometry::entropy || geometry_.kind == Geometry::unnormalized_entropy)
      watch(z, played);
    next_ = eta;
    if (lazy_) return play(theta_.data(), eta);
    for (std::size_t i = 0; i < d; ++i) dual_[i] -= eta * z[i];
    play(dual_.data(), 1);
    if (domain_.kind != Domain::everything) dual_ = point_;  // the gradient of the Euclidean psi
  }

 private:
  void play(const double* theta, double eta) {
    geometry_.link(theta, eta, point_.data(), dimension());
    domain_.project(point_.data(), dimension());
  }
  // The terms of the bounds in local norms and of Hoeffding's (Shalev-Shwartz (2012), section 2.8).
  void watch(const double* z, double eta) {
    double local = 0, low = z[0], high = z[0];
    for (std::size_t i = 0; i < dimension(); ++i) {
      local += point_[i] * z[i] * z[i];
      low = std::min(low, z[i]);
      high = std::max(high, z[i]);
    }
    local_ += eta * local;
    spread_ += eta * (high - low) * (high - low);
    steepest_ = std::min(steepest_, eta * low);
  }

  Geometry geometry_;
  Domain domain_;
  Schedule rate_;
  bool lazy_;
  std::vector<double> dual_;  // agile: the gradient of psi at the point
  double strength_ = 0, paid_ = 0, squares_ = 0, lengths_ = 0, most_ = 0;
  double local_ = 0, spread_ = 0, steepest_ = 0;
  double next_ = 0;  // the rate of the point that is played now
};

}  // namespace regretless::oco
