// regretless._core: the learner, for the Python classes that give it labels and names.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/array.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <cfloat>
#include <memory>

#include "learner.hpp"
#include "rows.hpp"
#include "text/svmlight.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace regretless {
namespace {

template <class T>
using Vector = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

template <class T>
nb::object array_of(const T* data, std::size_t size) {
  auto* copy = new T[size ? size : 1];
  std::copy(data, data + size, copy);
  nb::capsule owner(copy, [](void* p) noexcept { delete[] static_cast<T*>(p); });
  return nb::cast(nb::ndarray<nb::numpy, T, nb::ndim<1>>(copy, {size}, owner));
}
template <class T>
nb::object array_of(const std::vector<T>& v) {
  return array_of(v.data(), v.size());
}

Loss loss_of(nb::handle spec) {
  auto [kind, parameter] = nb::cast<std::pair<int, double>>(spec);
  return {static_cast<LossKind>(kind), parameter};
}

// A rule arrives as its name and a dict of options; an option that nobody takes is an error of
// ours.
Rule rule_of(const std::string& name, nb::dict options, bool intercept) {
  const auto number = [&](const char* key) { return nb::cast<double>(options[key]); };
  const auto flag = [&](const char* key) { return nb::cast<bool>(options[key]); };
  const auto rate = [&] {
    return Rate{static_cast<Rate::Kind>(nb::cast<int>(options["schedule"])), number("eta")};
  };
  if (name == "coin") {
    Coin r;
    r.wealth = number("wealth"), r.lipschitz = number("lipschitz");
    return r;
  }
  if (name == "adagrad") {
    AdaGrad r;
    r.eta = number("eta"), r.l1 = number("l1"), r.l2 = number("l2");
    r.scale_invariant = flag("scale_invariant");
    return r;
  }
  if (name == "ogd") {
    const auto fill = [&](auto r) {
      r.rate = rate(), r.l1 = number("l1"), r.l2 = number("l2"), r.radius = number("radius");
      r.lazy = flag("lazy"), r.invariant = flag("invariant");
      return Rule(r);
    };
    const bool plain =
        number("l1") == 0 && number("l2") == 0 && !flag("lazy") && std::isinf(number("radius"));
    return plain ? fill(PlainOgd{}) : fill(Ogd{});
  }
  if (name == "ftrl") {
    Ftrl r;
    r.alpha = number("alpha"), r.beta = number("beta"), r.l1 = number("l1"), r.l2 = number("l2");
    return r;
  }
  if (name == "pnorm") {
    PNorm r;
    r.rate = rate(), r.p = number("p");
    return r;
  }
  if (name == "eg") {
    Eg r;
    r.eta = number("eta"), r.radius = number("radius"), r.unused = !intercept;
    return r;
  }
  if (name == "passive_aggressive") {
    PassiveAggressive r;
    r.mode = static_cast<PassiveAggressive::Mode>(nb::cast<int>(options["mode"]));
    r.aggressiveness = number("aggressiveness");
    return r;
  }
  throw nb::value_error(("no rule is called " + name).c_str());
}

// A column of a batch: numbers, or codes of categories. Each has a name, and a row once the name
// has been needed.
struct Column {
  nb::ndarray<const double, nb::ndim<1>, nb::device::cpu>
      held_numbers;  // what the pointers point to
  Vector<std::int32_t> held_codes;
  const double* numbers = nullptr;
  std::ptrdiff_t stride = 1;
  const std::int32_t* codes = nullptr;
  bool is_number = false;  // named by a number
  std::int64_t number = 0;
  std::vector<std::string> names;   // one for numbers, one per category for codes
  std::vector<std::uint32_t> rows;  // as many

  std::uint32_t row(std::size_t i, Features& f, bool naming) {
    if (rows[i] == Features::kAbsent && naming)
      rows[i] = is_number ? f.insert(number) : f.insert(names[i]);
    return rows[i];
  }
};

class PyLearner {
 public:
  PyLearner(nb::handle loss, const std::string& rule, nb::dict options, int bits, bool intercept,
            bool certify)
      : learner_(loss_of(loss), rule_of(rule, options, intercept), bits, certify),
        intercept_(intercept),
        reader_(learner_.features(), intercept) {}

