
#include "arrays.hpp"
#include "bindings.hpp"
#include "rows.hpp"
#include "text/csv.hpp"
#include "text/jsonl.hpp"
#include "text/missing.hpp"
#include "text/svmlight.hpp"
#include "text/vw.hpp"
#include "turns.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace regretless {
namespace {

using text::Examples;
using text::Parser;

nb::object texts(const std::vector<std::string>& all) {
  if (all.empty()) return nb::none();
  nb::list out;
  for (const std::string& one : all) out.append(nb::str(one.data(), one.size()));
  return out;
}

// One example as a dict; names that are numbers are columns.
nb::dict row(const Examples& x, std::size_t t) {
  if (!x.named()) throw nb::value_error("these examples were read without names");
  if (t >= x.size()) throw nb::index_error();
  nb::dict out;
  for (std::size_t j = x.starts[t] + x.intercept(); j < x.starts[t + 1]; ++j) {
    const Examples::Name& n = x.names(t)[j - x.starts[t]];
    const nb::object name = n.is_column() ? nb::object(nb::int_(std::int64_t(n.key)))
                                          : nb::object(nb::str(x.name(n).data(), x.name(n).size()));
    out[name] = nb::float_(double(x.values[j]));
  }
  return out;
}

// Sparse rows whose names are columns: (starts, columns, values).
nb::tuple columns(const Examples& x) {
  std::vector<std::int64_t> starts{0}, keys;
  std::vector<double> values;
  for (std::size_t t = 0; t < x.size(); ++t) {
    for (std::size_t j = x.starts[t] + x.intercept(); j < x.starts[t + 1]; ++j) {
      const Examples::Name& n = x.names(t)[j - x.starts[t]];
      if (!n.is_column()) throw nb::value_error("not all features are columns");
      keys.push_back(std::int64_t(n.key));
      values.push_back(x.values[j]);
    }
    starts.push_back(std::int64_t(keys.size()));
  }
  return nb::make_tuple(array_of(starts), array_of(keys), array_of(values));
}

// The bytes from `first` to `last` of anything that holds bytes.
std::size_t parse(Parser& parser, nb::handle data, std::size_t first, std::size_t last, bool ends,
                  Examples& out) {
  struct View : Py_buffer {
    explicit View(PyObject* object) {
      if (PyObject_GetBuffer(object, this, PyBUF_SIMPLE)) nb::raise_python_error();
    }
    ~View() { PyBuffer_Release(this); }
  } view(data.ptr());
  if (first > last || last > std::size_t(view.len)) throw nb::value_error("there are fewer bytes");
  const std::string_view bytes(static_cast<const char*>(view.buf) + first, last - first);
  const Turn turn({&parser, "the parser"}), written({&out, "the list of examples"});
  try {
    nb::gil_scoped_release release;
    return parser.parse(bytes, ends, out);
  } catch (const std::invalid_argument& error) {
    throw nb::value_error(error.what());
  }
}

void add(Examples& out, nb::dict row) { add_dict(row.ptr(), out); }

// Sparse rows: row t has columns, or the names they stand for, and values from starts[t]. What
// repeats is added up, as in all that is read.
void add_rows(Examples& out, Vector<std::int64_t> starts, Vector<std::int64_t> columns,
              Vector<double> values, const std::vector<std::string>& names) {
  if (columns.size() != values.size()) throw nb::value_error("columns and values differ in length");
  for (std::size_t t = 0; t + 1 < starts.size(); ++t) {
    if (starts(t) < 0 || starts(t) > starts(t + 1) || std::size_t(starts(t + 1)) > columns.size())
      throw nb::value_error("the starts of rows are malformed");
    out.make_room(std::size_t(starts(t + 1) - starts(t)));
    out.begin();
    try {
      for (auto j = std::size_t(starts(t)); j < std::size_t(starts(t + 1)); ++j) {
        const std::int64_t c = columns(j);
        if (c < 0 || (!names.empty() && std::size_t(c) >= names.size()))
          throw nb::value_error("a column is out of range");
        if (names.empty())
          out.add(c, values(j));
        else
          out.add(names[std::size_t(c)], values(j));
      }
      out.finish(std::nan(""));
    } catch (const text::Malformed& error) {
      out.drop();
      throw nb::value_error(("X[" + std::to_string(t) + "]: " + error.what()).c_str());
    } catch (...) {
      out.drop();
      throw;
    }
  }
}

nb::object name_of(nb::handle name) {
  return PyName(name.ptr()).apply([](auto it) -> nb::object {
    if constexpr (std::is_integral_v<decltype(it)>)
      return nb::int_(it);
    else
      return nb::str(it.data(), it.size());
  });
}

}  // namespace

