// Makes trees and forests from the options that Python passes.
#include "parts.hpp"
#include "trees/forest.hpp"
#include "trees/models.hpp"

namespace nb = nanobind;

namespace regretless {
namespace {

template <class Options>
void set_limits(nb::dict options, Options& out) {
  out.grace = nb::cast<std::size_t>(options["grace"]);
  out.depth = std::min(nb::cast<std::size_t>(options["depth"]), kDeepest);
  out.max_nodes = nb::cast<std::size_t>(options["max_nodes"]);
}
TreeOptions tree_of(nb::dict options) {
  TreeOptions out;
  set_limits(options, out);
  out.delta = nb::cast<double>(options["delta"]);
  out.tie = nb::cast<double>(options["tie"]);
  out.bins = nb::cast<std::size_t>(options["bins"]);
  return out;
}
ForestOptions forest_of(nb::dict options) {
  ForestOptions out;
  set_limits(options, out);
  out.n = nb::cast<std::size_t>(options["n"]);
  out.kept = nb::cast<std::size_t>(options["kept"]);
  out.seed = nb::cast<std::uint64_t>(options["seed"]);
  return out;
}

}  // namespace

std::unique_ptr<Model> tree_model_of(const Loss& loss, const std::string& rule, nb::dict options) {
  const bool classes = loss.classification();
  std::unique_ptr<Grower> grower;
  if (rule == "tree") grower = std::make_unique<Tree>(tree_of(options), classes);
  if (rule == "forest") grower = std::make_unique<Forest>(forest_of(options), classes);
  return grower ? std::make_unique<TreeModel>(std::move(grower), classes) : nullptr;
}

std::unique_ptr<Model> tree_lanes_of(const std::string& rule, nb::dict options, int per_class) {
  return rule == "tree" ? std::make_unique<TreeLanes>(tree_of(options), per_class) : nullptr;
}

}  // namespace regretless
