// The players of regretless.experts.

#include <memory>
#include <optional>

#include "arrays.hpp"
#include "bindings.hpp"
#include "experts/ada.hpp"
#include "experts/hedge.hpp"
#include "experts/mixture.hpp"
#include "experts/potentials.hpp"
#include "experts/second_order.hpp"
#include "turns.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace regretless {

namespace {

using namespace experts;
using Prior = std::vector<double>;
using Rows = Aligned<nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>>;
using Made = std::unique_ptr<Experts>;

// One confidence for each expert, or nothing.
template <class T>
std::optional<T> given(nb::handle confidence) {
  if (confidence.is_none()) return std::nullopt;
  return nb::cast<T>(confidence);
}
void check_size(std::size_t found, std::size_t expected) {
  if (found != expected) throw nb::value_error("arrays of other shapes were expected");
}

Array<double> weights(Experts& e, Array<double> confidence) {
  check_turn(e);
  const auto awake = given<Vector<double>>(confidence);
  if (awake) check_size(awake->size(), e.size());
  std::vector<double> p(e.size());
  e.distribution(awake ? awake->data() : nullptr, p.data());
  return array_of(p);
}
double update(Experts& e, Vector<double> losses, Array<double> confidence) {
  check_turn(e);
  const auto awake = given<Vector<double>>(confidence);
  check_size(losses.size(), e.size());
  if (awake) check_size(awake->size(), e.size());
  return e.update(losses.data(), awake ? awake->data() : nullptr);
}
// (rounds played, losses suffered, weights if they are to be kept)
TupleOf<int, Array<double>, std::optional<Array<double>>> run(Experts& e, Rows losses,
                                                              Array<double> confidence, double low,
                                                              double high, bool keep) {
  const Turn turn(e);
  const std::size_t count = losses.shape(0), n = e.size();
  const auto awake = given<Rows>(confidence);
  check_size(losses.shape(1), n);
  if (awake) check_size(awake->shape(0) * awake->shape(1), count * n);
  std::vector<double> suffered(count), weights(keep ? count * n : 0);
  std::size_t done = 0;
  {
    nb::gil_scoped_release release;
    done = play(e, losses.data(), awake ? awake->data() : nullptr, count, low, high,
                suffered.data(), keep ? weights.data() : nullptr);
  }
  return nb::make_tuple(done, array_of(suffered),
                        keep ? array_of(weights) : nb::object(nb::none()));
}

// (rounds played, whether the last was refused, gross losses of the experts, forecasts, weights)
using MixtureRun = TupleOf<int, bool, double, Array<double>, Array<double>>;
MixtureRun mixture_run(Experts& e, ForecastLoss::Kind loss, double tau, bool gradient, double unit,
                       double low, double gross, Rows forecasts, Vector<double> targets) {
  const Turn turn(e);
  const std::size_t count = forecasts.shape(0), n = e.size();
  check_size(forecasts.shape(1), n);
  check_size(targets.size(), count);
  std::vector<double> predictions(count), weights(count * n);
  Mixed done{};
  {
    nb::gil_scoped_release release;
    done = mix(e, {loss, tau}, gradient, {unit, low}, gross, forecasts.data(), targets.data(),
               count, predictions.data(), weights.data());
  }
  return nb::make_tuple(done.rounds, done.refused, done.gross, array_of(predictions),
                        array_of(weights));
}

}  // namespace

