// The floor: three players of experts as plain loops, nothing else.
// Reads T, n, which (0 AdaNormalHedge, 1 BOA, 2 ML-Poly), then T rows of losses as doubles; prints what
// was suffered in all, and seconds.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <vector>

namespace {

double weight(double R, double C) {
  const double D = 3 * (C + 1), up = std::max(R + 1, 0.0), down = std::max(R - 1, 0.0);
  return std::exp(up * up / D) - std::exp(down * down / D);
}

double play(int which, const std::vector<double>& losses, std::size_t T, std::size_t n) {
  std::vector<double> R(n), V(n), S(n), w(n, 1.0);
  double total = 0, B = 0;
  for (std::size_t t = 0; t < T; ++t) {
    const double* l = losses.data() + t * n;
    double sum = 0, suffered = 0;
    for (std::size_t i = 0; i < n; ++i) sum += w[i], suffered += w[i] * l[i];
    suffered /= sum;
    total += suffered;
    double most = 0;
    for (std::size_t i = 0; i < n; ++i) {
      const double r = suffered - l[i];
      R[i] += r;
      V[i] += which ? r * r : std::fabs(r);
      if (which == 1) {
        const double eta = 1 / std::sqrt(2.2 * V[i]);
        S[i] += r - eta * r * r;
        most = std::max(most, eta * S[i]);
      }
      B = std::max(B, r * r);
    }
    for (std::size_t i = 0; i < n; ++i) {
      if (which == 0) w[i] = weight(R[i], V[i]);
      if (which == 1) {
        const double eta = 1 / std::sqrt(2.2 * V[i]);
        w[i] = eta * std::exp(eta * S[i] - most);
      }
      if (which == 2) w[i] = std::max(R[i], 0.0) / (V[i] + B);
    }
  }
  return total;
}

}  // namespace

int main() {
  double head[3];
  if (std::fread(head, sizeof(double), 3, stdin) != 3) return 1;
  const auto T = std::size_t(head[0]), n = std::size_t(head[1]);
  std::vector<double> losses(T * n);
  if (std::fread(losses.data(), sizeof(double), losses.size(), stdin) != losses.size()) return 1;
  double best = 1e9, total = 0;
  for (int repeat = 0; repeat < 20; ++repeat) {
    const auto start = std::chrono::steady_clock::now();
    total = play(int(head[2]), losses, T, n);
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
    best = std::min(best, took.count());
  }
  std::printf("%.17g %.9g\n", total, best);
}