  // --- one row -----------------------------------------------------------------------------------
  nb::object score(nb::handle x) {
    read(x, false);
    one_.scores = scores_.data();
    learner_.predict(one_);
    return scores();
  }
  // Probability of class 1 (one lane) or of every class.
  nb::object probability(nb::handle x) {
    score(x);
    learner_.loss().probabilities(scores_.data(), learner_.lanes());
    return scores();
  }
  nb::object probabilities(Vector<double> scores) const {
    std::vector<double> out(scores.data(), scores.data() + scores.size());
    const auto lanes = std::size_t(learner_.lanes());
    for (std::size_t t = 0; t + lanes <= out.size(); t += lanes)
      learner_.loss().probabilities(out.data() + t, learner_.lanes());
    return array_of(out);
  }
  void learn_class(nb::handle x, int label, double importance) {
    learn(x, label, 0, importance, false);
  }
  void learn_target(nb::handle x, double target, double importance) {
    learn(x, -1, target, importance, false);
  }
  nb::object step_class(nb::handle x, int label, double importance) {
    learn(x, label, 0, importance, true);
    return scores();
  }
  nb::object step_target(nb::handle x, double target, double importance) {
    learn(x, -1, target, importance, true);
    return scores();
  }

  // --- batches -----------------------------------------------------------------------------------
  // labels: int32 classes, float64 targets, or None to predict. Returns the scores (before
  // learning, when there are labels) as a flat array, or None when they are not asked for.
  nb::object csr(std::int32_t width, Vector<std::int64_t> starts, Vector<std::int32_t> columns,
                 Vector<double> values, bool has_zero, nb::handle labels, nb::handle importance,
                 bool want_scores) {
    const std::size_t n = starts.size() - 1;  // all of it checked by `survey`
    Features& f = learner_.features();
    const std::int64_t* start = starts.data();
    const auto most = [=](std::size_t first, std::size_t last) {
      return std::size_t(start[last] - start[first]);
    };
    const std::uint32_t* table = f.columns(std::size_t(width));
    const std::uint32_t mask = f.hashed() ? (std::uint32_t(1) << f.bits()) - 1 : 0;
    const bool direct = !has_zero && (table || f.hashed());
    const auto fill = [&, place = kernels().place, c = columns.data(), v = values.data()](
                          std::size_t t, bool naming, std::uint32_t* row, float* value) {
      const auto first = std::size_t(start[t]), last = std::size_t(start[t + 1]);
      if (table && t + 3 < n)
        for (auto j = start[t + 2]; j < start[t + 3]; ++j) fetch(table + c[j]);
      if (direct) {
        if (place(c + first, v + first, last - first, table, mask, row, value)) return last - first;
        for (std::size_t j = 0; naming && j < last - first; ++j)
          if (row[j] == Features::kAbsent) row[j] = f.insert(std::int64_t(c[first + j]));
        if (naming) return last - first;
      }
      std::size_t n = 0;
      for (std::size_t j = first; j < last; ++j) {
        if (v[j] == 0) continue;
        row[n] = naming ? f.insert(std::int64_t(c[j])) : f.find(std::int64_t(c[j]));
        value[n] = float(v[j]);
        keep_place(row[n], value[n]);
        ++n;
      }
      return n;
    };
    return run(n, labels, importance, want_scores, most, fill);
  }

