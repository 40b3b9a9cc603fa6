// One example at a time, and the properties of a learner.
#include "learner.hpp"

#include <cmath>

#include "bindings.hpp"
#include "boosting/models.hpp"
#include "parts.hpp"
#include "trees/models.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace regretless {

PyLearner::PyLearner(const Loss& loss, const std::string& rule, Options options, int bits,
                     std::uint32_t remembered, bool intercept, bool certify, bool precise)
    : learner_(model_of(loss, rule, options, bits, remembered, intercept, certify, precise)),
      precise_(precise),
      reading_(learner_->features(), intercept,
               learner_->starts_at_zero() ? Absent::kept_place : Absent::untouched,
               {learner_->low(), learner_->high()}, precise) {}

void PyLearner::check_finite(const double* numbers, std::size_t count) {
  if (!std::all_of(numbers, numbers + count, [](double x) { return std::isfinite(x); }))
    throw nb::value_error(
        "the model has left the range of numbers; was its file damaged? Train it anew");
}
Array<double> PyLearner::reported(const std::vector<double>& numbers) {
  check_finite(numbers.data(), numbers.size());
  return array_of(numbers);
}

// --- one example ---------------------------------------------------------------------------------

void PyLearner::read(nb::handle x, bool learning) {
  const Reading::Row row = reading_.read(x, learning);
  starts_[1] = row.size;
  known_ = learner_->features().size() + row.absent;
  one_ = {1,       starts_, row.rows, row.values, row.doubles,
          nullptr, nullptr, nullptr,  nullptr,    &known_};
  scores_.resize(std::size_t(learner_->lanes()));
}
void PyLearner::predict(nb::handle x) {
  read(x, false);
  one_.scores = scores_.data();
  learner_->predict(one_);
  check_finite(scores_.data(), scores_.size());
}
void PyLearner::learn(nb::handle x, std::int32_t label, double target, double importance,
                      bool want_scores) {
  importance = checked_importance(importance, "w");
  if (label < 0) check_target(target, "y");
  if (importance == 0) return predict(x);  // as if it were not there; its names get no rows
  read(x, true);
  if (label >= 0) {
    one_.classes = &label;
  } else {
    one_.targets = &target;
  }
  one_.importance = &importance;
  if (want_scores) one_.scores = scores_.data();
  try {
    learner_->learn(one_);
  } catch (...) {
    reading_.forget();  // names may have been taken back
    throw;
  }
}
Any PyLearner::scores() const {
  if (scores_.size() == 1) return nb::float_(scores_[0]);
  nb::list out;
  for (double s : scores_) out.append(s);
  return out;
}
Any PyLearner::score(nb::handle x) {
  const OnlyTurn turn(*this, reads_);
  predict(x);
  return scores();
}
Any PyLearner::probability(nb::handle x) {
  const OnlyTurn turn(*this, reads_);
  predict(x);
  learner_->loss().probabilities(scores_.data(), learner_->lanes());
  return scores();
}
Array<double> PyLearner::probabilities(Vector<double> scores) const {
  check_idle();
  std::vector<double> out(scores.data(), scores.data() + scores.size());
  const auto lanes = std::size_t(learner_->lanes());
  for (std::size_t t = 0; t + lanes <= out.size(); t += lanes)
    learner_->loss().probabilities(out.data() + t, learner_->lanes());
  return array_of(out);
}
void PyLearner::learn_class(nb::handle x, int label, double importance) {
  const OnlyTurn turn(*this, reads_);
  learn(x, label, 0, importance, false);
}
void PyLearner::learn_target(nb::handle x, double target, double importance) {
  const OnlyTurn turn(*this, reads_);
  learn(x, -1, target, importance, false);
}
Any PyLearner::step_class(nb::handle x, int label, double importance) {
  const OnlyTurn turn(*this, reads_);
  learn(x, label, 0, importance, true);
  return scores();
}
Any PyLearner::step_target(nb::handle x, double target, double importance) {
  const OnlyTurn turn(*this, reads_);
  learn(x, -1, target, importance, true);
  return scores();
}