void bind_experts(nb::module_& m) {
  nb::class_<Experts>(m, "Experts", "A player that distributes weight over experts.")
      .def("belongs_to", &belongs_to<Experts>, "owner"_a,
           "Name the Python object that the engine belongs to, for errors about threads.")
      .def("weights", &weights, "confidence"_a.none(),
           "The weights to play now, given the confidence in each expert.")
      .def("update", &update, "losses"_a, "confidence"_a.none(),
           "Suffer the weighted mean of the losses and learn; returns that loss.")
      .def(
          "update_within",
          [](Experts& e, Vector<double> losses, double low, double high) {
            check_turn(e);
            check_size(losses.size(), e.size());
            return e.update_within(losses.data(), low, high);
          },
          "losses"_a, "low"_a, "high"_a,
          "The same as `update`, with losses from `low` to `high` instead of 0 to 1.")
      .def("run", &run, "losses"_a, "confidence"_a.none(), "low"_a, "high"_a, "keep"_a,
           "Play many rounds: (rounds played, losses suffered, weights if `keep`).")
      .def_prop_ro("size", &Experts::size, "The number of experts.")
      .def_prop_ro(
          "rounds", [](Experts& e) { return std::int64_t(idle(e).rounds()); },
          "The number of rounds played.")
      .def_prop_ro(
          "loss", [](Experts& e) { return idle(e).loss(); }, "The sum of the losses suffered.")
      .def_prop_ro(
          "gross", [](Experts& e) { return idle(e).gross(); },
          "The sum of the sizes of the losses suffered.")
      .def_prop_ro(
          "regrets", [](Experts& e) { return array_of(idle(e).regrets()); },
          "The regret to every expert.")
      .def_prop_ro(
          "spread",
          [](Experts& e) -> std::optional<Array<double>> {
            const auto* found = idle(e).spread();
            if (!found) return std::nullopt;
            return array_of(*found);
          },
          "The sums of |instantaneous regret|, if the player keeps them.")
      .def_prop_ro(
          "paid", [](Experts& e) { return idle(e).paid(); },
          "The part of the bound that has been paid so far.")
      .def_prop_ro(
          "rate", [](Experts& e) { return idle(e).rate(); }, "The learning rate now.")
      .def(
          "state", [](Experts& e) { return array_of(idle(e).state()); },
          "Everything that changes while it plays, as one array.")
      .def(
          "restore",
          [](Experts& e, Vector<double> state, double most) {
            idle(e).restore_within(state.data(), state.size(), most);
          },
          "state"_a, "most"_a = 1.0,
          "Take over a state in which the regret of a round is at most `most`.")
      .def(
          "grow",
          [](Experts& e, std::size_t count) { dynamic_cast<AdaNormalHedge&>(idle(e)).grow(count); },
          "count"_a, "Add experts to AdaNormalHedge.")
      .def(
          "rescale",
          [](Experts& e, double by) { dynamic_cast<AdaNormalHedge&>(idle(e)).rescale(by); }, "by"_a,
          "Multiply the regrets of AdaNormalHedge by a factor.");
  m.def("mixture_run", &mixture_run, "experts"_a, "loss"_a.noconvert(), "tau"_a, "gradient"_a,
        "unit"_a, "low"_a, "gross"_a, "forecasts"_a, "targets"_a,
        "Mix forecasts: (rounds, whether the last was refused, gross losses, forecasts, weights).");
  m.def(
      "learn_within",
      [](Experts& e, std::vector<double> losses, Array<double> confidence, double suffered,
         double unit, double low, double gross) -> TupleOf<bool, double> {
        check_turn(e);
        const auto awake = given<Vector<double>>(confidence);
        check_size(losses.size(), e.size());
        const bool learned =
            learn_within(e, losses, awake ? awake->data() : nullptr, suffered, {unit, low}, gross);
        return nb::make_tuple(learned, gross);
      },
      "experts"_a, "losses"_a, "confidence"_a.none(), "suffered"_a, "unit"_a, "low"_a, "gross"_a,
      "One round with losses in units of `unit` above `low`: (whether it was learned, gross "
      "losses).");
  m.def(
      "hedge",
      [](Prior prior, Hedge::Schedule schedule, double eta) -> Made {
        return std::make_unique<Hedge>(std::move(prior), schedule, eta);
      },
      "prior"_a, "schedule"_a.noconvert(), "eta"_a, "Hedge with a schedule of rates.");
  m.def(
      "linear_hedge",
      [](Prior prior, double beta) -> Made {
        return std::make_unique<LinearHedge>(std::move(prior), beta);
      },
      "prior"_a, "beta"_a, "Weighted majority with linear updates.");
  m.def(
      "fixed_share",
      [](Prior prior, double eta, double share) -> Made {
        return std::make_unique<FixedShare>(std::move(prior), eta, share);
      },
      "prior"_a, "eta"_a, "share"_a, "Fixed Share: Hedge that tracks the best expert.");
  m.def(
      "potential_player",
      [](Prior prior, PotentialPlayer::Kind kind, double parameter) -> Made {
        return std::make_unique<PotentialPlayer>(std::move(prior), kind, parameter);
      },
      "prior"_a, "kind"_a.noconvert(), "parameter"_a,
      "A player that follows the gradient of a potential.");
  m.def(
      "ada_normal_hedge",
      [](Prior prior, double power) -> Made {
        return std::make_unique<AdaNormalHedge>(std::move(prior), power);
      },
      "prior"_a, "power"_a, "AdaNormalHedge.");
  m.def(
      "ada_normal_hedge_tv",
      [](Prior prior, bool streaming) -> Made {
        return std::make_unique<AdaNormalHedgeTV>(std::move(prior), streaming);
      },
      "prior"_a, "streaming"_a, "AdaNormalHedge.TV, for comparators that change.");
  m.def(
      "adapt_ml_prod",
      [](Prior prior, bool known_range) -> Made {
        return std::make_unique<AdaptMLProd>(std::move(prior), known_range);
      },
      "prior"_a, "known_range"_a, "Adapt-ML-Prod.");
  m.def(
      "boa", [](Prior prior) -> Made { return std::make_unique<Boa>(std::move(prior)); }, "prior"_a,
      "Bernstein online aggregation.");
  m.def(
      "ml_poly", [](Prior prior) -> Made { return std::make_unique<MlPoly>(std::move(prior)); },
      "prior"_a, "ML-Poly: polynomial weights with a rate per expert.");
  m.def(
      "squint", [](Prior prior) -> Made { return std::make_unique<Squint>(std::move(prior)); },
      "prior"_a, "Squint with the improper prior.");
}

}  // namespace regretless
