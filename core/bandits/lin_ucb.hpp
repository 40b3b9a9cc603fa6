// LinUCB (Li, Chu, Langford & Schapire 2010): a ridge regression of the reward on the context for
// each arm, or one for all, and the arm is played whose reward could be the largest:
//
//   argmax_a  <theta_a, x> + alpha sqrt(x' A_a^{-1} x),   A_a = ridge I + sum x x',
//   theta_a = A_a^{-1} sum reward x
//
// Kept is the triangle R of A = R'R, and R'^{-1} sum reward x. A row (x, reward) is rotated into
// them, as in a QR factorisation that grows: nothing is ever subtracted from A or its inverse, so
// that after any number of updates the answers are those of a factorisation from scratch.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include "oco/geometry.hpp"
#include "state.hpp"

namespace regretless::bandits {

class LinUcb : public Stateful {
 public:
  // shared: one regression, and a context is a row of features for each arm
  LinUcb(std::size_t arms, std::size_t dimension, double alpha, double ridge, bool shared)
      : arms_(arms),
        dimension_(dimension),
        alpha_(alpha),
        ridge_(ridge),
        shared_(shared),
        roots_(models() * dimension * dimension),
        scales_(models() * dimension, 1 / std::sqrt(ridge)),
        images_(models() * dimension),
        weights_(models() * dimension),
        context_(context_size()),
        estimates_(arms),
        widths_(arms),
        row_(dimension) {
    for (std::size_t m = 0; m < models(); ++m)
      for (std::size_t i = 0; i < dimension; ++i) root(m)[i * dimension + i] = std::sqrt(ridge);
  }

  std::size_t arms() const { return arms_; }
  std::size_t dimension() const { return dimension_; }
  bool shared() const { return shared_; }
  std::size_t models() const { return shared_ ? 1 : arms_; }
  std::size_t context_size() const { return shared_ ? arms_ * dimension_ : dimension_; }
  const std::vector<double>& weights() const { return weights_; }
  double decisions() const { return decisions_; }
  double updates() const { return updates_; }
  double reward() const { return reward_; }
  double played_widths() const { return played_widths_; }    // sum over decisions
  double largest_widths() const { return largest_widths_; }  // of the widest arm in each
  bool waits() const { return waits_ != 0; }
  std::size_t arm() const { return std::size_t(arm_); }
  const std::vector<double>& context() const { return context_; }

  // Estimate and width of each arm.
  void look(const double* x) {
    for (std::size_t a = 0; a < arms_; ++a) {
      const double* features = features_of(a, x);
      estimates_[a] = oco::dot(weights_.data() + model(a) * dimension_, features, dimension_);
      widths_[a] = width(model(a), features);
    }
  }
  const std::vector<double>& estimates() const { return estimates_; }
  const std::vector<double>& widths() const { return widths_; }

  // The first of the best arms; it and the context wait for a reward.
  std::size_t act(const double* x) {
    look(x);
    std::size_t best = 0;
    for (std::size_t a = 1; a < arms_; ++a)
      if (index(a) > index(best)) best = a;
    std::copy_n(x, context_size(), context_.data());
    arm_ = double(best);
    waits_ = 1;
    decisions_ += 1;
    played_widths_ += widths_[best];
    largest_widths_ += *std::max_element(widths_.begin(), widths_.end());
    return best;
  }

  void learn(std::size_t arm, const double* x, double reward) {
    const std::size_t m = model(arm), d = dimension_;
    std::copy_n(features_of(arm, x), d, row_.data());
    double *image = images_.data() + m * d, *scale = scales_.data() + m * d;
    double rest = reward;
    for (std::size_t j = 0; j < d; ++j) {
      if (row_[j] == 0) continue;
      double* __restrict r = root(m) + j * d, * __restrict row = row_.data();
      const double length = std::sqrt(r[j] * r[j] + row[j] * row[j]);
      scale[j] = 1 / length;
      const double c = r[j] * scale[j], s = row[j] * scale[j];
      r[j] = length;
      for (std::size_t k = j + 1; k < d; ++k) {
        const double above = r[k], below = row[k];
        r[k] = c * above + s * below;
        row[k] = c * below - s * above;
      }
      const double above = image[j];
      image[j] = c * above + s * rest;
      rest = c * rest - s * above;
    }
    solve(m, weights_.data() + m * d);
    updates_ += 1;
    reward_ += reward;
    waits_ = 0;
  }

