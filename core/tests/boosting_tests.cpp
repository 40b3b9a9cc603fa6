// Boosting: votes, lanes, stumps and other weak learners.
#include <cmath>
#include <memory>
#include <random>
#include <vector>

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
#include "check.hpp"
#include "stream.hpp"

using namespace regretless;

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
        const double tie = double(t % 3) - 1, margin = booster->margin(votes.data(), tie);
        CHECK(std::isfinite(margin) && margin == booster->margin(votes.data(), tie));
        CHECK(booster->says(votes.data(), tie) == (margin != 0 ? margin > 0 : tie >= 0));
        booster->learn(votes.data(), tie, y, h, weights.data());
        for (const double w : weights) CHECK(w >= 0 && w <= 1);
        if (!copy) continue;
        CHECK(copy->margin(votes.data(), tie) == margin);
        copy->learn(votes.data(), tie, y, h, same.data());
        CHECK(same == weights);
      }
      CHECK(copy->measured() == booster->measured());
    }
    // the equality of boost-by-majority (Lemma 8): sums of 400 numbers of at most 1.5 n
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

// Linear weak learners in lanes give the same results in a batch, one by one, with every
// instruction set and after a restart.
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
          auto weak = std::make_unique<Learner>(
              Loss{LossKind::logistic, 0}, coin ? Rule(bets) : Rule(adagrad), 0, 0, false, kernels);
          weak->join(7);
          Boost model(std::move(weak), std::make_unique<Bbm>(7, 0.1, !sampled), sampled, 3);
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

namespace {

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

}  // namespace

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
        for (std::uint32_t f = 0; f + 1 < d; ++f) {  // row 0 belongs to no feature
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
