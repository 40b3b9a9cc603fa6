// Classes that are products: the labels of some points are independent of those of the others.
#pragma once
#include "classes/hypotheses.hpp"

namespace regretless::classes {

// Whether some hypotheses are a product of two classes on different points, as far as the first
// point can show it. `one` and `other` receive the hypotheses that agree with the first hypothesis
// on the other factor's points.
bool factor(const Hypotheses& all, const Ids& ids, const std::vector<Column>& columns, Ids& one,
            Ids& other);

}  // namespace regretless::classes
