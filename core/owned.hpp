// Who an engine belongs to: the object that its calls take turns on (bind/turns.hpp).
#pragma once

namespace regretless {

class Owned {
 public:
  Owned() = default;
  Owned(const Owned&) {}  // a copy belongs to nobody yet
  Owned& operator=(const Owned&) { return *this; }

  // A Python object that lives as long as the engine; null: nobody, and the engine stands for
  // itself
  void* owner = nullptr;
};

}  // namespace regretless
