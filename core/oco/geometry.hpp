// regretless.geometry and regretless.domains in C++, as far as mirror descent needs them.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <limits>
#include <vector>

namespace regretless::oco {

inline double dot(const double* a, const double* b, std::size_t n) {
  double parts[4] = {};  // four sums: in one, each addition would wait for the one before
  std::size_t i = 0;
  for (; i + 4 <= n; i += 4)
    for (std::size_t k = 0; k < 4; ++k) parts[k] += a[i + k] * b[i + k];
  for (; i < n; ++i) parts[0] += a[i] * b[i];
  return (parts[0] + parts[1]) + (parts[2] + parts[3]);
}
inline double largest(const double* a, std::size_t n) {
  double most = 0;
  for (std::size_t i = 0; i < n; ++i) most = std::max(most, std::fabs(a[i]));
  return most;
}

// |x|^p. Whole powers, the usual case, need no logarithm.
class Power {
 public:
  explicit Power(double p) : p_(p), whole_(p == std::floor(p) && p <= 32 ? int(p) : -1) {}
  double operator()(double x) const {
    if (whole_ < 0) return std::pow(std::fabs(x), p_);
    double result = 1, square = std::fabs(x);
    for (int n = whole_; n; n >>= 1, square *= square)
      if (n & 1) result *= square;
    return result;
  }

 private:
  double p_;
  int whole_;
};

// A regulariser psi: its link, the gradient of psi*, and the square of the norm dual to its own.
struct Geometry {
  enum Kind { euclidean, entropy, unnormalized_entropy, pnorm, diagonal, quadratic };
  Kind kind = euclidean;
  double convexity = 1;        // of psi, in its norm
  double scale = 1;            // of the simplex; where unnormalised entropy starts
  double p = 2, factor = 1;    // p-norm: link and its factor, 1 (convention A) or q - 1 (B)
  std::vector<double> matrix;  // the inverse, all of it or its diagonal

  // The largest exponent: e^230 times a gradient is still finite.
  static constexpr double kFarthest = 230;

  // w = link(eta theta)
  void link(const double* theta, double eta, double* w, std::size_t d) const {
    switch (kind) {
      case euclidean:
        for (std::size_t i = 0; i < d; ++i) w[i] = eta * theta[i];
        break;
      case entropy: {
        double most = eta * theta[0], sum = 0;
        for (std::size_t i = 1; i < d; ++i) most = std::max(most, eta * theta[i]);
        for (std::size_t i = 0; i < d; ++i) sum += w[i] = std::exp(eta * theta[i] - most);
        for (std::size_t i = 0; i < d; ++i) w[i] *= scale / sum;
        break;
      }
      case unnormalized_entropy:
        for (std::size_t i = 0; i < d; ++i)
          w[i] = scale * std::exp(std::min(eta * theta[i], kFarthest));
        break;
      case pnorm: {
        // of r = theta / max |theta|, so that nothing overflows: the link is homogeneous
        const double most = largest(theta, d);
        double sum = 0;
        const Power power(p - 1);
        for (std::size_t i = 0; i < d; ++i) {
          const double r = most > 0 ? theta[i] / most : 0;
          w[i] = std::copysign(power(r), r);
          sum += w[i] * r;
        }
        const double by = sum > 0 ? eta * factor * most * std::pow(sum, (2 - p) / p) : 0;
        for (std::size_t i = 0; i < d; ++i) w[i] *= by;
        break;
      }
      case diagonal:
        for (std::size_t i = 0; i < d; ++i) w[i] = eta * matrix[i] * theta[i];
        break;
      case quadratic:
        for (std::size_t i = 0; i < d; ++i) w[i] = eta * dot(matrix.data() + i * d, theta, d);
        break;
    }
  }

