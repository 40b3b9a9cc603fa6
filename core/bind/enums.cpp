// The names that Python and the core share, and losses, which are a name and a number.
#include "enums.hpp"

#include "bandits/environments.hpp"
#include "bindings.hpp"
#include "boosting/stages.hpp"
#include "experts/hedge.hpp"
#include "experts/mixture.hpp"
#include "experts/potentials.hpp"
#include "losses.hpp"
#include "newton/frame.hpp"
#include "oco/density.hpp"
#include "oco/geometry.hpp"
#include "oco/mirror.hpp"
#include "rules/averaged.hpp"
#include "rules/passive_aggressive.hpp"
#include "rules/rule.hpp"
#include "text/parser.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace regretless {
namespace {

// Members are pickled by name: their numbers may change.
template <class Enum>
nb::enum_<Enum> enum_of(nb::module_& m, const char* name, const char* doc) {
  return nb::enum_<Enum>(m, name, doc).def("__reduce_ex__", [](nb::handle self, int) {
    const nb::object get = nb::module_::import_("builtins").attr("getattr");
    return nb::make_tuple(get, nb::make_tuple(self.type(), self.attr("name")));
  });
}

void bind_losses(nb::module_& m) {
  enum_of<LossKind>(m, "LossKind", "The losses that the core knows.")
      .value("logistic", LossKind::logistic)
      .value("hinge", LossKind::hinge)
      .value("squared_hinge", LossKind::squared_hinge)
      .value("exponential", LossKind::exponential)
      .value("perceptron", LossKind::perceptron)
      .value("squared", LossKind::squared)
      .value("absolute", LossKind::absolute)
      .value("quantile", LossKind::quantile)
      .value("epsilon_insensitive", LossKind::epsilon_insensitive)
      .value("log_wealth", LossKind::log_wealth)
      .value("power", LossKind::power);
  nb::class_<Loss>(m, "Loss", "A loss: its kind and its parameter.")
      .def(
          "__init__",
          [](Loss* self, LossKind kind, double parameter) { new (self) Loss{kind, parameter}; },
          "kind"_a.noconvert(), "parameter"_a)
      .def_ro("kind", &Loss::kind, "The kind.")
      .def_ro("parameter", &Loss::parameter, "The margin, tau, epsilon or p.");
}

void bind_learning(nb::module_& m) {
  enum_of<Want>(m, "Want",
                "What a batch returns: nothing, scores, or the best class of each example.")
      .value("nothing", Want::nothing)
      .value("scores", Want::scores)
      .value("best", Want::best);
  // The scalars that all rules have.
  enum_of<Scalar>(m, "Total", "The running totals that every learner keeps, per lane.")
      .value("rounds", kRounds)
      .value("loss", kLoss)
      .value("linear", kLinear)
      .value("squares", kSquares)
      .value("weights", kWeights)
      .value("rounding", kRounding)
      .value("updates", kUpdates)
      .value("radius", kRadius)
      .value("price", kPrice)
      .value("steps", kSteps)
      .value("gross", kGross);
  enum_of<Rate::Kind>(m, "RateKind", "How a learning rate falls with the rounds.")
      .value("constant", Rate::constant)
      .value("inverse_sqrt", Rate::inverse_sqrt)
      .value("inverse", Rate::inverse);
  enum_of<PassiveAggressive::Mode>(m, "PassiveAggressiveMode",
                                   "The variants of passive-aggressive learning.")
      .value("exact", PassiveAggressive::exact)
      .value("first", PassiveAggressive::first)
      .value("second", PassiveAggressive::second);
  enum_of<Averaged::Kind>(m, "Averaging", "How an averaged Perceptron predicts.")
      .value("survival", Averaged::survival)
      .value("uniform", Averaged::uniform)
      .value("vote", Averaged::vote);
  enum_of<NewtonOptions::Kind>(m, "SketchKind", "The sketches of second-order learners.")
      .value("oja", NewtonOptions::oja)
      .value("frequent", NewtonOptions::frequent)
      .value("random", NewtonOptions::random)
      .value("full", NewtonOptions::full);
  enum_of<StageOptions::Feed>(m, "Feed", "What gradient boosting teaches its weak learners.")
      .value("gradient", StageOptions::gradient)
      .value("linearized", StageOptions::linearized)
      .value("residual", StageOptions::residual);
  enum_of<text::Parser::Kind>(m, "LabelKind", "The labels that a parser has met.")
      .value("none", text::Parser::Kind::none)
      .value("number", text::Parser::Kind::number)
      .value("text", text::Parser::Kind::text);
}

void bind_playing(nb::module_& m) {
  using experts::ForecastLoss, experts::Hedge, experts::PotentialPlayer;
  enum_of<oco::Schedule::Kind>(m, "Schedule", "How the rate of mirror descent falls.")
      .value("constant", oco::Schedule::constant)
      .value("inverse_sqrt", oco::Schedule::inverse_sqrt)
      .value("inverse", oco::Schedule::inverse)
      .value("adaptive", oco::Schedule::adaptive);
  enum_of<oco::Geometry::Kind>(m, "GeometryKind", "The regularisers of mirror descent.")
      .value("euclidean", oco::Geometry::euclidean)
      .value("entropy", oco::Geometry::entropy)
      .value("unnormalized_entropy", oco::Geometry::unnormalized_entropy)
      .value("pnorm", oco::Geometry::pnorm)
      .value("diagonal", oco::Geometry::diagonal)
      .value("quadratic", oco::Geometry::quadratic);
  enum_of<oco::Domain::Kind>(m, "DomainKind", "The sets that players project onto.")
      .value("everything", oco::Domain::everything)
      .value("ball", oco::Domain::ball)
      .value("simplex", oco::Domain::simplex)
      .value("box", oco::Domain::box)
      .value("l1_ball", oco::Domain::l1_ball);
  enum_of<oco::Density::Potential>(m, "DensityPotential", "The potentials of density players.")
      .value("exponential", oco::Density::exponential)
      .value("two_norm", oco::Density::two_norm)
      .value("normal_hedge_dt", oco::Density::normal_hedge_dt);
  enum_of<Hedge::Schedule>(m, "HedgeSchedule", "How the rate of Hedge is chosen.")
      .value("fixed", Hedge::fixed)
      .value("anytime", Hedge::anytime)
      .value("doubling", Hedge::doubling)
      .value("small_loss", Hedge::small_loss)
      .value("majority", Hedge::majority);
  enum_of<PotentialPlayer::Kind>(m, "ExpertPotential", "The potentials of players with experts.")
      .value("polynomial", PotentialPlayer::polynomial)
      .value("two_norm", PotentialPlayer::two_norm)
      .value("normal_hedge_dt", PotentialPlayer::normal_hedge_dt)
      .value("normal_hedge", PotentialPlayer::normal_hedge);
  enum_of<ForecastLoss::Kind>(m, "ForecastLossKind", "The losses of forecasts.")
      .value("squared", ForecastLoss::squared)
      .value("absolute", ForecastLoss::absolute)
      .value("quantile", ForecastLoss::quantile)
      .value("log", ForecastLoss::log)
      .value("percentage", ForecastLoss::percentage);
  enum_of<bandits::Environment::Kind>(m, "EnvironmentKind", "How the losses of arms are drawn.")
      .value("bernoulli", bandits::Environment::bernoulli)
      .value("gaussian", bandits::Environment::gaussian);
}

}  // namespace

void bind_enums(nb::module_& m) {
  bind_losses(m);
  bind_learning(m);
  bind_playing(m);
}

}  // namespace regretless
