// What Python and the core call by name: no number stands for a name between them.
#pragma once
#include "casters.hpp"

namespace regretless {

// What a batch tells of its examples: nothing, their scores, or the number of the best one of each.
enum class Want { nothing, scores, best };

// A name among options. nb::enum_ would take the number of a name, too, unless it is told not to.
template <class Enum>
Enum named(nanobind::dict options, const char* key) {
  return nanobind::cast<Enum>(options[key], false);
}

}  // namespace regretless
