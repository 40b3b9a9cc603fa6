// Oja's sketch (thesis Alg 14, 22, 23), with eigenvectors that begin with the first gradients:
//
//   p = V g,   lambda_i += p_i^2,   V <- orthonormal rows of V + diag(1 / lambda) p g^T,
//   S = diag(sqrt(lambda)) V,   V = F Y
//
// 1 / lambda_i is of the order 1/t that the text asks for, and makes the sketch indifferent to the
// scale of the gradients. As V had orthonormal rows, their products are now
// I + u p^T + p u^T + |g|^2 u u^T with u = p / lambda: Gram-Schmidt is its Cholesky factor L, and
// F <- L^-1 F. F stays lower triangular.
#pragma once
#include "sketch/sketch.hpp"

namespace regretless {

class OjaSketch : public Sketch {
 public:
  explicit OjaSketch(int size)
      : m_(size),
        lambda_(std::size_t(size)),
        F_(std::size_t(size) * size),
        norms_(std::size_t(size)),
        p_(std::size_t(size)),
        u_(std::size_t(size)),
        gram_(std::size_t(size) * size) {}
  std::unique_ptr<Sketch> clone() const override { return std::make_unique<OjaSketch>(*this); }

  int slots() const override { return m_; }
  void apply(int, double alpha, double strength, const Numbers& y, Numbers& out) const override {
    const int r = rank();
    for (int j = 0; j < m_; ++j) out[std::size_t(j)] = 0;
    for (int i = 0; i < r; ++i) {
      const double* row = F_.data() + i * m_;
      double along = 0;
      for (int j = 0; j <= i; ++j) along += row[j] * y[std::size_t(j)];
      const double of = strength * lambda_[std::size_t(i)];
      along *= of / (alpha + of);
      for (int j = 0; j <= i; ++j) out[std::size_t(j)] += along * row[j];
    }
  }

  bool add(double e, double xx, Numbers& y, Numbers& delta) override {
    const double all = e * e * xx;
    int r = rank();
    double inside = 0;
    for (int i = 0; i < r; ++i) {
      const double* row = F_.data() + i * m_;
      double along = 0;
      for (int j = 0; j <= i; ++j) along += row[j] * y[std::size_t(j)];
      p_[std::size_t(i)] = e * along;
      inside += p_[std::size_t(i)] * p_[std::size_t(i)];
    }
    if (r < m_ && all - inside > kNew * all)
      start(r++, std::sqrt(all), all - inside, e, xx, y, delta);
    for (int i = 0; i < r; ++i) {
      const double p = p_[std::size_t(i)];
      double& lambda = lambda_[std::size_t(i)];
      lambda += p * p;
      u_[std::size_t(i)] = lambda > 0 ? p / lambda : 0;
    }
    Numbers& moved = moved_;
    moved.assign(u_.begin(), u_.begin() + r);
    solve_lower(F_.data(), r, m_, moved.data());
    for (int i = 0; i < r; ++i) {
      const double d = moved[std::size_t(i)];
      norms_[std::size_t(i)] += d * (2 * e * y[std::size_t(i)] + d * all);
      y[std::size_t(i)] += d * e * xx;
      delta[std::size_t(i)] += d;
    }
    turn(r, all);
    ++rounds_;
    return rounds_ >= next_ || (int(rounds_) % kLook == 0 && spoiled(r));
  }

