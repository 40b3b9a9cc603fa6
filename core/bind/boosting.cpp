// Votes of weak learners, for regretless.boosting.

#include "arrays.hpp"
#include "bindings.hpp"
#include "boosting/adaboost_ol.hpp"
#include "boosting/bbm.hpp"
#include "boosting/edges.hpp"
#include "boosting/ensemble.hpp"
#include "boosting/osboost.hpp"
#include "parts.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace regretless {

std::unique_ptr<Voting> voting_of(const std::string& kind, nb::dict options) {
  const int n = nb::cast<int>(options["n"]);
  if (kind == "adaboost_ol")
    return std::make_unique<AdaBoostOl>(n, nb::cast<std::uint64_t>(options["seed"]),
                                        nb::cast<bool>(options["last"]));
  const auto made = [&](double edge) -> std::unique_ptr<Voting> {
    if (kind == "bbm") return std::make_unique<Bbm>(n, edge, nb::cast<bool>(options["weighted"]));
    if (kind == "osboost") return std::make_unique<OsBoost>(n, edge);
    if (kind == "osboost_ocp") return std::make_unique<OsBoostOcp>(n, edge);
    throw nb::value_error(("there is no booster " + kind).c_str());
  };
  const auto edges = nb::cast<std::vector<double>>(options["edges"]);
  if (edges.size() == 1) return made(edges[0]);
  std::vector<std::unique_ptr<Voting>> boosters;
  for (const double edge : edges) boosters.push_back(made(edge));
  return std::make_unique<Edges>(std::move(boosters));
}

namespace {

class PyEnsemble {
 public:
  PyEnsemble(std::string kind, Options options)
      : kind_(std::move(kind)), options_(options), ensemble_(voting_of(kind_, options)) {}

  int voters() const { return ensemble_.voters(); }
  double score(Vector<double> raw) const { return ensemble_.score(checked(raw)); }
  double margin(Vector<double> raw) const { return ensemble_.margin(checked(raw)); }
  Array<double> learn(Vector<double> raw, double y, double h) {
    const double* sound = checked(raw);
    std::vector<double> weights(raw.size());
    ensemble_.learn(sound, y, h, weights.data());
    return array_of(weights);
  }
  auto measured() const { return ensemble_.measured(); }
  Array<double> state() { return array_of(ensemble_.state()); }
  void restore(Vector<double> state) {
    for (std::size_t i = 0; i < state.size(); ++i)
      if (!std::isfinite(state(i))) throw nb::value_error("the state is damaged");
    ensemble_.restore(state.data(), state.size());
  }
  TupleOf<std::string, Options, Array<double>> pickled() {
    return nb::make_tuple(kind_, options_, state());
  }

 private:
  const double* checked(Vector<double> raw) const {
    bool sound = raw.size() == std::size_t(voters());
    for (std::size_t i = 0; sound && i < raw.size(); ++i) sound = std::isfinite(raw(i));
    if (!sound) throw nb::value_error("a number was expected of each voter");
    return raw.data();
  }

  std::string kind_;
  Options options_;
  Ensemble ensemble_;
};

}  // namespace

void bind_boosting(nb::module_& m) {
  nb::class_<PyEnsemble>(m, "Ensemble",
                         "Combines the votes of weak learners and weighs the example for each.")
      .def(nb::init<std::string, Options>(), "kind"_a, "options"_a)
      .def_prop_ro("voters", &PyEnsemble::voters, "The number of weak learners.")
      .def("score", &PyEnsemble::score, "raw"_a,
           "The log-odds that follow from the scores of the weak learners, on the side of the vote.")
      .def("margin", &PyEnsemble::margin, "raw"_a, "By how much the vote is for label 1.")
      .def("learn", &PyEnsemble::learn, "raw"_a, "y"_a, "h"_a,
           "Learn the label; returns the example's weight for each weak learner.")
      .def(
          "measured",
          [](const PyEnsemble& v) {
            Named<Array<double>> out;
            for (const auto& [name, numbers] : v.measured())
              out[nb::str(name.c_str())] = array_of(numbers);
            return out;
          },
          "What has been measured of the weak learners, by name.")
      .def("state", &PyEnsemble::state, "Everything that changes while it plays, as one array.")
      .def("restore", &PyEnsemble::restore, "state"_a,
           "Take over a state; nothing has changed if it is refused.")
      .def(
          "clone", [](const PyEnsemble& v) { return PyEnsemble(v); }, "A copy.")
      .def("__getstate__", &PyEnsemble::pickled, "What pickle keeps.")
      .def(
          "__setstate__",
          [](PyEnsemble& v, TupleOf<std::string, Options, Array<double>> from) {
            new (&v) PyEnsemble(nb::cast<std::string>(from[0]), nb::cast<nb::dict>(from[1]));
            v.restore(nb::cast<Vector<double>>(from[2]));
          },
          "Rebuild from what pickle kept.");
  m.def("drawn", &drawn, "seed"_a, "round"_a, "place"_a,
        "The uniform number by which an example is drawn for a weak learner.");
}

}  // namespace regretless