void PyLearner::learn_slope(nb::handle x, double slope, double importance) {
  const OnlyTurn turn(*this, reads_);
  auto* weak = dynamic_cast<WeakModel*>(learner_.get());
  if (!weak) throw nb::value_error("the learner learns targets, not slopes");
  importance = checked_importance(importance, "w");
  check_target(slope, "slope");
  read(x, importance > 0);
  if (importance > 0) weak->learn_slope(one_, slope, importance);
}
TupleOf<Array<double>, Array<double>, Array<double>> PyLearner::trace() const {
  check_idle();
  auto* boosted = dynamic_cast<BoostedModel*>(learner_.get());
  if (!boosted) throw nb::value_error("the learner boosts nothing");
  return nb::make_tuple(array_of(boosted->votes()), array_of(boosted->sums()),
                        array_of(boosted->stages().shrink()));
}
std::uint32_t PyLearner::chosen(nb::handle x) {
  const OnlyTurn turn(*this, reads_);
  auto* weak = dynamic_cast<WeakModel*>(learner_.get());
  if (!weak) throw nb::value_error("the learner is no stump");
  read(x, false);
  return weak->learner().chosen({one_.rows, one_.values, starts_[1]});
}

Array<double> PyLearner::lane_scores(nb::handle x) {
  const OnlyTurn turn(*this, reads_);
  read(x, false);
  return array_of(mixture().lane_scores(one_));
}

// --- lanes, weights and totals -------------------------------------------------------------------

int PyLearner::lanes() const {
  check_idle();
  return learner_->lanes();
}
bool PyLearner::wants_names() const {
  check_idle();
  const Features& f = learner_->features();
  return !f.hashed() || f.remembers();
}
void PyLearner::relane(const std::vector<int>& sources, const std::vector<int>& signs) {
  check_idle();
  learner_->relane(sources, signs);
}
void PyLearner::extend(int count) {
  check_idle();
  learner_->extend(count);
}
void PyLearner::reserve(int lanes) {
  check_idle();
  learner_->reserve(lanes);
}
Array<double> PyLearner::weights(Array<std::uint32_t> rows) const {
  check_idle();
  if (rows.is_none()) return reported(learner_->weights());
  const auto wanted = nb::cast<Vector<std::uint32_t>>(rows);
  const Model::Rows some(wanted.data(), wanted.data() + wanted.size());
  for (const std::uint32_t row : some)
    if (row >= learner_->features().size()) throw nb::value_error("there is no such row");
  return reported(learner_->weights(some));
}
Reading::Names PyLearner::names() const {
  check_idle();
  return reading_.names();
}
double PyLearner::total(Scalar total) const {
  check_idle();
  double sum = 0;
  for (int k = 0; k < lanes(); ++k) sum += learner_->scalar(total, k);
  return sum;
}
double PyLearner::most(Scalar total) const {
  check_idle();
  double most = 0;
  for (int k = 0; k < lanes(); ++k) most = std::max(most, learner_->scalar(total, k));
  return most;
}
Array<double> PyLearner::each(Scalar total) const {
  check_idle();
  std::vector<double> out;
  for (int k = 0; k < lanes(); ++k) out.push_back(learner_->scalar(total, k));
  return array_of(out);
}
std::array<double, 4> PyLearner::gradient_norms() const {
  check_idle();
  return learner_->gradient_norms();
}

