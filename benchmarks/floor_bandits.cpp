// The floor: two players of arms as plain loops, nothing else.
// Reads T, n, which (0 Exp3, 1 UCB1), eta, then T rows of losses as doubles; prints what was
// suffered in all, what the best arm would have, and seconds.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <random>
#include <vector>

namespace {

struct Result {
  double suffered = 0, best = 0;
};

Result play(int which, double eta, const std::vector<double>& losses, std::size_t T,
            std::size_t n) {
  std::mt19937_64 random(0);
  std::uniform_real_distribution<double> uniform(0, 1);
  std::vector<double> S(n), w(n), seen(n), sums(n);
  Result result;
  for (std::size_t t = 0; t < T; ++t) {
    const double* l = losses.data() + t * n;
    std::size_t arm = 0;
    double p = 1;
    if (which == 0) {
      const double least = *std::min_element(S.begin(), S.end());
      double sum = 0;
      for (std::size_t i = 0; i < n; ++i) sum += w[i] = std::exp(eta * (least - S[i]));
      double u = uniform(random) * sum;
      while (arm + 1 < n && (u -= w[arm]) >= 0) ++arm;
      p = w[arm] / sum;
      S[arm] += l[arm] / p;
    } else {
      double lowest = 1e300;
      const double twice = 2 * std::log(double(t));
      for (std::size_t i = 0; i < n; ++i) {
        const double index =
            seen[i] > 0 ? S[i] / seen[i] - std::sqrt(twice / seen[i]) : -1e300;
        if (index < lowest) lowest = index, arm = i;
      }
      S[arm] += l[arm];
      seen[arm] += 1;
    }
    result.suffered += l[arm];
    for (std::size_t i = 0; i < n; ++i) sums[i] += l[i];
  }
  result.best = *std::min_element(sums.begin(), sums.end());
  return result;
}

}  // namespace

int main() {
  double head[4];
  if (std::fread(head, sizeof(double), 4, stdin) != 4) return 1;
  const auto T = std::size_t(head[0]), n = std::size_t(head[1]);
  std::vector<double> losses(T * n);
  if (std::fread(losses.data(), sizeof(double), losses.size(), stdin) != losses.size()) return 1;
  double seconds = 1e9;
  Result result;
  for (int repeat = 0; repeat < 5; ++repeat) {
    const auto start = std::chrono::steady_clock::now();
    result = play(int(head[2]), head[3], losses, T, n);
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
    seconds = std::min(seconds, took.count());
  }
  std::printf("%.17g %.17g %.9g\n", result.suffered, result.best, seconds);
}
