// Votes of weak learners, for regretless.boosting.

#include "arrays.hpp"
#include "bindings.hpp"
#include "boosting/adaboost_ol.hpp"
#include "boosting/bbm.hpp"
#include "boosting/edges.hpp"
#include "boosting/ensembles.hpp"
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

class PyEnsembles {
 public:
  PyEnsembles(std::string kind, Options options)
      : kind_(std::move(kind)), options_(options), ensembles_(voting_of(kind_, options)) {}

  std::size_t lanes() const { return ensembles_.lanes(); }
  std::size_t voters() const { return ensembles_.voters(); }
  void relane(const std::vector<int>& sources) {
    for (const int source : sources)
      if (source < -1 || source >= int(lanes())) throw nb::value_error("there is no such lane");
    ensembles_.relane(sources);
  }
  Array<double> margins(Vector<double> raw) const {
    std::vector<double> out(lanes());
    ensembles_.margins(checked(raw), out.data());
    return array_of(out);
  }
  Array<double> score(Vector<double> raw) const {
    std::vector<double> out(lanes());
    ensembles_.score(checked(raw), out.data());
    return array_of(out);
  }
  Array<double> learn(Vector<double> raw, Vector<double> y, double h) {
    const double* sound = checked(raw);
    bool labels = y.size() == lanes();
    for (std::size_t i = 0; labels && i < y.size(); ++i) labels = std::fabs(y(i)) == 1;
    if (!labels) throw nb::value_error("a label of -1 or 1 was expected for each lane");
    std::vector<double> weights(raw.size());
    ensembles_.learn(sound, y.data(), h, weights.data());
    return array_of(weights);
  }
  auto measured(std::size_t lane) const {
    if (lane >= lanes()) throw nb::value_error("there is no such lane");
    Named<Array<double>> out;
    for (const auto& [name, numbers] : ensembles_.measured(lane))
      out[nb::str(name.c_str())] = array_of(numbers);
    return out;
  }
  Array<double> state() { return array_of(ensembles_.state()); }
  void restore(Vector<double> state) {
    for (std::size_t i = 0; i < state.size(); ++i)
      if (!std::isfinite(state(i))) throw nb::value_error("the state is damaged");
    ensembles_.restore(state.data(), state.size());
  }
  TupleOf<std::string, Options, std::size_t, Array<double>> pickled() {
    return nb::make_tuple(kind_, options_, lanes(), state());
  }

 private:
  const double* checked(Vector<double> raw) const {
    bool sound = raw.size() == lanes() * voters();
    for (std::size_t i = 0; sound && i < raw.size(); ++i) sound = std::isfinite(raw(i));
    if (!sound) throw nb::value_error("a number was expected of each voter for each lane");
    return raw.data();
  }

  std::string kind_;
  Options options_;
  Ensembles ensembles_;
};

}  // namespace

void bind_boosting(nb::module_& m) {
  nb::class_<PyEnsembles>(
      m, "Ensembles",
      "Combines the scores of weak learners, and weighs the example for each of them.")
      .def(nb::init<std::string, Options>(), "kind"_a, "options"_a)
      .def_prop_ro("lanes", &PyEnsembles::lanes, "The number of labels with voters of their own.")
      .def_prop_ro("voters", &PyEnsembles::voters, "The number of weak learners of a lane.")
      .def("relane", &PyEnsembles::relane, "sources"_a,
           "Make new lanes from old ones; source -1 is a fresh lane.")
      .def("margins", &PyEnsembles::margins, "raw"_a,
           "By how much the vote is for each label, from the scores of the weak learners.")
      .def("score", &PyEnsembles::score, "raw"_a,
           "The log-odds of each label, on the side of the vote.")
      .def("learn", &PyEnsembles::learn, "raw"_a, "y"_a, "h"_a,
           "Learn the labels; returns the example's weight for each weak learner.")
      .def("measured", &PyEnsembles::measured, "lane"_a,
           "What has been measured of the weak learners of a lane, by name.")
      .def("state", &PyEnsembles::state, "Everything that changes while it plays, as one array.")
      .def("restore", &PyEnsembles::restore, "state"_a,
           "Take over a state of as many lanes; nothing has changed if it is refused.")
      .def(
          "clone", [](const PyEnsembles& v) { return PyEnsembles(v); }, "A copy.")
      .def("__getstate__", &PyEnsembles::pickled, "What pickle keeps.")
      .def(
          "__setstate__",
          [](PyEnsembles& v, TupleOf<std::string, Options, std::size_t, Array<double>> from) {
            new (&v) PyEnsembles(nb::cast<std::string>(from[0]), nb::cast<nb::dict>(from[1]));
            v.relane(std::vector<int>(nb::cast<std::size_t>(from[2]), -1));
            v.restore(nb::cast<Vector<double>>(from[3]));
          },
          "Rebuild from what pickle kept.");
  m.def("drawn", &drawn, "seed"_a, "round"_a, "place"_a,
        "The uniform number by which an example is drawn for a weak learner.");
}

}  // namespace regretless
