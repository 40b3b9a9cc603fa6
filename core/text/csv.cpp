#include "text/csv.hpp"

#include <algorithm>
#include <numeric>
#include <unordered_set>

#include "text/decimals.hpp"
#include "text/line.hpp"
#include "text/missing.hpp"

namespace regretless::text {

namespace {

constexpr std::size_t kSampled = 1000;  // records
constexpr std::size_t kListed = 20;     // columns, in an error

std::string_view trimmed(std::string_view s) {
  while (!s.empty() && Line::is_blank(s.front())) s.remove_prefix(1);
  while (!s.empty() && Line::is_blank(s.back())) s.remove_suffix(1);
  return s;
}

bool is_blank(std::string_view content) {
  return content.find_first_not_of(' ') == std::string_view::npos;
}

// Infinite numbers count, too: a column with one of them is still a column of numbers.
bool as_any_number(std::string_view field, double& out) {
  const char* end = field.data() + field.size();
  if (read_number(field.data(), end, out) == end && !field.empty()) return true;
  const bool yes = field == "true" || field == "True" || field == "TRUE";
  if (!yes && field != "false" && field != "False" && field != "FALSE") return false;
  out = yes;
  return true;
}

// The fields of a record, one after the other. Views stay valid until the next record.
class Fields {
 public:
  // `limit`: up to where bytes beyond the record may be read
  Fields(std::string_view record, char delimiter, std::string& unquoted, const char* limit)
      : record_(record), delimiter_(delimiter), unquoted_(unquoted), limit_(limit) {
    unquoted_.clear();
  }

  bool more() const { return at_ <= record_.size(); }
  // The last field, as it is written.
  std::string_view last() const { return record_.substr(from_, at_ - 1 - from_); }
  std::string_view next() {
    const std::size_t from = from_ = at_;
    if (from < record_.size() && record_[from] == '"') return quoted();
    const std::size_t end = std::min(record_.find(delimiter_, from), record_.size());
    at_ = end + 1;
    return record_.substr(from, end - from);
  }
  // As many of the next fields as are plain numbers, at most `most`.
  std::size_t numbers(double* out, std::size_t most) {
    const char* const begin = record_.data();
    const char* p = begin + at_;
    const std::size_t count =
        plain_numbers(p, begin + record_.size(), limit_, delimiter_, out, most);
    if (count) at_ = std::size_t(p - begin) + 1;
    return count;
  }
  // The next field if it is a plain number: its end is then known without a search.
  bool number(double& out) {
    const char* begin = record_.data();
    const char* end = begin + record_.size();
    const char* rest = read_number(begin + at_, end, out);
    if (!rest || (rest < end && *rest != delimiter_) || !std::isfinite(out)) return false;
    from_ = at_;
    at_ = std::size_t(rest - begin) + 1;
    return true;
  }

 private:
  std::string_view quoted() {
    const std::size_t from = at_ + 1;
    std::size_t end = from;
    bool doubled = false;
    for (;; end += 2, doubled = true) {
      end = record_.find('"', end);
      if (end == std::string_view::npos) throw Malformed("a quote is not closed");
      if (end + 1 == record_.size() || record_[end + 1] != '"') break;
    }
    if (end + 1 < record_.size() && record_[end + 1] != delimiter_)
      throw Malformed("expected a delimiter after the closing quote, not " +
                      shown(record_.substr(end + 1)));
    at_ = end + 2;
    const std::string_view field = record_.substr(from, end - from);
    return doubled ? with_single_quotes(field) : field;
  }
  std::string_view with_single_quotes(std::string_view field) {
    // room for all fields together: earlier views stay valid
    if (unquoted_.empty()) unquoted_.reserve(record_.size());
    const std::size_t begin = unquoted_.size();
    for (std::size_t i = 0; i < field.size(); ++i) {
      unquoted_ += field[i];
      i += field[i] == '"';
    }
    return std::string_view(unquoted_).substr(begin);
  }