void bind_streams(nb::module_& m) {
  nb::class_<Examples>(m, "Examples")
      .def(nb::init<int, bool, bool>(), "bits"_a, "intercept"_a, "named"_a)
      .def("__len__", &Examples::size)
      .def_prop_ro("labels", [](const Examples& x) { return array_of(x.labels); })
      .def_prop_ro("label_texts", [](const Examples& x) { return texts(x.label_texts); })
      .def_prop_ro("importance",
                   [](const Examples& x) {
                     return x.weighted ? array_of(x.importance) : nb::object(nb::none());
                   })
      .def_prop_ro("tags", [](const Examples& x) { return texts(x.tags); })
      .def_prop_ro("bits", &Examples::bits)
      .def_prop_ro("intercept", &Examples::intercept)
      .def_prop_ro("named", &Examples::named)
      .def("row", &row, "t"_a)
      .def(
          "line",
          [](const Examples& x, std::size_t t) {
            return t < x.lines.size() ? nb::object(nb::int_(x.lines[t])) : nb::object(nb::none());
          },
          "t"_a)
      .def("columns", &columns)
      .def("add", &add, "row"_a)
      .def("add_rows", &add_rows, "starts"_a, "columns"_a, "values"_a, "names"_a);
  m.def("name", &name_of, "name"_a);
  nb::list missing;
  for (const std::string_view one : text::kMissing) missing.append(nb::str(one.data(), one.size()));
  m.attr("MISSING") = nb::tuple(missing);
  nb::class_<Parser>(m, "Parser")
      .def("parse", &parse, "data"_a, "first"_a, "last"_a, "ends"_a, "out"_a)
      .def_prop_ro("line", &Parser::line)
      .def_prop_ro("skipped", &Parser::skipped)
      .def_prop_ro("labels", &Parser::labels)
      .def(
          "go_on_at",
          [](Parser& p, std::int64_t line, Parser::Kind labels) { p.go_on_at(line, labels); },
          "line"_a, "labels"_a.noconvert());
  nb::class_<text::SvmlightParser, Parser>(m, "SvmlightParser")
      .def(
          "__init__",
          [](text::SvmlightParser* self, bool skip_bad, bool need_labels) {
            new (self) text::SvmlightParser(Parser::Options{skip_bad, need_labels});
          },
          "skip_bad"_a, "need_labels"_a);
  nb::class_<text::VwParser, Parser>(m, "VwParser")
      .def(
          "__init__",
          [](text::VwParser* self, bool skip_bad, bool need_labels,
             std::vector<std::vector<std::string>> interactions) {
            new (self)
                text::VwParser(Parser::Options{skip_bad, need_labels}, std::move(interactions));
          },
          "skip_bad"_a, "need_labels"_a, "interactions"_a);
  nb::class_<text::CsvColumns>(m, "CsvColumns")
      .def_ro("names", &text::CsvColumns::names)
      .def_prop_ro("kinds", [](const text::CsvColumns& columns) {
        static const char* const kNames[] = {"number", "category", "label",  "label",
                                             "weight", "tag",      "ignored"};
        nb::list out;
        for (const auto kind : columns.kinds) out.append(kNames[kind]);
        return out;
      });
  m.def(
      "infer_csv",
      [](nb::bytes sample, bool whole, const std::string& delimiter, bool header,
         const std::string& label, const std::string& weight, const std::string& tag,
         const std::vector<std::string>& categorical, const std::vector<std::string>& numeric,
         const std::vector<std::string>& ignored, bool optional) {
        try {
          return text::infer_csv(
              {sample.c_str(), sample.size()}, whole, delimiter.empty() ? '\0' : delimiter[0],
              header, {label, weight, tag, categorical, numeric, ignored, true, optional});
        } catch (const std::invalid_argument& error) {
          throw nb::value_error(error.what());
        }
      },
      "sample"_a, "whole"_a, "delimiter"_a, "header"_a, "label"_a, "weight"_a, "tag"_a,
      "categorical"_a, "numeric"_a, "ignored"_a, "optional"_a);
  nb::class_<text::CsvParser, Parser>(m, "CsvParser")
      .def(
          "__init__",
          [](text::CsvParser* self, bool skip_bad, bool need_labels,
             const text::CsvColumns& columns) {
            new (self) text::CsvParser(Parser::Options{skip_bad, need_labels}, columns);
          },
          "skip_bad"_a, "need_labels"_a, "columns"_a);
  nb::class_<text::JsonlParser, Parser>(m, "JsonlParser")
      .def(
          "__init__",
          [](text::JsonlParser* self, bool skip_bad, bool need_labels, const std::string& label,
             const std::string& weight, const std::string& tag,
             const std::vector<std::string>& ignored, const std::vector<std::string>& numeric) {
            new (self) text::JsonlParser(Parser::Options{skip_bad, need_labels}, label, weight, tag,
                                         ignored, numeric);
          },
          "skip_bad"_a, "need_labels"_a, "label"_a, "weight"_a, "tag"_a, "ignored"_a, "numeric"_a);
}

}  // namespace regretless
