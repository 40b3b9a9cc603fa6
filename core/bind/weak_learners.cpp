// Makes weak learners and gradient boosting from the options that Python passes.

#include "arrays.hpp"
#include "bindings.hpp"
#include "boosting/decision_stump.hpp"
#include "boosting/models.hpp"
#include "boosting/neural_net.hpp"
#include "boosting/stumps.hpp"
#include "enums.hpp"
#include "parts.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace regretless {
namespace {

std::unique_ptr<WeakLearner> weak_of(const std::string& kind, nb::dict options, std::size_t copy) {
  const auto number = [&](const char* key) { return nb::cast<double>(options[key]); };
  if (kind == "stump") return std::make_unique<Stumps>(number("bound"), number("rate"));
  if (kind == "decision_stump") return std::make_unique<DecisionStump>(number("bound"));
  if (kind == "neural_net")
    return std::make_unique<NeuralNet>(number("bound"), number("rate"),
                                       nb::cast<std::size_t>(options["hidden"]),
                                       nb::cast<std::uint64_t>(options["seed"]) + copy);
  return nullptr;
}

StageOptions stages_of(const Loss& loss, nb::dict options) {
  const auto number = [&](const char* key) { return nb::cast<double>(options[key]); };
  StageOptions out;
  out.loss = loss;
  out.n = nb::cast<std::size_t>(options["n"]);
  out.hull = nb::cast<bool>(options["hull"]);
  out.eta = number("eta"), out.scale = number("scale"), out.reach = number("reach");
  out.lipschitz = number("lipschitz");
  out.feed = named<StageOptions::Feed>(options, "feed");
  out.alpha = number("alpha"), out.low = number("low"), out.high = number("high");
  return out;
}

// The stages alone, for weak learners in Python.
class PyStages {
 public:
  PyStages(const Loss& loss, Options options)
      : stages_(stages_of(loss, options)), tasks_(stages_.size()) {}

  Array<double> combine(Vector<double> votes) const {
    if (votes.size() != stages_.size()) throw nb::value_error("one vote of each is expected");
    std::vector<double> sums(stages_.size() + 1);
    stages_.combine(votes.data(), sums.data());
    return array_of(sums);
  }
  // (slopes, offsets, steps) of the tasks of the weak learners
  TupleOf<Array<double>, Array<double>, Array<double>> learn(Vector<double> sums, double y,
                                                             double importance) {
    if (sums.size() != stages_.size() + 1) throw nb::value_error("y^0 to y^N are expected");
    stages_.learn(sums.data(), y, importance, tasks_.data());
    std::vector<double> slopes, offsets, steps;
    for (const Task& task : tasks_) {
      slopes.push_back(task.slope);
      offsets.push_back(task.offset);
      steps.push_back(task.step);
    }
    return nb::make_tuple(array_of(slopes), array_of(offsets), array_of(steps));
  }
  double shown(double v) const { return stages_.shown(v); }
  double placed(double y) const { return stages_.placed(y); }
  Array<double> shrink() const { return array_of(stages_.shrink()); }
  Array<double> state() { return array_of(stages_.state()); }
  void restore(Vector<double> state) { stages_.restore(state.data(), state.size()); }

 private:
  Stages stages_;
  std::vector<Task> tasks_;
};

}  // namespace

std::unique_ptr<Model> boosting_model_of(const Loss& loss, const std::string& rule,
                                         nb::dict options) {
  if (rule != "boosting") {
    auto weak = weak_of(rule, options, 0);
    return weak ? std::make_unique<WeakModel>(loss, std::move(weak)) : nullptr;
  }
  const auto kind = nb::cast<std::string>(options["weak"]);
  const auto given = nb::cast<nb::dict>(options["weak_options"]);
  return std::make_unique<BoostedModel>(
      stages_of(nb::cast<Loss>(options["loss"]), options),
      [&](std::size_t copy) { return weak_of(kind, given, copy); });
}

void bind_stages(nb::module_& m) {
  nb::class_<PyStages>(m, "Stages", "The stages of gradient boosting, for weak learners in Python.")
      .def(nb::init<const Loss&, Options>(), "loss"_a, "options"_a)
      .def("combine", &PyStages::combine, "votes"_a, "The partial sums y^0 to y^N of votes.")
      .def("learn", &PyStages::learn, "sums"_a, "y"_a, "importance"_a,
           "(slopes, offsets, steps) of what the weak learners are to learn.")
      .def("shown", &PyStages::shown, "v"_a, "A number of the stages in the units of the targets.")
      .def("placed", &PyStages::placed, "y"_a, "A target in the units of the stages.")
      .def_prop_ro("shrink", &PyStages::shrink, "The shrinkage of every stage.")
      .def("state", &PyStages::state, "Everything that changes while it plays, as one array.")
      .def("restore", &PyStages::restore, "state"_a,
           "Take over a state; nothing has changed if it is refused.");
}

}  // namespace regretless