  std::string_view record_;
  char delimiter_;
  std::string& unquoted_;
  const char* limit_;
  std::size_t at_ = 0;    // start of the next field; beyond the record after the last one
  std::size_t from_ = 0;  // start of the last field
};

std::vector<std::string_view> all_fields(std::string_view record, char delimiter,
                                         std::string& unquoted) {
  std::vector<std::string_view> fields;
  Fields rest(record, delimiter, unquoted, record.data() + record.size());
  while (rest.more()) fields.push_back(rest.next());
  return fields;
}

std::size_t end_of_csv_record(std::string_view piece, std::size_t from, char delimiter,
                              std::int64_t& lines) {
  const std::size_t end = piece.find('\n', from);
  if (piece.substr(from, end - from).find('"') == std::string_view::npos) return end;
  for (std::size_t at = from; at < piece.size(); ++at) {  // from field to field
    if (piece[at] == '"') {
      for (;; ++at) {
        at = piece.find('"', at + 1);
        if (at == std::string_view::npos) return at;
        if (at + 1 == piece.size() || piece[at + 1] != '"') break;
      }
      ++at;
    }
    while (at < piece.size() && piece[at] != delimiter && piece[at] != '\n') ++at;
    if (at < piece.size() && piece[at] == '\n') {
      lines = std::count(piece.begin() + std::ptrdiff_t(from), piece.begin() + std::ptrdiff_t(at),
                         '\n');
      return at;
    }
  }
  return std::string_view::npos;
}

// Other delimiters could be part of a number, and a byte beyond ASCII is part of a character.
void check_delimiter(char c) {
  const bool in_number = std::string_view("+-.").find(c) != std::string_view::npos;
  const bool in_word = unsigned(c - '0') < 10 || unsigned((c | 0x20) - 'a') < 26;
  if (in_number || in_word || c == '"' || c == '\n' || c == '\r' || c == '\0' ||
      static_cast<unsigned char>(c) > 127)
    throw std::invalid_argument(
        "the delimiter is to be one ASCII character, such as , or ; or a tab: not a letter, a "
        "digit, a quote, an end of line or one of + - .");
}

std::string count_message(std::size_t expected, std::size_t found) {
  return "expected " + std::to_string(expected) + (expected == 1 ? " field" : " fields") +
         ", found " + std::to_string(found);
}

}  // namespace

CsvParser::CsvParser(Options options, CsvColumns columns)
    : Parser(options), columns_(std::move(columns)) {
  check_delimiter(columns_.delimiter);
  const auto& kinds = columns_.kinds;
  if (kinds.empty() || kinds.size() != columns_.names.size())
    throw std::invalid_argument("columns need as many kinds as names, and at least one");
  const auto count = [&](CsvColumns::Kind kind) {
    return std::count(kinds.begin(), kinds.end(), kind);
  };
  has_label_texts_ = count(CsvColumns::label_text) > 0;
  if (count(CsvColumns::label_number) + count(CsvColumns::label_text) > 1 ||
      count(CsvColumns::weight) > 1 || count(CsvColumns::tag) > 1)
    throw std::invalid_argument("at most one column can be the label, one the weight, one the tag");
  runs_.resize(kinds.size() + 1);
  for (std::size_t i = kinds.size(); i-- > 0;)
    runs_[i] = kinds[i] == CsvColumns::number ? runs_[i + 1] + 1 : 0;
}

void CsvParser::begin(Examples& out) {
  known_.clear();
  for (const std::string& name : columns_.names) known_.push_back(out.known(name));
}

std::size_t CsvParser::end_of_record(std::string_view piece, std::size_t from,
                                     std::int64_t& lines) {
  return end_of_csv_record(piece, from, columns_.delimiter, lines);
}

void CsvParser::record(std::string_view content, Examples& out) {
  if (!begun_) {  // a parser that starts in the middle of a file does not see the header
    begun_ = true;
    header_is_due_ = columns_.header && line() == 1;
  }
  if (is_blank(content)) return;
  if (header_is_due_) {
    check_header(content);
    header_is_due_ = false;
    return;
  }
  try {
    read(content, out);
  } catch (const Malformed&) {  // a missing delimiter explains errors in the fields after it
    const std::size_t found = all_fields(content, columns_.delimiter, unquoted_).size();
    if (found != columns_.names.size())
      throw Malformed(count_message(columns_.names.size(), found));
    throw;
  }
}

void CsvParser::read(std::string_view content, Examples& out) {
  Fields fields(content, columns_.delimiter, unquoted_, limit());
  // Returns false if the field is missing.
  const auto number = [&](std::size_t i, double& value) {
    if (fields.number(value)) return true;
    const std::string_view field = fields.next(), word = trimmed(field);
    if (is_missing(word)) return false;
    const bool is_number = as_any_number(word, value);
    if (is_number && std::isfinite(value)) return true;
    throw Malformed("column " + shown(columns_.names[i]) + ": " + shown(field) + " is not a " +
                    (is_number ? "finite number" : "number"));
  };
  double label = std::nan(""), weight = 1, value = 0;
  std::string_view label_text, tag, field;
  constexpr std::size_t kWorthwhile = 4, kMost = 64;
  constexpr int kVain = 2;  // after so many fields that are not plain numbers the rest is not tried
  int vain = 0;
  double several[kMost];
  out.begin();
  for (std::size_t i = 0; i < columns_.kinds.size(); ++i) {
    if (!fields.more()) throw Malformed("too few fields");
    if (runs_[i] >= kWorthwhile && vain < kVain) {
      const std::size_t count = fields.numbers(several, std::min(runs_[i], kMost));
      out.add(known_.data() + i, several, count);
      vain = count ? 0 : vain + 1;
      if (count) {
        i += count - 1;
        continue;
      }
    }
    switch (columns_.kinds[i]) {
      case CsvColumns::number:
        if (number(i, value)) out.add(known_[i], value);
        break;
      case CsvColumns::label_number:
        if (!number(i, label)) label = std::nan("");
        if (std::fabs(label) >= 0x1p53) check_label(trimmed(fields.last()), label);
        break;
      case CsvColumns::weight:
        if (!number(i, weight)) weight = 1;
        if (weight < 0)
          throw Malformed("column " + shown(columns_.names[i]) + ": the weight is negative");
        break;
      case CsvColumns::category:
        field = fields.next();
        if (!is_missing(field)) out.add_category(columns_.names[i], field);
        break;
      case CsvColumns::label_text:
        field = fields.next();
        if (!is_missing(field)) label_text = field;
        break;
      case CsvColumns::tag:
        tag = fields.next();
        if (is_missing(tag)) tag = {};
        break;
      case CsvColumns::ignored:
        fields.next();
        break;
    }
  }
  if (fields.more()) throw Malformed("too many fields");
  if (options().need_labels && std::isnan(label) && label_text.empty())
    throw Malformed("the label is missing");
  if (has_label_texts_)
    out.finish(label_text, weight, tag);
  else
    out.finish(label, weight, tag);
}

// Not Malformed: with another header nothing in the file can be trusted, so nothing is skipped.
void CsvParser::check_header(std::string_view content) const {
  std::string unquoted;
  const auto found = all_fields(content, columns_.delimiter, unquoted);
  const auto& names = columns_.names;
  const std::string line_is = "line " + std::to_string(line()) + ": another header than expected: ";
  for (std::size_t i = 0; i < std::min(found.size(), names.size()); ++i)
    if (trimmed(found[i]) != names[i])
      throw std::invalid_argument(line_is + "column " + std::to_string(i + 1) + " is " +
                                  shown(trimmed(found[i])) + ", not " + shown(names[i]));
  if (found.size() != names.size())
    throw std::invalid_argument(line_is + count_message(names.size(), found.size()));
}

// --- columns from a sample -----------------------------------------------------------------------
namespace {

[[noreturn]] void refuse_first_record() {
  throw std::invalid_argument(
      "the first record cannot be read: a quote that is not closed, text after a closing quote, a "
      "NUL byte, or no valid UTF-8");
}

// Reads the sample as a file is read, and records what the columns hold.
class Sampler : public Parser {
 public:
  Sampler(char delimiter, bool header)
      : Parser({.skip_bad = true}), delimiter_(delimiter), header_(header) {}

