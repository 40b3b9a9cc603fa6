// The search for stumps, for regretless.boosting.
#include "boosting/stump_search.hpp"

#include "arrays.hpp"
#include "bindings.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace regretless {

namespace {

void check(bool fits) {
  if (!fits) throw nb::value_error("arrays of other shapes were expected");
}

}  // namespace

void bind_stump_search(nb::module_& m) {
  nb::class_<StumpSearch>(m, "StumpSearch", "Finds the best stump for weighted examples.")
      .def(
          "__init__",
          [](StumpSearch* made, Vector<std::int64_t> starts, Vector<std::int32_t> rows,
             Vector<double> values, Vector<double> signs) {
            const std::size_t n = signs.size();
            check(starts.size() > 0 && starts(0) == 0 && rows.size() == values.size() &&
                  starts(starts.size() - 1) == std::int64_t(rows.size()) &&
                  std::is_sorted(starts.data(), starts.data() + starts.size()));
            for (std::size_t k = 0; k < rows.size(); ++k)
              check(rows(k) >= 0 && std::size_t(rows(k)) < n);
            new (made) StumpSearch(starts.size() - 1, starts.data(), rows.data(), values.data(),
                                   std::vector<double>(signs.data(), signs.data() + n));
          },
          "starts"_a, "rows"_a, "values"_a, "signs"_a)
      .def(
          "best",
          [](StumpSearch& search,
             Vector<double> weights) -> TupleOf<int, double, int, int, double> {
            check(weights.size() == search.size());
            const FoundStump s = search.best(weights.data());
            return nb::make_tuple(s.feature, s.threshold, s.below, s.above, s.edge);
          },
          "weights"_a, "The best stump: (feature, threshold, below, above, edge).");
}

}  // namespace regretless