  // A batch by columns: (name, float64 values) or (name, int32 codes, list of category names); a
  // code of -1 is a missing value. A dense matrix is n columns named by number.
  nb::object table(std::size_t n, nb::list columns, nb::handle labels, nb::handle importance,
                   bool want_scores) {
    std::vector<Column> plan;
    for (nb::handle item : columns) plan.push_back(column(n, nb::cast<nb::tuple>(item)));
    Features& f = learner_.features();
    const auto most = [&](std::size_t first, std::size_t last) {
      return (last - first) * plan.size();
    };
    const auto fill = [&](std::size_t t, bool naming, std::uint32_t* row, float* value) {
      std::size_t n = 0;
      for (Column& c : plan) {
        const double v = c.codes ? 1 : c.numbers[std::ptrdiff_t(t) * c.stride];
        if (v == 0 || (c.codes && c.codes[t] < 0)) continue;
        row[n] = c.row(c.codes ? std::size_t(c.codes[t]) : 0, f, naming);
        value[n] = float(v);
        keep_place(row[n], value[n]);
        ++n;
      }
      return n;
    };
    return run(n, labels, importance, want_scores, most, fill);
  }

  // --- the rest
  // ------------------------------------------------------------------------------------
  int lanes() const { return learner_.lanes(); }
  void relane(const std::vector<int>& sources, const std::vector<int>& signs) {
    learner_.relane(sources, signs);
  }
  nb::object weights() const { return array_of(learner_.weights()); }
  nb::list names() const {
    const Features& f = learner_.features();
    nb::list out;
    if (f.hashed()) {
      for (std::uint32_t row = 1; row < f.size(); ++row) out.append(row - 1);
    } else {
      for (std::uint32_t row = 1; row < f.size(); ++row) {
        if (f.is_column(row)) {
          out.append(f.column(row));
        } else {
          const auto name = f.name(row);
          out.append(nb::str(name.data(), name.size()));
        }
      }
    }
    return out;
  }
  double total(int scalar) const {
    double sum = 0;
    for (int k = 0; k < lanes(); ++k) sum += learner_.scalar(Scalar(scalar), k);
    return sum;
  }
  double rounds() const {
    double most = 0;
    for (int k = 0; k < lanes(); ++k) most = std::max(most, learner_.scalar(kRounds, k));
    return most;
  }
  bool has_gradient_sum() const { return learner_.has_gradient_sum(); }
  std::array<double, 3> gradient_norms() const { return learner_.gradient_norms(); }

  nb::dict state() {
    nb::dict d;
    Bank& bank = learner_.bank();
    d["bank"] = array_of(bank.data(), bank.rows() * bank.layout().stride);
    d["scalars"] = array_of(learner_.scalars());
    const Features& f = learner_.features();
    d["names"] =
        array_of(reinterpret_cast<const std::uint8_t*>(f.names().data()), f.names().size());
    d["name_keys"] = array_of(f.keys());
    d["name_kinds"] = array_of(f.kinds());
    return d;
  }
  void restore(int lanes, Vector<float> bank, Vector<double> scalars, Vector<std::uint8_t> names,
               Vector<std::int64_t> keys, Vector<std::uint8_t> kinds) {
    const auto damaged = [](const char* what) { throw nb::value_error(what); };
    if (lanes < 1 || lanes > 1 << 20) damaged("the number of lanes is damaged");
    if (keys.size() != kinds.size() || keys.size() < 1) damaged("the table of names is damaged");
    Features& f = learner_.features();
    if (!f.hashed()) try {
        f.restore({reinterpret_cast<const char*>(names.data()), names.size()}, keys.data(),
                  kinds.data(), keys.size());
      } catch (const std::invalid_argument& error) {
        damaged(error.what());
      }
    learner_.relane(std::vector<int>(std::size_t(lanes), -1),
                    std::vector<int>(std::size_t(lanes), 1));
    const std::size_t stride = learner_.bank().layout().stride;
    if (bank.size() != f.size() * stride)
      damaged("the bank does not fit the features and the rule");
    if (scalars.size() != learner_.scalars().size()) damaged("the lanes do not fit the rule");
    learner_.grow();
    std::copy(bank.data(), bank.data() + bank.size(), learner_.bank().data());
    std::copy(scalars.data(), scalars.data() + scalars.size(), learner_.scalars().data());
    reader_.forget();
    try {
      this->names();
    } catch (const std::exception&) {
      damaged("a feature's name is not valid Unicode");
    }
  }

