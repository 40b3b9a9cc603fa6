// Players of arms.
#include <memory>
#include <vector>

#include "bandits/environments.hpp"
#include "bandits/epsilon_greedy.hpp"
#include "bandits/exp3.hpp"
#include "bandits/exp4.hpp"
#include "bandits/thompson.hpp"
#include "bandits/tsallis_inf.hpp"
#include "bandits/ucb1.hpp"
#include "check.hpp"

// One of each kind.
inline std::vector<std::unique_ptr<regretless::bandits::Arms>> players_of_arms(std::size_t n) {
  using namespace regretless::bandits;
  std::vector<std::unique_ptr<Arms>> all;
  all.push_back(std::make_unique<Exp3>(n, 1, 0., 1., 0.2, false, 0.));
  all.push_back(std::make_unique<Exp3>(n, 1, 0., 1., 0.5, true, 0.5));
  all.push_back(std::make_unique<TsallisInf>(n, 1, 0., 1., false));
  all.push_back(std::make_unique<TsallisInf>(n, 1, 0., 1., true));
  all.push_back(std::make_unique<Ucb1>(n, 0., 1., 0.5));
  all.push_back(std::make_unique<EpsilonGreedy>(n, 1, 0., 1., 0.2, 0.));
  all.push_back(std::make_unique<BernoulliThompson>(n, 1, 0., 1., 0.5, 1.));
  all.push_back(std::make_unique<GaussianThompson>(n, 1, 0., 1., 0.5, 0.5, 0.5));
  all.push_back(std::make_unique<Exp4>(n, 3, 1, 0., 1., 0.2, false));
  return all;
}

// Losses come late, and arms sleep, come and go: the arm chosen is there and awake, states can be
// copied at any time, and copies continue in the same way.
void test_arms() {
  using namespace regretless::bandits;
  using Draws = regretless::bandits::Stream;
  for (const std::size_t n : {1, 3, 10}) {
    auto players = players_of_arms(n), copies = players_of_arms(n);
    for (std::size_t k = 0; k < players.size(); ++k) {
      Arms &player = *players[k], &copy = *copies[k];
      Draws random(9, Draws::coin, double(k));
      for (int t = 0; t < 300; ++t) {
        if (t == 100 || t == 101) player.grow(0.4), copy.grow(0.4);
        if (t == 150) player.retire(0), copy.retire(0);
        std::vector<double> awake(player.present());
        for (double& each : awake) each *= random.uniform() < 0.7;
        awake.back() = 1;
        const double* mask = random.uniform() < 0.5 ? awake.data() : nullptr;
        const std::size_t arm = player.act(mask);
        CHECK(arm < player.size() && player.present()[arm] > 0);
        if (mask) CHECK(awake[arm] > 0);
        while (player.waiting().size() > 4)
          player.update(std::size_t(random.uniform() * 5), random.uniform());
        const std::vector<double> state = player.state();
        copy.restore(state.data(), state.size());
        CHECK(copy.state() == state || std::isnan(player.propensity()));
        if (t % 50 == 0) {
          bool refused = false;
          try {
            copy.restore(state.data(), state.size() - 1);
          } catch (const std::invalid_argument&) {
            refused = true;
          }
          CHECK(refused);
        }
        if (!player.advisers() && !std::isnan(player.propensity())) {
          std::vector<double> p(player.size()), q(player.size());
          player.probabilities(nullptr, p.data());
          copy.probabilities(nullptr, q.data());
          CHECK(p == q);
          double sum = 0;
          for (const double each : p) sum += each;
          CHECK(std::fabs(sum - 1) < 1e-12);
        }
      }
      CHECK(player.updates() == 296 && player.decisions() == 300);
      player.forget(1);
      CHECK(player.decisions() == 299 && player.tickets() == 300);
      copy.restore(player.state().data(), player.state().size());
    }
  }
  // a run with delays: all losses come
  Environment world(Environment::gaussian, {0.2, 0.4, 0.6}, 0.01, 5);
  const std::vector<std::int64_t> delays{0, 5, 1, 0, 100, 2, 0, 0};
  Exp3 player(3, 1, 0, 1, 0.2, false, 0);
  const std::size_t done =
      play(player, world, 0, delays.size(), nullptr, Delays(delays.data(), delays.size()), {},
           [](std::size_t, std::size_t, const double*) {});
  CHECK(done == delays.size() && player.waiting().empty() && player.delayed());
  // for any weights, the index drawn has a weight and is awake
  const double nan = std::nan("");
  for (const std::vector<double>& w : std::vector<std::vector<double>>{{0, 0, 1, 0},
                                                                       {nan, 1, 0, 2},
                                                                       {1, nan, 0, 2},
                                                                       {HUGE_VAL, 1, 0, HUGE_VAL},
                                                                       {-1, 2, -5, 3},
                                                                       {1e308, 1e308, 1e308, 0}})
    for (int t = 0; t < 200; ++t) {
      const double u = t ? Draws(4, Draws::coin, t).uniform() : 0;
      double total = 0;
      for (const double each : w) total += each;
      const std::size_t any = regretless::drawn_index(w.data(), w.size(), nullptr, u, total);
      CHECK(any < w.size() && w[any] > 0);
      const std::vector<double> awake{0, t % 2 ? 1. : 0., 1, 1};
      const std::size_t some = regretless::drawn_index(w.data(), w.size(), awake.data(), u, total);
      CHECK(some < w.size() && awake[some] > 0);
    }
  const std::vector<double> nobody(3, 0.0);
  for (const auto& each : players_of_arms(3)) {
    bool refused = false;
    try {
      each->act(nobody.data());
    } catch (const std::invalid_argument&) {
      refused = true;
    }
    CHECK(refused);
  }
  // draws of other shapes than 1: means of Beta(a, b) are a / (a + b)
  for (const double a : {0.3, 1.0, 40.0}) {
    double sum = 0, by_logs = 0;
    for (int t = 0; t < 20000; ++t) {
      const double odds = Draws(3, Draws::coin, t).beta_odds(a, 2.0);
      sum += odds / (1 + odds);
      by_logs += 1 / (1 + std::exp(-Draws(5, Draws::coin, t).beta_log_odds(a, 2.0)));
    }
    CHECK(std::fabs(sum / 20000 - a / (a + 2)) < 0.01);
    CHECK(std::fabs(by_logs / 20000 - a / (a + 2)) < 0.01);
  }
}
