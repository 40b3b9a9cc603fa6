// Classes that are products: what is said at some points tells nothing of what is said at the
// others.
#pragma once
#include "classes/hypotheses.hpp"

namespace regretless::classes {

// Whether some hypotheses are a product of two classes on different points, as far as one point
// shows which; and those in `one` and `other` that say of the other's points what the first
// hypothesis says.
bool factor(const Hypotheses& all, const Ids& ids, const std::vector<Column>& columns, Ids& one,
            Ids& other);

}  // namespace regretless::classes
