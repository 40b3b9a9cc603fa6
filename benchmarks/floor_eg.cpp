// The floor: exponentiated gradient for portfolios as a plain loop, nothing else.
// Reads T, d, eta and T rows of price relatives as doubles; prints the log of the wealth and seconds.
#include <chrono>
#include <cmath>
#include <cstdio>
#include <vector>

int main() {
  double head[3];
  if (std::fread(head, sizeof(double), 3, stdin) != 3) return 1;
  const auto T = std::size_t(head[0]), d = std::size_t(head[1]);
  const double eta = head[2];
  std::vector<double> X(T * d), w(d);
  if (std::fread(X.data(), sizeof(double), X.size(), stdin) != X.size()) return 1;
  double best = 1e9, wealth = 0;
  for (int repeat = 0; repeat < 20; ++repeat) {
    const auto start = std::chrono::steady_clock::now();
    wealth = 0;
    for (double& v : w) v = 1.0 / double(d);
    for (std::size_t t = 0; t < T; ++t) {
      const double* x = X.data() + t * d;
      double s = 0, sum = 0;
      for (std::size_t i = 0; i < d; ++i) s += w[i] * x[i];
      wealth += std::log(s);
      for (std::size_t i = 0; i < d; ++i) sum += w[i] *= std::exp(eta * x[i] / s);
      for (std::size_t i = 0; i < d; ++i) w[i] /= sum;
    }
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
    best = std::min(best, took.count());
  }
  std::printf("%.17g %.9g\n", wealth, best);
}
