// The readers of text, for regretless.streams.
#include <optional>

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

std::optional<ListOf<nb::str>> texts(const std::vector<std::string>& all) {
  if (all.empty()) return std::nullopt;
  ListOf<nb::str> out;
  for (const std::string& one : all) out.append(nb::str(one.data(), one.size()));
  return out;
}

// One example as a dict; names that are numbers are columns.
using PyRow = nb::typed<nb::dict, Any, double>;
PyRow row(const Examples& x, std::size_t t) {
  if (!x.named()) throw nb::value_error("these examples were read without names");
  if (t >= x.size()) throw nb::index_error();
  PyRow out;
  for (std::size_t j = x.starts[t] + x.intercept(); j < x.starts[t + 1]; ++j) {
    const Examples::Name& n = x.names(t)[j - x.starts[t]];
    const nb::object name = n.is_column() ? nb::object(nb::int_(std::int64_t(n.key)))
                                          : nb::object(nb::str(x.name(n).data(), x.name(n).size()));
    out[name] = nb::float_(x.value(j));
  }
  return out;
}

// Sparse rows whose names are columns: (starts, columns, values).
TupleOf<Array<std::int64_t>, Array<std::int64_t>, Array<double>> columns(const Examples& x) {
  std::vector<std::int64_t> starts{0}, keys;
  std::vector<double> values;
  for (std::size_t t = 0; t < x.size(); ++t) {
    for (std::size_t j = x.starts[t] + x.intercept(); j < x.starts[t + 1]; ++j) {
      const Examples::Name& n = x.names(t)[j - x.starts[t]];
      if (!n.is_column()) throw nb::value_error("not all features are columns");
      keys.push_back(std::int64_t(n.key));
      values.push_back(x.value(j));
    }
    starts.push_back(std::int64_t(keys.size()));
  }
  return nb::make_tuple(array_of(starts), array_of(keys), array_of(values));
}

// Parses the bytes from `first` to `last` of any object that holds bytes.
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

void add(Examples& out, nb::typed<nb::dict, Any, Any> row) { add_dict(row.ptr(), out); }

// Adds sparse rows: row t has columns, or the names of columns, and values from starts[t] on.
// Values of features that repeat are added up, as everywhere.
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

// A name as the core compares it: an int from 0 on is a column, everything else is text.
struct NameObject : nb::object {
  static constexpr auto Name = nb::detail::const_name("int | str");
  using object::object;
  NameObject(nb::object any) : object(std::move(any)) {}
};
NameObject name_of(nb::handle name) {
  return PyName(name.ptr()).apply([](auto it) -> nb::object {
    if constexpr (std::is_integral_v<decltype(it)>)
      return nb::int_(it);
    else
      return nb::str(it.data(), it.size());
  });
}

}  // namespace

