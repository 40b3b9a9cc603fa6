// Votes of weak learners, for regretless.boosting.

#include "arrays.hpp"
#include "bindings.hpp"
#include "boosting/adaboost_ol.hpp"
#include "boosting/bbm.hpp"
#include "boosting/edges.hpp"
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

class PyVoting {
 public:
  PyVoting(std::string kind, Options options)
      : kind_(std::move(kind)), options_(options), voting_(voting_of(kind_, options)) {}
  PyVoting(const PyVoting& other)
      : kind_(other.kind_), options_(other.options_), voting_(other.voting_->clone()) {}

  int voters() const { return voting_->voters(); }
  double score(Vector<double> votes) const { return voting_->score(checked(votes)); }
  Array<double> learn(Vector<double> votes, double y, double h) {
    const double* sound = checked(votes);
    std::vector<double> weights(votes.size());
    voting_->learn(sound, y, h, weights.data());
    return array_of(weights);
  }
  auto measured() const { return voting_->measured(); }
  Array<double> state() const { return array_of(voting_->state()); }
  void restore(Vector<double> state) {
    for (std::size_t i = 0; i < state.size(); ++i)
      if (!std::isfinite(state(i))) throw nb::value_error("the state is damaged");
    voting_->restore(state.data(), state.size());
  }
  TupleOf<std::string, Options, Array<double>> pickled() const {
    return nb::make_tuple(kind_, options_, state());
  }

 private:
  const double* checked(Vector<double> votes) const {
    bool sound = votes.size() == std::size_t(voters());
    for (std::size_t i = 0; sound && i < votes.size(); ++i) sound = std::fabs(votes(i)) == 1;
    if (!sound) throw nb::value_error("a vote of -1 or 1 was expected of each voter");
    return votes.data();
  }

  std::string kind_;
  Options options_;
  std::unique_ptr<Voting> voting_;
};

}  // namespace

void bind_boosting(nb::module_& m) {
  nb::class_<PyVoting>(m, "Voting",
                       "Combines the votes of weak learners and weighs the next example for each.")
      .def(nb::init<std::string, Options>(), "kind"_a, "options"_a)
      .def_prop_ro("voters", &PyVoting::voters, "The number of weak learners.")
      .def("score", &PyVoting::score, "votes"_a, "The combined score of some votes.")
      .def("learn", &PyVoting::learn, "votes"_a, "y"_a, "h"_a,
           "Learn the label; returns the example's weight for each weak learner.")
      .def(
          "measured",
          [](const PyVoting& v) {
            Named<Array<double>> out;
            for (const auto& [name, numbers] : v.measured())
              out[nb::str(name.c_str())] = array_of(numbers);
            return out;
          },
          "What has been measured of the weak learners, by name.")
      .def("state", &PyVoting::state, "Everything that changes while it plays, as one array.")
      .def("restore", &PyVoting::restore, "state"_a,
           "Take over a state; nothing has changed if it is refused.")
      .def(
          "clone", [](const PyVoting& v) { return PyVoting(v); }, "A copy.")
      .def("__getstate__", &PyVoting::pickled, "What pickle keeps.")
      .def(
          "__setstate__",
          [](PyVoting& v, TupleOf<std::string, Options, Array<double>> from) {
            new (&v) PyVoting(nb::cast<std::string>(from[0]), nb::cast<nb::dict>(from[1]));
            v.restore(nb::cast<Vector<double>>(from[2]));
          },
          "Rebuild from what pickle kept.");
  m.def("drawn", &drawn, "seed"_a, "round"_a, "place"_a,
        "The uniform number by which an example is drawn for a weak learner.");
}

}  // namespace regretless