  std::vector<std::string> names;
  std::vector<bool> numeric;  // every field that is not missing is a number
  std::vector<bool> inexact;  // some are integers that a double cannot hold

 protected:
  std::size_t end_of_record(std::string_view piece, std::size_t from,
                            std::int64_t& lines) override {
    return end_of_csv_record(piece, from, delimiter_, lines);
  }
  void record(std::string_view content, Examples&) override {
    if (is_blank(content) || sampled_ == kSampled) return;
    const auto fields = all_fields(content, delimiter_, unquoted_);
    if (names.empty()) {
      name_columns(fields);
      if (header_) return;
    }
    if (fields.size() != names.size()) return;
    ++sampled_;
    for (std::size_t i = 0; i < fields.size(); ++i) {
      double value;
      const std::string_view word = trimmed(fields[i]);
      if (is_missing(word)) continue;
      if (!as_any_number(word, value)) {
        numeric[i] = false;
      } else if (is_inexact_integer(word, value)) {
        inexact[i] = true;
      }
    }
  }

 private:
  void name_columns(const std::vector<std::string_view>& fields) {
    if (header_ && skipped()) refuse_first_record();
    for (const std::string_view field : fields)
      names.emplace_back(header_ ? std::string(trimmed(field)) : std::to_string(names.size()));
    numeric.assign(names.size(), true);
    inexact.assign(names.size(), false);
    std::unordered_set<std::string_view> known;
    for (std::size_t i = 0; i < names.size(); ++i) {
      if (names[i].empty())
        throw std::invalid_argument("column " + std::to_string(i + 1) +
                                    " has no name in the header");
      if (!known.insert(names[i]).second)
        throw std::invalid_argument("the header has two columns " + shown(names[i]));
    }
  }

