#include <cmath>
#include <random>
#include <vector>

#include "bandits/lin_ucb.hpp"
#include "check.hpp"

using namespace regretless;

// LinUCB: the weights solve their normal equations, widths are those of the matrix, and a saved
// state continues.
void test_lin_ucb() {
  constexpr std::size_t n = 3, d = 5, rounds = 200;
  std::mt19937 random(8);
  std::normal_distribution<double> normal;
  for (const bool shared : {false, true}) {
    bandits::LinUcb whole(n, d, 0.5, 2, shared), first(n, d, 0.5, 2, shared),
        second(n, d, 0.5, 2, shared);
    std::vector<double> A(n * d * d), b(n * d), x(whole.context_size());
    for (std::size_t m = 0; m < n; ++m)
      for (std::size_t i = 0; i < d; ++i) A[(m * d + i) * d + i] = 2;
    for (std::size_t t = 0; t < rounds; ++t) {
      for (double& each : x) each = random() % 5 ? normal(random) : 0;
      const std::size_t arm = whole.act(x.data());
      const double reward = normal(random);
      CHECK(arm < n && whole.waiting().size() == 1);
      whole.update(0, reward);
      CHECK(whole.waiting().empty());
      const std::size_t m = shared ? 0 : arm;
      const double* f = x.data() + (shared ? arm * d : 0);
      for (std::size_t i = 0; i < d; ++i) {
        b[m * d + i] += reward * f[i];
        for (std::size_t j = 0; j < d; ++j) A[(m * d + i) * d + j] += f[i] * f[j];
      }
      bandits::LinUcb& part = t < 100 ? first : second;
      if (t == 100) {
        const std::vector<double> state = first.state();
        second.restore(state.data(), state.size());
      }
      CHECK(part.act(x.data()) == arm);
      part.update(0, reward);
    }
    CHECK(second.state() == whole.state());
    for (std::size_t m = 0; m < whole.models(); ++m)
      for (std::size_t i = 0; i < d; ++i) {
        const double* theta = whole.weights().data() + m * d;
        CHECK(std::fabs(oco::dot(&A[(m * d + i) * d], theta, d) - b[m * d + i]) < 1e-9);
      }
    // of the context that is a row of A, A^{-1} x is a unit vector: the width is a square root of A
    for (std::size_t arm = 0; arm < n; ++arm) {
      const std::size_t m = shared ? 0 : arm;
      std::copy_n(&A[m * d * d], d, x.data() + (shared ? arm * d : 0));
      whole.look(x.data());
      CHECK(std::fabs(whole.widths()[arm] - std::sqrt(A[m * d * d])) < 1e-9);
    }
    bool refused = false;
    try {
      first.restore(whole.state().data(), 3);
    } catch (const std::invalid_argument&) {
      refused = true;
    }
    CHECK(refused);
  }
}
