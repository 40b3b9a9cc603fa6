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

// Payoffs, and the arrays that they look at.
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
  nb::object losses(Vector<double> q) const {
    expect(q.size() == payoffs->columns());
    std::vector<double> Aq(payoffs->rows());
    payoffs->losses(q.data(), Aq.data());
    return array_of(Aq);
  }
  nb::object gains(Vector<double> p) const {
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
nb::tuple pair_of(Bounds bounds) { return nb::make_tuple(bounds.lower, bounds.upper); }

}  // namespace

void bind_games(nb::module_& m) {
  m.def(
      "regret_matching_plus",
      [](std::vector<double> prior, bool predictive) -> std::unique_ptr<experts::Experts> {
        return std::make_unique<RegretMatchingPlus>(std::move(prior), predictive);
      },
      "prior"_a, "predictive"_a);
  m.def(
      "optimistic_hedge",
      [](std::vector<double> prior, double complexity) -> std::unique_ptr<experts::Experts> {
        return std::make_unique<OptimisticHedge>(std::move(prior), complexity);
      },
      "prior"_a, "complexity"_a);
  nb::class_<Held>(m, "Payoffs")
      .def("losses", &Held::losses, "column"_a)
      .def("gains", &Held::gains, "row"_a);
  m.def("dense_payoffs", [](Matrix matrix) { return std::make_unique<Held>(matrix); }, "matrix"_a);
  m.def(
      "sparse_payoffs",
      [](Vector<std::int64_t> starts, Vector<std::int32_t> places, Vector<double> values,
         std::size_t columns) { return std::make_unique<Held>(starts, places, values, columns); },
      "starts"_a, "places"_a, "values"_a, "columns"_a);
  nb::class_<SelfPlay>(m, "SelfPlay")
      .def(nb::new_(&made), "row"_a, "column"_a, "payoffs"_a, "low"_a, "high"_a, "alternating"_a,
           "power"_a, nb::keep_alive<0, 1>(), nb::keep_alive<0, 2>(), nb::keep_alive<0, 3>())
      .def("play", &SelfPlay::play, "rounds"_a, "enough"_a,
           nb::call_guard<nb::gil_scoped_release>())
      .def_prop_ro("rounds", &SelfPlay::rounds)
      .def_prop_ro("weight", &SelfPlay::weight)
      .def_prop_ro("last_weight", &SelfPlay::last_weight)
      .def_prop_ro("played", &SelfPlay::played)
      .def_prop_ro("guessed", &SelfPlay::guessed)
      .def_prop_ro("gap", &SelfPlay::gap)
      .def_prop_ro("average_bounds", [](const SelfPlay& s) { return pair_of(s.average()); })
      .def_prop_ro("last_bounds", [](const SelfPlay& s) { return pair_of(s.last()); })
      .def_prop_ro("row", [](const SelfPlay& s) { return array_of(s.row()); })
      .def_prop_ro("column", [](const SelfPlay& s) { return array_of(s.column()); })
      .def_prop_ro("average_row", [](const SelfPlay& s) { return array_of(s.average_row()); })
      .def_prop_ro("average_column", [](const SelfPlay& s) { return array_of(s.average_column()); })
      .def("history", [](const SelfPlay& s) {
        return nb::make_tuple(array_of(s.noted_rounds()), array_of(s.noted_average()),
                              array_of(s.noted_last()));
      });
}

}  // namespace regretless
