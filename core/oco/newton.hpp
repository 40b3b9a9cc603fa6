// Online Newton step (thesis 4.1, 4.2):
//
//   A_t = alpha I + sum (sigma + eta_s) g_s g_s',   u_{t+1} = w_t - A_t^{-1} g_t,
//   w_{t+1} = the point of the domain nearest to u_{t+1} in the norm of A_t
//
// or lazily, following the leader of the quadratics <g_s, w> + (sigma + eta_s) / 2 <g_s, w -
// w_s>^2:
//
//   u_{t+1} = A_t^{-1} (alpha w_1 + sum ((sigma + eta_s) <g_s, w_s> - 1) g_s)
//
// The domain is fixed, or the slab |<w, x>| <= C of the example x that comes next (Lemma 11). For
// every u in it (Proposition 1, w_1 = 0 or the domain's point nearest to it)
//
//   2 sum <g_t, w_t - u> <= alpha ||u - w_1||^2 + sum g_t' A_t^{-1} g_t
//                           + sum (sigma + eta_t) <g_t, w_t - u>^2
//
// where lazy play pays the second sum twice: it bounds how far the leader moves.
#pragma once
#include "oco/player.hpp"
#include "sketch/matrices.hpp"

namespace regretless::oco {

class NewtonStep : public Player {
 public:
  // rate: eta_t = rate / sqrt(t)
  NewtonStep(std::size_t dimension, double alpha, double curvature, double rate, Domain domain,
             bool lazy)
      : Player(dimension),
        alpha_(alpha),
        lazy_(lazy),
        curvature_(curvature),
        rate_(rate),
        domain_(std::move(domain)),
        matrix_(dimension * dimension),
        inverse_(dimension * dimension),
        cross_(dimension),
        change_(dimension) {
    for (std::size_t i = 0; i < dimension; ++i) {
      matrix_[i * dimension + i] = alpha;
      inverse_[i * dimension + i] = 1 / alpha;
    }
    domain_.project(point_.data(), dimension);
    first_ = point_;
  }

  // The next example: the point is moved into its slab.
  void look(const double* x, double bound) override {
    const std::size_t d = dimension();
    const double score = dot(point_.data(), x, d);
    const double beyond = std::copysign(std::max(std::fabs(score) - bound, 0.0), score);
    if (beyond == 0) return;
    for (std::size_t i = 0; i < d; ++i) change_[i] = dot(inverse_.data() + i * d, x, d);
    const double length = dot(x, change_.data(), d);
    for (std::size_t i = 0; i < d; ++i) point_[i] -= beyond / length * change_[i];
  }

  const std::vector<double>& matrix() const { return matrix_; }
  const std::vector<double>& cross() const { return cross_; }  // sum (sigma + eta) <g, w> g
  double squares() const { return squares_; }                  // sum (sigma + eta) <g, w>^2
  // strength is not used; paid is half the sum of g' A^{-1} g, or all of it when lazy
  Account account() const override { return {1, paid_}; }