  double dual_square(const double* z, std::size_t d) const {
    double sum = 0;
    switch (kind) {
      case euclidean:
        return dot(z, z, d);
      case entropy:
      case unnormalized_entropy:
        return largest(z, d) * largest(z, d);
      case pnorm: {
        const double most = largest(z, d);
        const Power power(p);
        for (std::size_t i = 0; i < d && most > 0; ++i) sum += power(z[i] / most);
        return most * most * std::pow(sum, 2 / p);
      }
      case diagonal:
        for (std::size_t i = 0; i < d; ++i) sum += matrix[i] * z[i] * z[i];
        return sum;
      case quadratic:
        for (std::size_t i = 0; i < d; ++i) sum += z[i] * dot(matrix.data() + i * d, z, d);
        return sum;
    }
    return 0;
  }
};

// A set and the Euclidean projection onto it.
struct Domain {
  enum Kind { everything, ball, simplex, box, l1_ball };
  Kind kind = everything;
  double size = 1;  // radius or scale
  std::vector<double> low, high;

  void project(double* w, std::size_t d) const {
    switch (kind) {
      case everything:
        break;
      case ball: {
        const double norm = std::sqrt(dot(w, w, d));
        if (norm > size)
          for (std::size_t i = 0; i < d; ++i) w[i] *= size / norm;
        break;
      }
      case simplex:
        onto_simplex(w, d);
        break;
      case box:
        for (std::size_t i = 0; i < d; ++i) w[i] = std::clamp(w[i], low[i], high[i]);
        break;
      case l1_ball: {
        double norm = 0;
        for (std::size_t i = 0; i < d; ++i) norm += std::fabs(w[i]);
        if (norm <= size) break;
        std::vector<double> signs(w, w + d);
        for (std::size_t i = 0; i < d; ++i) w[i] = std::fabs(w[i]);
        onto_simplex(w, d);
        for (std::size_t i = 0; i < d; ++i) w[i] = std::copysign(w[i], signs[i]);
        break;
      }
    }
  }

  // The point with the largest <w, theta>, the same one as regretless.domains returns. theta is not
  // 0, and the domain is bounded.
  void maximiser(const double* theta, double* w, std::size_t d) const {
    const auto corner = [&](auto height) {
      std::size_t top = 0;
      for (std::size_t i = 1; i < d; ++i)
        if (height(theta[i]) > height(theta[top])) top = i;
      std::fill_n(w, d, 0.0);
      return top;
    };
    switch (kind) {
      case everything:
        break;
      case ball: {
        const double most = largest(theta, d);  // so that no square overflows
        for (std::size_t i = 0; i < d; ++i) w[i] = theta[i] / most;
        const double norm = std::sqrt(dot(w, w, d));
        for (std::size_t i = 0; i < d; ++i) w[i] *= size / norm;
        break;
      }
      case simplex:
        w[corner([](double x) { return x; })] = size;
        break;
      case box:
        for (std::size_t i = 0; i < d; ++i)
          w[i] = theta[i] > 0 ? high[i] : theta[i] < 0 ? low[i] : std::clamp(0.0, low[i], high[i]);
        break;
      case l1_ball: {
        const std::size_t top = corner([](double x) { return std::fabs(x); });
        w[top] = std::copysign(size, theta[top]);
        break;
      }
    }
  }

 private:
  // The number that, subtracted from all, leaves positive parts that add up to `size`
  // (Shalev-Shwartz (2012), Corollary 2.17).
  void onto_simplex(double* w, std::size_t d) const {
    std::vector<double> sorted(w, w + d);
    std::sort(sorted.begin(), sorted.end(), std::greater<>());
    double sum = 0, excess = 0;
    for (std::size_t j = 0; j < d; ++j) {
      sum += sorted[j];
      const double candidate = (sum - size) / double(j + 1);
      if (sorted[j] > candidate) excess = candidate;
    }
    for (std::size_t i = 0; i < d; ++i) w[i] = std::max(w[i] - excess, 0.0);
  }
};

}  // namespace regretless::oco
