// Players of convex losses: mirror descent and its variants, leaders, densities.
#include <cmath>
#include <numeric>
#include <random>
#include <vector>

#include "check.hpp"
#include "oco/coordinates.hpp"
#include "oco/density.hpp"
#include "oco/invariant.hpp"
#include "oco/leader.hpp"
#include "oco/mirror.hpp"
#include "oco/newton.hpp"

using namespace regretless;

// Every geometry and domain: points stay in the domain, and the theorem of mirror descent holds for
// the origin or the start.
void test_players() {
  using namespace oco;
  constexpr std::size_t d = 7, rounds = 200;
  std::mt19937 random(3);
  std::normal_distribution<double> normal;
  std::vector<double> rows(rounds * d), losses(rounds), strength(rounds), paid(rounds),
      points(rounds * d), targets(rounds, 1.0);
  for (double& x : rows) x = normal(random);
  const auto run = [&](Player& player, const Loss* loss = nullptr, double bound = 0) {
    play(player, rows.data(), rounds, targets.data(), loss,
         {losses.data(), strength.data(), paid.data(), points.data(), bound});
    for (const double w : points) CHECK(std::isfinite(w));
    const std::vector<double> state = player.state();
    player.restore(state.data(), state.size());
    CHECK(player.state() == state);
  };
  const std::vector<double> low(d, -0.1), high(d, 0.2);
  for (const auto kind :
       {Domain::everything, Domain::ball, Domain::simplex, Domain::box, Domain::l1_ball})
    for (const bool lazy : {false, true})
      for (const auto schedule :
           {Schedule::constant, Schedule::inverse_sqrt, Schedule::inverse, Schedule::adaptive}) {
        const Domain domain{kind, 0.5, low, high};
        MirrorDescent player(d, Geometry{}, domain, {schedule, 0.3}, lazy);
        run(player);
        for (std::size_t t = 0; t < rounds; ++t) {
          std::vector<double> w(points.begin() + std::ptrdiff_t(t * d),
                                points.begin() + std::ptrdiff_t((t + 1) * d));
          const std::vector<double> played = w;
          domain.project(w.data(), d);
          for (std::size_t i = 0; i < d; ++i) CHECK(std::fabs(w[i] - played[i]) < 1e-12);
        }
        // psi(0) = 0 when 0 is in the domain: sum <w_t, z_t> <= paid
        if (lazy && kind != Domain::simplex) CHECK(player.linear() <= paid.back() + 1e-9);
      }
  std::vector<double> inverse(d * d);
  for (std::size_t i = 0; i < d; ++i) inverse[i * d + i] = double(i + 1);
  for (const Geometry& geometry :
       {Geometry{Geometry::entropy, 1, 1, 2, 1, {}},
        Geometry{Geometry::unnormalized_entropy, 1, 0.2, 2, 1, {}},
        Geometry{Geometry::pnorm, 0.5, 1, 3, 1, {}},
        Geometry{Geometry::pnorm, 1, 1, 2.5, 1 / 1.5, {}},
        Geometry{Geometry::diagonal, 1, 1, 2, 1, std::vector<double>(d, 2.0)},
        Geometry{Geometry::quadratic, 1, 1, 2, 1, inverse}})
    for (const bool lazy : {false, true}) {
      MirrorDescent player(d, geometry, Domain{}, {Schedule::constant, 0.1}, lazy);
      const Loss logistic;
      run(player, &logistic);
    }
  AdaGradPlayer adagrad(d, 0.3, {Domain::box, 1, low, high});
  run(adagrad);
  CoinPlayer coin(d, 1, 5);
  run(coin);
  for (const bool lazy : {false, true})
    for (const auto kind : {Domain::everything, Domain::simplex, Domain::box}) {
      NewtonStep newton(d, 0.5, 0.2, 0.1, {kind, 1, low, high}, lazy);
      run(newton);
    }
  NewtonStep slab(d, 0.5, 0.2, 0, Domain{}, false);
  const Loss squared{LossKind::squared, 1};
  run(slab, &squared, 0.7);
  for (std::size_t t = 0; t < rounds; ++t)
    CHECK(std::fabs(dot(&points[t * d], &rows[t * d], d)) <= 0.7 + 1e-9);
  InvariantNewton invariant(d, 0.5);
  run(invariant, &squared, 0.7);
  for (std::size_t t = 0; t < rounds; ++t)
    CHECK(std::fabs(dot(&points[t * d], &rows[t * d], d)) <= 0.7 + 1e-9);
}

