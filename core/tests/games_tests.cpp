// Games: products by every kernel, for sparse and dense matrices, and the bounds of self-play.
#include <cmath>
#include <random>
#include <vector>

#include "check.hpp"
#include "experts/hedge.hpp"
#include "games/optimistic_hedge.hpp"
#include "games/payoffs.hpp"
#include "games/regret_matching.hpp"
#include "games/self_play.hpp"

void test_games() {
  using namespace regretless;
  using namespace regretless::games;
  std::mt19937 random(1);
  std::uniform_real_distribution<double> uniform;
  for (const std::size_t m : {1, 3, 4, 9})
    for (const std::size_t n : {1, 2, 5, 8, 13}) {
      std::vector<double> A(m * n), p(m), q(n), Aq(m), pA(n), again(m), sums(n);
      std::vector<std::int64_t> starts(m + 1);
      std::vector<std::int32_t> places;
      std::vector<double> values;
      for (std::size_t i = 0; i < m; ++i) {
        p[i] = i % 3 == 1 ? 0 : uniform(random);
        for (std::size_t j = 0; j < n; ++j)
          if (random() % 3) {
            values.push_back(A[i * n + j] = uniform(random) - 0.5);
            places.push_back(std::int32_t(j));
          }
        starts[i + 1] = std::int64_t(values.size());
      }
      for (double& x : q) x = uniform(random);
      const DensePayoffs dense(A.data(), m, n);
      const SparsePayoffs sparse(starts.data(), places.data(), values.data(), m, n);
      for (const Payoffs* payoffs :
           {static_cast<const Payoffs*>(&dense), static_cast<const Payoffs*>(&sparse)}) {
        payoffs->losses(q.data(), Aq.data());
        payoffs->gains(p.data(), pA.data());
        for (std::size_t i = 0; i < m; ++i) {
          double sum = 0;
          for (std::size_t j = 0; j < n; ++j) sum += A[i * n + j] * q[j];
          CHECK(std::fabs(sum - Aq[i]) < 1e-14);
        }
        for (std::size_t j = 0; j < n; ++j) {
          double sum = 0;
          for (std::size_t i = 0; i < m; ++i) sum += p[i] * A[i * n + j];
          CHECK(std::fabs(sum - pA[j]) < 1e-14);
        }
      }
      // every instruction set computes the same bits
      for (const Kernels& each : {kernels(), baseline_kernels()}) {
        each.row_products(A.data(), m, n, q.data(), again.data());
        each.row_sum(A.data(), m, n, p.data(), sums.data());
        dense.losses(q.data(), Aq.data());
        dense.gains(p.data(), pA.data());
        CHECK(again == Aq && sums == pA);
      }
    }

  // The gap of the averages follows from the regrets, and rounds played in two parts are the same.
  const std::vector<double> A{0.1, 0.9, 0.4, 0.8, 0.2, 0.5};
  const std::vector<double> two(2, 0.5), three(3, 1.0 / 3);
  const DensePayoffs payoffs(A.data(), 2, 3);
  const auto tried = [&](auto make, bool alternating, double power) {
    auto row = make(two), column = make(three), row2 = make(two), column2 = make(three);
    SelfPlay whole(row, column, payoffs, 0.1, 0.9, alternating, power);
    SelfPlay parts(row2, column2, payoffs, 0.1, 0.9, alternating, power);
    whole.play(200, -1), parts.play(77, -1), parts.play(123, -1);
    CHECK(whole.rounds() == 200 && parts.rounds() == 200);
    CHECK(whole.average_row() == parts.average_row() && whole.column() == parts.column());
    CHECK(whole.average().lower <= whole.average().upper);
    CHECK(whole.average().upper - whole.average().lower < 0.2);
    CHECK(whole.noted_rounds().front() == 1 && whole.noted_rounds().size() < 200);
    double sum = 0;
    for (const double p : whole.average_row()) sum += p;
    CHECK(std::fabs(sum - 1) < 1e-15);
    whole.play(1000, 1);  // the gap is that small already
    CHECK(whole.rounds() == 200);
  };
  tried([](auto prior) { return RegretMatchingPlus(prior, true); }, true, 2);
  tried([](auto prior) { return RegretMatchingPlus(prior, false); }, true, 1);
  tried([](auto prior) { return OptimisticHedge(prior, std::log(3.0)); }, false, 0);
  tried([](auto prior) { return experts::Hedge(prior, experts::Hedge::anytime, 1); }, false, 0);
}
