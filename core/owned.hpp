// The owner of an engine: the Python object that calls take turns on (bind/turns.hpp).
#pragma once

namespace regretless {

class Owned {
 public:
  Owned() = default;
  Owned(const Owned&) {}  // a copy has no owner yet
  Owned& operator=(const Owned&) { return *this; }

  // A Python object that lives as long as the engine. If it is null, calls take turns on the
  // engine.
  void* owner = nullptr;
};

}  // namespace regretless
