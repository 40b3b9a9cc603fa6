// Makes the parts of a learner from the names and options that Python passes.
#pragma once
#include <memory>
#include <string>

#include "auto.hpp"
#include "boosting/boost.hpp"
#include "casters.hpp"
#include "newton/newton.hpp"

namespace regretless {

// A rule by its name and a dict of options.
Rule rule_of(const std::string& name, nanobind::dict options, bool intercept);

// A learner with a rule. For the rule "auto" it is a mixture of lanes, each given as (whether it is
// a coin, rate or wealth, invariance, decay); "newton" and "boost" are the models of these names.
std::unique_ptr<Model> model_of(const Loss& loss, const std::string& rule, nanobind::dict options,
                                int bits, std::uint32_t remembered, bool intercept, bool certify,
                                bool precise);

// "bbm", "adaboost_ol", "osboost" or "osboost_ocp" with its options. If there are several edges,
// each has a booster.
std::unique_ptr<Voting> voting_of(const std::string& kind, nanobind::dict options);
// A weak learner, or boosted ones; null if the rule is something else.
std::unique_ptr<Model> boosting_model_of(const Loss& loss, const std::string& rule,
                                         nanobind::dict options);
// A "tree" or "forest"; null if the rule is something else.
std::unique_ptr<Model> tree_model_of(const Loss& loss, const std::string& rule,
                                     nanobind::dict options);
// A model that has a tree for each lane of a booster; null if the rule is not "tree".
std::unique_ptr<Model> tree_lanes_of(const std::string& rule, nanobind::dict options,
                                     int per_class);

}  // namespace regretless
