// The learner, for the Python classes that give it labels and names.
#include <cmath>
#include <cstring>
#include <memory>
#include <numeric>
#include <type_traits>

#include "arrays.hpp"
#include "auto.hpp"
#include "bindings.hpp"
#include "boosting/models.hpp"
#include "casters.hpp"
#include "enums.hpp"
#include "parts.hpp"
#include "reading.hpp"
#include "turns.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace regretless {
namespace {

class PyLearner : public Owned {
  auto running(nb::handle labels, nb::handle importance, Want want) {
    return [=, this](std::size_t n, auto source) {
      return run(n, labels, importance, want, std::move(source));
    };
  }

 public:
  PyLearner(const Loss& loss, const std::string& rule, nb::dict options, int bits,
            std::uint32_t remembered, bool intercept, bool certify)
      : learner_(model_of(loss, rule, options, bits, remembered, intercept, certify)),
        reading_(learner_->features(), intercept,
                 learner_->starts_at_zero() ? Absent::kept_place : Absent::untouched,
                 {learner_->low(), learner_->high()}) {}

  const std::string& advice() const { return learner_->advice; }
  void advise(const std::string& text) { learner_->advice = text; }
  std::size_t earlier() const { return earlier_; }
  void count_from(std::size_t earlier) { earlier_ = earlier; }

  // --- one row -----------------------------------------------------------------------------------
  nb::object score(nb::handle x) {
    const OnlyTurn turn(*this, reads_);
    predict(x);
    return scores();
  }
  // Probability of class 1 (one lane) or of every class.
  nb::object probability(nb::handle x) {
    const OnlyTurn turn(*this, reads_);
    predict(x);
    learner_->loss().probabilities(scores_.data(), learner_->lanes());
    return scores();
  }
  nb::object probabilities(Vector<double> scores) const {
    check_idle();
    std::vector<double> out(scores.data(), scores.data() + scores.size());
    const auto lanes = std::size_t(learner_->lanes());
    for (std::size_t t = 0; t + lanes <= out.size(); t += lanes)
      learner_->loss().probabilities(out.data() + t, learner_->lanes());
    return array_of(out);
  }
  void learn_class(nb::handle x, int label, double importance) {
    const OnlyTurn turn(*this, reads_);
    learn(x, label, 0, importance, false);
  }
  void learn_target(nb::handle x, double target, double importance) {
    const OnlyTurn turn(*this, reads_);
    learn(x, -1, target, importance, false);
  }
  nb::object step_class(nb::handle x, int label, double importance) {
    const OnlyTurn turn(*this, reads_);
    learn(x, label, 0, importance, true);
    return scores();
  }
  nb::object step_target(nb::handle x, double target, double importance) {
    const OnlyTurn turn(*this, reads_);
    learn(x, -1, target, importance, true);
    return scores();
  }

  // A weak learner: the loss of its prediction v is slope v.
  void learn_slope(nb::handle x, double slope, double importance) {
    const OnlyTurn turn(*this, reads_);
    auto* weak = dynamic_cast<WeakModel*>(learner_.get());
    if (!weak) throw nb::value_error("the learner learns targets, not slopes");
    importance = Reading::importance(importance, "w");
    Reading::check_target(slope, "slope");
    read(x, importance > 0);
    if (importance > 0) weak->learn_slope(one_, slope, importance);
  }
  // Boosting: of the last example the predictions of the weak learners and y^0 to y^N; and sigma.
  nb::tuple trace() const {
    check_idle();
    auto* boosted = dynamic_cast<BoostedModel*>(learner_.get());
    if (!boosted) throw nb::value_error("the learner boosts nothing");
    return nb::make_tuple(array_of(boosted->votes()), array_of(boosted->sums()),
                          array_of(boosted->stages().shrink()));
  }
  // A stump: the row of the feature that predicts for x, 0 for none.
  std::uint32_t chosen(nb::handle x) {
    const OnlyTurn turn(*this, reads_);
    auto* weak = dynamic_cast<WeakModel*>(learner_.get());
    if (!weak) throw nb::value_error("the learner is no stump");
    read(x, false);
    return weak->learner().chosen({one_.rows, one_.values, starts_[1]});
  }