 protected:
  Parts parts() override {
    return with({Field::positive("paid", paid_), Field::positive("squares", squares_),
                 Field::number("matrix", matrix_), Field::number("inverse", inverse_),
                 Field::number("cross", cross_, -kFar, kFar)});
  }
  void check() override {
    const std::size_t d = dimension();
    require(is_covariance(matrix_, d), "matrix is not symmetric and positive");
    require(is_covariance(inverse_, d), "inverse is not symmetric and positive");
    for (std::size_t i = 0; i < d; ++i)
      require(
          matrix_[i * d + i] >= (1 - 1e-6) * alpha_ && inverse_[i * d + i] <= (1 + 1e-6) / alpha_,
          "matrix and inverse are not those of alpha");
    std::vector<double> inside = point_;
    domain_.project(inside.data(), d);
    for (std::size_t i = 0; i < d; ++i)
      require(std::fabs(inside[i] - point_[i]) <= 1e-6 * (1 + std::fabs(point_[i])),
              "point is not in the domain");
  }
  void move(const double* g) override {
    const std::size_t d = dimension();
    const double weight = curvature_ + rate_ / std::sqrt(rounds_);
    const double score = dot(point_.data(), g, d);
    for (std::size_t i = 0; i < d; ++i) change_[i] = dot(inverse_.data() + i * d, g, d);
    const double before = dot(g, change_.data(), d), after = before / (1 + weight * before);
    for (std::size_t i = 0; i < d; ++i) {  // Sherman and Morrison
      const double a = weight * g[i], b = weight * change_[i] / (1 + weight * before);
      for (std::size_t j = 0; j < d; ++j) {
        matrix_[i * d + j] += a * g[j];
        inverse_[i * d + j] -= b * change_[j];
      }
      cross_[i] += weight * score * g[i];
    }
    squares_ += weight * score * score;
    paid_ += lazy_ ? after : after / 2;
    last_ = point_;
    // A_t^{-1} g is A_{t-1}^{-1} g / (1 + weight g' A_{t-1}^{-1} g)
    for (std::size_t i = 0; i < d; ++i) point_[i] -= change_[i] / (1 + weight * before);
    if (lazy_) {
      for (std::size_t i = 0; i < d; ++i) change_[i] = alpha_ * first_[i] + cross_[i] + theta_[i];
      for (std::size_t i = 0; i < d; ++i)
        point_[i] = dot(inverse_.data() + i * d, change_.data(), d);
    }
    project();
  }

 private:
  void project() {
    const std::size_t d = dimension();
    if (domain_.kind == Domain::everything) return;
    const std::vector<double> to = point_;
    domain_.project(point_.data(), d);
    if (point_ == to) return;
    point_ = last_;  // the nearest point is near to where it was before
    // slope = A (w - to), kept while w moves
    std::vector<double> slope(d);
    for (std::size_t i = 0; i < d; ++i)
      for (std::size_t j = 0; j < d; ++j) slope[i] += matrix_[i * d + j] * (point_[j] - to[j]);
    if (domain_.kind == Domain::simplex) return in_simplex(slope);
    if (domain_.kind == Domain::box) return in_box(slope);
  }
  // Moves weight from the coordinate where the slope is largest to where it is least, as far as it
  // pays, until no move pays.
  void in_simplex(std::vector<double>& slope) {
    const std::size_t d = dimension();
    for (std::size_t step = 0; step < kSteps * d; ++step) {
      std::size_t low = 0, high = d;
      for (std::size_t i = 1; i < d; ++i)
        if (slope[i] < slope[low]) low = i;
      for (std::size_t i = 0; i < d; ++i)
        if (point_[i] > 0 && (high == d || slope[i] > slope[high])) high = i;
      const double gap = slope[high] - slope[low];
      const double curve = matrix_[low * d + low] + matrix_[high * d + high] -
                           matrix_[low * d + high] - matrix_[high * d + low];
      if (!(gap > kPrecision * curve * domain_.size)) return;
      const double way = std::min(point_[high], gap / curve);
      point_[low] += way;
      point_[high] -= way;
      for (std::size_t i = 0; i < d; ++i)
        slope[i] += way * (matrix_[i * d + low] - matrix_[i * d + high]);
    }
  }
  void in_box(std::vector<double>& slope) {
    const std::size_t d = dimension();
    for (std::size_t sweep = 0; sweep < kSteps; ++sweep) {
      double moved = 0;
      for (std::size_t i = 0; i < d; ++i) {
        const double to =
            std::clamp(point_[i] - slope[i] / matrix_[i * d + i], domain_.low[i], domain_.high[i]);
        const double way = to - point_[i];
        if (way == 0) continue;
        point_[i] = to;
        moved = std::max(moved, std::fabs(way));
        for (std::size_t j = 0; j < d; ++j) slope[j] += way * matrix_[j * d + i];
      }
      if (moved <= kPrecision) return;
    }
  }

  static constexpr std::size_t kSteps = 1000;
  static constexpr double kPrecision = 1e-13;

  double alpha_;
  bool lazy_;
  double curvature_, rate_;
  Domain domain_;
  std::vector<double> matrix_, inverse_, cross_, change_, first_, last_;
  double paid_ = 0, squares_ = 0;
};

}  // namespace regretless::oco
