// The module regretless._core.
#include "bindings.hpp"
#include "casters.hpp"
#include "model.hpp"

namespace nb = nanobind;

namespace {

// An ArithmeticError that knows the number of the example.
void bind_diverged(nb::module_& m) {
  using regretless::Diverged;
  static nb::exception<Diverged> type(m, "Diverged", PyExc_ArithmeticError);
  type.attr("__doc__") = "A score left the range of floating point.";
  type.attr("example") = 0;  // its number in the call
  nb::register_exception_translator([](const std::exception_ptr& thrown, void*) {
    try {
      std::rethrow_exception(thrown);
    } catch (const Diverged& error) {
      nb::object made = type(error.what());
      made.attr("example") = error.example;
      PyErr_SetObject(type.ptr(), made.ptr());
    }
  });
}

}  // namespace

NB_MODULE(_core, m) {
  using namespace regretless;
  m.doc() = "The compiled core: see core/bind/module.cpp.";
  nb::set_leak_warnings(false);  // models that are alive when the interpreter exits are not leaks
  bind_diverged(m);
  bind_enums(m);
  bind_turns(m);
  bind_learner(m);
  bind_survey(m);
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
  bind_audit(m);
}
