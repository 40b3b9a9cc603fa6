#include "tally.hpp"

#include "arrays.hpp"
#include "bindings.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace regretless {

using Bins = Aligned<nb::ndarray<double, nb::ndim<2>, nb::c_contig, nb::device::cpu>>;

void bind_tally(nb::module_& m) {
  m.def(
      "tally",
      [](Vector<double> probability, Vector<bool> positive, Vector<double> weight, double reach,
         Bins ranks, Bins shares) {
        const std::size_t n = probability.size();
        if (positive.size() != n || weight.size() != n || ranks.shape(0) != 2 ||
            shares.shape(0) != 3 || ranks.shape(1) == 0 || shares.shape(1) == 0)
          throw nb::value_error("arrays of other shapes were expected");
        for (std::size_t t = 0; t < n; ++t)
          if (!(probability(t) >= 0 && probability(t) <= 1))
            throw nb::value_error("a probability is outside [0, 1]");
        nb::gil_scoped_release release;
        tally(probability.data(), positive.data(), weight.data(), n, reach, ranks.data(),
              ranks.shape(1), shares.data(), shares.shape(1));
      },
      "probability"_a, "positive"_a, "weight"_a, "reach"_a, "ranks"_a, "shares"_a,
      "Add probabilities and outcomes to the bins of ranks and of shares.");
}

}  // namespace regretless
