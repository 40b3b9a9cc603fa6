// regretless._core, room by room.
#include <nanobind/nanobind.h>

#include "bindings.hpp"
#include "model.hpp"

namespace nb = nanobind;

NB_MODULE(_core, m) {
  using namespace regretless;
  nb::set_leak_warnings(false);  // an interpreter that exits with live models leaks nothing
  nb::exception<Diverged>(m, "Diverged", PyExc_ArithmeticError);
  bind_turns(m);
  bind_learner(m);
  bind_reader(m);
  bind_streams(m);
  bind_oco(m);
  bind_experts(m);
  bind_games(m);
  bind_bandits(m);
  bind_lin_ucb(m);
  bind_classes(m);
  bind_boosting(m);
  bind_stump_search(m);
  bind_stages(m);
  bind_tally(m);
}
