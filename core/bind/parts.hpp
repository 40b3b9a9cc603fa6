// The parts that a learner is made of, from the names and numbers that Python gives.
#pragma once
#include <memory>
#include <string>

#include "auto.hpp"
#include "boosting/boost.hpp"
#include "casters.hpp"
#include "newton/newton.hpp"

namespace regretless {

// A rule arrives as its name and a dict of options; an option that nobody takes is an error of
// ours.
Rule rule_of(const std::string& name, nanobind::dict options, bool intercept);

// A bank with a rule; or, for the rule "auto", lanes of several that are mixed: (whether it is a
// coin, rate or wealth, invariance, decay) for each; for "newton" and "boost" what their names say.
std::unique_ptr<Model> model_of(const Loss& loss, const std::string& rule, nanobind::dict options,
                                int bits, std::uint32_t remembered, bool intercept, bool certify);

// "bbm", "adaboost_ol", "osboost" or "osboost_ocp" with its options; several edges have a booster
// each.
std::unique_ptr<Voting> voting_of(const std::string& kind, nanobind::dict options);
// A weak learner, or several that are boosted; null if the rule is another.
std::unique_ptr<Model> boosting_model_of(const Loss& loss, const std::string& rule,
                                         nanobind::dict options);

}  // namespace regretless