  char delimiter_;
  bool header_;
  std::size_t sampled_ = 0;
  std::string unquoted_;
};

char guess_delimiter(std::string_view sample) {
  constexpr std::string_view kCandidates = ",\t;|";
  std::size_t counts[kCandidates.size()] = {};
  bool in_quotes = false, begun = false;
  for (const char c : sample) {
    if (c == '"') in_quotes = !in_quotes;
    if (c == '\n' && !in_quotes && begun) break;
    begun |= c != '\n' && c != '\r' && c != ' ';
    const std::size_t which = kCandidates.find(c);
    if (!in_quotes && which != std::string_view::npos) ++counts[which];
  }
  return kCandidates[std::size_t(std::max_element(counts, std::end(counts)) - counts)];
}

// Levenshtein's distance of the beginnings: letters inserted, deleted or replaced.
std::size_t edits(std::string_view a, std::string_view b) {
  a = a.substr(0, 60), b = b.substr(0, 60);
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t(0));
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = std::exchange(row[0], i + 1);
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t replaced = diagonal + (a[i] != b[j]);
      diagonal = row[j + 1];
      row[j + 1] = std::min({replaced, row[j] + 1, diagonal + 1});
    }
  }
  return row.back();
}

std::size_t index_of(const std::string& wished, const std::vector<std::string>& names) {
  const auto found = std::find(names.begin(), names.end(), wished);
  if (found != names.end()) return std::size_t(found - names.begin());
  std::string message = "there is no column " + shown(wished);
  const std::string& closest = *std::min_element(
      names.begin(), names.end(),
      [&](const auto& a, const auto& b) { return edits(wished, a) < edits(wished, b); });
  if (edits(wished, closest) <= wished.size() / 2)
    message += " (did you mean " + shown(closest) + "?)";
  message += "; the columns are ";
  for (std::size_t i = 0; i < std::min(names.size(), kListed); ++i)
    message += (i ? ", " : "") + shown(names[i]);
  if (names.size() > kListed) message += " and " + std::to_string(names.size() - kListed) + " more";
  throw std::invalid_argument(message);
}

}  // namespace

CsvColumns infer_csv(std::string_view sample, bool sample_is_all, char delimiter, bool header,
                     const CsvWishes& wishes) {
  if (!delimiter) delimiter = guess_delimiter(sample);
  check_delimiter(delimiter);
  Sampler sampler(delimiter, header);
  Examples none;
  sampler.parse(sample, sample_is_all, none);
  if (sampler.names.empty()) {
    if (sampler.skipped()) refuse_first_record();
    throw std::invalid_argument(sample_is_all ? "the file is empty"
                                              : "the first record does not end in the first " +
                                                    std::to_string(sample.size()) +
                                                    " bytes; is a quote not closed?");
  }

  CsvColumns columns{delimiter, header, sampler.names, {}};
  for (const bool numeric : sampler.numeric)
    columns.kinds.push_back(numeric ? CsvColumns::number : CsvColumns::category);
  std::vector<bool> settled(columns.names.size());
  const auto absent = [&](const std::string& name) {
    const auto& names = columns.names;
    return name.empty() ||
           (wishes.optional && std::find(names.begin(), names.end(), name) == names.end());
  };
  const auto settle = [&](const std::string& name, CsvColumns::Kind kind) {
    if (absent(name)) return;
    const std::size_t i = index_of(name, columns.names);
    if (settled[i]) throw std::invalid_argument("column " + shown(name) + " is asked for twice");
    settled[i] = true;
    columns.kinds[i] = kind;
  };
  if (!absent(wishes.label)) {
    const std::size_t i = index_of(wishes.label, columns.names);
    const bool numeric = sampler.numeric[i] && !sampler.inexact[i];
    settle(wishes.label, numeric || !wishes.label_is_text_allowed ? CsvColumns::label_number
                                                                  : CsvColumns::label_text);
  }
  settle(wishes.weight, CsvColumns::weight);
  settle(wishes.tag, CsvColumns::tag);
  for (const std::string& name : wishes.categorical) settle(name, CsvColumns::category);
  for (const std::string& name : wishes.numeric) settle(name, CsvColumns::number);
  for (const std::string& name : wishes.ignored) settle(name, CsvColumns::ignored);
  return columns;
}

}  // namespace regretless::text