  // --- batches -----------------------------------------------------------------------------------
  // labels: int32 classes, float64 targets, or None to predict. Returns the scores as a flat array,
  // or the best lane of each; with labels, (those, losses), all from before learning; None when
  // they are not asked for.
  nb::object csr(std::int32_t width, Vector<std::int64_t> starts, Vector<std::int32_t> columns,
                 Vector<double> values, bool has_zero, nb::handle labels, nb::handle importance,
                 Want want) {
    const OnlyTurn turn(*this, reads_);
    return reading_.csr(width, starts, columns, values, has_zero,
                        running(labels, importance, want));
  }
  nb::object table(std::size_t size, nb::list columns, nb::handle labels, nb::handle importance,
                   Want want) {
    const OnlyTurn turn(*this, reads_);
    return reading_.table(size, columns, running(labels, importance, want));
  }
  nb::object examples(const text::Examples& x, std::size_t from, std::size_t to, nb::handle labels,
                      nb::handle importance, Want want) {
    const OnlyTurn turn(*this, reads_);
    return reading_.examples(x, from, to, !labels.is_none(), running(labels, importance, want));
  }
  nb::tuple locate(const text::Examples& x) {
    const OnlyTurn turn(*this, reads_);
    return reading_.locate(x);
  }
  nb::object located(Vector<std::uint64_t> starts, Vector<std::uint32_t> rows, Vector<float> values,
                     nb::handle labels, nb::handle importance, Want want) {
    const OnlyTurn turn(*this, reads_);
    learner_->grow();
    return reading_.located(starts, rows, values, running(labels, importance, want));
  }

  // --- the rest
  // ------------------------------------------------------------------------------------
  int lanes() const {
    check_idle();
    return learner_->lanes();
  }
  bool wants_names() const {
    check_idle();
    const Features& f = learner_->features();
    return !f.hashed() || f.remembers();
  }
  void relane(const std::vector<int>& sources, const std::vector<int>& signs) {
    check_idle();
    learner_->relane(sources, signs);
  }
  void extend(int count) {
    check_idle();
    learner_->extend(count);
  }
  void reserve(int lanes) {
    check_idle();
    learner_->reserve(lanes);
  }
  // Rows that hold anything, and the weights (rows x lanes) of some.
  nb::object used() {
    check_idle();
    return array_of(used_rows(learner_->parts()));
  }
  nb::object weights(nb::handle rows) const {
    check_idle();
    if (rows.is_none()) return told(learner_->weights());
    const auto wanted = nb::cast<Vector<std::uint32_t>>(rows);
    const Model::Rows some(wanted.data(), wanted.data() + wanted.size());
    for (const std::uint32_t row : some)
      if (row >= learner_->features().size()) throw nb::value_error("there is no such row");
    return told(learner_->weights(some));
  }
  nb::dict names() const {
    check_idle();
    return reading_.names();
  }
  double total(Scalar total) const {
    check_idle();
    double sum = 0;
    for (int k = 0; k < lanes(); ++k) sum += learner_->scalar(total, k);
    return sum;
  }
  double most(Scalar total) const {
    check_idle();
    double most = 0;
    for (int k = 0; k < lanes(); ++k) most = std::max(most, learner_->scalar(total, k));
    return most;
  }
  nb::object each(Scalar total) const {
    check_idle();
    std::vector<double> out;
    for (int k = 0; k < lanes(); ++k) out.push_back(learner_->scalar(total, k));
    return array_of(out);
  }
  bool has_gradient_sum() const { return learner_->has_gradient_sum(); }
  std::array<double, 4> gradient_norms() const {
    check_idle();
    return learner_->gradient_norms();
  }