  // log det(A / ridge) of the regression of an arm.
  double log_determinant(std::size_t arm) const {
    double sum = 0;
    const double* r = roots_.data() + model(arm) * dimension_ * dimension_;
    for (std::size_t i = 0; i < dimension_; ++i)
      sum += 2 * std::log(r[i * dimension_ + i] / std::sqrt(ridge_));
    return sum;
  }

 protected:
  Parts parts() override {
    return {Field::count("decisions", decisions_),
            Field::count("updates", updates_),
            Field::number("reward", reward_),
            Field::positive("played widths", played_widths_),
            Field::positive("largest widths", largest_widths_),
            Field::flag("waits", waits_),
            Field::count("arm", arm_, double(arms_) - 1),
            Field::number("roots", roots_, -kFar, kFar),
            Field::positive("scales", scales_, kFar),
            Field::number("images", images_, -kFar, kFar),
            Field::number("weights", weights_, -kFar, kFar),
            Field::number("context", context_, -kFar, kFar)};
  }
  void check() override {
    const std::size_t d = dimension_;
    require(played_widths_ <= (1 + 1e-9) * largest_widths_, "played widths are above the largest");
    require(waits_ == 0 || decisions_ > 0, "waits: nothing was decided");
    for (std::size_t m = 0; m < models(); ++m) {
      std::vector<double> theta(weights_.begin() + std::ptrdiff_t(m * d),
                                weights_.begin() + std::ptrdiff_t((m + 1) * d));
      for (std::size_t i = 0; i < d; ++i) {
        const double* row = root(m) + i * d;
        require(row[i] >= std::sqrt(ridge_) * (1 - 1e-9) && near(scales_[m * d + i], 1 / row[i]) &&
                    std::all_of(row, row + i, [](double r) { return r == 0; }),
                "roots are not those of a regression");
      }
      solve(m, theta.data());
      for (std::size_t i = 0; i < d; ++i)
        require(near(theta[i], weights_[m * d + i]), "weights are not those of the images");
    }
  }

 private:
  std::size_t model(std::size_t arm) const { return shared_ ? 0 : arm; }
  const double* features_of(std::size_t arm, const double* x) const {
    return shared_ ? x + arm * dimension_ : x;
  }
  double* root(std::size_t m) { return roots_.data() + m * dimension_ * dimension_; }
  // R theta = image
  void solve(std::size_t m, double* theta) {
    const std::size_t d = dimension_;
    const double *image = images_.data() + m * d, *scale = scales_.data() + m * d;
    for (std::size_t i = d; i-- > 0;)
      theta[i] =
          (image[i] - oco::dot(root(m) + i * d + i + 1, theta + i + 1, d - i - 1)) * scale[i];
  }
  double index(std::size_t arm) const { return estimates_[arm] + alpha_ * widths_[arm]; }
  // sqrt(x' A^{-1} x) = ||q|| where R'q = x
  double width(std::size_t m, const double* x) {
    const std::size_t d = dimension_;
    const double* scale = scales_.data() + m * d;
    double* __restrict row = row_.data();
    std::copy_n(x, d, row);
    double square = 0;
    for (std::size_t j = 0; j < d; ++j) {
      const double q = row[j] * scale[j];
      square += q * q;
      const double* __restrict r = root(m) + j * d;
      for (std::size_t k = j + 1; k < d; ++k) row[k] -= q * r[k];
    }
    return std::sqrt(square);
  }

  static constexpr double kFar = 1e150;  // squares of it are still numbers
  std::size_t arms_, dimension_;
  double alpha_, ridge_;
  bool shared_;
  std::vector<double> roots_;    // R, row by row, with what is below the diagonal
  std::vector<double> scales_;   // one over its diagonal
  std::vector<double> images_;   // R'^{-1} sum reward x
  std::vector<double> weights_;  // theta
  std::vector<double> context_;  // of the decision that waits for its reward
  std::vector<double> estimates_, widths_, row_;
  double decisions_ = 0, updates_ = 0, reward_ = 0, played_widths_ = 0, largest_widths_ = 0;
  double waits_ = 0, arm_ = 0;
};

}  // namespace regretless::bandits