std::size_t PyLearner::bytes() const {
  check_idle();
  std::size_t all = learner_->bytes();
  for (const Model::Part& each : learner_->parts()) all += each.bank->bytes(each.bank->rows());
  return all;
}
std::size_t PyLearner::nodes() const {
  check_idle();
  auto* model = dynamic_cast<TreeModel*>(learner_.get());
  if (!model) throw nb::value_error("the learner has no trees");
  return model->nodes();
}
Auto& PyLearner::mixture() {
  auto* model = dynamic_cast<Auto*>(learner_.get());
  if (!model) throw nb::value_error("the learner mixes no lanes");
  return *model;
}
ListOf<TupleOf<int, double, double>> PyLearner::retired() {
  check_idle();
  ListOf<TupleOf<int, double, double>> out;
  for (const Retired& r : mixture().retired()) out.append(nb::make_tuple(r.lane, r.rounds, r.loss));
  return out;
}
// How lanes are mixed: their numbers, losses and weights, and the terms of the bound.
Options PyLearner::mixing(int lane) {
  if (lane < 0 || lane >= lanes()) throw nb::value_error("there is no such lane");
  auto* newton = dynamic_cast<Newton*>(learner_.get());
  Mixing* mixed = newton ? newton->mixing(lane) : &mixture().mixing(lane);
  if (!mixed) throw nb::value_error("the learner mixes no lanes");
  Mixing& m = *mixed;
  Options out;
  if (!newton) out["lanes"] = array_of(mixture().alive());
  out["losses"] = array_of(m.losses());
  out["weights"] = array_of(m.weights());
  out["loss"] = m.scalar(MixingView::kLoss);
  out["rate"] = m.scalar(MixingView::kRate);
  if (Mixing::exp_concave(learner_->loss())) {
    out["excess"] = m.scalar(MixingView::kExcess);
    out["steady"] = m.scalar(MixingView::kChanges) == 0;
  } else {
    out["spread"] = array_of(m.spread());
    out["periods"] = m.scalar(MixingView::kChanges) + 1;
    out["shrunk"] = m.scalar(MixingView::kShrunk);
  }
  return out;
}
Named<Array<double>> PyLearner::measured(int lane) {
  auto* boost = dynamic_cast<Boost*>(learner_.get());
  if (!boost || lane < 0 || lane >= lanes()) throw nb::value_error("there are no such votes");
  Named<Array<double>> out;
  for (const auto& [name, numbers] : boost->ensembles().measured(std::size_t(lane)))
    out[nb::str(name.c_str())] = array_of(numbers);
  return out;
}
ListOf<Options> PyLearner::spaces(int lane) {
  auto* newton = dynamic_cast<Newton*>(learner_.get());
  if (!newton || lane < 0 || lane >= lanes()) throw nb::value_error("there is no such sketch");
  ListOf<Options> all;
  for (const NewtonFrame& frame : newton->frames(lane)) {
    Options out;
    const auto scalar = [&](int s) { return frame.scalar(s); };
    out["features"] = scalar(NewtonFrame::kFeatures);
    out["energy"] = scalar(NewtonFrame::kEnergy);
    out["reach"] = scalar(NewtonFrame::kReach);
    out["steep"] = scalar(NewtonFrame::kSteep);
    out["etas"] = scalar(NewtonFrame::kEtas);
    out["last_eta"] = scalar(NewtonFrame::kLastEta);
    out["gain"] = scalar(NewtonFrame::kGain);
    out["span"] = scalar(NewtonFrame::kSpan);
    out["heaviest"] = scalar(NewtonFrame::kHeaviest);
    out["squares"] = scalar(kSquares);
    out["kept"] = frame.sketch().kept();
    out["removed"] = frame.sketch().removed();
    out["rebases"] = frame.sketch().rebases();
    out["eigenvalues"] = array_of(frame.sketch().eigenvalues());
    all.append(out);
  }
  return all;
}

