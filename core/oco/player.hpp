// Players of online convex optimisation, one round after the other.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <limits>
#include <stdexcept>
#include <vector>

#include "losses.hpp"
#include "oco/geometry.hpp"
#include "state.hpp"

namespace regretless::oco {

// Of the numbers of a gradient, as LARGEST and SMALLEST of base/arguments.py: larger ones are refused,
// smaller ones count as 0. Fourth powers are then numbers, and so are sums of them.
inline constexpr double kLargest = 1e75, kSmallest = 1e-75;

class Player : public Stateful {
 public:
  explicit Player(std::size_t dimension)
      : point_(dimension), theta_(dimension), given_(dimension) {}

  std::size_t dimension() const { return point_.size(); }
  const std::vector<double>& point() const { return point_; }
  const std::vector<double>& theta() const { return theta_; }  // minus the sum of gradients
  double rounds() const { return rounds_; }
  double linear() const { return linear_; }  // sum of <w_t, z_t>
  // What rounding of the sums is measured by: those of |<w_t, z_t>| and of max_i |z_t[i]|.
  double gross() const { return gross_; }
  double peaks() const { return peaks_; }

  // Where the first number is that no gradient may have; the dimension if there is none.
  std::size_t refused(const double* z) const {
    bool sound = true;
    for (std::size_t i = 0; i < dimension(); ++i) sound &= std::fabs(z[i]) <= kLargest;
    std::size_t i = sound ? dimension() : 0;
    while (i < dimension() && std::fabs(z[i]) <= kLargest) ++i;
    return i;
  }
  // A gradient that is not refused; returns <w, z>.
  double update(const double* z) {
    double peak = 0;
    for (std::size_t i = 0; i < dimension(); ++i) {
      given_[i] = std::fabs(z[i]) < kSmallest ? 0 : z[i];
      peak = std::max(peak, std::fabs(given_[i]));
    }
    if (peak > largest()) refuse_gradient(peak);
    z = given_.data();
    const double suffered = dot(point_.data(), z, dimension());
    linear_ += suffered;
    gross_ += std::fabs(suffered);
    peaks_ += peak;
    rounds_ += 1;
    for (std::size_t i = 0; i < dimension(); ++i) theta_[i] -= z[i];
    move(z);
    return suffered;
  }

  // What comes next, for players that keep |<w, x>| <= bound.
  virtual void look(const double* x, double bound) { (void)x, (void)bound; }

  // What the regret bound has come to, as sums that the theorem puts together.
  struct Account {
    double strength = 0;  // s_{t-1} = 1 / eta_{t-1}, what the last round was played with
    double paid = 0;      // sum of ||z_t||_*^2 / (2 sigma s_{t-1})
  };
  virtual Account account() const { return {}; }

 protected:
  [[noreturn]] void refuse_gradient(double peak) const {
    char text[160];
    std::snprintf(text, sizeof(text),
                  "gradient or example has an entry of size %g, and Newton steps with this alpha "
                  "bear %.3g; "
                  "scale the losses down, or alpha up",
                  peak, largest());
    throw std::invalid_argument(text);
  }
  // The largest entry of a gradient that the arithmetic bears.
  virtual double largest() const { return std::numeric_limits<double>::infinity(); }
  Parts parts() override {
    return {Field::count("rounds", rounds_),
            Field::number("linear", linear_),
            Field::positive("gross", gross_),
            Field::positive("peaks", peaks_),
            Field::number("theta", theta_, -kFar, kFar),
            Field::number("point", point_, -kFar, kFar)};
  }
  static constexpr double kFar = 1e200;  // of points and sums of gradients
  // What every player has and what is its own.
  Parts with(std::initializer_list<Field> own) { return join(Player::parts(), own); }
  virtual void move(const double* z) = 0;

  std::vector<double> point_, theta_;
  double rounds_ = 0, linear_ = 0, gross_ = 0, peaks_ = 0;

 private:
  std::vector<double> given_;
};

// Rounds t with rows x_t: linear losses <w, x_t>, or loss(<w, x_t>, y_t). Arrays of one number a
// round; points, if not null, of `dimension`.
struct Rounds {
  double *losses, *strength, *paid, *points;
  double bound = 0;  // of the slabs that points are kept in, if the player knows them; 0 for none
};
// Ends before a gradient that is refused; says how many were played.
inline std::size_t play(Player& player, const double* rows, std::size_t count,
                        const double* targets, const Loss* loss, const Rounds& out) {
  const std::size_t d = player.dimension();
  std::vector<double> z(d);
  for (std::size_t t = 0; t < count; ++t) {
    const double* x = rows + t * d;
    if (out.bound > 0) player.look(x, out.bound);
    if (out.points) std::copy_n(player.point().data(), d, out.points + t * d);
    if (loss) {
      const double score = dot(player.point().data(), x, d);
      const Loss::Outcome outcome = loss->outcome(score, targets[t]);
      for (std::size_t i = 0; i < d; ++i) z[i] = outcome.derivative * x[i];
      if (player.refused(z.data()) < d || !(std::fabs(outcome.value) <= kLargest * kLargest))
        return t;
      player.update(z.data());
      out.losses[t] = outcome.value;
    } else {
      out.losses[t] = player.update(x);
    }
    const Player::Account account = player.account();
    out.strength[t] = account.strength;
    out.paid[t] = account.paid;
  }
  return count;
}

}  // namespace regretless::oco
