// Checks of what a user passes to a learner. What they refuse is a ValueError.
#pragma once
#include "arrays.hpp"

namespace regretless {

// The three arrays of a CSR matrix fit each other.
void check_starts(const Vector<std::int64_t>& starts, std::size_t columns, std::size_t values);

// The weight of an example, or 0 if it is too small to have an effect. `at` is the number of the
// example in a call with many.
double checked_importance(double w, const char* name, std::ptrdiff_t at = -1);

void check_target(double y, const char* name, std::ptrdiff_t at = -1);

}  // namespace regretless