// No point of the domain is better than the leader; a regularised leader is the point of mirror
// descent.
void test_leaders() {
  using namespace oco;
  constexpr std::size_t d = 5, rounds = 50;
  std::mt19937 random(4);
  std::normal_distribution<double> normal;
  std::vector<double> rows(rounds * d), eta(rounds, 0.3), points(rounds * d), squares(rounds);
  for (double& x : rows) x = normal(random);
  const std::vector<double> low(d, -0.1), high(d, 0.2);
  for (const auto kind : {Domain::ball, Domain::simplex, Domain::box, Domain::l1_ball}) {
    const Domain domain{kind, 0.5, low, high};
    std::vector<double> theta(d), other(d);
    lead({{}, domain, std::vector<double>(d)}, theta.data(), rows.data(), eta.data(), rounds,
         points.data(), squares.data());
    std::fill(theta.begin(), theta.end(), 0.0);
    for (std::size_t t = 0; t < rounds; ++t) {
      for (std::size_t i = 0; i < d; ++i) theta[i] -= rows[t * d + i];
      for (int k = 0; k < 20; ++k) {
        for (double& x : other) x = normal(random);
        domain.project(other.data(), d);
        CHECK(dot(other.data(), theta.data(), d) <= dot(&points[t * d], theta.data(), d) + 1e-12);
      }
    }
    std::fill(theta.begin(), theta.end(), 0.0);
    lead({Geometry{}, domain, std::vector<double>(d)}, theta.data(), rows.data(), eta.data(),
         rounds, points.data(), squares.data());
    MirrorDescent player(d, Geometry{}, domain, {Schedule::constant, 0.3}, true);
    for (std::size_t t = 0; t < rounds; ++t) {
      player.update(&rows[t * d]);
      for (std::size_t i = 0; i < d; ++i) CHECK(points[t * d + i] == player.point()[i]);
    }
  }
}

// The regret to the best of the points is at most what Luo (2016), Corollaries 1 and 2 say.
void test_density() {
  using namespace oco;
  constexpr std::size_t n = 20, d = 2, rounds = 300;
  std::mt19937 random(5);
  std::uniform_real_distribution<double> uniform;
  std::vector<double> values(rounds * n), grid(n * d), losses(rounds), points(rounds * d);
  for (double& x : grid) x = uniform(random);
  for (std::size_t i = 0; i < values.size(); ++i)
    values[i] = uniform(random) * double(i % n + 1) / double(n);
  const double eta = std::sqrt(2 * std::log(double(n)) / rounds);
  for (const auto potential : {Density::exponential, Density::two_norm, Density::normal_hedge_dt}) {
    std::vector<double> scores(n);
    play({potential, eta}, 0, values.data(), rounds, grid.data(), n, d, scores.data(),
         losses.data(), points.data());
    const double regret = -*std::min_element(scores.begin(), scores.end());
    double surcharge = 0;
    for (std::size_t t = 1; t <= rounds; ++t) surcharge += std::expm1(4.0 / (3.0 * double(t)));
    const double bound = potential == Density::exponential
                             ? (std::log(double(n)) + rounds * std::log(std::cosh(eta))) / eta
                         : potential == Density::two_norm
                             ? std::sqrt(double(rounds * n))
                             : std::sqrt(3 * rounds * std::log1p(surcharge * n / 2));
    CHECK(regret <= bound);
    CHECK(regret > 0);
    for (const double w : points) CHECK(w >= 0 && w <= 1);
  }
}
