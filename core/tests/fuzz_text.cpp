// Properties that must hold for every text, good or bad. The first byte of an input chooses the
// format, the second the options, the rest is the text. The entry point is that of libFuzzer;
// fuzz_driver.cpp replaces it.
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "text/csv.hpp"
#include "text/jsonl.hpp"
#include "text/line.hpp"
#include "text/svmlight.hpp"
#include "text/vw.hpp"

using namespace regretless::text;

namespace {

void require(bool held, const char* what) {
  if (held) return;
  std::fprintf(stderr, "broken: %s\n", what);
  std::abort();
}

enum Format {
  vw,
  crossed,
  svmlight,
  jsonl,
  csv,
  csv_wishes,
  csv_plain,
  csv_fixed,
  number,
  formats
};

struct Way {
  Parser::Options parser;
  bool intercept, named;
  int bits;
  std::size_t piece;  // bytes

  explicit Way(std::uint8_t byte)
      : parser{(byte & 1) != 0, (byte & 2) != 0},
        intercept(byte & 4),
        named((byte >> 3) % 2),
        bits((byte >> 4) % 2 ? 4 : 0),
        piece(1 + std::size_t(byte >> 5) * (byte >> 5)) {}
};

std::unique_ptr<Parser> make_parser(Format format, Parser::Options options, std::string_view text) {
  constexpr std::size_t kSample = 100;
  const std::string_view sample = text.substr(0, kSample);
  const bool all = text.size() <= kSample;
  const CsvWishes wishes{"y", "w", "id", {}, {}, {}, true};
  const auto csv_parser = [&](const CsvColumns& columns) {
    return std::make_unique<CsvParser>(options, columns);
  };
  switch (format) {
    case vw:
      return std::make_unique<VwParser>(options, std::vector<VwParser::Interaction>{});
    case crossed:
      return std::make_unique<VwParser>(
          options, std::vector<VwParser::Interaction>{
                       {"a", "b"}, {"a", "a"}, {"user", ":"}, {"a", "b", "c"}});
    case svmlight:
      return std::make_unique<SvmlightParser>(options);
    case jsonl:
      return std::make_unique<JsonlParser>(options, "y", "w", "id", std::vector<std::string>{"i"});
    case csv_wishes:
      return csv_parser(infer_csv(sample, all, '\0', true, wishes));
    case csv_plain:
      return csv_parser(infer_csv(sample, all, ';', false, {.label = "0"}));
    case csv_fixed:
      return csv_parser(infer_csv("id,y,w,a,c\nn,1,1,2,x\n", true, '\0', true, wishes));
    default:
      return csv_parser(infer_csv(sample, all, '\0', true, {}));
  }
}

void check_arrays(const Examples& x, const Way& way) {
  const std::size_t size = x.size(), count = x.values.size();
  require(x.importance.size() == size && x.starts.size() == size + 1, "a number for each example");
  require(x.label_texts.empty() || x.label_texts.size() == size, "a label for each example");
  require(x.tags.empty() || x.tags.size() == size, "a tag for each example");
  require(x.starts[0] == 0 && x.starts.back() == count, "examples hold all features");
  require(x.rows.size() == (x.bits() ? count : 0), "a row for each feature");
  for (std::size_t t = 0; t < size; ++t) {
    const bool has_text = !x.label_texts.empty() && !x.label_texts[t].empty();
    require(!std::isinf(x.labels[t]), "no label is infinite");
    require(!way.parser.need_labels || has_text || !std::isnan(x.labels[t]), "labels are there");
    require(std::isfinite(x.importance[t]) && x.importance[t] >= 0, "weights are weights");
    require(x.importance[t] == 1 || x.weighted, "weights are noticed");
    const std::size_t first = x.starts[t], last = x.starts[t + 1];
    require(first + way.intercept <= last, "examples follow each other");
    std::set<std::uint32_t> rows;
    std::set<std::string> names;
    for (std::size_t i = first; i < last; ++i) {
      require(std::fabs(x.values[i]) <= regretless::kLargestValue, "values are finite");
      if (way.intercept && i == first) {
        require(x.values[i] == 1 && (!x.bits() || x.rows[i] == 0), "the intercept comes first");
        continue;
      }
      require(x.values[i] != 0, "what is 0 is absent");
      if (x.bits()) require(x.rows[i] >= 1 && x.rows[i] <= 1u << x.bits(), "rows are in the bank");
      if (x.bits()) require(rows.insert(x.rows[i]).second, "no row comes twice");
      if (!x.named()) continue;
      const Examples::Name& name = x.names(t)[i - first];
      require(names.insert(name.is_column() ? std::to_string(name.key) : std::string(x.name(name)))
                  .second,
              "no name comes twice");
      if (!name.is_column()) {
        require(std::size_t(name.at) + name.length <= x.text.size(), "names are in the text");
        require(name.key == regretless::hash_bytes(x.name(name)), "the key is the name's hash");
      }
      if (x.bits())
        require(x.rows[i] == 1 + (name.key & ((1u << x.bits()) - 1)), "the row is the name's");
    }
  }
}

template <class T>
void append(std::string& out, const T& value) {
  out.append(reinterpret_cast<const char*>(&value), sizeof(value));
}
void append(std::string& out, const std::vector<std::string>& texts, std::size_t t) {
  out += (texts.empty() ? std::string() : texts[t]) + '\0';
}

struct Outcome {
  std::string examples, error;
  std::size_t count = 0;
  std::int64_t skipped = 0, line = 0;
  bool operator==(const Outcome&) const = default;