void bind_streams(nb::module_& m) {
  nb::class_<Examples>(m, "Examples",
                       "Examples that a parser has read, or that were added one by one.")
      .def(nb::init<int, bool, bool, bool>(), "bits"_a, "intercept"_a, "named"_a,
           "precise"_a = false)
      .def("__len__", &Examples::size, "The number of examples.")
      .def_prop_ro(
          "labels", [](const Examples& x) { return array_of(x.labels); },
          "The labels as numbers; NaN where there is none or it is text.")
      .def_prop_ro(
          "label_texts", [](const Examples& x) { return texts(x.label_texts); },
          "The labels as texts, if they are texts.")
      .def_prop_ro(
          "importance",
          [](const Examples& x) -> std::optional<Array<double>> {
            if (!x.weighted) return std::nullopt;
            return array_of(x.importance);
          },
          "The weights of the examples, if there are any.")
      .def_prop_ro(
          "tags", [](const Examples& x) { return texts(x.tags); },
          "The tags of the examples, if there are any.")
      .def_prop_ro("bits", &Examples::bits,
                   "The number of bits of hashed rows; 0 if names are kept instead.")
      .def_prop_ro("intercept", &Examples::intercept,
                   "Whether every example has the constant feature.")
      .def_prop_ro("named", &Examples::named, "Whether the names of features are kept.")
      .def("row", &row, "t"_a, "One example as a dict.")
      .def(
          "line",
          [](const Examples& x, std::size_t t) -> std::optional<std::int64_t> {
            if (t >= x.lines.size()) return std::nullopt;
            return std::int64_t(x.lines[t]);
          },
          "t"_a, "The line on which an example begins, if it is known.")
      .def("columns", &columns, "All examples as a sparse matrix: (starts, columns, values).")
      .def("add", &add, "row"_a, "Append a dict as an example without a label.")
      .def("add_rows", &add_rows, "starts"_a, "columns"_a, "values"_a, "names"_a,
           "Append sparse rows as examples without labels.");
  m.def("name", &name_of, "name"_a,
        "A feature name as the core compares it: a column number, or text.");
  nb::list missing;
  for (const std::string_view one : text::kMissing) missing.append(nb::str(one.data(), one.size()));
  m.attr("MISSING") = nb::tuple(missing);
  nb::class_<Parser>(m, "Parser", "Reads lines of text into examples, a piece of a file at a time.")
      .def("parse", &parse, "data"_a, "first"_a, "last"_a, "ends"_a, "out"_a,
           "Parse data[first:last] into `out`; returns the number of bytes used.")
      .def_prop_ro("line", &Parser::line, "The number of the next line, counted from 1.")
      .def_prop_ro("skipped", &Parser::skipped, "The number of bad lines skipped so far.")
      .def_prop_ro("labels", &Parser::labels, "Which kind of labels the lines have had.")
      .def(
          "go_on_at",
          [](Parser& p, std::int64_t line, Parser::Kind labels) { p.go_on_at(line, labels); },
          "line"_a, "labels"_a.noconvert(),
          "Continue at a line, with the kind of labels met before.");
  nb::class_<text::SvmlightParser, Parser>(m, "SvmlightParser", "Reads lines in svmlight format.")
      .def(
          "__init__",
          [](text::SvmlightParser* self, bool skip_bad, bool need_labels) {
            new (self) text::SvmlightParser(Parser::Options{skip_bad, need_labels});
          },
          "skip_bad"_a, "need_labels"_a);
  nb::class_<text::VwParser, Parser>(m, "VwParser", "Reads lines in the format of Vowpal Wabbit.")
      .def(
          "__init__",
          [](text::VwParser* self, bool skip_bad, bool need_labels,
             std::vector<std::vector<std::string>> interactions) {
            new (self)
                text::VwParser(Parser::Options{skip_bad, need_labels}, std::move(interactions));
          },
          "skip_bad"_a, "need_labels"_a, "interactions"_a);
  nb::class_<text::CsvColumns>(m, "CsvColumns", "What the columns of a CSV file are.")
      .def_ro("names", &text::CsvColumns::names, "The names of the columns.")
      .def_prop_ro(
          "kinds",
          [](const text::CsvColumns& columns) {
            static const char* const kNames[] = {"number", "category", "label",  "label",
                                                 "weight", "tag",      "ignored"};
            ListOf<nb::str> out;
            for (const auto kind : columns.kinds) out.append(kNames[kind]);
            return out;
          },
          "The kinds: number, category, label, weight, tag or ignored.");
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
      "categorical"_a, "numeric"_a, "ignored"_a, "optional"_a,
      "Find out from a sample what the columns of a CSV file are.");
  nb::class_<text::CsvParser, Parser>(m, "CsvParser", "Reads the records of a CSV file.")
      .def(
          "__init__",
          [](text::CsvParser* self, bool skip_bad, bool need_labels,
             const text::CsvColumns& columns) {
            new (self) text::CsvParser(Parser::Options{skip_bad, need_labels}, columns);
          },
          "skip_bad"_a, "need_labels"_a, "columns"_a);
  nb::class_<text::JsonlParser, Parser>(m, "JsonlParser", "Reads JSON objects, one per line.")
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
