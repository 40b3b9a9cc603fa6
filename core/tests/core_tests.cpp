// The core's own tests: no Python, meant to run under the address and undefined-behaviour
// sanitizers.
#include <cmath>
#include <cstdio>
#include <memory>
#include <numeric>
#include <random>
#include <string>

#include "auto.hpp"
#include "bandits/lin_ucb.hpp"
#include "boosting/adaboost_ol.hpp"
#include "boosting/bbm.hpp"
#include "boosting/boost.hpp"
#include "boosting/decision_stump.hpp"
#include "boosting/edges.hpp"
#include "boosting/models.hpp"
#include "boosting/neural_net.hpp"
#include "boosting/osboost.hpp"
#include "boosting/stump_search.hpp"
#include "boosting/stumps.hpp"
#include "experts/ada.hpp"
#include "experts/hedge.hpp"
#include "experts/potentials.hpp"
#include "experts/second_order.hpp"
#include "features.hpp"
#include "games_tests.hpp"
#include "learner.hpp"
#include "newton/newton.hpp"
#include "oco/coordinates.hpp"
#include "oco/density.hpp"
#include "oco/invariant.hpp"
#include "oco/leader.hpp"
#include "oco/mirror.hpp"
#include "oco/newton.hpp"
#include "text/svmlight.hpp"

using namespace regretless;

namespace {

int checks = 0, failures = 0;

void check(bool held, const char* what, int line) {
  ++checks;
  if (!held) {
    ++failures;
    std::printf("core_tests.cpp:%d: %s\n", line, what);
  }
}
#define CHECK(condition) check((condition), #condition, __LINE__)

struct Stream {  // random sparse examples with labels
  std::vector<std::size_t> starts{0};
  std::vector<std::uint32_t> rows;
  std::vector<float> values;
  std::vector<double> targets;
  std::vector<std::int32_t> classes;
  std::vector<double> importance;

