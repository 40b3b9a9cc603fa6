// regretless._core: the learner, for the Python classes that give it labels and names.
#include <nanobind/nanobind.h>
#include <nanobind/stl/array.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <cfloat>
#include <cstring>
#include <memory>
#include <type_traits>

#include "arrays.hpp"
#include "auto.hpp"
#include "bindings.hpp"
#include "parts.hpp"
#include "rows.hpp"
#include "text/examples.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace regretless {
namespace {

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
  PyLearner(nb::handle loss, const std::string& rule, nb::dict options, int bits,
            std::uint32_t remembered, bool intercept, bool certify)
      : learner_(model_of(loss_of(loss), rule, options, bits, remembered, intercept, certify)),
        intercept_(intercept),
        range_{learner_->low(), learner_->high()},
        reader_(learner_->features(), intercept, range_, learner_->starts_at_zero()) {}

  // --- one row -----------------------------------------------------------------------------------
  nb::object score(nb::handle x) {
    read(x, false);
    one_.scores = scores_.data();
    learner_->predict(one_);
    return scores();
  }
  // Probability of class 1 (one lane) or of every class.
  nb::object probability(nb::handle x) {
    score(x);
    learner_->loss().probabilities(scores_.data(), learner_->lanes());
    return scores();
  }
  nb::object probabilities(Vector<double> scores) const {
    std::vector<double> out(scores.data(), scores.data() + scores.size());
    const auto lanes = std::size_t(learner_->lanes());
    for (std::size_t t = 0; t + lanes <= out.size(); t += lanes)
      learner_->loss().probabilities(out.data() + t, learner_->lanes());
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
  // labels: int32 classes, float64 targets, or None to predict. Returns the scores as a flat array;
  // with labels, (scores, losses), both from before learning; None when they are not asked for.
  nb::object csr(std::int32_t width, Vector<std::int64_t> starts, Vector<std::int32_t> columns,
                 Vector<double> values, bool has_zero, nb::handle labels, nb::handle importance,
                 bool want_scores) {
    const std::size_t n = starts.size() - 1;  // all of it checked by `survey`
    Features& f = learner_->features();
    const std::int64_t* start = starts.data();
    check_range(start, n, values.data(), [&](std::size_t t, std::size_t j) {
      return "X[" + std::to_string(t) + ", " + std::to_string(columns(j)) + "]";
    });
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
    return run(n, labels, importance, want_scores, Converted{most, fill});
  }

  // A batch by columns: (name, float64 values) or (name, int32 codes, list of category names); a
  // code of -1 is a missing value. A dense matrix is n columns named by number.
  nb::object table(std::size_t size, nb::list columns, nb::handle labels, nb::handle importance,
                   bool want_scores) {
    std::vector<Column> plan;
    for (nb::handle item : columns) plan.push_back(column(size, nb::cast<nb::tuple>(item)));
    Features& f = learner_->features();
    const auto most = [&](std::size_t first, std::size_t last) {
      return (last - first) * plan.size();
    };
    struct Plain {  // a column of numbers that has a row
      const double* numbers;
      std::ptrdiff_t stride;
      std::uint32_t row;
    };
    std::vector<Plain> plain;
    for (const Column& c : plan)
      if (!c.codes && c.rows[0] != Features::kAbsent)
        plain.push_back({c.numbers, c.stride, c.rows[0]});
    const std::size_t width = plain.size();
    const bool all_plain = width == plan.size() && width;
    // Some rows at a time, each in one place: a row across columns is far apart in memory, and
    // often where it has to share a line of the cache.
    const std::size_t height = all_plain ? std::max<std::size_t>(1, 2048 / width) : 0;
    std::vector<double> block(height * width);
    std::size_t block_at = size;
    const auto fill = [&](std::size_t t, bool naming, std::uint32_t* row, float* value) {
      std::size_t n = 0;
      if (all_plain) {
        if (t - block_at >= height) {
          block_at = t;
          const std::size_t count = std::min(height, size - t);
          for (std::size_t c = 0; c < width; ++c)
            for (std::size_t r = 0; r < count; ++r)
              block[r * width + c] = plain[c].numbers[std::ptrdiff_t(t + r) * plain[c].stride];
        }
        const double* v = block.data() + (t - block_at) * width;
        for (std::size_t c = 0; c < width; ++c) {  // what is 0 is written, but not counted
          row[n] = plain[c].row;
          value[n] = float(v[c]);
          n += v[c] != 0;
        }
        return n;
      }
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
    return run(size, labels, importance, want_scores, Converted{most, fill});
  }

  // What a reader has made of some lines, from example `from` to `to`.
  nb::object examples(const text::Examples& x, std::size_t from, std::size_t to, nb::handle labels,
                      nb::handle importance, bool want_scores) {
    if (from > to || to > x.size()) throw nb::value_error("there are not as many examples");
    Features& f = learner_->features();
    const bool placed = f.hashed() && x.bits() == f.bits();
    const bool same = placed && x.intercept() == intercept_;
    if (!placed && !x.named())
      throw nb::value_error("the examples were read without names for another learner");
    check_range(x.starts.data() + from, to - from, x.values.data(), [](std::size_t t, std::size_t) {
      return "a feature of example " + std::to_string(t) + " of this call";
    });
    if (!labels.is_none() && x.named()) remember(x, from, to);
    const auto most = [&](std::size_t first, std::size_t last) {
      return x.starts[from + last] - x.starts[from + first];
    };
    using Name = text::Examples::Name;
    std::vector<std::uint32_t> last;   // the rows of an example, none of them absent,
    const Name* last_names = nullptr;  // and its names
    const auto fill = [&](std::size_t t, bool naming, std::uint32_t* row, float* value) {
      const std::size_t first = x.starts[from + t] + x.intercept();
      const std::size_t count = x.starts[from + t + 1] - first;
      if (placed) {
        std::copy_n(x.rows.data() + first, count, row);
        std::copy_n(x.values.data() + first, count, value);
        return count;
      }
      const Name* names = x.names(from + t).data() + x.intercept();
      std::copy_n(x.values.data() + first, count, value);
      if (names == last_names && count == last.size()) {  // they are shared
        std::copy_n(last.data(), count, row);
        return count;
      }
      const std::uint32_t absent = absent_;
      for (std::size_t k = 0; k < count; ++k) {
        row[k] = row_of(x, names[k], naming);
        keep_place(row[k], value[k]);
      }
      last.assign(row, row + count);
      last_names = absent_ == absent ? names : nullptr;
      return count;
    };
    const Ready ready{x.starts.data() + from, x.rows.data(), x.values.data()};
    return same ? run(to - from, labels, importance, want_scores, ready)
                : run(to - from, labels, importance, want_scores, Converted{most, fill});
  }

  // Examples as rows of the bank, to be kept and given to `located` later: (starts, rows, values).
  // Every name must be known.
  nb::tuple locate(const text::Examples& x) {
    check_idle();
    const Features& f = learner_->features();
    if (f.hashed() && x.bits() == f.bits() && x.intercept() == intercept_)
      return nb::make_tuple(array_of(x.starts), array_of(x.rows.data(), x.rows.size()),
                            array_of(x.values.data(), x.values.size()));
    if (x.intercept() != intercept_ || !x.named())
      throw nb::value_error("the examples were read for another learner");
    std::vector<std::uint32_t> rows(x.values.size());
    for (std::size_t t = 0; t < x.size(); ++t)
      for (std::size_t j = x.starts[t]; j < x.starts[t + 1]; ++j) {
        const bool intercept = intercept_ && j == x.starts[t];
        rows[j] = intercept ? Features::kIntercept : row_of(x, x.names(t)[j - x.starts[t]], false);
        if (rows[j] == Features::kAbsent) throw nb::value_error("a name has no row yet");
      }
    return nb::make_tuple(array_of(x.starts), array_of(rows),
                          array_of(x.values.data(), x.values.size()));
  }
  nb::object located(Vector<std::uint64_t> starts, Vector<std::uint32_t> rows, Vector<float> values,
                     nb::handle labels, nb::handle importance, bool want_scores) {
    const std::size_t n = starts.size() - 1;
    bool sound = starts.size() > 0 && rows.size() == values.size() && starts(n) <= rows.size();
    for (std::size_t t = 0; sound && t < n; ++t) sound = starts(t) <= starts(t + 1);
    learner_->grow();
    if (!sound || !kernels().belongs(rows.data(), values.data(), rows.size(),
                                     std::uint32_t(learner_->banks()[0]->bank().rows())))
      throw nb::value_error("the rows do not belong to this learner: the cache is damaged");
    check_range(starts.data(), n, values.data(), [](std::size_t t, std::size_t) {
      return "a feature of example " + std::to_string(t) + " of this call";
    });
    static_assert(sizeof(std::size_t) == sizeof(std::uint64_t));
    const Ready ready{reinterpret_cast<const std::size_t*>(starts.data()), rows.data(),
                      values.data()};
    return run(n, labels, importance, want_scores, ready);
  }

  // --- the rest
  // ------------------------------------------------------------------------------------
  int lanes() const { return learner_->lanes(); }
  bool wants_names() const {
    const Features& f = learner_->features();
    return !f.hashed() || f.remembers();
  }
  void relane(const std::vector<int>& sources, const std::vector<int>& signs) {
    check_idle();
    learner_->relane(sources, signs);
  }
  nb::object weights() const {
    check_idle();
    return array_of(learner_->weights());
  }
  // Names by row, the intercept's left out; of hashed features those that are remembered.
  nb::dict names() const {
    check_idle();
    const Features& f = learner_->features();
    nb::dict out;
    for (std::uint32_t i = 1; i < f.keys().size(); ++i) {
      const nb::int_ row(f.hashed() ? f.remembered()[i - 1] : i);
      if (f.is_column(i)) {
        out[row] = f.column(i);
      } else {
        out[row] = nb::str(f.name(i).data(), f.name(i).size());
      }
    }
    return out;
  }
  double total(int scalar) const {
    double sum = 0;
    for (int k = 0; k < lanes(); ++k) sum += learner_->scalar(Scalar(scalar), k);
    return sum;
  }
  double most(int scalar) const {
    double most = 0;
    for (int k = 0; k < lanes(); ++k) most = std::max(most, learner_->scalar(Scalar(scalar), k));
    return most;
  }
  nb::object each(int scalar) const {
    std::vector<double> out;
    for (int k = 0; k < lanes(); ++k) out.push_back(learner_->scalar(Scalar(scalar), k));
    return array_of(out);
  }
  bool has_gradient_sum() const { return learner_->has_gradient_sum(); }
  std::array<double, 3> gradient_norms() const { return learner_->gradient_norms(); }

  std::size_t bytes() const {
    std::size_t all = 0;
    for (Learner* each : learner_->banks()) all += each->bank().bytes(each->bank().rows());
    return all;
  }
  nb::dict state() {
    check_idle();
    nb::dict d;
    const std::vector<Learner*> banks = learner_->banks();
    const std::vector<std::uint32_t> used = used_rows();
    d["rows"] = array_of(used);
    for (std::size_t i = 0; i < banks.size(); ++i) {
      Bank& bank = banks[i]->bank();
      const std::size_t stride = bank.layout().stride;
      std::vector<float> rows(used.size() * stride);
      for (std::size_t j = 0; j < used.size(); ++j)
        std::copy_n(bank.row(used[j]), stride, rows.data() + j * stride);
      d[part("bank", i).c_str()] = array_of(rows);
      d[part("scalars", i).c_str()] = array_of(banks[i]->scalars());
    }
    if (const std::vector<double> numbers = learner_->numbers(); !numbers.empty())
      d["numbers"] = array_of(numbers);
    const Features& f = learner_->features();
    d["names"] =
        array_of(reinterpret_cast<const std::uint8_t*>(f.names().data()), f.names().size());
    d["name_keys"] = array_of(f.keys());
    d["name_kinds"] = array_of(f.kinds());
    d["name_rows"] = array_of(f.remembered());
    if (banks[0]->votes()) {
      const Votes& v = banks[0]->record();
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
    const auto names = nb::cast<Vector<std::uint8_t>>(arrays["names"]);
    const auto keys = nb::cast<Vector<std::int64_t>>(arrays["name_keys"]);
    const auto kinds = nb::cast<Vector<std::uint8_t>>(arrays["name_kinds"]);
    const auto rows = nb::cast<Vector<std::uint32_t>>(arrays["name_rows"]);
    if (keys.size() != kinds.size() || keys.size() < 1) damaged("the table of names is damaged");
    Features& f = learner_->features();
    if (rows.size() != (f.hashed() ? keys.size() - 1 : 0)) damaged("the table of names is damaged");
    const std::vector<Learner*> banks = learner_->banks();
    try {
      f.restore({reinterpret_cast<const char*>(names.data()), names.size()}, keys.data(),
                kinds.data(), rows.data(), keys.size());
      learner_->relane(std::vector<int>(std::size_t(lanes), -1),
                       std::vector<int>(std::size_t(lanes), 1));
      Vector<double> numbers;
      if (arrays.contains("numbers")) numbers = nb::cast<Vector<double>>(arrays["numbers"]);
      learner_->restore_numbers(numbers.data(), numbers.is_valid() ? numbers.size() : 0);
    } catch (const std::invalid_argument& error) {
      damaged(error.what());
    }
    learner_->grow();
    const auto used = nb::cast<Vector<std::uint32_t>>(arrays["rows"]);
    for (std::size_t j = 0; j < used.size(); ++j)
      if (used(j) >= f.size()) damaged("the bank does not fit the features and the rule");
    for (std::size_t i = 0; i < banks.size(); ++i) {
      const auto bank = nb::cast<Vector<float>>(arrays[part("bank", i).c_str()]);
      const auto scalars = nb::cast<Vector<double>>(arrays[part("scalars", i).c_str()]);
      const std::size_t stride = banks[i]->bank().layout().stride;
      if (bank.size() != used.size() * stride)
        damaged("the bank does not fit the features and the rule");
      if (scalars.size() != banks[i]->scalars().size()) damaged("the lanes do not fit the rule");
      for (std::size_t j = 0; j < used.size(); ++j)
        std::copy_n(bank.data() + j * stride, stride, banks[i]->bank().row(used(j)));
      std::copy(scalars.data(), scalars.data() + scalars.size(), banks[i]->scalars().data());
    }
    restore_votes(arrays);
    reader_.forget();
    try {
      this->names();
    } catch (const std::exception&) {
      damaged("a feature's name is not valid Unicode");
    }
  }

  // --- a mixture of lanes ------------------------------------------------------------------------
  nb::object lane_scores(nb::handle x) {
    read(x, false);
    return array_of(mixture().lane_scores(one_));
  }
  // Of the lanes that are mixed into one: losses, weights, and what the theorem is made of.
  nb::dict mixing(int lane) {
    if (lane < 0 || lane >= lanes()) throw nb::value_error("there is no such lane");
    Mixing& m = mixture().mixing(lane);
    nb::dict out;
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

 private:
  void restore_votes(const nb::kwargs& arrays) {
    Learner& learner = *learner_->banks()[0];
    if (arrays.contains("vote_starts") != learner.votes())
      throw nb::value_error("the votes do not fit the rule");
    if (!learner.votes()) return;
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
    for (std::uint32_t row : v.rows) sound = sound && row < learner.bank().rows();
    if (!sound) throw nb::value_error("the votes are damaged");
    learner.record() = std::move(v);
  }
  void check_idle() const {
    if (busy_) throw std::runtime_error("the learner is in use by another thread");
  }
  Auto& mixture() {
    auto* model = dynamic_cast<Auto*>(learner_.get());
    if (!model) throw nb::value_error("the learner mixes no lanes");
    return *model;
  }
  // Rows that hold anything: of a hashed bank often few.
  std::vector<std::uint32_t> used_rows() {
    std::vector<std::uint32_t> used;
    for (std::uint32_t row = 0; row < learner_->features().size(); ++row) {
      bool any = false;
      for (Learner* each : learner_->banks()) {
        const auto* bytes = reinterpret_cast<const unsigned char*>(each->bank().row(row));
        for (std::size_t k = 0; k < each->bank().bytes(1) && !any; ++k) any = bytes[k] != 0;
      }
      if (any) used.push_back(row);
    }
    return used;
  }
  static std::string part(const char* name, std::size_t i) {
    return i ? name + std::to_string(i) : name;
  }
  // A feature without a row keeps its place in the sum, as in RowReader::push.
  void keep_place(std::uint32_t& row, float& value) {
    if (row != Features::kAbsent) return;
    ++absent_;
    row = Features::kIntercept;
    if (learner_->starts_at_zero()) value = 0;
  }

  static constexpr std::size_t kChunk = 256;  // examples converted at a time: they stay in cache

  void read(nb::handle x, bool learning) {
    if (reading_) throw std::runtime_error("a value in x uses the learner that is reading it");
    check_idle();
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
    known_ = learner_->features().size() + reader_.absent();
    one_ = {1,       starts_, reader_.rows(), reader_.values(), nullptr,
            nullptr, nullptr, nullptr,        &known_};
    scores_.resize(std::size_t(learner_->lanes()));
  }
  void learn(nb::handle x, std::int32_t label, double target, double importance, bool want_scores) {
    check_importance(importance, "w");
    if (label < 0 && !std::isfinite(target)) {
      throw nb::value_error(("y = " + std::to_string(target) + " is not finite").c_str());
    }
    if (importance == 0) {  // as if it were not there, its names included
      read(x, false);
      one_.scores = scores_.data();
      learner_->predict(one_);
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
    try {
      learner_->learn(one_);
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
  void check_values(const double* values, std::size_t size, Where where,
                    std::ptrdiff_t stride = 1) const {
    if (range_.any() && stride == 1 && kernels().survey_values(values, size).fits) return;
    for (std::size_t j = 0; j < size; ++j)
      if (const double v = values[std::ptrdiff_t(j) * stride]; !range_.has(v))
        checked_float(v, where(j), range_);
  }
  // Values that a reader or a survey has found finite: whether they are what this rule takes.
  template <class Starts, class Value, class Where>
  void check_range(const Starts* starts, std::size_t n, const Value* values, Where where) const {
    for (std::size_t t = 0; t < n && !range_.any(); ++t)
      for (auto j = starts[t]; j < starts[t + 1]; ++j)
        if (!range_.has(values[j])) checked_float(values[j], where(t, std::size_t(j)), range_);
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
      check_values(
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
    const Features& f = learner_->features();
    for (const std::string& text : c.names)
      c.rows.push_back(c.is_number ? f.find(c.number) : f.find(text));
    return c;
  }

  std::uint32_t row_of(const text::Examples& x, const text::Examples::Name& n, bool naming) {
    Features& f = learner_->features();
    if (n.is_column()) {
      const auto column = std::int64_t(n.key);
      return naming ? f.insert(column) : f.find(column);
    }
    return naming ? f.insert(x.name(n), n.key) : f.find(x.name(n), n.key);
  }
  void remember(const text::Examples& x, std::size_t from, std::size_t to) {
    Features& f = learner_->features();
    for (std::size_t t = from; t < to; ++t)
      for (const text::Examples::Name& n : x.names(t).subspan(x.intercept())) {
        if (!f.remembers()) return;
        if (n.is_column()) {
          f.remember(f.find(std::int64_t(n.key)), std::int64_t(n.key));
        } else {
          f.remember(f.find(x.name(n), n.key), x.name(n));
        }
      }
  }

  // Examples whose rows have been found already, and their part from `first` to `last`.
  struct Ready {
    const std::size_t* starts;
    const std::uint32_t* rows;
    const float* values;
    Batch part(PyLearner&, std::size_t first, std::size_t last, const auto&) const {
      Batch batch;
      batch.size = last - first;
      batch.starts = starts + first;
      batch.rows = rows;
      batch.values = values;
      return batch;
    }
  };
  // Examples to be converted first: most(first, last) bounds the entries of some of them,
  // fill(t, naming, rows, values) writes those of the t-th, giving rows to new names if told so,
  // and says how many there are.
  template <class Most, class Fill>
  struct Converted {
    Most most;
    Fill fill;
    std::vector<std::size_t> starts{};
    std::vector<std::uint32_t> rows{}, known{};
    std::vector<float> values{};

    Batch part(PyLearner& self, std::size_t first, std::size_t last, const auto& naming) {
      const std::size_t room = most(first, last) + (last - first);
      if (rows.size() < room) {
        rows.resize(room);
        values.resize(room);
      }
      starts.assign(1, 0);
      known.clear();
      std::size_t used = 0;
      for (std::size_t t = first; t < last; ++t) {
        if (self.intercept_) {
          rows[used] = Features::kIntercept;
          values[used++] = 1.0f;
        }
        self.absent_ = 0;
        used += fill(t, naming(t), rows.data() + used, values.data() + used);
        starts.push_back(used);
        known.push_back(self.learner_->features().size() + self.absent_);
      }
      Batch batch;
      batch.size = last - first;
      batch.starts = starts.data();
      batch.rows = rows.data();
      batch.values = values.data();
      batch.known = known.data();
      return batch;
    }
  };
  template <class Most, class Fill>
  Converted(Most, Fill) -> Converted<Most, Fill>;

  // Takes the examples in, a chunk at a time.
  template <class Source>
  nb::object run(std::size_t n, nb::handle labels, nb::handle importance, bool want_scores,
                 Source source) {
    const bool learning = !labels.is_none(), classes = learner_->loss().classification();
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
    const std::size_t lanes = std::size_t(learner_->lanes());
    std::vector<double> scores(want_scores ? n * lanes : 0), losses(want_scores ? n : 0);
    const double* weights = importance.is_none() ? nullptr : h.data();
    const auto naming = [&](std::size_t t) { return learning && (!weights || weights[t] > 0); };
    check_idle();
    busy_ = true;
    try {
      nb::gil_scoped_release release;
      for (std::size_t first = 0; first < n; first += kChunk) {
        const std::size_t last = std::min(first + kChunk, n);
        Batch batch = source.part(*this, first, last, naming);
        if (learning && !classes) batch.targets = y_target.data() + first;
        if (learning && classes) batch.classes = y_class.data() + first;
        if (weights) batch.importance = weights + first;
        if (want_scores) batch.scores = scores.data() + first * lanes;
        if (want_scores) batch.losses = losses.data() + first;
        if (learning) {
          learner_->learn(batch, first);
        } else {
          learner_->predict(batch);
        }
      }
    } catch (...) {
      busy_ = false;
      reader_.forget();  // names may have been taken back
      throw;
    }
    busy_ = false;
    if (!want_scores) return nb::none();
    if (!learning) return array_of(scores);
    return nb::make_tuple(array_of(scores), array_of(losses));
  }

  std::unique_ptr<Model> learner_;
  bool intercept_;
  Range range_;
  RowReader reader_;
  std::size_t starts_[2] = {0, 0};
  std::uint32_t known_ = 0;   // features known when the row came, its own among them
  std::uint32_t absent_ = 0;  // those of its features that have no row
  bool reading_ = false;      // a row of which a value may be running Python code
  bool busy_ = false;         // in a batch, while other threads may run
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

}  // namespace
}  // namespace regretless

NB_MODULE(_core, m) {
  using namespace regretless;
  nb::set_leak_warnings(false);  // an interpreter that exits with live models leaks nothing
  m.attr("SCALARS") = nb::make_tuple("rounds", "loss", "linear", "squares", "weights", "rounding",
                                     "updates", "radius");
  nb::exception<Diverged>(m, "Diverged", PyExc_ArithmeticError);
  nb::class_<PyLearner>(m, "Learner")
      .def(nb::init<nb::handle, const std::string&, nb::dict, int, std::uint32_t, bool, bool>(),
           "loss"_a, "rule"_a, "options"_a, "bits"_a, "remembered"_a, "intercept"_a, "certify"_a)
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
      .def("examples", &PyLearner::examples, "x"_a, "first"_a, "last"_a, "labels"_a.none(),
           "importance"_a.none(), "want_scores"_a)
      .def("locate", &PyLearner::locate, "x"_a)
      .def("located", &PyLearner::located, "starts"_a, "rows"_a, "values"_a, "labels"_a.none(),
           "importance"_a.none(), "want_scores"_a)
      .def_prop_ro("wants_names", &PyLearner::wants_names)
      .def_prop_ro("lanes", &PyLearner::lanes)
      .def("relane", &PyLearner::relane, "sources"_a, "signs"_a)
      .def("weights", &PyLearner::weights)
      .def("names", &PyLearner::names)
      .def("total", &PyLearner::total, "scalar"_a)
      .def("most", &PyLearner::most, "scalar"_a)
      .def("each", &PyLearner::each, "scalar"_a)
      .def_prop_ro("has_gradient_sum", &PyLearner::has_gradient_sum)
      .def("gradient_norms", &PyLearner::gradient_norms)
      .def_prop_ro("bytes", &PyLearner::bytes)
      .def("state", &PyLearner::state)
      .def("restore", &PyLearner::restore, "lanes"_a, "arrays"_a)
      .def("lane_scores", &PyLearner::lane_scores, "x"_a)
      .def("mixing", &PyLearner::mixing, "lane"_a);
  m.def("survey", &survey, "width"_a, "starts"_a, "columns"_a, "values"_a, "name"_a);
  bind_streams(m);
  bind_oco(m);
  bind_experts(m);
  bind_tally(m);
}