  void add(const Examples& x) {
    count += x.size();
    for (std::size_t t = 0; t < x.size(); ++t) {
      append(examples, std::isnan(x.labels[t]) ? 0.5 : x.labels[t]);
      append(examples, std::isnan(x.labels[t]));
      append(examples, x.importance[t]);
      append(examples, x.label_texts, t);
      append(examples, x.tags, t);
      append(examples, x.starts[t + 1] - x.starts[t]);
      for (std::size_t i = x.starts[t]; i < x.starts[t + 1]; ++i) {
        append(examples, x.values[i]);
        if (x.bits()) append(examples, x.rows[i]);
        if (x.named()) append(examples, x.names(t)[i - x.starts[t]].key);
      }
    }
  }
};

// Reads as streams do: in pieces, each of which becomes examples of its own. With `stopping` a
// fresh parser continues after every piece that had examples.
Outcome read(Format format, const Way& way, std::string_view text, std::size_t piece,
             bool stopping) {
  const std::string_view all = text;
  auto parser = make_parser(format, way.parser, all);
  Outcome outcome;
  std::string held;
  bool last = false;
  while (!last && outcome.error.empty()) {
    held += text.substr(0, piece);
    text.remove_prefix(std::min(piece, text.size()));
    last = text.empty();
    const std::vector<char> exact(held.begin(), held.end());  // for the address sanitizer
    Examples x(way.bits, way.intercept, way.named);
    try {
      held.erase(0, parser->parse({exact.data(), exact.size()}, last, x));
      require(!last || held.empty(), "all is read");
    } catch (const std::invalid_argument& error) {
      outcome.error = error.what();
    }
    check_arrays(x, way);
    outcome.add(x);
    if (stopping && x.size() && outcome.error.empty()) {
      outcome.skipped += parser->skipped();
      const std::int64_t line = parser->line();
      const Parser::Kind labels = parser->labels();
      parser = make_parser(format, way.parser, all);
      parser->go_on_at(line, labels);
    }
  }
  outcome.skipped += parser->skipped();
  outcome.line = parser->line();
  return outcome;
}

// The fast paths against the standard library.
void check_number(std::string_view text) {
  const std::vector<char> exact(text.begin(), text.end());
  const char *begin = exact.data(), *end = begin + exact.size();
  double got = 0, expected = 0;
  const char* rest = read_number(begin, end, got);
  const bool plus = !exact.empty() && *begin == '+';
  if (plus && exact.size() > 1 && begin[1] == '-') return require(!rest, "+- is no number");
  const auto [after, error] = std::from_chars(begin + plus, end, expected);
  if (error == std::errc::invalid_argument) return require(!rest, "what is no number is none");
  require(rest == after, "a number ends where it ends");
  if (error == std::errc::result_out_of_range)
    return require(got == 0 || std::isinf(got), "numbers out of range are 0 or infinite");
  require(got == expected || (std::isnan(got) && std::isnan(expected)), "numbers are exact");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2) return 0;
  const Format format = Format(unsigned(data[0] - '0') % formats);
  const Way way(data[1]);
  const std::string_view text(reinterpret_cast<const char*>(data) + 2, size - 2);
  if (format == number) {
    check_number(text);
    return 0;
  }
  try {
    make_parser(format, way.parser, text);
  } catch (const std::invalid_argument&) {  // no columns in it
    return 0;
  }
  const Outcome whole = read(format, way, text, text.size() + 1, false);
  const auto lines = 1 + std::count(text.begin(), text.end(), '\n');
  require(whole.error.empty() || whole.error.starts_with("line "), "errors name the line");
  require(whole.line >= 1 && whole.line <= lines, "lines are counted");
  require(std::int64_t(whole.count) + whole.skipped <= lines, "a line is an example or is skipped");
  require(!way.parser.skip_bad || whole.error.empty() ||
              (format == csv_fixed && whole.error.find("another header") != std::string::npos),
          "bad lines are skipped");
  require(read(format, way, text, way.piece, false) == whole, "pieces are read as the whole");
  // a JSON parser that continues does not know the earlier labels
  if (format != jsonl)
    require(read(format, way, text, way.piece, true) == whole, "who stops can go on");
  return 0;
}
