// Rows of a bank for learners that are written in Python, with the same names and checks.

#include <algorithm>

#include "bindings.hpp"
#include "losses.hpp"
#include "reading.hpp"
#include "turns.hpp"

using namespace nanobind::literals;

namespace regretless {
namespace {

class PyReader : public Owned {
  // (starts, rows, values, known): example t has rows and values from starts[t] on, no row twice,
  // and known[t] is the number of features known when it came, its own among them.
  using Arrays =
      TupleOf<Array<std::int64_t>, Array<std::int64_t>, Array<double>, Array<std::int64_t>>;
  struct Examples {
    std::vector<std::int64_t> starts{0}, rows, known;
    std::vector<double> values;

    void add(const std::uint32_t* row, const float* value, std::size_t size, std::uint32_t count) {
      rows.insert(rows.end(), row, row + size);
      values.insert(values.end(), value, value + size);
      starts.push_back(std::int64_t(rows.size()));
      known.push_back(count);
    }
    Arrays arrays() const {
      return nb::make_tuple(array_of(starts), array_of(rows), array_of(values), array_of(known));
    }
  };

  auto all(bool learning, nb::handle importance) {
    return [=, this](std::size_t n, auto source) {
      Vector<double> h;
      const bool weighed = !importance.is_none();
      if (weighed) {
        h = nb::cast<Vector<double>>(importance);
        if (h.size() != n) throw nb::value_error("X and the weights differ in length");
        for (std::size_t t = 0; t < n; ++t) checked_importance(h(t), "weight", std::ptrdiff_t(t));
      }
      const auto naming = [&](std::size_t t) { return learning && (!weighed || h(t) > 0); };
      Examples out;
      for (std::size_t first = 0; first < n; first += Reading::kChunk) {
        const std::size_t last = std::min(first + Reading::kChunk, n);
        const Batch batch = source.part(reading_, first, last, naming);
        for (std::size_t t = 0; t < batch.size; ++t) {
          const std::size_t at = batch.starts[t];
          out.add(batch.rows + at, batch.values + at, batch.starts[t + 1] - at,
                  batch.known ? batch.known[t] : features_.size());
        }
      }
      return out.arrays();
    };
  }

 public:
  PyReader(int bits, std::uint32_t remembered, bool intercept)
      : features_(bits, remembered), reading_(features_, intercept, Absent::numbered) {}

  Arrays read(nb::handle x, bool naming) {
    const OnlyTurn turn(*this, reads_);
    const Reading::Row row = reading_.read(x, naming);
    Examples out;
    out.add(row.rows, row.values, row.size, features_.size() + row.absent);
    return out.arrays();
  }
  Arrays csr(std::int32_t width, Vector<std::int64_t> starts, Vector<std::int32_t> columns,
             Vector<double> values, bool has_zero, bool learning, Array<double> importance) {
    const OnlyTurn turn(*this, reads_);
    return reading_.csr(width, starts, columns, values, has_zero, all(learning, importance));
  }
  Arrays table(std::size_t size, Columns columns, bool learning, Array<double> importance) {
    const OnlyTurn turn(*this, reads_);
    return reading_.table(size, columns, all(learning, importance));
  }
  Arrays examples(const text::Examples& x, std::size_t first, std::size_t last, bool learning,
                  Array<double> importance) {
    const OnlyTurn turn(*this, reads_);
    return reading_.examples(x, first, last, learning, all(learning, importance));
  }

  Reading::Located locate(const text::Examples& x) {
    const OnlyTurn turn(*this, reads_);
    return reading_.locate(x);
  }
  Arrays located(Vector<std::uint64_t> starts, Vector<std::uint32_t> rows, AnyArray values,
                 bool learning, Array<double> importance) {
    const OnlyTurn turn(*this, reads_);
    return reading_.located(starts, rows, values, all(learning, importance));
  }

  std::uint32_t size() const { return features_.size(); }
  bool wants_names() const { return !features_.hashed() || features_.remembers(); }
  void truncate(std::uint32_t size) {
    const OnlyTurn turn(*this, reads_);
    features_.truncate(size);
    reading_.forget();
  }
  Reading::Names names() const { return reading_.names(); }
  Named<AnyArray> state() const {
    Named<AnyArray> d;
    reading_.save(d);
    return d;
  }
  void restore(Vector<std::uint8_t> names, Vector<std::int64_t> keys, Vector<std::uint8_t> kinds,
               Vector<std::uint32_t> rows) {
    reading_.restore(names, keys, kinds, rows);
  }

 private:
  Features features_;
  Reading reading_;
  bool reads_ = false;  // is reading examples: their values may run Python code
};

// Scores of some examples, `lanes` for each, to probabilities.
Array<double> probabilities(const Loss& loss, Vector<double> scores, int lanes) {
  std::vector<double> out(scores.data(), scores.data() + scores.size());
  for (std::size_t t = 0; t + std::size_t(lanes) <= out.size(); t += std::size_t(lanes))
    loss.probabilities(out.data() + t, lanes);
  return array_of(out);
}

}  // namespace

void bind_reader(nb::module_& m) {
  nb::class_<PyReader>(
      m, "Reader", "Turns examples into rows of numbers for learners that are written in Python.")
      .def(nb::init<int, std::uint32_t, bool>(), "bits"_a, "remembered"_a, "intercept"_a)
      .def("read", &PyReader::read, "x"_a, "naming"_a,
           "Read one example: (starts, rows, values, features known).")
      .def("csr", &PyReader::csr, "width"_a, "starts"_a, "columns"_a, "values"_a, "has_zero"_a,
           "naming"_a, "importance"_a.none(), "Read the rows of a CSR matrix.")
      .def("table", &PyReader::table, "size"_a, "columns"_a, "naming"_a, "importance"_a.none(),
           "Read a batch given by columns.")
      .def("examples", &PyReader::examples, "x"_a, "first"_a, "last"_a, "naming"_a,
           "importance"_a.none(), "Read examples that a parser has made.")
      .def("locate", &PyReader::locate, "x"_a,
           "Find the rows of examples, to be kept: (starts, rows, values).")
      .def("located", &PyReader::located, "starts"_a, "rows"_a, "values"_a, "naming"_a,
           "importance"_a.none(), "Read examples whose rows `locate` has found.")
      .def_prop_ro("size", &PyReader::size, "The number of features known, the intercept included.")
      .def_prop_ro("wants_names", &PyReader::wants_names,
                   "Whether feature names are stored: not if features are only hashed.")
      .def("truncate", &PyReader::truncate, "size"_a, "Forget the features that were named last.")
      .def("names", &PyReader::names, "The names of the features, by row.")
      .def("state", &PyReader::state, "The names, as arrays.")
      .def("restore", &PyReader::restore, "names"_a, "name_keys"_a, "name_kinds"_a, "name_rows"_a,
           "Take over the names that `state` returned.");
  m.def("probabilities", &probabilities, "loss"_a, "scores"_a, "lanes"_a,
        "Turn scores, `lanes` per example, into probabilities.");
}

}  // namespace regretless
