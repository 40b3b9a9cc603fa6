// Self-play, for regretless.games.

#include <memory>

#include "arrays.hpp"
#include "bindings.hpp"
#include "games/optimistic_hedge.hpp"
#include "games/payoffs.hpp"
#include "games/regret_matching.hpp"
#include "games/self_play.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace regretless {

namespace {

using namespace games;
using Matrix = Aligned<nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>>;

void expect(bool as_expected) {
  if (!as_expected) throw nb::value_error("arrays of other shapes were expected");
}

// Payoffs, and the arrays that they refer to.
struct Held {
  Held(Matrix A)
      : payoffs(std::make_unique<DensePayoffs>(A.data(), A.shape(0), A.shape(1))),
        arrays{nb::cast(A)} {}
  Held(Vector<std::int64_t> starts, Vector<std::int32_t> places, Vector<double> values,
       std::size_t columns)
      : arrays{nb::cast(starts), nb::cast(places), nb::cast(values)} {
    bool sound = starts.size() > 0 && starts.data()[0] == 0 && places.size() == values.size() &&
                 starts.data()[starts.size() - 1] == std::int64_t(values.size()) &&
                 std::is_sorted(starts.data(), starts.data() + starts.size());
    for (std::size_t k = 0; k < places.size(); ++k)
      sound = sound && places.data()[k] >= 0 && std::size_t(places.data()[k]) < columns;
    if (!sound) throw nb::value_error("the sparse matrix is malformed: its indices do not fit it");
    payoffs = std::make_unique<SparsePayoffs>(starts.data(), places.data(), values.data(),
                                              starts.size() - 1, columns);
  }
  Array<double> losses(Vector<double> q) const {
    expect(q.size() == payoffs->columns());
    std::vector<double> Aq(payoffs->rows());
    payoffs->losses(q.data(), Aq.data());
    return array_of(Aq);
  }
  Array<double> gains(Vector<double> p) const {
    expect(p.size() == payoffs->rows());
    std::vector<double> pA(payoffs->columns());
    payoffs->gains(p.data(), pA.data());
    return array_of(pA);
  }

  std::unique_ptr<Payoffs> payoffs;
  std::vector<nb::object> arrays;
};

std::unique_ptr<SelfPlay> made(experts::Experts& row, experts::Experts& column, const Held& held,
                               double low, double high, bool alternating, double power) {
  expect(row.size() == held.payoffs->rows() && column.size() == held.payoffs->columns());
  return std::make_unique<SelfPlay>(row, column, *held.payoffs, low, high, alternating, power);
}
TupleOf<double, double> pair_of(Bounds bounds) {
  return nb::make_tuple(bounds.lower, bounds.upper);
}

}  // namespace

void bind_games(nb::module_& m) {
  m.def(
      "regret_matching_plus",
      [](std::vector<double> prior, bool predictive) -> std::unique_ptr<experts::Experts> {
        return std::make_unique<RegretMatchingPlus>(std::move(prior), predictive);
      },
      "prior"_a, "predictive"_a,
      "Regret matching+, with a prediction of the next losses if predictive.");
  m.def(
      "optimistic_hedge",
      [](std::vector<double> prior, double complexity) -> std::unique_ptr<experts::Experts> {
        return std::make_unique<OptimisticHedge>(std::move(prior), complexity);
      },
      "prior"_a, "complexity"_a, "Optimistic Hedge.");
  nb::class_<Held>(m, "Payoffs", "The matrix of a zero-sum game: what the row player loses.")
      .def("losses", &Held::losses, "column"_a,
           "The losses of the rows against a column player's mixed strategy.")
      .def("gains", &Held::gains, "row"_a,
           "The gains of the columns against a row player's mixed strategy.");
  m.def(
      "dense_payoffs", [](Matrix matrix) { return std::make_unique<Held>(matrix); }, "matrix"_a,
      "A game given by a matrix.");
  m.def(
      "sparse_payoffs",
      [](Vector<std::int64_t> starts, Vector<std::int32_t> places, Vector<double> values,
         std::size_t columns) { return std::make_unique<Held>(starts, places, values, columns); },
      "starts"_a, "places"_a, "values"_a, "columns"_a, "A game given by a sparse matrix.");
  nb::class_<SelfPlay>(m, "SelfPlay", "Two players of one game against each other.")
      .def(nb::new_(&made), "row"_a, "column"_a, "payoffs"_a, "low"_a, "high"_a, "alternating"_a,
           "power"_a, nb::keep_alive<0, 1>(), nb::keep_alive<0, 2>(), nb::keep_alive<0, 3>())
      .def("play", &SelfPlay::play, "rounds"_a, "enough"_a,
           nb::call_guard<nb::gil_scoped_release>(),
           "Play so many rounds, or until the gap is at most `enough`.")
      .def_prop_ro("rounds", &SelfPlay::rounds, "The number of rounds played.")
      .def_prop_ro("weight", &SelfPlay::weight,
                   "The sum of the weights of the rounds in the average.")
      .def_prop_ro("last_weight", &SelfPlay::last_weight,
                   "The weight of the last round in the average.")
      .def_prop_ro("played", &SelfPlay::played, "The weighted sum of the payoffs p'A q.")
      .def_prop_ro("guessed", &SelfPlay::guessed,
                   "The same sum with the column player's strategy before it saw p.")
      .def_prop_ro("gap", &SelfPlay::gap, "The gap between the bounds on the value of the game.")
      .def_prop_ro(
          "average_bounds", [](const SelfPlay& s) { return pair_of(s.average()); },
          "The bounds on the value by the average strategies.")
      .def_prop_ro(
          "last_bounds", [](const SelfPlay& s) { return pair_of(s.last()); },
          "The bounds on the value by the last strategies.")
      .def_prop_ro(
          "row", [](const SelfPlay& s) { return array_of(s.row()); },
          "The last strategy of the row player.")
      .def_prop_ro(
          "column", [](const SelfPlay& s) { return array_of(s.column()); },
          "The last strategy of the column player.")
      .def_prop_ro(
          "average_row", [](const SelfPlay& s) { return array_of(s.average_row()); },
          "The average strategy of the row player.")
      .def_prop_ro(
          "average_column", [](const SelfPlay& s) { return array_of(s.average_column()); },
          "The average strategy of the column player.")
      .def(
          "history",
          [](const SelfPlay& s) -> TupleOf<Array<double>, Array<double>, Array<double>> {
            return nb::make_tuple(array_of(s.noted_rounds()), array_of(s.noted_average()),
                                  array_of(s.noted_last()));
          },
          "(rounds, gaps of the averages, gaps of the last strategies) at some rounds.");
}

}  // namespace regretless
