#include "parts.hpp"

#include <cmath>

#include "enums.hpp"

namespace nb = nanobind;

namespace regretless {

namespace {
NewtonOptions newton_of(nb::dict options) {
  NewtonOptions o;
  o.kind = named<NewtonOptions::Kind>(options, "sketch");
  o.size = nb::cast<int>(options["size"]);
  o.seed = nb::cast<std::uint64_t>(options["seed"]);
  o.tuned = nb::cast<bool>(options["tuned"]);
  o.slab = nb::cast<double>(options["slab"]);
  o.curvature = nb::cast<double>(options["curvature"]);
  o.has_rate = options.contains("eta");
  if (o.has_rate)
    o.rate = {named<Rate::Kind>(options, "schedule"), nb::cast<double>(options["eta"])};
  using Lanes = std::vector<std::pair<double, double>>;
  for (const auto& [diagonal, lanes] :
       nb::cast<std::vector<std::pair<bool, Lanes>>>(options["spaces"])) {
    NewtonOptions::Space space{diagonal, {}};
    for (const auto& [alpha, strength] : lanes) space.lanes.push_back({alpha, strength});
    o.spaces.push_back(space);
  }
  return o;
}

// Lanes of a booster do not all see the same examples, so each knows the scales of features by
// itself.
Rule for_lanes(const Rule& rule) {
  if (const Coin* coin = std::get_if<Coin>(&rule)) {
    OwnCoin own;
    own.wealth = coin->wealth, own.lipschitz = coin->lipschitz;
    return own;
  }
  return rule;
}
}  // namespace

std::unique_ptr<Model> model_of(const Loss& loss, const std::string& rule, nb::dict options,
                                int bits, std::uint32_t remembered, bool intercept, bool certify,
                                bool precise) {
  const Kernels own = precise ? double_kernels() : kernels();
  if (rule == "newton")
    return std::make_unique<Newton>(loss, newton_of(options), bits, remembered, certify);
  if (rule == "boost") {
    auto voting =
        voting_of(nb::cast<std::string>(options["kind"]), nb::cast<nb::dict>(options["votes"]));
    const auto weak = nb::cast<std::string>(options["rule"]);
    const auto given = nb::cast<nb::dict>(options["weak"]);
    std::unique_ptr<Model> lanes = tree_lanes_of(weak, given, voting->voters());
    if (!lanes) {
      auto linear = std::make_unique<Learner>(loss, for_lanes(rule_of(weak, given, intercept)),
                                              bits, remembered, false, own);
      linear->join(voting->voters());
      lanes = std::move(linear);
    }
    return std::make_unique<Boost>(std::move(lanes), std::move(voting),
                                   nb::cast<bool>(options["sampled"]),
                                   nb::cast<std::uint64_t>(options["seed"]));
  }
  if (auto trees = tree_model_of(loss, rule, options)) return trees;
  if (auto boosting = boosting_model_of(loss, rule, options)) return boosting;
  if (rule != "auto")
    return std::make_unique<Learner>(loss, rule_of(rule, options, intercept), bits, remembered,
                                     certify, own);
  std::vector<Candidate> candidates;
  for (nb::handle each : nb::cast<nb::list>(options["lanes"])) {
    const auto [coin, rate, invariant, decay] =
        nb::cast<std::tuple<bool, double, double, double>>(each);
    candidates.push_back({coin, rate, invariant, decay});
  }
  NewtonOptions newton;
  if (options.contains("newton")) newton = newton_of(nb::cast<nb::dict>(options["newton"]));
  return std::make_unique<Auto>(loss, candidates, newton, nb::cast<double>(options["lipschitz"]),
                                nb::cast<double>(options["share"]), bits, remembered, own);
}

Rule rule_of(const std::string& name, nb::dict options, bool intercept) {
  const auto number = [&](const char* key) { return nb::cast<double>(options[key]); };
  const auto flag = [&](const char* key) { return nb::cast<bool>(options[key]); };
  const auto rate = [&] { return Rate{named<Rate::Kind>(options, "schedule"), number("eta")}; };
  if (name == "coin") {
    Coin r;
    r.wealth = number("wealth"), r.lipschitz = number("lipschitz");
    return r;
  }
  if (name == "adagrad") {
    AdaGrad r;
    r.eta = number("eta"), r.l1 = number("l1"), r.l2 = number("l2");
    r.scale_invariant = flag("scale_invariant"), r.invariant = flag("invariant");
    return r;
  }
  if (name == "ogd") {
    const auto fill = [&](auto r) {
      r.rate = rate(), r.l1 = number("l1"), r.l2 = number("l2"), r.radius = number("radius");
      r.lazy = flag("lazy"), r.invariant = flag("invariant");
      return Rule(r);
    };
    const bool plain =
        number("l1") == 0 && number("l2") == 0 && !flag("lazy") && std::isinf(number("radius"));
    return plain ? fill(PlainOgd{}) : fill(Ogd{});
  }
  if (name == "ftrl") {
    Ftrl r;
    r.alpha = number("alpha"), r.beta = number("beta"), r.l1 = number("l1"), r.l2 = number("l2");
    return r;
  }
  if (name == "pnorm") {
    PNorm r;
    r.rate = rate(), r.p = number("p");
    return r;
  }
  if (name == "eg") {
    Eg r;
    r.eta = number("eta"), r.radius = number("radius"), r.unused = !intercept;
    return r;
  }
  if (name == "passive_aggressive") {
    PassiveAggressive r;
    r.mode = named<PassiveAggressive::Mode>(options, "mode");
    r.aggressiveness = number("aggressiveness");
    return r;
  }
  if (name == "averaged") {
    Averaged r;
    r.kind = named<Averaged::Kind>(options, "kind");
    r.rate = number("eta");
    return r;
  }
  if (name == "margin") {
    MarginPerceptron r;
    r.margin = number("margin");
    return r;
  }
  if (name == "svm") {
    OnlineSvm r;
    r.rate = rate(), r.C = number("C"), r.radius = number("radius");
    r.shrinks_at_kink = flag("shrinks_at_kink");
    return r;
  }
  if (name == "winnow") {
    Winnow r;
    r.eta = number("eta"), r.dimension = number("dimension");
    return r;
  }
  throw nb::value_error(("no rule is called " + name).c_str());
}

}  // namespace regretless