  // Y becomes V itself, with rows that are orthonormal again whatever rounding has done.
  void compress(const SketchRows& rows, std::vector<Numbers>& b) override {
    const int r = rank();
    Numbers products(std::size_t(r) * r), row(std::size_t(r), 0.0);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      float* y = rows.numbers(i);
      if (std::all_of(y, y + r, [](float v) { return v == 0; })) continue;
      for (int k = 0; k < r; ++k) {
        double sum = 0;
        for (int j = 0; j <= k; ++j) sum += F_[std::size_t(k * m_ + j)] * double(y[j]);
        row[std::size_t(k)] = sum;
      }
      for (int k = 0; k < r; ++k) y[k] = float(row[std::size_t(k)]);
      for (int k = 0; k < r; ++k)
        for (int j = 0; j <= k; ++j)
          products[std::size_t(k * r + j)] += double(y[k]) * double(y[j]);
    }
    for (Numbers& each : b) solve_upper(F_.data(), r, m_, each.data());
    std::fill(F_.begin(), F_.end(), 0.0);
    for (int k = 0; k < r; ++k) norms_[std::size_t(k)] = products[std::size_t(k * r + k)];
    const bool sound = cholesky(products.data(), r);
    for (int k = 0; k < r; ++k) {
      Numbers unit(std::size_t(r), 0.0);
      unit[std::size_t(k)] = 1;
      if (sound) solve_lower(products.data(), r, r, unit.data());
      for (int i = 0; i < r; ++i) F_[std::size_t(i * m_ + k)] = unit[std::size_t(i)];
    }
    if (rounds_ >= next_) next_ = 2 * rounds_;
    ++rebases_;
  }

  double kept() const override { return std::accumulate(lambda_.begin(), lambda_.end(), 0.0); }
  int rank() const override { return int(rank_); }
  Numbers eigenvalues() const override {
    Numbers all(lambda_.begin(), lambda_.begin() + rank());
    std::sort(all.rbegin(), all.rend());
    return all;
  }
  int rebases() const override { return int(rebases_); }

 protected:
  Parts parts() override { return {rank_, rounds_, next_, rebases_, lambda_, F_, norms_}; }

 private:
  static constexpr double kNew = 1e-6;     // of a gradient's square outside of V: a new direction
  static constexpr double kSpoiled = 1e3;  // rows of V are differences of so much longer ones
  static constexpr int kLook = 16;         // rounds between two looks at that

  // A row (g - V^T p) / rho; in Y the gradient itself, in units of its length.
  void start(int r, double length, double rho2, double e, double xx, Numbers& y, Numbers& delta) {
    const double rho = std::sqrt(rho2);
    double* fresh = F_.data() + r * m_;
    for (int j = 0; j < r; ++j) {
      double sum = 0;
      for (int i = j; i < r; ++i) sum += F_[std::size_t(i * m_ + j)] * p_[std::size_t(i)];
      fresh[j] = -sum / rho;
    }
    fresh[r] = length / rho;
    norms_[std::size_t(r)] = 1;
    y[std::size_t(r)] = e * xx / length;
    delta[std::size_t(r)] = 1 / length;
    p_[std::size_t(r)] = rho;
    rank_ = r + 1;
  }
  void turn(int r, double all) {
    for (int i = 0; i < r; ++i) {
      const double p = p_[std::size_t(i)], u = u_[std::size_t(i)];
      for (int j = 0; j <= i; ++j)
        gram_[std::size_t(i * r + j)] =
            (i == j) + u * p_[std::size_t(j)] + (p + all * u) * u_[std::size_t(j)];
    }
    if (!cholesky(gram_.data(), r)) return;
    for (int i = 0; i < r; ++i) {
      double* row = F_.data() + i * m_;
      for (int k = 0; k < i; ++k) {
        const double by = gram_[std::size_t(i * r + k)];
        const double* above = F_.data() + k * m_;
        for (int j = 0; j <= k; ++j) row[j] -= by * above[j];
      }
      const double scale = 1 / gram_[std::size_t(i * r + i)];
      for (int j = 0; j <= i; ++j) row[j] *= scale;
    }
  }
  bool spoiled(int r) const {
    for (int i = 0; i < r; ++i) {
      double sum = 0;
      for (int j = 0; j <= i; ++j)
        sum += std::fabs(F_[std::size_t(i * m_ + j)]) *
               std::sqrt(std::max(0.0, norms_[std::size_t(j)]));
      if (!(sum < kSpoiled)) return true;
    }
    return false;
  }

  int m_;
  double rank_ = 0, rounds_ = 0, next_ = 1024, rebases_ = 0;
  Numbers lambda_, F_, norms_;  // norms_: |Y_i|^2
  Numbers p_, u_, gram_, moved_;
};

}  // namespace regretless
