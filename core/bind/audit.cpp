// Audits, for regretless.certificates.
#include "audit/audit.hpp"

#include <cmath>
#include <optional>

#include "bindings.hpp"
#include "reading.hpp"
#include "turns.hpp"

using namespace nanobind::literals;

namespace regretless {
namespace {

class PyAudit : public Owned {
  auto learning(nb::handle targets, nb::handle importance, nb::handle scores) {
    return [=, this](std::size_t n, auto source) {
      run(n, targets, importance, scores, std::move(source));
    };
  }

 public:
  PyAudit(const Loss& loss, const std::vector<double>& norms, const std::vector<double>& rates,
          bool scaled, bool intercept, int bits, std::size_t memory, std::size_t revisits)
      : audit_(loss, norms, rates, scaled, bits, memory, revisits),
        reading_(audit_.features(), intercept) {}

  // Takes in one example. Once the example is known to be good, `exchanges` swaps the two labels
  // and `outputs` extends the number of outputs.
  void learn(nb::handle x, double target, double importance, Array<double> scores, bool exchanges,
             int outputs) {
    const OnlyTurn turn(*this, reads_);
    importance = checked_importance(importance, "w");
    if (!audit_.classifies()) check_target(target, "y");
    Vector<double> given;
    if (!scores.is_none()) given = nb::cast<Vector<double>>(scores);
    const Reading::Row row = reading_.read(x, importance > 0);
    if (importance == 0) return;
    if (exchanges) audit_.exchange();
    if (outputs > audit_.outputs()) audit_.extend(outputs);
    if (given.is_valid()) check_scores(given.size(), 1);
    audit_.learn({row.rows, row.values, row.size}, target, importance,
                 given.is_valid() ? given.data() : nullptr);
  }
  // Batches, in the same forms as for a learner; the scores come last.
  void csr(std::int32_t width, Vector<std::int64_t> starts, Vector<std::int32_t> columns,
           Vector<double> values, bool has_zero, Array<double> targets, Array<double> importance,
           Array<double> scores) {
    const OnlyTurn turn(*this, reads_);
    reading_.csr(width, starts, columns, values, has_zero, learning(targets, importance, scores));
  }
  void table(std::size_t size, Columns columns, Array<double> targets, Array<double> importance,
             Array<double> scores) {
    const OnlyTurn turn(*this, reads_);
    reading_.table(size, columns, learning(targets, importance, scores));
  }
  void examples(const text::Examples& x, std::size_t from, std::size_t to, Array<double> targets,
                Array<double> importance, Array<double> scores) {
    const OnlyTurn turn(*this, reads_);
    reading_.examples(x, from, to, true, learning(targets, importance, scores));
  }
  void located(Vector<std::uint64_t> starts, Vector<std::uint32_t> rows, AnyArray values,
               Array<double> targets, Array<double> importance, Array<double> scores) {
    const OnlyTurn turn(*this, reads_);
    reading_.located(starts, rows, values, learning(targets, importance, scores));
  }

  void exchange() { idle(*this).audit_.exchange(); }
  void extend(int outputs) { idle(*this).audit_.extend(outputs); }
  void start_pass() { idle(*this).audit_.start_pass(); }
  int outputs() const { return idle(*this).audit_.outputs(); }
  // Arrays by name: one number for each lane, then one for the model.
  Named<Array<double>> parts() const {
    const std::vector<Audit::Part> all = idle(*this).audit_.parts();
    const auto each = [&](double Audit::Part::* which) {
      std::vector<double> numbers;
      for (const Audit::Part& part : all) numbers.push_back(part.*which);
      return array_of(numbers);
    };
    Named<Array<double>> out;
    out["value"] = each(&Audit::Part::value);
    out["value_error"] = each(&Audit::Part::value_error);
    out["norm"] = each(&Audit::Part::norm);
    out["norm_error"] = each(&Audit::Part::norm_error);
    return out;
  }
  std::optional<Array<double>> moments() const {
    const Audit& audit = idle(*this).audit_;
    if (!audit.has_moments()) return std::nullopt;
    return array_of(audit.moments());
  }
  double examples_seen() const { return idle(*this).audit_.examples; }
  double weight() const { return idle(*this).audit_.weight; }
  double suffered() const { return idle(*this).audit_.suffered; }
  double scored() const { return idle(*this).audit_.scored; }
  std::size_t bytes() const { return idle(*this).audit_.bytes(); }