 private:
  // A feature without a row adds nothing but keeps its place in the sum, as in RowReader::push.
  void keep_place(std::uint32_t& row, float& value) {
    if (row != Features::kAbsent) return;
    ++absent_;
    row = Features::kIntercept;
    value = 0;
  }

  static constexpr std::size_t kChunk = 256;  // examples converted at a time: they stay in cache

  void read(nb::handle x, bool learning) {
    if (reading_) throw std::runtime_error("a value in x uses the learner that is reading it");
    if (PyDict_Check(x.ptr())) {
      reading_ = true;
      try {
        reader_.read_dict(x.ptr(), learning);
      } catch (...) {
        reading_ = false;
        throw;
      }
      reading_ = false;
    } else {
      nb::tuple pair = nb::cast<nb::tuple>(x);
      auto columns = nb::cast<Vector<std::int64_t>>(pair[0]);
      auto values = nb::cast<Vector<double>>(pair[1]);
      if (columns.size() != values.size()) throw nb::value_error("x has as many indices as values");
      reader_.read_arrays(columns.data(), values.data(), values.size(), learning);
    }
    starts_[1] = reader_.size();
    known_ = learner_.features().size() + reader_.absent();
    one_ = {1,       starts_, reader_.rows(), reader_.values(), nullptr,
            nullptr, nullptr, nullptr,        &known_};
    scores_.resize(std::size_t(learner_.lanes()));
  }
  void learn(nb::handle x, std::int32_t label, double target, double importance, bool want_scores) {
    check_importance(importance, "w");
    if (label < 0 && !std::isfinite(target)) {
      throw nb::value_error(("y = " + std::to_string(target) + " is not finite").c_str());
    }
    if (importance == 0) {  // as if it were not there, its names included
      read(x, false);
      one_.scores = scores_.data();
      learner_.predict(one_);
      return;
    }
    read(x, true);
    if (label >= 0) {
      one_.classes = &label;
    } else {
      one_.targets = &target;
    }
    one_.importance = &importance;
    if (want_scores) one_.scores = scores_.data();
    learn(one_, 0);
  }
  void learn(const Batch& batch, std::size_t offset) {
    try {
      learner_.learn(batch, offset);
    } catch (const Diverged&) {
      reader_.forget();  // names that were taken back
      throw;
    }
  }
  nb::object scores() const {
    if (scores_.size() == 1) return nb::float_(scores_[0]);
    nb::list out;
    for (double s : scores_) out.append(s);
    return out;
  }
  static void check_importance(double w, const std::string& where) {
    if (!(w >= 0 && w <= DBL_MAX))
      throw nb::value_error((where + " = " + std::to_string(w) +
                             " is not a weight: it must be finite and not negative")
                                .c_str());
  }
  template <class Where>
  static void check_finite(const double* values, std::size_t size, Where where,
                           std::ptrdiff_t stride = 1) {
    if (stride == 1 && kernels().survey_values(values, size).fits) return;
    for (std::size_t j = 0; j < size; ++j)
      if (const double v = values[std::ptrdiff_t(j) * stride]; !(std::fabs(v) <= kLargestValue))
        checked_float(v, where(j));
  }

  Column column(std::size_t n, nb::tuple spec) {
    Column c;
    const nb::str text = nb::str(nb::object(spec[0]));
    const std::string name(utf8(text.ptr()));
    if (spec.size() == 2) {
      auto a = nb::cast<nb::ndarray<const double, nb::ndim<1>, nb::device::cpu>>(spec[1]);
      if (a.shape(0) != n) throw nb::value_error("columns differ in length");
      c.held_numbers = a;
      c.numbers = a.data();
      c.stride = a.stride(0);
      check_finite(
          c.numbers, n,
          [&](std::size_t t) {
            return "X[" + std::to_string(t) + ", " + nb::cast<std::string>(nb::repr(spec[0])) + "]";
          },
          c.stride);
      c.is_number = nb::isinstance<nb::int_>(spec[0]);
      if (c.is_number) c.number = nb::cast<std::int64_t>(spec[0]);
      c.names.push_back(name);
    } else {
      auto a = nb::cast<Vector<std::int32_t>>(spec[1]);
      if (a.size() != n) throw nb::value_error("columns differ in length");
      for (nb::handle value : nb::cast<nb::list>(spec[2]))
        c.names.push_back(name + "=" + std::string(utf8(value.ptr())));
      for (std::size_t t = 0; t < n; ++t)
        if (a(t) < -1 || a(t) >= std::int64_t(c.names.size()))
          throw nb::value_error("a category code is out of range");
      c.held_codes = a;
      c.codes = a.data();
    }
    const Features& f = learner_.features();
    for (const std::string& text : c.names)
      c.rows.push_back(c.is_number ? f.find(c.number) : f.find(text));
    return c;
  }

