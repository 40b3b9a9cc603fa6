// One thread at a time per object: a call takes a turn on an object, and until it ends calls of
// other threads are refused. Turns are taken and given back with the GIL held, so a plain list of
// them is enough. It is short: it holds only the objects with a call in progress.
#pragma once
#include <stdexcept>
#include <vector>

#include "casters.hpp"
#include "owned.hpp"

namespace regretless {

// The object that a turn is taken on, and its name in the error.
struct Subject {
  const void* object;
  const char* name;
  Subject(const void* object, const char* name) : object(object), name(name) {}
  Subject(const Owned& engine) : object(engine.owner), name(nullptr) {
    if (!object) object = &engine, name = "the engine";
  }
};

template <class Engine>
void belongs_to(Engine& engine, nanobind::handle owner) {
  engine.owner = owner.ptr();
}

namespace turns {

struct Taken {
  const void* object;
  unsigned long thread;
};
inline std::vector<Taken> all;

enum class Answer { taken, nested, refused };
Answer take(const void* object);
void give_back(const void* object);
void check(Subject subject);
[[noreturn]] void refuse(Subject subject);

}  // namespace turns

// For a call that neither releases the GIL nor runs Python code: no other thread can run during it.
// Throws std::runtime_error if another thread has the turn.
inline void check_turn(const Subject& subject) {
  if (!turns::all.empty()) turns::check(subject);
}
template <class Engine>
Engine& idle(Engine& engine) {
  check_turn(engine);
  return engine;
}

class Turn {
 public:
  // Throws as check_turn does.
  explicit Turn(Subject subject) : object_(subject.object) {
    if (turns::all.empty()) {
      turns::all.push_back({object_, PyThread_get_thread_ident()});
      return;
    }
    const turns::Answer answer = turns::take(object_);
    if (answer == turns::Answer::refused) turns::refuse(subject);
    if (answer == turns::Answer::nested) object_ = nullptr;
  }
  Turn(const Turn&) = delete;
  Turn& operator=(const Turn&) = delete;
  ~Turn() {
    if (!object_) return;
    if (turns::all.back().object == object_)
      turns::all.pop_back();
    else
      turns::give_back(object_);
  }

 private:
  const void* object_;  // null: the same thread has the turn already
};

inline constexpr char kCalledBack[] =
    "a value in x uses the learner that is reading it; compute it before";

// A turn that even the same thread cannot take again: values that are being read may run the user's
// code, and that code may call back.
class OnlyTurn {
 public:
  OnlyTurn(Subject subject, bool& taken) : turn_(subject), taken_(taken) {
    if (taken) throw std::runtime_error(kCalledBack);
    taken = true;
  }
  ~OnlyTurn() { taken_ = false; }
  OnlyTurn(const OnlyTurn&) = delete;
  OnlyTurn& operator=(const OnlyTurn&) = delete;

 private:
  Turn turn_;
  bool& taken_;
};

}  // namespace regretless