  Named<AnyArray> state() {
    Audit& a = idle(*this).audit_;
    const auto lanes = std::size_t(a.lanes()) * std::size_t(a.outputs());
    Named<AnyArray> d;
    std::vector<std::uint32_t> used;
    std::vector<double> sums, model;
    std::vector<float> weights, scales;
    for (std::size_t i = 0; i < a.rows(); ++i) {
      const Audit::Row r = a.row(i);
      const bool holds =
          r.scale != 0 || std::any_of(r.sums, r.sums + lanes, [](double v) { return v != 0; }) ||
          std::any_of(r.weights, r.weights + lanes, [](float v) { return v != 0; }) ||
          std::any_of(r.model, r.model + a.outputs(), [](double v) { return v != 0; });
      if (!holds) continue;
      used.push_back(std::uint32_t(i));
      sums.insert(sums.end(), r.sums, r.sums + lanes);
      weights.insert(weights.end(), r.weights, r.weights + lanes);
      scales.push_back(r.scale);
      model.insert(model.end(), r.model, r.model + a.outputs());
    }
    d["rows"] = array_of(used);
    d["sums"] = array_of(sums);
    d["weights"] = array_of(weights);
    d["scales"] = array_of(scales);
    d["model_sums"] = array_of(model);
    std::vector<std::int64_t> starts{0};
    std::vector<std::uint32_t> kept_rows;
    std::vector<float> kept_values;
    std::vector<double> targets, importance;
    for (const Audit::Kept& kept : a.kept()) {
      const Example x = kept.example();
      kept_rows.insert(kept_rows.end(), x.rows, x.rows + x.size);
      kept_values.insert(kept_values.end(), x.values, x.values + x.size);
      starts.push_back(std::int64_t(kept_rows.size()));
      targets.push_back(kept.target);
      importance.push_back(kept.weight);
    }
    d["kept_starts"] = array_of(starts);
    d["kept_rows"] = array_of(kept_rows);
    d["kept_values"] = array_of(kept_values);
    d["kept_targets"] = array_of(targets);
    d["kept_weights"] = array_of(importance);
    const std::size_t kept = a.kept().size() * lanes;
    d["kept_slopes"] = array_of(a.slopes().data(), kept);
    d["kept_duals"] = array_of(a.values().data(), kept);
    d["scalars"] = array_of(a.scalars());
    d["moments"] = array_of(a.has_moments() ? a.moment_sums() : std::vector<double>{});
    d["numbers"] = array_of(std::vector<double>{a.examples, a.weight, a.visits, a.suffered,
                                                a.scored, a.added, a.drawn, a.model[0], a.model[1],
                                                a.model[2], double(a.has_moments())});
    reading_.save(d);
    return d;
  }
  // Takes over what `state` returned. The numbers have been checked; this checks that they fit.
  void restore(int outputs, nb::kwargs arrays) {
    Audit& a = idle(*this).audit_;
    const auto require = [](bool sound, const char* what) {
      if (!sound) throw nb::value_error(what);
    };
    reading_.restore(nb::cast<Vector<std::uint8_t>>(arrays["names"]),
                     nb::cast<Vector<std::int64_t>>(arrays["name_keys"]),
                     nb::cast<Vector<std::uint8_t>>(arrays["name_kinds"]),
                     nb::cast<Vector<std::uint32_t>>(arrays["name_rows"]));
    require(outputs >= 1 && outputs <= 1 << 20, "the number of outputs is damaged");
    if (outputs > 1) a.extend(outputs);
    a.grow();
    const auto lanes = std::size_t(a.lanes()) * std::size_t(outputs);
    const auto rows = nb::cast<Vector<std::uint32_t>>(arrays["rows"]);
    const auto sums = nb::cast<Vector<double>>(arrays["sums"]);
    const auto model = nb::cast<Vector<double>>(arrays["model_sums"]);
    const auto weights = nb::cast<Vector<float>>(arrays["weights"]);
    const auto scales = nb::cast<Vector<float>>(arrays["scales"]);
    const std::size_t count = rows.size();
    require(sums.size() == count * lanes && weights.size() == count * lanes &&
                scales.size() == count && model.size() == count * std::size_t(outputs),
            "the sums do not fit the features");
    for (std::size_t i = 0; i < count; ++i) {
      require(rows(i) < a.rows(), "a row is not one of the features");
      a.put_row(rows(i), sums.data() + i * lanes, weights.data() + i * lanes, scales(i),
                model.data() + i * std::size_t(outputs));
    }
    restore_kept(arrays, lanes);
    const auto scalars = nb::cast<Vector<double>>(arrays["scalars"]);
    require(scalars.size() == a.scalars().size(), "the lanes do not fit the norms");
    const std::size_t first =
        std::size_t(kValue) * std::size_t(a.lanes());  // norms, rates: options
    std::copy(scalars.data() + first, scalars.data() + scalars.size(),
              a.scalars().begin() + std::ptrdiff_t(first));
    const auto n = nb::cast<Vector<double>>(arrays["numbers"]);
    require(n.size() == 11, "the numbers are damaged");
    a.examples = n(0), a.weight = n(1), a.visits = n(2), a.suffered = n(3), a.scored = n(4);
    a.added = n(5), a.drawn = n(6), a.model = {n(7), n(8), n(9)};
    const auto moments = nb::cast<Vector<double>>(arrays["moments"]);
    std::size_t side = 0;
    while (side * (side + 1) / 2 < moments.size()) ++side;
    require(side * (side + 1) / 2 == moments.size() && side <= 514, "the moments are damaged");
    a.put_moments(n(10) != 0, {moments.data(), moments.data() + moments.size()});
  }

