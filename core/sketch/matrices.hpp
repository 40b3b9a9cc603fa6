// The few operations on small matrices that sketches need. Matrices are stored row by row.
#pragma once
#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

namespace regretless {

using Numbers = std::vector<double>;

// A row of numbers for each lane; the numbers of four lanes lie side by side.
class ByLane {
 public:
  ByLane(int lanes, int rows) : width_((lanes + 3) / 4 * 4) { resize(rows); }
  int width() const { return width_; }
  int rows() const { return rows_; }
  void resize(int rows) {
    rows_ = rows;
    values_.resize(std::size_t(rows * width_));
  }
  void clear() { std::fill(values_.begin(), values_.end(), 0.0); }
  double* row(int i) { return values_.data() + i * width_; }
  const double* row(int i) const { return values_.data() + i * width_; }
  double& at(int i, int lane) { return values_[std::size_t(i * width_ + lane)]; }
  Numbers lane(int k) const {
    Numbers all;
    for (int i = 0; i < rows(); ++i) all.push_back(row(i)[k]);
    return all;
  }
  void put_lane(int k, const double* from) {
    for (int i = 0; i < rows(); ++i) at(i, k) = from[i];
  }

  // The sum of v_i times row i.
  void sum(const double* v, double* out) const {
    for (int k = 0; k < width_; k += 4) {
      double total[4] = {};
      for (int i = 0; i < rows(); ++i)
        for (int l = 0; l < 4; ++l) total[l] += v[i] * row(i)[k + l];
      std::copy_n(total, 4, out + k);
    }
  }
  // Adds the rows of another, each lane times its own factor.
  void add(const double* by, const ByLane& other) {
    for (int i = 0; i < rows(); ++i)
      for (int k = 0; k < width_; ++k) row(i)[k] += by[k] * other.row(i)[k];
  }

 private:
  int width_, rows_ = 0;
  Numbers values_;
};

// A = L L^T, in place, the upper half left alone; false if A is not positive definite.
inline bool cholesky(double* A, int n) {
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j <= i; ++j) {
      double sum = A[i * n + j];
      for (int k = 0; k < j; ++k) sum -= A[i * n + k] * A[j * n + k];
      if (i > j) {
        A[i * n + j] = sum / A[j * n + j];
      } else if (sum > 0) {
        A[i * n + i] = std::sqrt(sum);
      } else {
        return false;
      }
    }
  }
  return true;
}
// Whether a matrix of d rows is symmetric and has no eigenvalue below 0, up to rounding, in units
// in which its diagonal is 1. For large matrices it only checks that no entry is larger than the
// diagonal allows: the full check would take minutes.
inline bool is_covariance(const Numbers& A, std::size_t d) {
  Numbers scaled(A.size()), roots(d);
  for (std::size_t i = 0; i < d; ++i) {
    if (!(A[i * d + i] >= 0)) return false;
    roots[i] = std::sqrt(A[i * d + i]);
  }
  for (std::size_t i = 0; i < d; ++i)
    for (std::size_t j = 0; j <= i; ++j) {
      const double size = roots[i] * roots[j], a = A[i * d + j], b = A[j * d + i];
      if (size == 0 ? a != 0 || b != 0 : !(std::fabs(a - b) <= 1e-6 * size)) return false;
      if (!(std::fabs(a) <= (1 + 1e-6) * size)) return false;
      scaled[i * d + j] = (size > 0 ? a / size : 0) + (i == j ? 1e-6 : 0);
    }
  return d > 512 || cholesky(scaled.data(), int(d));
}
// L x = b and L^T x = b, in place.
inline void solve_lower(const double* L, int n, int stride, double* x) {
  for (int i = 0; i < n; ++i) {
    for (int k = 0; k < i; ++k) x[i] -= L[i * stride + k] * x[k];
    x[i] /= L[i * stride + i];
  }
}
inline void solve_upper(const double* L, int n, int stride, double* x) {
  for (int i = n; i-- > 0;) {
    for (int k = i + 1; k < n; ++k) x[i] -= L[k * stride + i] * x[k];
    x[i] /= L[i * stride + i];
  }
}

// out <- L^-1, n rows of them at a distance of `width`.
inline void invert_lower(const double* L, int n, int stride, double* out, int width) {
  for (int k = 0; k < n; ++k) {
    Numbers unit(std::size_t(n), 0.0);
    unit[std::size_t(k)] = 1;
    solve_lower(L, n, stride, unit.data());
    for (int i = 0; i < n; ++i) out[i * width + k] = unit[std::size_t(i)];
  }
}

// Eigenvalues of a symmetric matrix in falling order, and eigenvectors as rows, by Jacobi's
// rotations.
struct Eigen {
  Numbers values, vectors;
  Eigen(Numbers A, int n) : values(std::size_t(n)), vectors(std::size_t(n) * n) {
    Numbers V(std::size_t(n) * n);
    for (int i = 0; i < n; ++i) V[std::size_t(i * n + i)] = 1;
    for (int sweep = 0; sweep < 60 && turn_all(A, V, n); ++sweep) {
    }
    std::vector<int> order(std::size_t(n), 0);
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](int a, int b) {
      return A[std::size_t(a * n + a)] > A[std::size_t(b * n + b)];
    });
    for (int i = 0; i < n; ++i) {
      const int from = order[std::size_t(i)];
      values[std::size_t(i)] = A[std::size_t(from * n + from)];
      for (int k = 0; k < n; ++k) vectors[std::size_t(i * n + k)] = V[std::size_t(from * n + k)];
    }
  }
  // The same for a matrix whose eigenvalues are not negative, except by rounding.
  Numbers positive() const {
    Numbers all = values;
    for (double& each : all) each = std::max(0.0, each);
    return all;
  }

 private:
  static bool turn_all(Numbers& A, Numbers& V, int n) {
    const auto at = [n](Numbers& M, int i, int j) -> double& { return M[std::size_t(i * n + j)]; };
    bool turned = false;
    for (int p = 0; p < n; ++p)
      for (int q = p + 1; q < n; ++q) {
        const double off = at(A, p, q);
        if (std::fabs(off) <= 1e-17 * std::sqrt(std::fabs(at(A, p, p) * at(A, q, q)))) continue;
        if (off == 0) continue;
        turned = true;
        const double theta = (at(A, q, q) - at(A, p, p)) / (2 * off);
        const double t = (theta >= 0 ? 1 : -1) / (std::fabs(theta) + std::sqrt(theta * theta + 1));
        const double c = 1 / std::sqrt(t * t + 1), s = t * c;
        const auto rotate = [c, s](double& a, double& b) {
          const double old = a, other = b;
          a = c * old - s * other;
          b = s * old + c * other;
        };
        // A stays symmetric, so its columns are its rows
        rotate(at(A, p, p), at(A, p, q));
        rotate(at(A, q, p), at(A, q, q));
        for (int k = 0; k < n; ++k) rotate(at(A, p, k), at(A, q, k));
        for (int k = 0; k < n; ++k) rotate(at(V, p, k), at(V, q, k));
        at(A, p, q) = at(A, q, p) = 0;
        for (int k = 0; k < n; ++k) at(A, k, p) = at(A, p, k), at(A, k, q) = at(A, q, k);
      }
    return turned;
  }
};

}  // namespace regretless
