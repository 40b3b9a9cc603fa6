// Finite classes, for regretless.classes.
#include "arrays.hpp"
#include "bindings.hpp"
#include "classes/littlestone.hpp"
#include "classes/vc.hpp"
#include "turns.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace regretless {

namespace {

using namespace classes;
using Bits = Aligned<nb::ndarray<const std::uint64_t, nb::ndim<2>, nb::c_contig, nb::device::cpu>>;

void listen() {  // checks for Ctrl-C in the middle of a search
  nb::gil_scoped_acquire acquire;
  if (PyErr_CheckSignals()) throw nb::python_error();
}

Hypotheses hypotheses(const Bits& bits, std::size_t points) {
  if (bits.shape(0) == 0 || bits.shape(0) >= UINT32_MAX || points == 0 ||
      bits.shape(1) != (points + 63) / 64)
    throw nb::value_error("arrays of other shapes were expected");
  return {bits.shape(0), points, bits.shape(1), {bits.data(), bits.data() + bits.size()}};
}

Ids checked(const Littlestone& search, const Vector<std::uint32_t>& ids) {
  for (std::size_t i = 0; i < ids.size(); ++i)
    if (ids(i) >= search.all().count || (i && ids(i) <= ids(i - 1)))
      throw nb::value_error("hypotheses must be given in rising order");
  return {ids.data(), ids.data() + ids.size()};
}

}  // namespace

void bind_classes(nb::module_& m) {
  nb::class_<Littlestone>(m, "Littlestone",
                          "Searches a finite class for its Littlestone dimension.")
      .def(
          "__init__",
          [](Littlestone* made, Bits bits, std::size_t points) {
            new (made) Littlestone(hypotheses(bits, points), listen);
          },
          "bits"_a, "points"_a)
      .def(
          "dimension",
          [](Littlestone& search, Vector<std::uint32_t> ids,
             std::size_t limit) -> TupleOf<int, int> {
            const Ids some = checked(search, ids);
            const Turn turn({&search, "the class of hypotheses"});
            Littlestone::Found found;
            {
              nb::gil_scoped_release release;
              found = search.dimension(some, limit);
            }
            return nb::make_tuple(found.lower, found.upper);
          },
          "ids"_a, "limit"_a,
          "(lower, upper) bounds on the dimension; equal if the limit on states sufficed.")
      .def(
          "tree",
          [](Littlestone& search, Vector<std::uint32_t> ids, int depth,
             std::size_t limit) -> TupleOf<Array<std::uint32_t>, Array<std::uint32_t>> {
            const Ids some = checked(search, ids);
            if (depth < 0 || depth > 32) throw nb::value_error("no tree is so deep");
            const Turn turn({&search, "the class of hypotheses"});
            Littlestone::Tree tree;
            {
              nb::gil_scoped_release release;
              tree = search.tree(some, depth, limit);
            }
            return nb::make_tuple(array_of(tree.points), array_of(tree.leaves));
          },
          "ids"_a, "depth"_a, "limit"_a, "A mistake tree of a depth: (points, leaves).")
      .def_prop_ro("states", &Littlestone::states, "The number of sub-classes looked at.");
  m.def(
      "vc_dimension",
      [](Bits bits, std::size_t points,
         std::size_t limit) -> TupleOf<int, int, Array<std::uint32_t>> {
        const Hypotheses all = hypotheses(bits, points);
        Shattering::Found found;
        {
          nb::gil_scoped_release release;
          Patience patience(listen);
          found = Shattering(all, patience).dimension(limit);
        }
        return nb::make_tuple(found.lower, found.upper, array_of(found.points));
      },
      "bits"_a, "points"_a, "limit"_a,
      "(lower, upper, points): bounds on the VC dimension, and points that are shattered.");
}

}  // namespace regretless
