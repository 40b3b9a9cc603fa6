// The parts that a learner is made of, from the names and numbers that Python gives.
#pragma once
#include <nanobind/nanobind.h>

#include <string>

#include "kernels.hpp"

namespace regretless {

// (number of the loss, its parameter)
Loss loss_of(nanobind::handle spec);

// A rule arrives as its name and a dict of options; an option that nobody takes is an error of
// ours.
Rule rule_of(const std::string& name, nanobind::dict options, bool intercept);

}  // namespace regretless