 private:
  void restore_kept(const nb::kwargs& arrays, std::size_t lanes) {
    Audit& a = audit_;
    const auto starts = nb::cast<Vector<std::int64_t>>(arrays["kept_starts"]);
    const auto rows = nb::cast<Vector<std::uint32_t>>(arrays["kept_rows"]);
    const auto values = nb::cast<Vector<float>>(arrays["kept_values"]);
    const auto targets = nb::cast<Vector<double>>(arrays["kept_targets"]);
    const auto weights = nb::cast<Vector<double>>(arrays["kept_weights"]);
    const auto slopes = nb::cast<Vector<double>>(arrays["kept_slopes"]);
    const auto duals = nb::cast<Vector<double>>(arrays["kept_duals"]);
    const std::size_t count = targets.size();
    bool sound = starts.size() == count + 1 && weights.size() == count &&
                 slopes.size() == count * lanes && duals.size() == count * lanes &&
                 starts(0) == 0 && std::is_sorted(starts.data(), starts.data() + starts.size()) &&
                 std::size_t(starts(count)) == rows.size() && rows.size() == values.size();
    for (std::size_t j = 0; sound && j < rows.size(); ++j) sound = rows(j) < a.rows();
    if (!sound) throw nb::value_error("the examples that were kept are damaged");
    for (std::size_t t = 0; t < count; ++t) {
      const auto from = std::size_t(starts(t)), to = std::size_t(starts(t + 1));
      a.keep({rows.data() + from, values.data() + from, to - from}, targets(t), weights(t),
             slopes.data() + t * lanes, duals.data() + t * lanes);
    }
  }
  void check_scores(std::size_t size, std::size_t n) const {
    if (size != n * std::size_t(audit_.outputs()))
      throw nb::value_error("there are not as many scores as labels");
  }
  template <class Source>
  void run(std::size_t n, nb::handle targets, nb::handle importance, nb::handle scores,
           Source source) {
    if (targets.is_none()) return;  // the batch was only to be checked
    const auto y = nb::cast<Vector<double>>(targets);
    if (y.size() != n) throw nb::value_error("X and y differ in length");
    for (std::size_t t = 0; !audit_.classifies() && t < n; ++t)
      check_target(y(t), "y", std::ptrdiff_t(t));
    std::vector<double> weights;
    if (!importance.is_none()) {
      const auto h = nb::cast<Vector<double>>(importance);
      if (h.size() != n) throw nb::value_error("X and the weights differ in length");
      for (std::size_t t = 0; t < n; ++t)
        weights.push_back(checked_importance(h(t), "weight", std::ptrdiff_t(t)));
    }
    Vector<double> given;
    if (!scores.is_none()) {
      given = nb::cast<Vector<double>>(scores);
      check_scores(given.size(), n);
    }
    const bool has_scores = given.is_valid();
    const auto outputs = std::size_t(audit_.outputs());
    const auto naming = [&](std::size_t t) { return weights.empty() || weights[t] > 0; };
    nb::gil_scoped_release release;
    for (std::size_t first = 0; first < n; first += Reading::kChunk) {
      const std::size_t last = std::min(first + Reading::kChunk, n);
      const Batch batch = source.part(reading_, first, last, naming);
      for (std::size_t t = first; t < last; ++t)
        if (naming(t))
          audit_.learn(batch.example(t - first), y(t), weights.empty() ? 1 : weights[t],
                       has_scores ? given.data() + t * outputs : nullptr,
                       batch.example(t - first + 1));
    }
  }

