// Names that Python and the core share. Python passes enum members, not numbers.
#pragma once
#include "casters.hpp"

namespace regretless {

// What a batch returns: nothing, the scores, or the number of the best class of each example.
enum class Want { nothing, scores, best };

// An enum member among options. Without `false` nb::cast would also accept the number of a member.
template <class Enum>
Enum named(nanobind::dict options, const char* key) {
  return nanobind::cast<Enum>(options[key], false);
}

}  // namespace regretless
