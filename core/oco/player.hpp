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

// Limits of the numbers of a gradient, the same as LARGEST and SMALLEST of Python's arguments:
// larger ones are refused, smaller ones count as 0. Fourth powers and their sums are then finite.
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
  // Rounding errors are measured by the sums of |<w_t, z_t>| and of max_i |z_t[i]|.
  double gross() const { return gross_; }
  double peaks() const { return peaks_; }

  // The index of the first number that a gradient may not have; the dimension if all are fine.
  std::size_t refused(const double* z) const {
    bool sound = true;
    for (std::size_t i = 0; i < dimension(); ++i) sound &= std::fabs(z[i]) <= kLargest;
    std::size_t i = sound ? dimension() : 0;
    while (i < dimension() && std::fabs(z[i]) <= kLargest) ++i;
    return i;
  }
  // Learns a gradient that is not refused; returns <w, z>.
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

  // Shows the next example to players that keep |<w, x>| <= bound.
  virtual void look(const double* x, double bound) { (void)x, (void)bound; }

  // The sums that the theorem makes the regret bound of.
  struct Account {
    double strength = 0;  // s_{t-1} = 1 / eta_{t-1} of the last round
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
  // The largest entry of a gradient that the arithmetic can handle.
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
  // The state: what every player has, then its own.
  Parts with(std::initializer_list<Field> own) { return join(Player::parts(), own); }
  virtual void move(const double* z) = 0;

  std::vector<double> point_, theta_;
  double rounds_ = 0, linear_ = 0, gross_ = 0, peaks_ = 0;

 private:
  std::vector<double> given_;
};

// Plays rounds t with rows x_t: linear losses <w, x_t>, or loss(<w, x_t>, y_t). The arrays have one
// number per round; `points`, unless null, has `dimension` numbers.
struct Rounds {
  double *losses, *strength, *paid, *points;
  double bound = 0;  // of the slabs that the player keeps its points in; 0: none
};
// Stops before a gradient that is refused; returns the number of rounds played.
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
