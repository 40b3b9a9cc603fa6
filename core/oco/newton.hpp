// Online Newton step (Luo (2016), sections 4.2 and 4.3.2):
//
//   A_t = alpha I + sum (sigma + eta_s) g_s g_s',   u_{t+1} = w_t - A_t^{-1} g_t,
//   w_{t+1} = the point of the domain nearest to u_{t+1} in the norm of A_t
//
// or lazily, following the leader of the quadratics
// <g_s, w> + (sigma + eta_s) / 2 <g_s, w - w_s>^2:
//
//   u_{t+1} = A_t^{-1} (alpha w_1 + sum ((sigma + eta_s) <g_s, w_s> - 1) g_s)
//
// or, with a factor delta, as for portfolios (Agarwal, Hazan, Kale and Schapire (2006)):
//
//   u_{t+1} = delta A_t^{-1} sum ((sigma + eta_s) <g_s, w_s> - 1) g_s
//
// The domain is fixed, or the slab |<w, x>| <= C of the next example x (Lemma 11). For every u in
// it (Proposition 1; w_1 is 0 or the point of the domain nearest to 0)
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
  // rate: eta_t = rate / sqrt(t); delta: 0 for none
  NewtonStep(std::size_t dimension, double alpha, double curvature, double rate, Domain domain,
             bool lazy, double delta = 0)
      : Player(dimension),
        alpha_(alpha),
        lazy_(lazy),
        curvature_(curvature),
        rate_(rate),
        delta_(delta),
        domain_(std::move(domain)),
        matrix_(dimension * dimension),
        inverse_(dimension * dimension),
        cross_(dimension),
        change_(dimension),
        peak_(1 / alpha) {
    for (std::size_t i = 0; i < dimension; ++i) {
      matrix_[i * dimension + i] = alpha;
      inverse_[i * dimension + i] = 1 / alpha;
    }
    domain_.project(point_.data(), dimension);
    first_ = point_;
  }

  // Moves the point into the slab of the next example.
  void look(const double* x, double bound) override {
    const std::size_t d = dimension();
    for (std::size_t i = 0; i < d; ++i)
      if (std::fabs(x[i]) > largest()) refuse_gradient(std::fabs(x[i]));
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
                 Field::positive("peak", peak_), Field::number("matrix", matrix_),
                 Field::number("inverse", inverse_), Field::number("cross", cross_, -kFar, kFar)});
  }
  void check() override {
    const std::size_t d = dimension();
    require(is_covariance(matrix_, d), "matrix is not symmetric and positive");
    for (std::size_t i = 0; i < d; ++i)
      for (std::size_t j = 0; j <= i; ++j) {
        const double most = inverse_[i * d + i] * inverse_[j * d + j], at = inverse_[i * d + j];
        require(at == inverse_[j * d + i] && at * at <= most * (1 + 1e-6) && most > 0,
                "inverse is not symmetric and positive");
      }
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
  // The matrix then stays below 1e30 times its start, and no square is out of range.
  double largest() const override {
    return std::sqrt(1e30 * alpha_ / (double(dimension()) * (curvature_ + rate_)));
  }
  void move(const double* g) override {
    const std::size_t d = dimension();
    const double weight = curvature_ + rate_ / std::sqrt(rounds_);
    const double score = dot(point_.data(), g, d);
    for (std::size_t i = 0; i < d; ++i) change_[i] = dot(inverse_.data() + i * d, g, d);
    const double before = dot(g, change_.data(), d), after = before / (1 + weight * before);
    for (std::size_t i = 0; i < d; ++i) {  // Sherman and Morrison
      const double a = weight * g[i], b = weight * change_[i] / (1 + weight * before);
      for (std::size_t j = 0; j <= i; ++j) {
        matrix_[j * d + i] = matrix_[i * d + j] += a * g[j];
        inverse_[j * d + i] = inverse_[i * d + j] -= b * change_[j];
      }
      cross_[i] += weight * score * g[i];
    }
    if (weight * before > kSteep) keep_precise();
    squares_ += weight * score * score;
    paid_ += lazy_ ? after : after / 2;
    last_ = point_;
    // A_t^{-1} g is A_{t-1}^{-1} g / (1 + weight g' A_{t-1}^{-1} g)
    for (std::size_t i = 0; i < d; ++i) point_[i] -= change_[i] / (1 + weight * before);
    if (lazy_) {
      for (std::size_t i = 0; i < d; ++i)
        change_[i] = (delta_ > 0 ? 0 : alpha_ * first_[i]) + cross_[i] + theta_[i];
      for (std::size_t i = 0; i < d; ++i)
        point_[i] = (delta_ > 0 ? delta_ : 1) * dot(inverse_.data() + i * d, change_.data(), d);
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
    point_ = last_;  // start at the last point: the nearest one is not far from it
    // slope = A (w - to), kept while w moves
    std::vector<double> slope(d);
    for (std::size_t i = 0; i < d; ++i)
      for (std::size_t j = 0; j < d; ++j) slope[i] += matrix_[i * d + j] * (point_[j] - to[j]);
    const bool even = domain_.kind == Domain::simplex;
    const bool done = even ? move_weight(slope) : sweep(slope);
    if (!done) find_walls(slope, even);
  }
  // Moves weight from the coordinate with the largest slope to the one with the least, as far as it
  // lowers the distance. Returns whether no move lowers it any more.
  bool move_weight(std::vector<double>& slope) {
    const std::size_t d = dimension();
    for (std::size_t step = 0; step < kSweeps * d; ++step) {
      std::size_t low = 0, high = d;
      for (std::size_t i = 1; i < d; ++i)
        if (slope[i] < slope[low]) low = i;
      for (std::size_t i = 0; i < d; ++i)
        if (point_[i] > 0 && (high == d || slope[i] > slope[high])) high = i;
      const double gap = slope[high] - slope[low];
      const double curve = matrix_[low * d + low] + matrix_[high * d + high] -
                           matrix_[low * d + high] - matrix_[high * d + low];
      if (!(gap > kPrecision * curve * domain_.size)) return true;
      const double way = std::min(point_[high], gap / curve);
      point_[low] += way;
      point_[high] -= way;
      for (std::size_t i = 0; i < d; ++i)
        slope[i] += way * (matrix_[i * d + low] - matrix_[i * d + high]);
    }
    return false;
  }
  // Moves every coordinate to its best value. Returns whether none has changed.
  bool sweep(std::vector<double>& slope) {
    const std::size_t d = dimension();
    for (std::size_t times = 0; times < kSweeps; ++times) {
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
      if (moved <= kPrecision) return true;
    }
    return false;
  }
  // A primal active-set method, for correlated coordinates that single moves handle slowly. It
  // takes Newton's step among the coordinates that are off their walls, up to the first wall. When
  // that step is complete, it leaves the wall with the most gain. Every step descends, so none is
  // tried twice.
  void find_walls(std::vector<double>& slope, bool even) {
    const std::size_t d = dimension();
    const auto low = [&](std::size_t i) { return even ? 0.0 : domain_.low[i]; };
    const auto high = [&](std::size_t i) { return even ? domain_.size : domain_.high[i]; };
    std::vector<char> off(d);
    for (std::size_t i = 0; i < d; ++i) off[i] = point_[i] > low(i) && point_[i] < high(i);
    for (std::size_t step = 0; step < 100 + 10 * d; ++step) {
      std::vector<std::size_t> at;
      for (std::size_t i = 0; i < d; ++i)
        if (off[i]) at.push_back(i);
      const std::vector<double> way = step_among(at, slope, even);
      double length = 1;
      std::size_t wall = d;
      for (std::size_t k = 0; k < at.size(); ++k) {
        const double end = way[k] < 0 ? low(at[k]) : high(at[k]);
        const double room = way[k] == 0 ? 1 : (end - point_[at[k]]) / way[k];
        if (room < length) length = std::max(room, 0.0), wall = at[k];
      }
      for (std::size_t k = 0; k < at.size(); ++k) point_[at[k]] += length * way[k];
      for (std::size_t k = 0; k < at.size(); ++k)
        for (std::size_t j = 0; j < d; ++j) slope[j] += length * way[k] * matrix_[j * d + at[k]];
      if (wall < d) {
        point_[wall] =
            point_[wall] - low(wall) < high(wall) - point_[wall] ? low(wall) : high(wall);
        off[wall] = 0;
        continue;
      }
      double level = 0;  // on a simplex, the common slope
      for (std::size_t i : at) level += even ? slope[i] / double(at.size()) : 0;
      double most = 0;
      for (std::size_t i = 0; i < d; ++i) {
        if (off[i] || low(i) == high(i)) continue;
        const double gain =
            (point_[i] == low(i) ? level - slope[i] : slope[i] - level) / matrix_[i * d + i];
        if (gain > most && gain > kPrecision * (1 + std::fabs(point_[i]))) most = gain, wall = i;
      }
      if (wall == d) return;
      off[wall] = 1;
    }
  }
  // The step to where the slopes of some coordinates are 0 or, on a simplex, equal.
  std::vector<double> step_among(const std::vector<std::size_t>& at,
                                 const std::vector<double>& slope, bool even) const {
    const std::size_t d = dimension(), n = at.size();
    std::vector<double> part(n * n), way(n), ones(n, 1.0);
    for (std::size_t k = 0; k < n; ++k) {
      for (std::size_t j = 0; j < n; ++j) part[k * n + j] = matrix_[at[k] * d + at[j]];
      way[k] = -slope[at[k]];
    }
    factor(part, int(n));
    solve_lower(part.data(), int(n), int(n), way.data());
    solve_upper(part.data(), int(n), int(n), way.data());
    if (!even || n == 0) return way;
    solve_lower(part.data(), int(n), int(n), ones.data());
    solve_upper(part.data(), int(n), int(n), ones.data());
    double all = 0, each = 0;
    for (std::size_t k = 0; k < n; ++k) all += way[k], each += ones[k];
    for (std::size_t k = 0; k < n; ++k) way[k] -= all / each * ones[k];
    return way;
  }
  // A = L L', with as much added to the diagonal as rounding requires.
  static void factor(std::vector<double>& A, int n) {
    double trace = 0;
    for (int i = 0; i < n; ++i) trace += A[std::size_t(i * n + i)];
    std::vector<double> tried = A;
    for (double lift = 1e-16; !cholesky(tried.data(), n) && lift < 1; lift *= 10) {
      tried = A;
      for (int i = 0; i < n; ++i) tried[std::size_t(i * n + i)] += lift * trace;
    }
    A = std::move(tried);
  }
  // A step that made the inverse far smaller has lost digits. If it is smaller everywhere, it is
  // computed anew. It is never less than the inverse of the diagonal.
  void keep_precise() {
    const std::size_t d = dimension();
    double largest = 0;
    for (std::size_t i = 0; i < d; ++i) largest = std::max(largest, inverse_[i * d + i]);
    if (largest < 1e-4 * peak_) {
      std::vector<double> root = matrix_;
      factor(root, int(d));
      std::vector<double> column(d);
      for (std::size_t i = 0; i < d; ++i) {
        std::fill(column.begin(), column.end(), 0.0);
        column[i] = 1;
        solve_lower(root.data(), int(d), int(d), column.data());
        solve_upper(root.data(), int(d), int(d), column.data());
        for (std::size_t j = 0; j <= i; ++j) inverse_[j * d + i] = inverse_[i * d + j] = column[j];
      }
      peak_ = 0;
      for (std::size_t i = 0; i < d; ++i) peak_ = std::max(peak_, inverse_[i * d + i]);
    }
    for (std::size_t i = 0; i < d; ++i)
      inverse_[i * d + i] = std::max(inverse_[i * d + i], 1 / matrix_[i * d + i]);
    for (std::size_t i = 0; i < d; ++i)
      for (std::size_t j = 0; j < i; ++j) {
        const double most = std::sqrt(inverse_[i * d + i]) * std::sqrt(inverse_[j * d + j]);
        const double at = std::clamp(inverse_[i * d + j], -most, most);
        inverse_[j * d + i] = inverse_[i * d + j] = at;
      }
  }

  static constexpr std::size_t kSweeps = 20;
  static constexpr double kPrecision = 1e-13, kSteep = 1e4;

  double alpha_;
  bool lazy_;
  double curvature_, rate_, delta_;
  Domain domain_;
  std::vector<double> matrix_, inverse_, cross_, change_, first_, last_;
  double peak_;  // the largest entry of the inverse when it was last precise
  double paid_ = 0, squares_ = 0;
};

}  // namespace regretless::oco