  std::size_t bytes() const {
    check_idle();
    std::size_t all = 0;
    for (const Model::Part& each : learner_->parts()) all += each.bank->bytes(each.bank->rows());
    return all;
  }
  nb::dict state() {
    check_idle();
    nb::dict d;
    learner_->pack();  // what is written does not depend on how labels came
    const std::vector<Model::Part> parts = learner_->parts();
    const std::vector<std::uint32_t> used = used_rows(parts);
    d["rows"] = array_of(used);
    for (std::size_t i = 0; i < parts.size(); ++i) {
      const std::size_t stride = parts[i].bank->layout().stride;
      std::vector<float> rows(used.size() * stride);
      for (std::size_t j = 0; j < used.size(); ++j)
        std::copy_n(parts[i].row(used[j]), stride, rows.data() + j * stride);
      d[part("bank", i).c_str()] = array_of(rows);
      d[part("scalars", i).c_str()] = array_of(*parts[i].scalars);
    }
    if (const std::vector<double> numbers = learner_->numbers(); !numbers.empty())
      d["numbers"] = array_of(numbers);
    reading_.save(d);
    if (const Votes* kept = votes()) {
      const Votes& v = *kept;
      d["vote_starts"] = array_of(v.starts);
      d["vote_rows"] = array_of(v.rows);
      d["vote_values"] = array_of(v.values);
      d["vote_steps"] = array_of(v.steps);
      d["vote_lives"] = array_of(v.lives);
    }
    return d;
  }
  void restore(int lanes, nb::kwargs arrays) {
    check_idle();
    const auto damaged = [](const char* what) { throw nb::value_error(what); };
    if (lanes < 1 || lanes > 1 << 20) damaged("the number of lanes is damaged");
    reading_.restore(nb::cast<Vector<std::uint8_t>>(arrays["names"]),
                     nb::cast<Vector<std::int64_t>>(arrays["name_keys"]),
                     nb::cast<Vector<std::uint8_t>>(arrays["name_kinds"]),
                     nb::cast<Vector<std::uint32_t>>(arrays["name_rows"]));
    const Features& f = learner_->features();
    learner_->relane(std::vector<int>(std::size_t(lanes), -1),
                     std::vector<int>(std::size_t(lanes), 1));
    Vector<double> numbers;
    if (arrays.contains("numbers")) numbers = nb::cast<Vector<double>>(arrays["numbers"]);
    learner_->restore_numbers(numbers.data(), numbers.is_valid() ? numbers.size() : 0);
    learner_->grow();
    const std::vector<Model::Part> parts = learner_->parts();
    const auto used = nb::cast<Vector<std::uint32_t>>(arrays["rows"]);
    for (std::size_t j = 0; j < used.size(); ++j)
      if (used(j) >= f.size()) damaged("the bank does not fit the features and the rule");
    for (std::size_t i = 0; i < parts.size(); ++i) {
      const auto bank = nb::cast<Vector<float>>(arrays[part("bank", i).c_str()]);
      const auto scalars = nb::cast<Vector<double>>(arrays[part("scalars", i).c_str()]);
      const std::size_t stride = parts[i].bank->layout().stride;
      if (bank.size() != used.size() * stride)
        damaged("the bank does not fit the features and the rule");
      if (scalars.size() != parts[i].scalars->size()) damaged("the lanes do not fit the rule");
      check_scalars(scalars.data(), scalars.size());
      for (std::size_t j = 0; j < used.size(); ++j) {
        check_row(bank.data() + j * stride, parts[i].bank->layout(), parts[i].bounded);
        std::copy_n(bank.data() + j * stride, stride, parts[i].touch(used(j)));
      }
      std::copy(scalars.data(), scalars.data() + scalars.size(), parts[i].scalars->data());
    }
    restore_votes(arrays);
    check_known(arrays, parts.size());
    if (!parts.empty()) check_weights(used.data(), used.size());
  }

