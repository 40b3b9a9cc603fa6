// Players of experts.
#include <cmath>
#include <memory>
#include <random>
#include <vector>

#include "check.hpp"
#include "experts/ada.hpp"
#include "experts/hedge.hpp"
#include "experts/potentials.hpp"
#include "experts/second_order.hpp"

using namespace regretless;

// Every player of experts: it plays a distribution in each round, with no weight on experts that
// are asleep; its regrets are its losses minus those of the experts; and a saved state continues.
void test_experts() {
  using namespace experts;
  constexpr std::size_t n = 7, rounds = 300;
  std::mt19937 random(6);
  std::uniform_real_distribution<double> uniform;
  std::vector<double> losses(rounds * n), awake(rounds * n), suffered(rounds), p(rounds * n);
  for (double& x : losses) x = uniform(random);
  for (std::size_t i = 0; i < awake.size(); ++i)
    awake[i] = i % n == i / n % n ? 1 : double(random() % 3) / 2;
  const std::vector<double> prior(n, 1.0 / n);
  const auto tried = [&](auto make, bool sleeps) {
    for (const bool asleep : {false, true}) {
      if (asleep && !sleeps) continue;
      const double* a = asleep ? awake.data() : nullptr;
      auto whole = make(), first = make(), second = make();
      CHECK(play(*whole, losses.data(), a, rounds, 0, 1, suffered.data(), p.data()) == rounds);
      for (std::size_t t = 0; t < rounds; ++t) {
        CHECK(std::fabs(std::accumulate(&p[t * n], &p[t * n] + n, 0.0) - 1) < 1e-9);
        for (std::size_t i = 0; a && i < n; ++i) CHECK(a[t * n + i] > 0 || p[t * n + i] == 0);
      }
      for (std::size_t i = 0; i < n; ++i) {
        double regret = 0;
        for (std::size_t t = 0; t < rounds; ++t)
          regret += (a ? a[t * n + i] : 1) * (suffered[t] - losses[t * n + i]);
        CHECK(std::fabs(regret - whole->regrets()[i]) < 1e-9);
      }
      play(*first, losses.data(), a, 100, 0, 1, suffered.data(), nullptr);
      const std::vector<double> state = first->state();
      second->restore(state.data(), state.size());
      play(*second, losses.data() + 100 * n, a ? a + 100 * n : nullptr, rounds - 100, 0, 1,
           suffered.data(), nullptr);
      CHECK(second->state() == whole->state());
      bool refused = false;
      try {
        second->restore(state.data(), state.size() - 1);
      } catch (const std::invalid_argument&) {
        refused = true;
      }
      CHECK(refused);
    }
  };
  for (const auto schedule : {Hedge::fixed, Hedge::anytime, Hedge::doubling, Hedge::small_loss})
    tried([&] { return std::make_unique<Hedge>(prior, schedule, 0.5); }, true);
  tried([&] { return std::make_unique<LinearHedge>(prior, 0.6); }, false);
  tried([&] { return std::make_unique<FixedShare>(prior, 0.5, 0.1); }, false);
  for (const auto kind : {PotentialPlayer::polynomial, PotentialPlayer::two_norm,
                          PotentialPlayer::normal_hedge_dt, PotentialPlayer::normal_hedge})
    tried([&] { return std::make_unique<PotentialPlayer>(prior, kind, 3); }, true);
  for (const double power : {0.0, 0.5, 1.0})
    tried([&] { return std::make_unique<AdaNormalHedge>(prior, power); }, true);
  for (const bool streaming : {false, true})
    tried([&] { return std::make_unique<AdaNormalHedgeTV>(prior, streaming); }, false);
  for (const bool known : {false, true})
    tried([&] { return std::make_unique<AdaptMLProd>(prior, known); }, true);
  tried([&] { return std::make_unique<Boa>(prior); }, true);
  tried([&] { return std::make_unique<MlPoly>(prior); }, true);
  tried([&] { return std::make_unique<Squint>(prior); }, true);
  // both sets of instructions give the same weights, those of the formula
  std::vector<double> R(n), C(n), w(n), same(n);
  for (int k = 0; k < 2000; ++k) {
    for (std::size_t i = 0; i < n; ++i) {
      C[i] = std::pow(10, 6 * uniform(random) - 2);
      R[i] = std::min(C[i], std::sqrt(40 * C[i]) * (2 * uniform(random) - 1));
    }
    kernels().normal_weights(R.data(), C.data(), prior.data(), n, w.data());
    baseline_kernels().normal_weights(R.data(), C.data(), prior.data(), n, same.data());
    CHECK(w == same);
    for (std::size_t i = 0; i < n; ++i) {
      const double D = 3 * (C[i] + 1), up = std::max(R[i] + 1, 0.0), down = std::max(R[i] - 1, 0.0);
      const double a = up * up / D, b = down * down / D;
      const double weight = -std::exp(a) * std::expm1(b - a) / 2 / n;
      // the formula above loses what a and b have in common
      const double lost = a > b ? a / (a - b) : 1;
      CHECK(std::fabs(w[i] - weight) <= 4e-15 * (1 + a + lost) * weight + 1e-300);
    }
  }
}