  Audit audit_;
  Reading reading_;
  bool reads_ = false;  // is reading examples: their values may run Python code
};

}  // namespace

void bind_audit(nb::module_& m) {
  nb::class_<PyAudit>(m, "Audit",
                      "Bounds what any linear model of a norm could have won on a stream.")
      .def(nb::init<const Loss&, const std::vector<double>&, const std::vector<double>&, bool, bool,
                    int, std::size_t, std::size_t>(),
           "loss"_a, "norms"_a, "rates"_a, "scaled"_a, "intercept"_a, "bits"_a, "memory"_a,
           "revisits"_a)
      .def("belongs_to", &belongs_to<PyAudit>, "owner"_a,
           "Name the Python object that the engine belongs to, for errors about threads.")
      .def("learn", &PyAudit::learn, "x"_a, "target"_a, "importance"_a, "scores"_a.none(),
           "exchanges"_a, "outputs"_a, "Take in one example with its scores.")
      .def("csr", &PyAudit::csr, "width"_a, "starts"_a, "columns"_a, "values"_a, "has_zero"_a,
           "targets"_a.none(), "importance"_a.none(), "scores"_a.none(),
           "Take in the rows of a CSR matrix.")
      .def("table", &PyAudit::table, "size"_a, "columns"_a, "targets"_a.none(),
           "importance"_a.none(), "scores"_a.none(), "Take in a batch given by columns.")
      .def("examples", &PyAudit::examples, "x"_a, "first"_a, "last"_a, "targets"_a.none(),
           "importance"_a.none(), "scores"_a.none(), "Take in examples that a parser has read.")
      .def("located", &PyAudit::located, "starts"_a, "rows"_a, "values"_a, "targets"_a.none(),
           "importance"_a.none(), "scores"_a.none(),
           "Take in examples whose rows a learner's `locate` has found.")
      .def("exchange", &PyAudit::exchange, "Exchange the two labels.")
      .def("extend", &PyAudit::extend, "outputs"_a, "Add outputs for new labels.")
      .def("start_pass", &PyAudit::start_pass, "Start another pass over the same examples.")
      .def_prop_ro("outputs", &PyAudit::outputs, "The number of outputs.")
      .def_prop_ro("seen", &PyAudit::examples_seen, "The number of examples.")
      .def_prop_ro("weight", &PyAudit::weight, "The sum of their weights.")
      .def_prop_ro("suffered", &PyAudit::suffered, "The sum of the losses of the scores.")
      .def_prop_ro("scored", &PyAudit::scored, "The number of examples that came with scores.")
      .def_prop_ro("bytes", &PyAudit::bytes, "The memory that the audit takes.")
      .def("parts", &PyAudit::parts, "The parts of the bound of every lane, and of the model.")
      .def("moments", &PyAudit::moments, "The second moments of the examples, if they are kept.")
      .def("state", &PyAudit::state, "Everything known, as named arrays.")
      .def("restore", &PyAudit::restore, "outputs"_a, "arrays"_a,
           nb::sig("def restore(self, outputs: int, **arrays: numpy.typing.NDArray[typing.Any]) -> "
                   "None"),
           "Take over the arrays that `state` returned.");
}

}  // namespace regretless
