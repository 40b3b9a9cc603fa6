// Oja's sketch (thesis Alg 14, 22, 23), with eigenvectors that begin with the first gradients:
//
//   p = V g,   lambda_i += p_i^2,   V <- orthonormal rows of V + diag(1 / lambda) p g^T,
//   S = diag(sqrt(lambda)) V,   V = F Y
//
// 1 / lambda_i is of the order 1/t that the text asks for, and makes the sketch indifferent to the
// scale of the gradients; lambda is taken to be a millionth of |g|^2 at least, as less than that of
// a gradient along a row is rounding. As V had orthonormal rows, their products are now I + u p^T +
// p u^T + |g|^2 u u^T with u = p / lambda: Gram-Schmidt is its Cholesky factor L, and F <- L^-1 F,
// in m^2 steps where the text's takes m^3. F stays lower triangular.
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
        carried_(2 * std::size_t(size)) {}
  std::unique_ptr<Sketch> clone() const override { return std::make_unique<OjaSketch>(*this); }

  int slots() const override { return m_; }
  void apply(const std::vector<Matrix>& lanes, const Numbers& y,
             std::vector<Numbers>& out) const override {
    const int r = rank();
    for (Numbers& each : out) std::fill(each.begin(), each.end(), 0.0);
    for (int i = 0; i < r; ++i) {
      const double* row = F_.data() + i * m_;
      const double along = times(row, i, y), lambda = lambda_[std::size_t(i)];
      for (std::size_t k = 0; k < lanes.size(); ++k) {
        const double of = lanes[k].strength * lambda, by = along * of / (lanes[k].alpha + of);
        double* to = out[k].data();
        for (int j = 0; j <= i; ++j) to[j] += by * row[j];
      }
    }
  }

  bool add(double e, double xx, int features, Numbers& y, Numbers& delta) override {
    const double all = e * e * xx;
    int r = rank();
    double inside = 0;
    for (int i = 0; i < r; ++i) {
      p_[std::size_t(i)] = e * times(F_.data() + i * m_, i, y);
      inside += p_[std::size_t(i)] * p_[std::size_t(i)];
    }
    const bool unsound = inside > kBessel * all;
    if (unsound) {
      for (int i = 0; i < r; ++i) p_[std::size_t(i)] *= std::sqrt(all / inside);
    } else if (r < std::min(m_, features) && all - inside > kNew * all) {
      start(r++, std::sqrt(all), all - inside, e, xx, y, delta);
    }
    for (int i = 0; i < r; ++i) {
      const double p = p_[std::size_t(i)];
      double& lambda = lambda_[std::size_t(i)];
      lambda += p * p;
      u_[std::size_t(i)] = p / std::max(lambda, kNew * all);
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
    return unsound || rounds_ >= next_ || (int(rounds_) % kLook == 0 && spoiled(r));
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
    const int left = factored(products, r);
    if (left < r) drop(rows, b, left, r);
    for (int k = 0; k < left; ++k) {
      Numbers unit(std::size_t(left), 0.0);
      unit[std::size_t(k)] = 1;
      solve_lower(products.data(), left, r, unit.data());
      for (int i = 0; i < left; ++i) F_[std::size_t(i * m_ + k)] = unit[std::size_t(i)];
    }
    if (rounds_ >= next_) next_ = 8 * rounds_;
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
  static constexpr double kBessel = 1.01;  // no gradient is longer than itself in orthonormal rows
  static constexpr double kSpoiled = 1e3;  // rows of V are differences of so much longer ones
  static constexpr double kLeast = 1e-12;  // of what is 1 but for rounding, or more
  static constexpr double kSame = 1e-3;    // of a row's square that no row before it has
  static constexpr int kLook = 16;         // rounds between two looks at that

  static double times(const double* row, int last, const Numbers& y) {
    double sum = 0;
    for (int j = 0; j <= last; ++j) sum += row[j] * y[std::size_t(j)];
    return sum;
  }
  // Cholesky's factor of the products of so many rows as differ from those before them.
  static int factored(Numbers& products, int r) {
    for (int i = 0; i < r; ++i) {
      const double before = products[std::size_t(i * r + i)];
      for (int j = 0; j <= i; ++j) {
        double sum = products[std::size_t(i * r + j)];
        for (int k = 0; k < j; ++k)
          sum -= products[std::size_t(i * r + k)] * products[std::size_t(j * r + k)];
        if (i == j && !(sum > kSame * before)) return i;
        products[std::size_t(i * r + j)] =
            i == j ? std::sqrt(sum) : sum / products[std::size_t(j * r + j)];
      }
    }
    return r;
  }
  // Rows that are only rounding: what they have of the weights goes there.
  void drop(const SketchRows& rows, std::vector<Numbers>& b, int left, int r) {
    for (std::size_t i = 0; i < rows.size(); ++i) {
      float *y = rows.numbers(i), *w = rows.weights(i);
      for (std::size_t l = 0; l < b.size(); ++l)
        for (int k = left; k < r; ++k) w[l] += float(b[l][std::size_t(k)] * double(y[k]));
      std::fill(y + left, y + r, 0.0f);
    }
    for (Numbers& each : b) std::fill(each.begin() + left, each.end(), 0.0);
    std::fill(lambda_.begin() + left, lambda_.end(), 0.0);
    rank_ = left;
  }
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
  // F <- L^-1 F for L L^T = I + W C W^T, W = [u p], C = [[all, 1], [1, 0]]. As the difference from
  // I has rank two, L_ij = <w_i, q_j> below the diagonal, with q_j = C_j w_j / L_jj and C_{j+1} =
  // C_j - q_j q_j^T, so that it takes no more than r^2 steps.
  void turn(int r, double all) {
    double a = all, b = 1, c = 0;  // C
    std::fill(carried_.begin(), carried_.end(), 0.0);
    double *first = carried_.data(), *second = first + m_;  // the sum of q_j F_j
    for (int i = 0; i < r; ++i) {
      const double u = u_[std::size_t(i)], p = p_[std::size_t(i)];
      const double x = a * u + b * p, y = b * u + c * p, d = 1 + u * x + p * y;
      const double inverse = 1 / std::sqrt(d > kLeast ? d : kLeast);
      double* row = F_.data() + i * m_;
      for (int j = 0; j <= i; ++j) row[j] = (row[j] - (u * first[j] + p * second[j])) * inverse;
      const double q = x * inverse, s = y * inverse;
      for (int j = 0; j <= i; ++j) first[j] += q * row[j];
      for (int j = 0; j <= i; ++j) second[j] += s * row[j];
      a -= q * q, b -= q * s, c -= s * s;
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
  double rank_ = 0, rounds_ = 0, next_ = 65536, rebases_ = 0;
  Numbers lambda_, F_, norms_;  // norms_: |Y_i|^2
  Numbers p_, u_, carried_, moved_;
};

}  // namespace regretless
