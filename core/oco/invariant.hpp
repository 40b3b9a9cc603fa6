// Newton steps that are invariant to linear maps of the examples (Luo (2016), appendix C.2, with
// its correction):
//
//   A_t = curvature sum g g',   w_{t+1} = w_t - A_t^+ g_t
//
// Before an example x the point is projected in the norm of A: to the slab |<w, x>| <= C or, if x
// is not in the range of A, to <w, x> = 0, a move of length 0 in that norm. For every u in all the
// slabs
//
//   2 sum <g_t, w_t - u> <= sum g_t' A_t^+ g_t + curvature sum <g_t, w_t - u>^2   (eq. C.2)
//
// The pseudo-inverse and an orthonormal basis of the range are kept, so a round takes O(d^2).
#pragma once
#include "oco/player.hpp"
#include "sketch/matrices.hpp"

namespace regretless::oco {

class InvariantNewton : public Player {
 public:
  InvariantNewton(std::size_t dimension, double curvature)
      : Player(dimension),
        curvature_(curvature),
        inverse_(dimension * dimension),
        basis_(dimension * dimension),
        matrix_(dimension * dimension),
        cross_(dimension),
        outside_(dimension),
        along_(dimension) {}

  void look(const double* x, double bound) override {
    const std::size_t d = dimension();
    const double score = dot(point_.data(), x, d);
    if (leaves(x)) {
      const double by = score / dot(x, outside_.data(), d);
      for (std::size_t i = 0; i < d; ++i) point_[i] -= by * outside_[i];
      return;
    }
    const double beyond = std::copysign(std::max(std::fabs(score) - bound, 0.0), score);
    if (beyond == 0) return;
    solve(x);
    const double by = beyond / dot(x, along_.data(), d);
    for (std::size_t i = 0; i < d; ++i) point_[i] -= by * along_[i];
  }

  const std::vector<double>& matrix() const { return matrix_; }
  const std::vector<double>& cross() const { return cross_; }  // curvature sum <g, w> g
  double squares() const { return squares_; }                  // curvature sum <g, w>^2
  // paid is half the sum of g' A^+ g
  Account account() const override { return {1, paid_}; }

 protected:
  Parts parts() override {
    return with({Field::positive("paid", paid_), Field::count("rank", rank_, double(dimension())),
                 Field::positive("squares", squares_), Field::number("inverse", inverse_),
                 Field::number("basis", basis_, -1 - 1e-6, 1 + 1e-6),
                 Field::number("matrix", matrix_), Field::number("cross", cross_, -kFar, kFar)});
  }
  void check() override {
    const std::size_t d = dimension();
    require(is_covariance(matrix_, d), "matrix is not symmetric and positive");
    require(is_covariance(inverse_, d), "inverse is not symmetric and positive");
    for (std::size_t k = 0; k < d; ++k)
      for (std::size_t l = 0; l <= k; ++l) {
        const double product = dot(basis_.data() + k * d, basis_.data() + l * d, d);
        const double expected = k == l && double(k) < rank_ ? 1 : 0;
        require(std::fabs(product - expected) <= 1e-6, "basis is not orthonormal");
      }
  }
  void move(const double* g) override {
    const std::size_t d = dimension();
    const double score = dot(point_.data(), g, d);
    squares_ += curvature_ * score * score;
    for (std::size_t i = 0; i < d; ++i) {
      cross_[i] += curvature_ * score * g[i];
      for (std::size_t j = 0; j < d; ++j) matrix_[i * d + j] += curvature_ * g[i] * g[j];
    }
    solve(g);
    const double inside = dot(g, along_.data(), d);
    if (leaves(g)) {
      // Meyer (1973): with r the part of g outside the range, q = r / |r| and v = A^+ g, the new
      // pseudo-inverse is A^+ - (v q' + q v') / |r| + (1 / curvature + g'v) q q' / r'r; it takes g
      // to q / (curvature |r|)
      const std::vector<double>&r = outside_, &v = along_;
      const double length = std::sqrt(dot(r.data(), r.data(), d));
      const double twice = (1 / curvature_ + inside) / length / length;
      double* const q = basis_.data() + std::size_t(rank_) * d;
      for (std::size_t i = 0; i < d; ++i) q[i] = r[i] / length;
      for (std::size_t i = 0; i < d; ++i)
        for (std::size_t j = 0; j < d; ++j)
          inverse_[i * d + j] += twice * q[i] * q[j] - (v[i] * q[j] + q[i] * v[j]) / length;
      for (std::size_t i = 0; i < d; ++i) point_[i] -= q[i] / (curvature_ * length);
      rank_ += 1;
      paid_ += 1 / (2 * curvature_);
      return;
    }
    const double by = 1 / (1 + curvature_ * inside);  // Sherman and Morrison
    for (std::size_t i = 0; i < d; ++i) {
      for (std::size_t j = 0; j < d; ++j)
        inverse_[i * d + j] -= curvature_ * by * along_[i] * along_[j];
      point_[i] -= by * along_[i];
    }
    paid_ += by * inside / 2;
  }

 private:
  void solve(const double* x) {
    const std::size_t d = dimension();
    for (std::size_t i = 0; i < d; ++i) along_[i] = dot(inverse_.data() + i * d, x, d);
  }
  // Whether x has a part outside the range, beyond rounding; outside_ receives that part.
  bool leaves(const double* x) {
    const std::size_t d = dimension();
    std::copy_n(x, d, outside_.data());
    for (int twice = 0; twice < 2; ++twice)  // one pass leaves rounding errors
      for (std::size_t k = 0; k < std::size_t(rank_); ++k) {
        const double* direction = basis_.data() + k * d;
        const double part = dot(outside_.data(), direction, d);
        for (std::size_t i = 0; i < d; ++i) outside_[i] -= part * direction[i];
      }
    const double square = dot(outside_.data(), outside_.data(), d);
    return std::size_t(rank_) < d && square > kNothing &&
           square > kRounding * double(d) * dot(x, x, d);
  }

  static constexpr double kRounding = 1e-18;
  static constexpr double kNothing = 1e-200;  // the inverse of a smaller number could overflow

  double curvature_, paid_ = 0, rank_ = 0, squares_ = 0;
  std::vector<double> inverse_, basis_;  // row by row; the basis has `rank_` rows
  std::vector<double> matrix_, cross_;   // A, and as above
  std::vector<double> outside_, along_;
};

}  // namespace regretless::oco