  // Converts and processes a chunk at a time: most(first, last) bounds the entries of some rows,
  // fill(t, naming, rows, values) writes those of row t, giving rows to new names if told so, and
  // says how many there are.
  template <class Most, class Fill>
  nb::object run(std::size_t n, nb::handle labels, nb::handle importance, bool want_scores,
                 Most most, Fill fill) {
    const bool learning = !labels.is_none(), classes = learner_.loss().classification();
    Vector<std::int32_t> y_class;
    Vector<double> y_target, h;
    if (learning && classes) y_class = nb::cast<Vector<std::int32_t>>(labels);
    if (learning && !classes) y_target = nb::cast<Vector<double>>(labels);
    if (learning && (classes ? y_class.size() : y_target.size()) != n)
      throw nb::value_error("X and y differ in length");
    if (!importance.is_none()) {
      h = nb::cast<Vector<double>>(importance);
      if (h.size() != n) throw nb::value_error("X and the weights differ in length");
      for (std::size_t t = 0; t < n; ++t)
        check_importance(h(t), "weight[" + std::to_string(t) + "]");
    }
    if (learning && !classes)
      for (std::size_t t = 0; t < n; ++t)
        if (!std::isfinite(y_target(t)))
          throw nb::value_error(
              ("y[" + std::to_string(t) + "] = " + std::to_string(y_target(t)) + " is not finite")
                  .c_str());

    if (!learning && !want_scores) return nb::none();  // the batch was to be looked at, no more
    const std::size_t lanes = std::size_t(learner_.lanes());
    std::vector<double> out(want_scores ? n * lanes : 0);
    std::vector<std::size_t> starts;
    std::vector<std::uint32_t> rows, known;
    std::vector<float> values;
    for (std::size_t first = 0; first < n; first += kChunk) {
      const std::size_t last = std::min(first + kChunk, n);
      const std::size_t room = most(first, last) + (last - first);
      if (rows.size() < room) {
        rows.resize(room);
        values.resize(room);
      }
      starts.assign(1, 0);
      known.clear();
      std::size_t used = 0;
      for (std::size_t t = first; t < last; ++t) {
        if (intercept_) {
          rows[used] = Features::kIntercept;
          values[used++] = 1.0f;
        }
        absent_ = 0;
        const bool naming = learning && (importance.is_none() || h(t) > 0);
        used += fill(t, naming, rows.data() + used, values.data() + used);
        starts.push_back(used);
        known.push_back(learner_.features().size() + absent_);
      }
      Batch batch{last - first,
                  starts.data(),
                  rows.data(),
                  values.data(),
                  learning && !classes ? y_target.data() + first : nullptr,
                  learning && classes ? y_class.data() + first : nullptr,
                  importance.is_none() ? nullptr : h.data() + first,
                  want_scores ? out.data() + first * lanes : nullptr,
                  known.data()};
      if (learning) {
        learn(batch, first);
      } else {
        learner_.predict(batch);
      }
    }
    return want_scores ? array_of(out) : nb::none();
  }