  Stream(std::size_t size, std::uint32_t features, int labels, unsigned seed) {
    std::mt19937 random(seed);
    std::normal_distribution<double> normal;
    for (std::size_t t = 0; t < size; ++t) {
      const std::size_t active = random() % 7;  // some examples are empty
      for (std::size_t j = 0; j < active; ++j) {
        rows.push_back(std::uint32_t(random() % features));  // a row may occur twice
        values.push_back(float(normal(random) * std::pow(10.0, double(random() % 5) - 2)));
      }
      starts.push_back(rows.size());
      targets.push_back(3 * normal(random));
      classes.push_back(std::int32_t(random() % unsigned(labels)));
      importance.push_back(double(random() % 3));
    }
  }
  Batch batch(bool classification) const {
    return {targets.size(),
            starts.data(),
            rows.data(),
            values.data(),
            classification ? nullptr : targets.data(),
            classification ? classes.data() : nullptr,
            importance.data(),
            nullptr};
  }
  Batch row(std::size_t t, bool classification) const {
    return {1,
            starts.data() + t,
            rows.data(),
            values.data(),
            classification ? nullptr : targets.data() + t,
            classification ? classes.data() + t : nullptr,
            importance.data() + t,
            nullptr};
  }
};

std::vector<Rule> every_rule() {
  Ogd ball, lasso, lazy;
  ball.radius = 2, ball.l2 = 0.01, ball.rate = {Rate::inverse_sqrt, 0.1};
  lasso.l1 = 0.01, lasso.l2 = 0.1, lasso.rate = {Rate::inverse, 0.1};
  lazy.lazy = true, lazy.radius = 3, lazy.rate = {Rate::inverse_sqrt, 0.1};
  PlainOgd invariant;
  invariant.invariant = true;
  AdaGrad penalised, scaled;
  penalised.l1 = 0.01, penalised.l2 = 0.01;
  scaled.scale_invariant = true;
  Ftrl sparse;
  sparse.l1 = 0.5;
  PNorm high;
  high.p = 40, high.rate = {Rate::inverse_sqrt, 0.1};
  Eg given;
  given.eta = 0.05;
  PassiveAggressive exact, second;
  exact.mode = PassiveAggressive::exact, second.mode = PassiveAggressive::second;
  Averaged uniform, vote;
  uniform.kind = Averaged::uniform, vote.kind = Averaged::vote;
  OnlineSvm pegasos, svm;
  pegasos.rate = {Rate::inverse, 1}, pegasos.C = 10;
  svm.radius = 2, svm.shrinks_at_kink = true;
  return {Coin{},     ball,
          lasso,      lazy,
          PlainOgd{}, invariant,
          AdaGrad{},  penalised,
          scaled,     Ftrl{},
          sparse,     PNorm{},
          high,       Eg{},
          given,      exact,
          second,     PassiveAggressive{},
          Averaged{}, uniform,
          vote,       MarginPerceptron{},
          pegasos,    svm,
          Winnow{},   Grid{}};
}

void grow_to(Learner& learner, std::uint32_t features) {
  for (std::int64_t c = 0; c < std::int64_t(features); ++c) learner.features().insert(c);
  learner.grow();
}

std::vector<int> fresh(int lanes) { return std::vector<int>(std::size_t(lanes), -1); }
std::vector<int> ones(int lanes) { return std::vector<int>(std::size_t(lanes), 1); }

std::vector<double> scores(const Learner& learner, const Stream& stream) {
  Batch batch = stream.batch(true);
  std::vector<double> out(batch.size * std::size_t(learner.lanes()));
  batch.scores = out.data();
  learner.predict(batch);
  return out;
}

bool finite(Learner& learner) {
  for (double w : learner.weights())
    if (!std::isfinite(w)) return false;
  return true;
}

// Every rule on every number of lanes: finite, a batch is the same as its rows one by one, and
// another machine computes the same bits.
void test_rules() {
  const std::uint32_t features = 40;
  for (const Rule& rule : every_rule()) {
    for (int lanes : {1, 2, 3, 4, 5, 8, 9, 17, 64, 256}) {
      for (bool certify : {false, true}) {
        const Stream stream(60, features, std::max(lanes, 2), unsigned(lanes));
        const Loss loss{LossKind::logistic, 1.0};
        Learner together(loss, rule, 0, 0, certify), apart = together;
        Learner elsewhere(loss, rule, 0, 0, certify, baseline_kernels());
        for (Learner* learner : {&together, &apart, &elsewhere}) {
          grow_to(*learner, features - 1);
          learner->relane(fresh(lanes), ones(lanes));
        }
        try {
          together.learn(stream.batch(true));
          for (std::size_t t = 0; t < 60; ++t) apart.learn(stream.row(t, true));
          elsewhere.learn(stream.batch(true));
        } catch (const Diverged&) {
          continue;  // a rate too large for this stream is no error of the core
        }
        CHECK(finite(together));
        CHECK(together.weights() == apart.weights());
        CHECK(together.weights() == elsewhere.weights());
        CHECK(scores(together, stream) == scores(apart, stream));
        CHECK(scores(together, stream) == scores(elsewhere, stream));
        CHECK(together.scalar(kLoss, lanes - 1) == apart.scalar(kLoss, lanes - 1));
      }
    }
  }
}

// Auto, with lanes that are retired on the way: batches are rows, another machine computes the same
// bits, and what is written can be read.
void test_auto() {
  std::vector<Candidate> candidates;
  for (int k = 0; k < 10; ++k)
    candidates.push_back({k > 6, std::pow(3.0, k - 4), double(k % 2), 1e-4});
  const std::uint32_t features = 9;
  for (const LossKind kind : {LossKind::logistic, LossKind::hinge, LossKind::squared}) {
    const Loss loss{kind, 1.0};
    const bool classes = loss.classification();
    for (int labels : {2, 3}) {
      if (!classes && labels == 3) continue;
      const Stream stream(26'000, features, labels, unsigned(labels));
      const auto make = [&](Kernels kernels) {
        Auto model(loss, candidates, 1, 0, 0, 0, kernels);
        for (std::int64_t c = 0; c < std::int64_t(features) - 1; ++c) model.features().insert(c);
        model.grow();
        if (labels == 3) model.relane(fresh(3), ones(3));
        return model;
      };
      Auto together = make(kernels()), apart = make(kernels()),
           elsewhere = make(baseline_kernels());
      together.learn(stream.batch(classes));
      for (std::size_t t = 0; t < stream.targets.size(); ++t) apart.learn(stream.row(t, classes));
      elsewhere.learn(stream.batch(classes));
      CHECK(together.numbers() == apart.numbers());
      CHECK(together.numbers() == elsewhere.numbers());
      CHECK(together.weights() == apart.weights());
      for (const double w : together.weights()) CHECK(std::isfinite(w));
      CHECK(kind == LossKind::hinge || !together.retired().empty());
      Auto other = make(kernels());
      const std::vector<double> kept = together.numbers();
      other.restore_numbers(kept.data(), kept.size());
      CHECK(other.alive() == together.alive());
      CHECK(other.numbers() == kept);
      bool refused = false;
      try {
        other.restore_numbers(kept.data(), kept.size() - 1);
      } catch (const std::invalid_argument&) {
        refused = true;
      }
      CHECK(refused);
    }
  }
}

void test_newton() {
  const std::uint32_t features = 9;
  for (const NewtonOptions::Kind sketch :
       {NewtonOptions::oja, NewtonOptions::frequent, NewtonOptions::random, NewtonOptions::full})
    for (const bool tuned : {true, false})
      for (const int size : {0, 1, 3, 20}) {
        NewtonOptions options;
        options.kind = sketch, options.size = size, options.tuned = tuned;
        options.slab = tuned ? HUGE_VAL : 2, options.curvature = 0.1;
        options.spaces = {{false, {{1, 1}}}};
        if (tuned) options.spaces = {{false, {{1, 1}, {0.1, 0.1}}}, {true, {{0.01, 0.1}}}};
        const int labels = 2 + size % 2;
        const Stream stream(1'500, features, labels, unsigned(size));
        const auto make = [&](Kernels kernels) {
          Newton model({LossKind::logistic, 0}, options, 0, 0, !tuned, kernels);
          for (std::int64_t c = 0; c < std::int64_t(features) - 1; ++c) model.features().insert(c);
          model.grow();
          if (labels == 3) model.relane(fresh(3), ones(3));
          return model;
        };
        Newton together = make(kernels()), apart = make(kernels()),
               elsewhere = make(baseline_kernels());
        together.learn(stream.batch(true));
        for (std::size_t t = 0; t < stream.targets.size(); ++t) apart.learn(stream.row(t, true));
        elsewhere.learn(stream.batch(true));
        CHECK(together.numbers() == apart.numbers());
        CHECK(together.numbers() == elsewhere.numbers());
        CHECK(together.weights() == apart.weights());
        for (const double w : together.weights()) CHECK(std::isfinite(w));
        Newton other = make(kernels());
        const std::vector<double> kept = together.numbers();
        other.restore_numbers(kept.data(), kept.size());
        CHECK(other.numbers() == kept);
        for (const std::size_t cut : {std::size_t(0), std::size_t(1), kept.size() - 1}) {
          bool refused = false;
          try {
            other.restore_numbers(kept.data(), cut);
          } catch (const std::invalid_argument&) {
            refused = true;
          }
          CHECK(refused);
        }
      }
}

void test_losses() {
  for (int kind = 0; kind <= int(LossKind::power); ++kind) {
    if (LossKind(kind) == LossKind::log_wealth) continue;  // of wealth, which is positive
    const Loss loss{LossKind(kind), LossKind(kind) == LossKind::power ? 2.5 : 0.3};
    for (double y : {-1.0, 1.0}) {
      for (double s : {-800.0, -3.0, -0.2, 0.0, 0.7, 4.0, 800.0}) {
        const double v = loss.value(s, y), g = loss.derivative(s, y);
        if (!std::isfinite(v)) continue;  // exp(800)
        CHECK(v >= 0);
        for (double u : {-2.0, 0.0, 0.5, 3.0}) {  // a subgradient, where the loss is convex
          if (loss.kind == LossKind::perceptron) continue;
          CHECK(loss.value(u, y) >= v + g * (u - s) - 1e-9 * (1 + v + std::fabs(g * s)));
        }
        // weight 1 and then weight 2 is weight 3
        const double n = 0.7, once = loss.invariant_step(s, y, 3, n);
        const double first = loss.invariant_step(s, y, 1, n);
        const double both = first + loss.invariant_step(s - n * first, y, 2, n);
        if (loss.kind != LossKind::perceptron)
          CHECK(std::fabs(once - both) <= 1e-9 * (1 + std::fabs(once)));
      }
    }
  }
}

void test_features() {
  Features exact;
  CHECK(exact.size() == 1);
  for (int round = 0; round < 2; ++round)
    for (int i = 0; i < 3000; ++i) {
      CHECK(exact.insert("name" + std::to_string(i)) == std::uint32_t(3 * i + 1));
      CHECK(exact.insert(std::int64_t(i)) == std::uint32_t(3 * i + 2));
      CHECK(exact.insert(std::int64_t(-1 - i) * 1000000007) == std::uint32_t(3 * i + 3));
    }
  CHECK(exact.find("7") == Features::kAbsent);  // the string is not the column
  CHECK(exact.name(1) == "name0" && exact.column(2) == 0 && exact.is_column(2));
  exact.truncate(100);
  CHECK(exact.size() == 100 && exact.find("name0") == 1 &&
        exact.find("name2999") == Features::kAbsent);
  CHECK(exact.find(std::int64_t(2999)) == Features::kAbsent && exact.find(std::int64_t(3)) == 11);
  CHECK(exact.insert("new") == 100);
  Features copy;
  copy.restore(exact.names(), exact.keys().data(), exact.kinds().data(), nullptr,
               exact.keys().size());
  CHECK(copy.size() == exact.size() && copy.find("new") == 100 && copy.find(std::int64_t(3)) == 11);

  Features hashed(10);
  CHECK(hashed.size() == 1025);
  CHECK(hashed.insert(std::int64_t(5)) == 6 && hashed.find(std::int64_t(1029)) == 6);
  for (int i = 0; i < 100; ++i) CHECK(hashed.insert("n" + std::to_string(i)) < hashed.size());
  // fixed for ever: models on disk depend on them
  CHECK(hash_bytes("") == 0xe220a8397b1dcdafULL && hash_bytes("feature") == 0xf9bf6b7d581bd47cULL);
  CHECK(hash_bytes("a longer name=with a value") == 0xa6d4355ea5c585a0ULL);
}

void test_bank() {
  Bank bank(Layout::of(5, 1, 3));
  bank.resize(3);
  CHECK(bank.layout().width == 8);
  bank.floats(2, 2)[7] = 4;
  bank.doubles(1, 0)[4] = 2;
  bank.resize(1000);
  CHECK(bank.floats(2, 2)[7] == 4 && bank.doubles(1, 0)[4] == 2 && bank.floats(999, 2)[7] == 0);
  bank.resize(2);
  bank.resize(3);
  CHECK(bank.floats(2, 2)[7] == 0);
  const Bank copy = bank;
  CHECK(copy.rows() == 3);
}

// Every geometry and domain: points stay where they belong, and the theorem of mirror descent holds
// for the origin or the start.
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
        // psi(0) = 0 when 0 is in the domain: sum <w_t, z_t> <= what was paid
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

// No point of the domain is better than the leader; a regularised one is where mirror descent is.
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

// The regret to the best of the points is at most what Corollaries 1 and 2 of the thesis say.
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

// Every player of experts: a distribution in each round, none of it on those asleep, regrets that
// are what was suffered beyond the experts, and a state that goes on.
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

// LinUCB: the weights solve their normal equations, widths are those of the matrix, and a state
// goes on.
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
      CHECK(arm < n && whole.waits());
      whole.learn(arm, x.data(), reward);
      CHECK(!whole.waits());
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
      part.learn(arm, x.data(), reward);
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

// Votes of which the first is random and the others mostly right, in turns.
void test_boosting() {
  using Made = std::unique_ptr<Voting>;
  const auto several = [](auto make) {
    std::vector<Made> boosters;
    for (const double edge : {0.05, 0.1, 0.4}) boosters.push_back(make(edge));
    return std::make_unique<Edges>(std::move(boosters));
  };
  for (const int n : {1, 2, 7, 40}) {
    std::vector<Made> all;
    for (const bool weighted : {false, true})
      all.push_back(std::make_unique<Bbm>(n, 0.1, weighted));
    for (const bool last : {false, true}) all.push_back(std::make_unique<AdaBoostOl>(n, 5, last));
    all.push_back(std::make_unique<OsBoost>(n, 0.1));
    all.push_back(std::make_unique<OsBoostOcp>(n, 0.1));
    all.push_back(several([&](double edge) { return std::make_unique<Bbm>(n, edge, true); }));
    all.push_back(several([&](double edge) { return std::make_unique<OsBoostOcp>(n, edge); }));
    for (const Made& booster : all) {
      const auto voters = std::size_t(booster->voters());
      std::mt19937 random(1);
      std::vector<double> votes(voters), weights(voters), same(voters);
      Made copy;
      for (int t = 0; t < 400; ++t) {
        const double y = random() % 2 ? 1 : -1, h = double(random() % 3 + 1) / 2;
        for (std::size_t i = 0; i < voters; ++i) votes[i] = random() % (2 + i % 4) ? y : -y;
        if (t == 150) {
          copy = booster->clone();
          const std::vector<double> state = booster->state();
          copy->restore(state.data(), state.size());
          bool refused = false;
          try {
            copy->restore(state.data(), state.size() - 1);
          } catch (const std::invalid_argument&) {
            refused = true;
          }
          CHECK(refused);
        }
        const double score = booster->score(votes.data());
        CHECK(std::isfinite(score) && score == booster->score(votes.data()));
        booster->learn(votes.data(), y, h, weights.data());
        for (const double w : weights) CHECK(w >= 0 && w <= 1);
        if (!copy) continue;
        CHECK(copy->score(votes.data()) == score);
        copy->learn(votes.data(), y, h, same.data());
        CHECK(same == weights);
      }
      CHECK(copy->measured() == booster->measured());
    }
    // what is equal in boost-by-majority (Lemma 8): sums of 400 numbers of at most 1.5 n
    for (std::size_t k = 0; k < 2; ++k) {
      auto sums = all[k]->measured();
      double left = sums["potential"][0];
      for (std::size_t i = 0; i < std::size_t(n); ++i)
        left += sums["correlation"][i] - sums["bias"][0] * sums["weights"][i];
      CHECK(std::fabs(left - sums["weight"][0] * sums["start"][0]) < 1e-10 * n);
    }
    auto sums = all[5]->measured();
    CHECK(std::fabs(std::accumulate(sums["alpha"].begin(), sums["alpha"].end(), -1.0)) < 1e-14);
  }
}

// Linear weak learners in lanes: the same in a batch, one by one, on other machines and after a
// restart.
void test_boost() {
  const std::uint32_t features = 9;
  for (const bool sampled : {false, true})
    for (const int labels : {2, 3})
      for (const bool coin : {false, true}) {
        AdaGrad adagrad;
        adagrad.invariant = true;
        Coin bets;
        bets.lipschitz = 1;
        const auto make = [&](Kernels kernels) {
          Boost model({LossKind::logistic, 0}, coin ? Rule(bets) : Rule(adagrad),
                      std::make_unique<Bbm>(7, 0.1, !sampled), sampled, 3, 0, 0, kernels);
          for (std::int64_t c = 0; c < std::int64_t(features) - 1; ++c) model.features().insert(c);
          model.grow();
          if (labels == 3) model.relane(fresh(3), ones(3));
          return model;
        };
        const Stream stream(600, features, labels, 5);
        Boost together = make(kernels()), apart = make(kernels()),
              elsewhere = make(baseline_kernels());
        together.learn(stream.batch(true));
        for (std::size_t t = 0; t < stream.targets.size(); ++t) apart.learn(stream.row(t, true));
        elsewhere.learn(stream.batch(true));
        const std::vector<double> kept = together.numbers();
        CHECK(kept == apart.numbers() && kept == elsewhere.numbers());
        CHECK(together.weights() == apart.weights());
        CHECK(together.weights() == elsewhere.weights());
        Boost other = make(kernels());
        other.restore_numbers(kept.data(), kept.size());
        CHECK(other.numbers() == kept);
        bool refused = false;
        try {
          other.restore_numbers(kept.data(), kept.size() - 1);
        } catch (const std::invalid_argument&) {
          refused = true;
        }
        CHECK(refused);
      }
}

// The best edge of all stumps, by trying them.
double best_edge(const std::vector<std::vector<double>>& columns, const std::vector<double>& signs,
                 const std::vector<double>& weights) {
  double total = 0, most = 0, all = 0;
  for (std::size_t i = 0; i < signs.size(); ++i) total += weights[i], all += weights[i] * signs[i];
  most = std::fabs(all);
  for (const std::vector<double>& x : columns)
    for (const double threshold : x) {
      double below = 0;
      for (std::size_t i = 0; i < x.size(); ++i)
        if (x[i] <= threshold) below += weights[i] * signs[i];
      most = std::max(most, std::fabs(below) + std::fabs(all - below));
    }
  return most / total / 2;
}

void test_stump_search() {
  std::mt19937 random(0);
  std::normal_distribution<double> normal;
  const std::size_t n = 150;
  for (int trial = 0; trial < 60; ++trial) {
    // columns of 0 and 1, mostly 0 or mostly 1; of few values; of many; of one; of zeros
    std::vector<std::vector<double>> columns(8, std::vector<double>(n));
    std::vector<double> signs(n), weights(n), values;
    for (std::size_t i = 0; i < n; ++i) {
      signs[i] = random() % 2 ? 1 : -1;
      weights[i] = random() % 3 ? std::fabs(normal(random)) : 0;
      columns[0][i] = random() % 9 == 0;
      columns[1][i] = random() % 9 != 0;
      columns[2][i] = double(random() % 5) - 2;
      columns[3][i] = normal(random);
      columns[4][i] = random() % 4 ? 0 : normal(random);
      columns[5][i] = 3;
      columns[7][i] = random() % 2 ? -1e308 : 1e308;
    }
    std::vector<std::int64_t> starts{0};
    std::vector<std::int32_t> rows;
    for (const std::vector<double>& x : columns) {
      for (std::size_t i = 0; i < n; ++i)
        if (x[i] != 0 || random() % 20 == 0) rows.push_back(int(i)), values.push_back(x[i]);
      starts.push_back(std::int64_t(rows.size()));
    }
    StumpSearch search(columns.size(), starts.data(), rows.data(), values.data(), signs);
    const FoundStump found = search.best(weights.data());
    CHECK(std::fabs(found.edge - best_edge(columns, signs, weights)) < 1e-12);
    double total = 0, agreed = 0;
    for (std::size_t i = 0; i < n; ++i) {
      const bool is_below =
          found.feature < 0 || columns[std::size_t(found.feature)][i] <= found.threshold;
      total += weights[i];
      agreed += weights[i] * signs[i] * (is_below ? found.below : found.above);
    }
    CHECK(std::fabs(found.edge - agreed / total / 2) < 1e-12);
  }
  StumpSearch none(0, std::vector<std::int64_t>{0}.data(), nullptr, nullptr, {-1, -1, 1});
  const double thirds[] = {1, 1, 1}, nothing[] = {0, 0, 0};
  CHECK(none.best(thirds).feature == -1 && none.best(thirds).below == -1);
  CHECK(none.best(nothing).edge == 0);
}

// Weak learners, alone and boosted: bounded, deterministic, and the same after a restart.
void test_weak_learners() {
  using Make = std::function<std::unique_ptr<WeakLearner>(std::size_t)>;
  const Make makes[] = {
      [](std::size_t) { return std::make_unique<Stumps>(1, 0.5); },
      [](std::size_t) { return std::make_unique<DecisionStump>(1); },
      [](std::size_t i) { return std::make_unique<NeuralNet>(1, 0.3, 4, i); },
  };
  const std::uint32_t d = 12;
  const Stream s(300, d, 2, 5);
  const auto example = [&](std::size_t t) {
    return Example{s.rows.data() + s.starts[t], s.values.data() + s.starts[t],
                   s.starts[t + 1] - s.starts[t]};
  };
  for (const Make& make : makes) {
    const auto learner = make(0), other = make(0);
    for (std::size_t t = 0; t < 300; ++t) {
      const Example x = example(t);
      for (const auto& each : {learner.get(), other.get()}) {
        each->grow(d);
        CHECK(std::fabs(each->predict(x)) <= 1);
        each->learn(x, {std::tanh(s.targets[t])}, s.importance[t] + 0.5);
      }
      CHECK(learner->predict(x) == other->predict(x));
      if (t == 150) {
        const std::vector<double> state = learner->state();
        other->restore(state.data(), state.size());
        bool refused = false;
        try {
          make(0)->restore(state.data(), state.size() - 1);
        } catch (const std::invalid_argument&) {
          refused = true;
        }
        CHECK(refused);
      }
    }
    for (const bool hull : {false, true})
      for (const auto feed :
           {StageOptions::gradient, StageOptions::linearized, StageOptions::residual}) {
        StageOptions options;
        options.loss = {LossKind::squared};
        options.n = 5, options.hull = hull, options.eta = 0.4, options.lipschitz = 4;
        options.feed = feed;
        BoostedModel model(options, make), copy(options, make);
        for (std::uint32_t f = 0; f + 1 < d; ++f) {  // row 0 is nobody's
          model.features().insert(std::int64_t(f));
          copy.features().insert(std::int64_t(f));
        }
        std::vector<double> scores(300), again(300), losses(300);
        Batch batch;
        batch.starts = s.starts.data(), batch.rows = s.rows.data(), batch.values = s.values.data();
        batch.targets = s.targets.data(), batch.importance = s.importance.data();
        batch.scores = scores.data(), batch.losses = losses.data(), batch.size = 150;
        model.learn(batch, 0);
        const std::vector<double> numbers = model.numbers();
        copy.restore_numbers(numbers.data(), numbers.size());
        Batch rest = batch;
        rest.starts += 150, rest.targets += 150, rest.importance += 150;
        rest.scores = scores.data() + 150, rest.losses = nullptr;
        model.learn(rest, 150);
        rest.scores = again.data() + 150;
        copy.learn(rest, 150);
        CHECK(std::equal(scores.begin() + 150, scores.end(), again.begin() + 150));
        CHECK(model.numbers() == copy.numbers());
        double most = 0, largest = 0;
        for (double y : s.targets) most = std::max(most, std::fabs(y));
        for (double v : scores) largest = std::max(largest, std::fabs(v));
        CHECK(largest > 0 && largest <= most * (1 + 1e-12));
        bool refused = false;
        try {
          copy.restore_numbers(numbers.data(), numbers.size() - 1);
        } catch (const std::invalid_argument&) {
          refused = true;
        }
        CHECK(refused);
      }
  }
}

}  // namespace

#include "bandits_tests.hpp"  // after CHECK
#include "classes_tests.hpp"

int main() {
  test_losses();
  test_features();
  test_bank();
  test_rules();
  test_auto();
  test_newton();
  test_players();
  test_leaders();
  test_density();
  test_experts();
  test_games([](bool held) { CHECK(held); });
  test_lin_ucb();
  test_arms();
  test_classes();
  test_boosting();
  test_boost();
  test_stump_search();
  test_weak_learners();
  std::printf("%d checks, %d failures\n", checks, failures);
  return failures != 0;
}
