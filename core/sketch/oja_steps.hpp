// The update of Oja's sketch by a gradient (sketch/oja.hpp), four numbers at a time. All arrays are
// padded to fours.
#pragma once
#include <cstring>

#include "sketch/oja_view.hpp"
#include "vector_math.hpp"

namespace regretless {

namespace {  // compiled for several instruction sets: nothing may be shared between them

class OjaSteps {
 public:
  static constexpr double kLeast = 1e-6;  // the least lambda, in units of |g|^2

  explicit OjaSteps(const OjaView& view) : v_(view) {}

  // Computes p = e F y, padded with 0; returns its square.
  double along(double e, const double* y) const {
    double square = 0;
    for (int i = v_.rank; i < v_.stride; ++i) v_.p[i] = 0;
    for (int i = 0; i < v_.rank; ++i) {
      v_.p[i] = e * times(i, y);
      square += v_.p[i] * v_.p[i];
    }
    return square;
  }

  // Updates lambda, F and Y += delta g^T from p; y is Y x, before and after.
  void turn(double e, double xx, double* y, double* delta) const {
    const double square = e * e * xx;
    const Four least = all(kLeast * square);
    for (int i = 0; i < v_.rank; i += 4) {
      const Four p = four(v_.p + i), lambda = four(v_.lambda + i) + p * p;
      put(v_.lambda + i, lambda);
      put(v_.u + i, p / larger_of(lambda, least));
    }
    solve();
    for (int i = 0; i < v_.rank; ++i) {
      const double d = v_.moved[i];
      v_.norms[i] += d * (2 * e * y[i] + d * square);
      y[i] += d * e * xx;
      delta[i] += d;
    }
    orthonormalise(square);
  }

  // F^T diag(of / (alpha + of)) F y, of = strength lambda, for lanes side by side.
  void apply(int width, const double* alpha, const double* strength, const double* y,
             double* out) const {
    double* along = v_.room;
    for (int i = 0; i < v_.rank; ++i) along[i] = times(i, y);
    for (int k = 0; k < width; k += 4) {
      const Four a = four(alpha + k), s = four(strength + k);
      for (int j = 0; j < v_.stride; ++j) put(out + j * width + k, all(0));
      for (int i = 0; i < v_.rank; ++i) {
        const Four of = s * all(v_.lambda[i]), share = all(along[i]) * of / (a + of);
        const double* row = v_.F + i * v_.stride;
        for (int j = 0; j <= i; ++j) {
          double* at = out + j * width + k;
          put(at, four(at) + all(row[j]) * share);
        }
      }
    }
  }

 private:
  static void put(double* to, Four x) { std::memcpy(to, &x, sizeof(x)); }
  double times(int i, const double* y) const {
    const double* row = v_.F + i * v_.stride;
    Four sum = {};
    for (int j = 0; j <= i; j += 4) sum += four(row + j) * four(y + j);
    return sum_of(sum);
  }
  // moved = F^-1 u, by columns: each number then waits for one product only.
  void solve() const {
    double *inverse = v_.room, *d = v_.moved;
    for (int i = 0; i < v_.rank; ++i) {
      inverse[i] = 1 / v_.F[i * v_.stride + i];
      d[i] = v_.u[i];
    }
    for (int k = 0; k < v_.rank; ++k) {
      d[k] *= inverse[k];
      for (int i = k + 1; i < v_.rank; ++i) d[i] -= v_.F[i * v_.stride + k] * d[k];
    }
  }
  // F <- L^-1 F for L L^T = I + W C W^T, W = [u p], C = [[g2, 1], [1, 0]], g2 = |g|^2. From row i
  // its part in the rows before it, w_i^T (C^-1 + W_<^T W_<)^-1 W_<^T F_<, is subtracted, and the
  // rest is divided by its length. The 2 x 2 inverse is
  //
  //   [[g2 - <p, p>, 1 + <u, p>], [1 + <u, p>, -<u, u>]] / D,
  //   D = (1 + <u, p>)^2 + <u, u> (g2 - <p, p>),
  //
  // with the products over the rows before row i. The squared length is the next D over this one.
  // By Bessel's inequality no difference is negative.
  void orthonormalise(double g2) const {
    const int r = v_.rank;
    double uu = 0, up = 1, rest = g2;
    double *first = v_.room, *second = first + v_.stride, *inverse = second + v_.stride,
           *D = inverse + v_.stride;
    for (int i = 0; i <= r; ++i) {
      D[i] = up * up + uu * rest;
      if (i == r) break;
      const double u = v_.u[i], p = v_.p[i];
      first[i] = rest * u + up * p;
      second[i] = up * u - uu * p;
      uu += u * u, up += u * p, rest -= p * p;
      rest = rest > 0 ? rest : 0;
    }
    for (int i = r + 1; i < r + 5; ++i) D[i] = 1;
    for (int i = 0; i < r; i += 4) {
      const Four now = four(D + i);
      put(first + i, four(first + i) / now);
      put(second + i, four(second + i) / now);
      put(inverse + i, root_of(now / four(D + i + 1)));
    }
    for (int j = 0; j < r; j += 4) {
      Four by_u = {}, by_p = {};  // the sums of u and p times the rows before
      for (int i = j; i < r; ++i) {
        double* at = v_.F + i * v_.stride + j;
        const Four old = four(at);
        put(at, (old - (all(first[i]) * by_u + all(second[i]) * by_p)) * all(inverse[i]));
        by_u += all(v_.u[i]) * old;
        by_p += all(v_.p[i]) * old;
      }
    }
  }

  const OjaView& v_;
};

}  // namespace

}  // namespace regretless