void bind_learner(nb::module_& m) {
  nb::class_<PyLearner>(m, "Learner",
                        "A model with its features: reads examples, predicts and learns.")
      .def(nb::init<const Loss&, const std::string&, Options, int, std::uint32_t, bool, bool,
                    bool>(),
           "loss"_a, "rule"_a, "options"_a, "bits"_a, "remembered"_a, "intercept"_a, "certify"_a,
           "precise"_a = false)
      .def("belongs_to", &belongs_to<PyLearner>, "owner"_a,
           "Name the Python object that the engine belongs to, for errors about threads.")
      .def("score", &PyLearner::score, "x"_a,
           "The score of one example: a number, or a list with one per class.")
      .def("probability", &PyLearner::probability, "x"_a,
           "The probability of class 1, or a list with that of every class.")
      .def("probabilities", &PyLearner::probabilities, "scores"_a,
           "Turn the scores of a batch into probabilities.")
      .def("learn_class", &PyLearner::learn_class, "x"_a, "label"_a, "importance"_a,
           "Learn one example of a class.")
      .def("learn_target", &PyLearner::learn_target, "x"_a, "target"_a, "importance"_a,
           "Learn one example with a number as its target.")
      .def("step_class", &PyLearner::step_class, "x"_a, "label"_a, "importance"_a,
           "Return the score of one example, then learn its class.")
      .def("step_target", &PyLearner::step_target, "x"_a, "target"_a, "importance"_a,
           "Return the score of one example, then learn its target.")
      .def("learn_slope", &PyLearner::learn_slope, "x"_a, "slope"_a, "importance"_a,
           "Teach a weak learner that its prediction v costs slope * v.")
      .def("trace", &PyLearner::trace,
           "Of the last boosted example: votes of the weak learners, partial sums y^0 to y^N, "
           "shrinkage.")
      .def("chosen", &PyLearner::chosen, "x"_a,
           "The row of the feature by which a stump predicts for x; 0 if there is none.")
      .def("csr", &PyLearner::csr, "width"_a, "starts"_a, "columns"_a, "values"_a, "has_zero"_a,
           "labels"_a.none(), "importance"_a.none(), "want"_a.noconvert(),
           "Predict or learn the rows of a CSR matrix.")
      .def("table", &PyLearner::table, "size"_a, "columns"_a, "labels"_a.none(),
           "importance"_a.none(), "want"_a.noconvert(),
           "Predict or learn a batch given by columns.")
      .def("examples", &PyLearner::examples, "x"_a, "first"_a, "last"_a, "labels"_a.none(),
           "importance"_a.none(), "want"_a.noconvert(),
           "Predict or learn examples that a parser has read.")
      .def("locate", &PyLearner::locate, "x"_a,
           "Find the rows of the bank for examples: (starts, rows, values).")
      .def("located", &PyLearner::located, "starts"_a, "rows"_a, "values"_a, "labels"_a.none(),
           "importance"_a.none(), "want"_a.noconvert(),
           "Predict or learn examples whose rows `locate` has found.")
      .def_prop_rw("advice", &PyLearner::advice, &PyLearner::advise,
                   "What an error recommends if the model diverges.")
      .def_prop_rw("earlier", &PyLearner::earlier, &PyLearner::count_from,
                   "The number of examples in earlier parts of this call, for errors.")
      .def_prop_ro("wants_names", &PyLearner::wants_names,
                   "Whether feature names are stored: not if features are only hashed.")
      .def_prop_ro("lanes", &PyLearner::lanes,
                   "The number of scores of an example: one per class, or one for two classes.")
      .def("relane", &PyLearner::relane, "sources"_a, "signs"_a,
           "Make new lanes from old ones: source -1 is a fresh lane, sign -1 exchanges the labels.")
      .def("extend", &PyLearner::extend, "count"_a, "Append fresh lanes.")
      .def("reserve", &PyLearner::reserve, "lanes"_a,
           "Allocate memory for a number of lanes; MemoryError if there is too little.")
      .def("used", &PyLearner::used, "The rows of the bank that hold anything.")
      .def("weights", &PyLearner::weights, "rows"_a = nb::none(),
           "The weights of some rows or of all, rows by lanes, as a flat array.")
      .def("names", &PyLearner::names, "The names of the features, by row.")
      .def("total", &PyLearner::total, "total"_a.noconvert(),
           "A running total, summed over the lanes.")
      .def("most", &PyLearner::most, "total"_a.noconvert(),
           "A running total: the largest of all lanes.")
      .def("each", &PyLearner::each, "total"_a.noconvert(), "A running total, lane by lane.")
      .def_prop_ro("has_gradient_sum", &PyLearner::has_gradient_sum,
                   "Whether the sum of gradients is known.")
      .def(
          "gradient_norms", &PyLearner::gradient_norms,
          "The l1, l2 and l-infinity norm of the sum of gradients, and how many entries are not 0.")
      .def_prop_ro("bytes", &PyLearner::bytes,
                   "The memory that the tables of weights, or the trees, take.")
      .def_prop_ro("nodes", &PyLearner::nodes, "The number of nodes of a tree or a forest.")
      .def("state", &PyLearner::state, "Everything learned, as named arrays.")
      .def("restore", &PyLearner::restore, "lanes"_a, "arrays"_a,
           nb::sig(
               "def restore(self, lanes: int, **arrays: numpy.typing.NDArray[typing.Any]) -> None"),
           "Take over the arrays that `state` returned.")
      .def("lane_scores", &PyLearner::lane_scores, "x"_a,
           "The scores of all lanes of a mixture, class by class.")
      .def("retired", &PyLearner::retired,
           "(number, examples, loss) of the lanes that learn no more.")
      .def("measured", &PyLearner::measured, "lane"_a,
           "What the votes of a class's weak learners have measured.")
      .def("spaces", &PyLearner::spaces, "lane"_a,
           "What the spaces of a class's Newton steps have measured.")
      .def("mixing", &PyLearner::mixing, "lane"_a,
           "How the lanes of a class are mixed: losses, weights and the terms of the bound.");
}

}  // namespace regretless