  Learner learner_;
  bool intercept_;
  RowReader reader_;
  std::size_t starts_[2] = {0, 0};
  std::uint32_t known_ = 0;   // features known when the row came, its own among them
  std::uint32_t absent_ = 0;  // those of its features that have no row
  bool reading_ = false;
  Batch one_;
  std::vector<double> scores_;
};

// (whether every row's columns strictly increase, whether some value is 0); ValueError if the
// arrays are no CSR matrix at all or hold a value that cannot be learned.
nb::tuple survey(std::int32_t width, Vector<std::int64_t> starts, Vector<std::int32_t> columns,
                 Vector<double> values, const std::string& name) {
  if (starts.size() == 0 || starts(0) < 0) throw nb::value_error("X.indptr does not start at 0");
  const std::size_t n = starts.size() - 1;
  for (std::size_t t = 0; t < n; ++t)
    if (starts(t) > starts(t + 1)) throw nb::value_error("X.indptr decreases: X is malformed");
  const auto first = std::size_t(starts(0)), last = std::size_t(starts(n));
  if (last > columns.size() || columns.size() != values.size())
    throw nb::value_error("X.indptr, X.indices and X.data do not fit each other: X is malformed");
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

nb::tuple parse_svmlight(nb::bytes text, bool last, std::int64_t first_line) {
  svmlight::Parsed parsed;
  try {
    parsed = svmlight::parse({text.c_str(), text.size()}, last, first_line);
  } catch (const std::invalid_argument& error) {
    throw nb::value_error(error.what());
  }
  return nb::make_tuple(array_of(parsed.labels), array_of(parsed.starts), array_of(parsed.columns),
                        array_of(parsed.values), parsed.consumed, parsed.lines);
}

}  // namespace
}  // namespace regretless

NB_MODULE(_core, m) {
  using namespace regretless;
  nb::set_leak_warnings(false);  // an interpreter that exits with live models leaks nothing
  m.attr("SCALARS") = nb::make_tuple("rounds", "loss", "linear", "squares", "rounding");
  nb::exception<Diverged>(m, "Diverged", PyExc_ArithmeticError);
  nb::class_<PyLearner>(m, "Learner")
      .def(nb::init<nb::handle, const std::string&, nb::dict, int, bool, bool>(), "loss"_a,
           "rule"_a, "options"_a, "bits"_a, "intercept"_a, "certify"_a)
      .def("score", &PyLearner::score, "x"_a)
      .def("probability", &PyLearner::probability, "x"_a)
      .def("probabilities", &PyLearner::probabilities, "scores"_a)
      .def("learn_class", &PyLearner::learn_class, "x"_a, "label"_a, "importance"_a)
      .def("learn_target", &PyLearner::learn_target, "x"_a, "target"_a, "importance"_a)
      .def("step_class", &PyLearner::step_class, "x"_a, "label"_a, "importance"_a)
      .def("step_target", &PyLearner::step_target, "x"_a, "target"_a, "importance"_a)
      .def("csr", &PyLearner::csr, "width"_a, "starts"_a, "columns"_a, "values"_a, "has_zero"_a,
           "labels"_a.none(), "importance"_a.none(), "want_scores"_a)
      .def("table", &PyLearner::table, "size"_a, "columns"_a, "labels"_a.none(),
           "importance"_a.none(), "want_scores"_a)
      .def_prop_ro("lanes", &PyLearner::lanes)
      .def("relane", &PyLearner::relane, "sources"_a, "signs"_a)
      .def("weights", &PyLearner::weights)
      .def("names", &PyLearner::names)
      .def("total", &PyLearner::total, "scalar"_a)
      .def_prop_ro("rounds", &PyLearner::rounds)
      .def_prop_ro("has_gradient_sum", &PyLearner::has_gradient_sum)
      .def("gradient_norms", &PyLearner::gradient_norms)
      .def("state", &PyLearner::state)
      .def("restore", &PyLearner::restore, "lanes"_a, "bank"_a, "scalars"_a, "names"_a,
           "name_keys"_a, "name_kinds"_a);
  m.def("survey", &survey, "width"_a, "starts"_a, "columns"_a, "values"_a, "name"_a);
  m.def("parse_svmlight", &parse_svmlight, "text"_a, "last"_a, "first_line"_a);
}
