// Linear learners by every rule, Auto and Newton steps.
#include <memory>

#include "auto.hpp"
#include "check.hpp"
#include "newton/newton.hpp"
#include "stream.hpp"

using namespace regretless;

namespace {

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

}  // namespace

// Every rule with every number of lanes, in both precisions: weights are finite, a batch gives the
// same as its rows one by one, and every instruction set computes the same bits.
void test_rules() {
  const std::uint32_t features = 40;
  for (const Rule& rule : every_rule()) {
    for (int lanes : {1, 2, 3, 4, 5, 8, 9, 17, 64, 256}) {
      for (int way = 0; way < 4; ++way) {
        const bool certify = way % 2, precise = way > 1;
        const Kernels own = precise ? double_kernels() : kernels();
        const Kernels other = precise ? double_kernels() : baseline_kernels();
        const Stream stream(60, features, std::max(lanes, 2), unsigned(lanes));
        const Loss loss{LossKind::logistic, 1.0};
        Learner together(loss, rule, 0, 0, certify, own), apart = together;
        Learner elsewhere(loss, rule, 0, 0, certify, other);
        for (Learner* learner : {&together, &apart, &elsewhere}) {
          grow_to(*learner, features - 1);
          learner->relane(fresh(lanes), ones(lanes));
        }
        try {
          together.learn(stream.batch(true));
          for (std::size_t t = 0; t < 60; ++t) apart.learn(stream.row(t, true));
          elsewhere.learn(stream.batch(true));
        } catch (const Diverged&) {
          continue;  // the rate is too large for this stream
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

// Lanes that are added one by one, into room made before, equal lanes that are laid out anew each
// time, for hashed rows, too, which are laid out as they are touched; and packing changes nothing.
void test_lanes_that_come() {
  const std::uint32_t features = 40;
  for (const Rule& rule : every_rule())
    for (const int bits : {0, 7})
      for (int way = 0; way < 4; ++way) {
        const bool certify = way % 2;
        const Loss loss{LossKind::logistic, 1.0};
        Learner grown(loss, rule, bits, 0, certify, way > 1 ? double_kernels() : kernels()),
            exact = grown, told = grown;
        for (Learner* learner : {&grown, &exact, &told}) {
          if (bits == 0) grow_to(*learner, features - 1);
          learner->relane({-1, -1, -1}, ones(3));
        }
        told.reserve(30);
        try {
          for (int lanes = 3; lanes <= 30; ++lanes) {
            const Stream stream(5, features, lanes, unsigned(lanes));
            for (Learner* learner : {&grown, &exact, &told}) learner->learn(stream.batch(true));
            std::vector<int> sources = fresh(lanes + 1);
            for (int k = 0; k < lanes; ++k) sources[std::size_t(k)] = k;
            exact.relane(sources, ones(lanes + 1));
            grown.extend(1);
            told.extend(1);
            if (lanes % 7 == 0) grown.pack();
          }
        } catch (const Diverged&) {
          continue;
        }
        CHECK(grown.weights() == exact.weights());
        CHECK(told.weights() == exact.weights());
        for (int k = 0; k < 31; ++k) CHECK(grown.scalar(kLoss, k) == exact.scalar(kLoss, k));
        if (bits) CHECK(grown.parts()[0].bank->rows() <= features + 17);
      }
}

// A table that does not fit is refused, and nothing has changed.
void test_no_room() {
  Learner learner({LossKind::logistic, 1.0}, Coin{}, 0, 0, false);
  grow_to(learner, 1000);
  learner.relane({-1, -1, -1}, ones(3));
  const Stream stream(20, 1000, 3, 1);
  learner.learn(stream.batch(true));
  const std::vector<double> before = learner.weights();
  bool refused = false;
  try {
    learner.extend(500'000'000);
  } catch (const NoRoom& error) {
    refused = std::string(error.what()).find("models needs") != std::string::npos;
  }
  CHECK(refused);
  CHECK(learner.lanes() == 3);
  CHECK(learner.weights() == before);
}

// Auto, with lanes that retire: batches give the same as rows, every instruction set computes the
// same bits, and a state that is written can be read.
void test_auto() {
  std::vector<Candidate> candidates;
  for (int k = 0; k < 10; ++k)
    candidates.push_back({k > 6, std::pow(3.0, k - 4), double(k % 2), 1e-4});
  const std::uint32_t features = 9;
  NewtonOptions first_order, second_order;
  second_order.slab = HUGE_VAL, second_order.size = 3;
  second_order.spaces = {{false, {{1, 1}, {0.1, 0.1}}}, {true, {{0.01, 0.1}}}};
  for (const NewtonOptions& newton : {first_order, second_order})
    for (const LossKind kind : {LossKind::logistic, LossKind::hinge, LossKind::squared}) {
      const Loss loss{kind, 1.0};
      const bool classes = loss.classification();
      for (int labels : {2, 3}) {
        if (!classes && labels == 3) continue;
        const Stream stream(26'000, features, labels, unsigned(labels));
        const auto make = [&](Kernels kernels) {
          Auto model(loss, candidates, newton, 1, 0, 0, 0, kernels);
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
        const auto refused = [&](const std::vector<double>& numbers) {
          Auto fresh = make(kernels());
          try {
            fresh.restore_numbers(numbers.data(), numbers.size());
          } catch (const std::invalid_argument&) {
            return true;
          }
          return false;
        };
        CHECK(!refused(kept));
        CHECK(refused({kept.begin(), kept.end() - 1}));
        // the lanes that hold the names have retired, or one of two lanes that share a sketch
        std::vector<double> torn{kept[0], 7};
        for (int lane = 0; lane < 7; ++lane) torn.insert(torn.end(), {double(lane), 1, 1});
        CHECK(refused(torn));
        CHECK(refused({kept[0], 1, 10, 1, 1}));
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