  // --- a mixture of lanes ------------------------------------------------------------------------
  nb::object lane_scores(nb::handle x) {
    const OnlyTurn turn(*this, reads_);
    read(x, false);
    return array_of(mixture().lane_scores(one_));
  }
  // (number, examples, loss) of the lanes that learn no more.
  nb::list retired() {
    check_idle();
    nb::list out;
    for (const Retired& r : mixture().retired())
      out.append(nb::make_tuple(r.lane, r.rounds, r.loss));
    return out;
  }
  // Of the lanes that are mixed into one: numbers, losses, weights, and what the theorem is made
  // of.
  nb::dict mixing(int lane) {
    if (lane < 0 || lane >= lanes()) throw nb::value_error("there is no such lane");
    auto* newton = dynamic_cast<Newton*>(learner_.get());
    Mixing* mixed = newton ? newton->mixing(lane) : &mixture().mixing(lane);
    if (!mixed) throw nb::value_error("the learner mixes no lanes");
    Mixing& m = *mixed;
    nb::dict out;
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
  // What the votes of a class's weak learners have measured.
  nb::dict measured(int lane) {
    auto* boost = dynamic_cast<Boost*>(learner_.get());
    if (!boost || lane < 0 || lane >= lanes()) throw nb::value_error("there are no such votes");
    nb::dict out;
    for (const auto& [name, numbers] : boost->voting(lane).measured())
      out[nb::str(name.c_str())] = array_of(numbers);
    return out;
  }
  // What the spaces of a class's Newton steps have measured.
  nb::list spaces(int lane) {
    auto* newton = dynamic_cast<Newton*>(learner_.get());
    if (!newton || lane < 0 || lane >= lanes()) throw nb::value_error("there is no such sketch");
    nb::list all;
    for (const NewtonFrame& frame : newton->frames(lane)) {
      nb::dict out;
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

 private:
  // The last guard of what is told: a file can hold numbers that no training leads to, and what
  // they lead to later cannot be known when it is read.
  static void check_finite(const double* numbers, std::size_t count) {
    if (!std::all_of(numbers, numbers + count, [](double x) { return std::isfinite(x); }))
      throw nb::value_error(
          "the model has left the range of numbers; was its file damaged? Train it anew");
  }
  static nb::object told(const std::vector<double>& numbers) {
    check_finite(numbers.data(), numbers.size());
    return array_of(numbers);
  }
  // A row as a file has it: doubles, then floats, all of them finite, and some bounded.
  static void check_row(const float* row, const Layout& layout, std::size_t bounded) {
    const std::size_t doubles = std::size_t(layout.width) * layout.doubles;
    std::vector<double> first(doubles);
    if (doubles) std::memcpy(first.data(), row, doubles * sizeof(double));
    Field::number("bank", first).check();
    const float *start = row + layout.float_offset(),
                *end = row + layout.shared_offset() + layout.shared;
    const auto within = [](float most) { return [=](float x) { return std::fabs(x) <= most; }; };
    require(std::all_of(start, end, within(1e38f)), "bank has a number beyond 1e38");
    require(std::all_of(start, start + bounded, within(1e20f)), "bank has a number beyond 1e20");
  }
  void check_known(const nb::kwargs& arrays, std::size_t parts) {
    std::vector<std::string> known{"rows",       "names",     "name_keys",
                                   "name_kinds", "name_rows", "numbers"};
    for (std::size_t i = 0; i < parts; ++i)
      for (const char* name : {"bank", "scalars"}) known.push_back(part(name, i));
    if (votes())
      for (const char* name : {"starts", "rows", "values", "steps", "lives"})
        known.push_back(std::string("vote_") + name);
    for (const auto& [key, array] : arrays) {
      const auto name = nb::cast<std::string>(key);
      if (std::find(known.begin(), known.end(), name) == known.end())
        refuse("the part '" + name + "' is unknown");
    }
  }
  // The score of every feature alone, as a file makes it: a number that others can be added to.
  void check_weights(const std::uint32_t* rows, std::size_t count) const {
    constexpr std::size_t kBlock = 256;
    constexpr float kTiny = 1e-30f;  // larger ones can be news to a rule: see Learner::weights
    constexpr double kMostWeight = 1e36;
    std::size_t starts[kBlock + 1];
    std::iota(starts, starts + kBlock + 1, std::size_t(0));
    const std::vector<float> values(kBlock, kTiny);
    std::vector<double> scores(kBlock * std::size_t(lanes()));
    for (std::size_t at = 0; at < count; at += kBlock) {
      const std::size_t size = std::min(kBlock, count - at);
      learner_->predict({.size = size,
                         .starts = starts,
                         .rows = rows + at,
                         .values = values.data(),
                         .scores = scores.data(),
                         .bare = true});
      for (std::size_t i = 0; i < size * std::size_t(lanes()); ++i)
        if (!(std::fabs(scores[i]) <= kMostWeight * double(kTiny)))
          refuse("bank has a weight that is not a number of at most 1e36");
    }
  }
  void restore_votes(const nb::kwargs& arrays) {
    Votes* kept = votes();
    if (arrays.contains("vote_starts") != (kept != nullptr))
      throw nb::value_error("the votes do not fit the rule");
    if (!kept) return;
    const auto read = [&]<class T>(const char* name, std::vector<T>& out) {
      auto a = nb::cast<Vector<T>>(arrays[name]);
      out.assign(a.data(), a.data() + a.size());
    };
    Votes v;
    std::vector<std::uint64_t> starts;
    read("vote_starts", starts);
    v.starts.assign(starts.begin(), starts.end());
    read("vote_rows", v.rows);
    read("vote_values", v.values);
    read("vote_steps", v.steps);
    read("vote_lives", v.lives);
    const std::size_t updates = v.lives.size();
    bool sound = v.starts.size() == updates + 1 && v.starts[0] == 0 &&
                 v.starts.back() == v.rows.size() && v.rows.size() == v.values.size() &&
                 v.steps.size() == updates * std::size_t(lanes()) &&
                 std::is_sorted(v.starts.begin(), v.starts.end());
    const auto finite = [&](const auto& all) {
      return std::all_of(all.begin(), all.end(), [](auto x) { return std::isfinite(double(x)); });
    };
    sound = sound && finite(v.values) && finite(v.steps) && finite(v.lives);
    for (std::uint32_t row : v.rows) sound = sound && row < learner_->features().size();
    if (!sound) throw nb::value_error("the votes are damaged");
    *kept = std::move(v);
  }
  void check_idle() const {
    check_turn(*this);
    if (reads_) throw std::runtime_error(kCalledBack);
  }

  Votes* votes() {
    auto* model = dynamic_cast<Learner*>(learner_.get());
    return model && model->votes() ? &model->record() : nullptr;
  }
  Auto& mixture() {
    auto* model = dynamic_cast<Auto*>(learner_.get());
    if (!model) throw nb::value_error("the learner mixes no lanes");
    return *model;
  }
  // Rows that hold anything: of a hashed bank often few.
  std::vector<std::uint32_t> used_rows(const std::vector<Model::Part>& parts) {
    std::vector<std::uint32_t> used;
    const auto holds = [](const Model::Part& each, std::uint32_t row) {
      const auto* bytes = reinterpret_cast<const unsigned char*>(each.row(row));
      return std::any_of(bytes, bytes + each.bank->bytes(1),
                         [](unsigned char b) { return b != 0; });
    };
    for (std::uint32_t row = 0; row < learner_->features().size(); ++row)
      if (std::any_of(parts.begin(), parts.end(), [&](auto& each) { return holds(each, row); }))
        used.push_back(row);
    // In the order in which the first bank has them: sums over all rows are then the same bits
    // again.
    const auto before = [&](std::uint32_t a, std::uint32_t b) {
      return parts[0].order(a) < parts[0].order(b);
    };
    if (!parts.empty()) std::stable_sort(used.begin(), used.end(), before);
    return used;
  }
  static std::string part(const char* name, std::size_t i) {
    return i ? name + std::to_string(i) : name;
  }
  void read(nb::handle x, bool learning) {
    const RowReader& row = reading_.read(x, learning);
    starts_[1] = row.size();
    known_ = learner_->features().size() + row.absent();
    one_ = {1, starts_, row.rows(), row.values(), nullptr, nullptr, nullptr, nullptr, &known_};
    scores_.resize(std::size_t(learner_->lanes()));
  }
  void predict(nb::handle x) {
    read(x, false);
    one_.scores = scores_.data();
    learner_->predict(one_);
    check_finite(scores_.data(), scores_.size());
  }
  void learn(nb::handle x, std::int32_t label, double target, double importance, bool want_scores) {
    importance = Reading::importance(importance, "w");
    if (label < 0) Reading::check_target(target, "y");
    if (importance == 0) return predict(x);  // as if it were not there, its names included
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
      reading_.forget();  // names that were taken back
      throw;
    }
  }
  nb::object scores() const {
    if (scores_.size() == 1) return nb::float_(scores_[0]);
    nb::list out;
    for (double s : scores_) out.append(s);
    return out;
  }
  // Takes the examples in, a chunk at a time.
  template <class Source>
  nb::object run(std::size_t n, nb::handle labels, nb::handle importance, Want want,
                 Source source) {
    const bool learning = !labels.is_none(), classes = learner_->loss().classification();
    Vector<std::int32_t> y_class;
    Vector<double> y_target, h;
    std::vector<double> weighted;
    if (learning && classes) y_class = nb::cast<Vector<std::int32_t>>(labels);
    if (learning && !classes) y_target = nb::cast<Vector<double>>(labels);
    if (learning && (classes ? y_class.size() : y_target.size()) != n)
      throw nb::value_error("X and y differ in length");
    if (learning && classes) {
      const int count = std::max(learner_->lanes(), 2);  // two classes share a lane
      for (std::size_t t = 0; t < n; ++t)
        if (y_class(t) < 0 || y_class(t) >= count)
          throw nb::value_error("a class number is out of range");
    }
    if (!importance.is_none()) {
      h = nb::cast<Vector<double>>(importance);
      if (h.size() != n) throw nb::value_error("X and the weights differ in length");
      weighted.reserve(n);
      for (std::size_t t = 0; t < n; ++t)
        weighted.push_back(Reading::importance(h(t), "weight", std::ptrdiff_t(t)));
    }
    for (std::size_t t = 0; learning && !classes && t < n; ++t)
      Reading::check_target(y_target(t), "y", std::ptrdiff_t(t));

    if (!learning && want == Want::nothing)
      return nb::none();  // the batch was to be looked at, no more
    const std::size_t lanes = std::size_t(learner_->lanes());
    const bool told = want != Want::nothing, best_only = want == Want::best;
    const std::size_t kept = !told ? 0 : best_only ? std::min(n, Reading::kChunk) : n;
    std::vector<double> scores(kept * lanes), losses(told ? n : 0);
    std::vector<std::int32_t> best(best_only ? n : 0);
    const double* weights = importance.is_none() ? nullptr : weighted.data();
    const auto naming = [&](std::size_t t) { return learning && (!weights || weights[t] > 0); };
    try {
      nb::gil_scoped_release release;
      for (std::size_t first = 0; first < n; first += Reading::kChunk) {
        const std::size_t last = std::min(first + Reading::kChunk, n);
        Batch batch = source.part(reading_, first, last, naming);
        if (learning && !classes) batch.targets = y_target.data() + first;
        if (learning && classes) batch.classes = y_class.data() + first;
        if (weights) batch.importance = weights + first;
        if (told) batch.scores = scores.data() + (best_only ? 0 : first * lanes);
        if (told) batch.losses = losses.data() + first;
        if (learning) {
          learner_->learn(batch, earlier_ + first);
        } else {
          learner_->predict(batch);
          check_finite(batch.scores, (last - first) * lanes);
        }
        for (std::size_t t = first; t < last && best_only; ++t) {
          const double* own = scores.data() + (t - first) * lanes;
          best[t] = std::int32_t(std::max_element(own, own + lanes) - own);
        }
      }
    } catch (...) {
      reading_.forget();  // names may have been taken back
      throw;
    }
    if (!told) return nb::none();
    const nb::object said = best_only ? array_of(best) : array_of(scores);
    return learning ? nb::object(nb::make_tuple(said, array_of(losses))) : said;
  }

  std::unique_ptr<Model> learner_;
  std::size_t earlier_ = 0;  // examples of the call in the parts before this one, for errors
  Reading reading_;
  std::size_t starts_[2] = {0, 0};
  std::uint32_t known_ = 0;  // features known when the row came, its own among them
  bool reads_ = false;       // examples, whose values may run code of Python's
  Batch one_;
  std::vector<double> scores_;
};

bool narrow_columns(Vector<std::int64_t> columns,
                    nb::ndarray<std::int32_t, nb::ndim<1>, nb::c_contig, nb::device::cpu> to) {
  if (columns.size() != to.size()) throw nb::value_error("the arrays differ in size");
  return kernels().narrow(columns.data(), columns.size(), to.data());
}

// (whether every row's columns strictly increase, whether some value is 0); ValueError if the
// arrays are no CSR matrix at all or hold a value that cannot be learned.
nb::tuple survey(std::int32_t width, Vector<std::int64_t> starts, Vector<std::int32_t> columns,
                 Vector<double> values, const std::string& name) {
  Reading::check_starts(starts, columns.size(), values.size());
  const std::size_t n = starts.size() - 1;
  const auto first = std::size_t(starts(0)), last = std::size_t(starts(n));
  const std::int32_t* c = columns.data();
  const Survey found =
      kernels().survey_sparse(c + first, values.data() + first, last - first, width);
  if (!found.within)
    throw nb::value_error("X.indices has a column outside X.shape: X is malformed");
  for (std::size_t t = 0; !found.fits && t < n; ++t)
    for (auto j = std::size_t(starts(t)); j < std::size_t(starts(t + 1)); ++j)
      checked_float(values(j), name + "[" + std::to_string(t) + ", " + std::to_string(c[j]) + "]");
  // Columns fall or stand still only from one row to the next.
  std::size_t between = 0;
  for (std::size_t t = 1; t < n; ++t)
    if (const auto j = std::size_t(starts(t)); starts(t) > starts(t - 1) && j < last && j > first)
      between += c[j] <= c[j - 1];
  return nb::make_tuple(found.falls == between, found.has_zero);
}

}  // namespace

void bind_learner(nb::module_& m) {
  nb::class_<PyLearner>(m, "Learner")
      .def(nb::init<const Loss&, const std::string&, nb::dict, int, std::uint32_t, bool, bool>(),
           "loss"_a, "rule"_a, "options"_a, "bits"_a, "remembered"_a, "intercept"_a, "certify"_a)
      .def("belongs_to", &belongs_to<PyLearner>, "owner"_a)
      .def("score", &PyLearner::score, "x"_a)
      .def("probability", &PyLearner::probability, "x"_a)
      .def("probabilities", &PyLearner::probabilities, "scores"_a)
      .def("learn_class", &PyLearner::learn_class, "x"_a, "label"_a, "importance"_a)
      .def("learn_target", &PyLearner::learn_target, "x"_a, "target"_a, "importance"_a)
      .def("step_class", &PyLearner::step_class, "x"_a, "label"_a, "importance"_a)
      .def("step_target", &PyLearner::step_target, "x"_a, "target"_a, "importance"_a)
      .def("learn_slope", &PyLearner::learn_slope, "x"_a, "slope"_a, "importance"_a)
      .def("trace", &PyLearner::trace)
      .def("chosen", &PyLearner::chosen, "x"_a)
      .def("csr", &PyLearner::csr, "width"_a, "starts"_a, "columns"_a, "values"_a, "has_zero"_a,
           "labels"_a.none(), "importance"_a.none(), "want"_a.noconvert())
      .def("table", &PyLearner::table, "size"_a, "columns"_a, "labels"_a.none(),
           "importance"_a.none(), "want"_a.noconvert())
      .def("examples", &PyLearner::examples, "x"_a, "first"_a, "last"_a, "labels"_a.none(),
           "importance"_a.none(), "want"_a.noconvert())
      .def("locate", &PyLearner::locate, "x"_a)
      .def("located", &PyLearner::located, "starts"_a, "rows"_a, "values"_a, "labels"_a.none(),
           "importance"_a.none(), "want"_a.noconvert())
      .def_prop_rw("advice", &PyLearner::advice, &PyLearner::advise)
      .def_prop_rw("earlier", &PyLearner::earlier, &PyLearner::count_from)
      .def_prop_ro("wants_names", &PyLearner::wants_names)
      .def_prop_ro("lanes", &PyLearner::lanes)
      .def("relane", &PyLearner::relane, "sources"_a, "signs"_a)
      .def("extend", &PyLearner::extend, "count"_a)
      .def("reserve", &PyLearner::reserve, "lanes"_a)
      .def("used", &PyLearner::used)
      .def("weights", &PyLearner::weights, "rows"_a = nb::none())
      .def("names", &PyLearner::names)
      .def("total", &PyLearner::total, "total"_a.noconvert())
      .def("most", &PyLearner::most, "total"_a.noconvert())
      .def("each", &PyLearner::each, "total"_a.noconvert())
      .def_prop_ro("has_gradient_sum", &PyLearner::has_gradient_sum)
      .def("gradient_norms", &PyLearner::gradient_norms)
      .def_prop_ro("bytes", &PyLearner::bytes)
      .def("state", &PyLearner::state)
      .def("restore", &PyLearner::restore, "lanes"_a, "arrays"_a)
      .def("lane_scores", &PyLearner::lane_scores, "x"_a)
      .def("retired", &PyLearner::retired)
      .def("measured", &PyLearner::measured, "lane"_a)
      .def("spaces", &PyLearner::spaces, "lane"_a)
      .def("mixing", &PyLearner::mixing, "lane"_a);
  m.def("narrow", &narrow_columns, "columns"_a, "to"_a);
  m.def("survey", &survey, "width"_a, "starts"_a, "columns"_a, "values"_a, "name"_a);
}

}  // namespace regretless
