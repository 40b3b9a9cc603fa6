#include "text/svmlight.hpp"

namespace regretless::svmlight {

namespace {

class Line {
 public:
  Line(std::string_view text, std::int64_t number)
      : p_(text.data()), end_(text.data() + text.size()), number_(number) {}

  bool skip_blanks() {
    while (p_ < end_ && (*p_ == ' ' || *p_ == '\t' || *p_ == '\r')) ++p_;
    return p_ < end_;
  }
  bool take(std::string_view word) {
    if (std::size_t(end_ - p_) < word.size() || std::string_view(p_, word.size()) != word)
      return false;
    p_ += word.size();
    return true;
  }
  // Short plain decimals, nearly all there are, are exact in doubles: digits over a power of ten.
  double number(const char* what) {
    const char* p = p_;
    const bool negative = p < end_ && *p == '-';
    if (p < end_ && (*p == '-' || *p == '+')) ++p;
    const char* digits = p;
    std::uint64_t mantissa = 0;
    int scale = 0;
    for (; p < end_ && unsigned(*p - '0') < 10; ++p) mantissa = mantissa * 10 + unsigned(*p - '0');
    std::ptrdiff_t count = p - digits;
    if (p < end_ && *p == '.') {
      const char* point = ++p;
      for (; p < end_ && unsigned(*p - '0') < 10; ++p)
        mantissa = mantissa * 10 + unsigned(*p - '0');
      scale = int(p - point);
      count += scale;
    }
    const bool ends = p == end_ || *p == ' ' || *p == ':' || *p == '\t' || *p == '\r';
    if (ends && count > 0 && count <= 15) {
      p_ = p;
      const double v = double(mantissa) / kPowers[scale];
      return negative ? -v : v;
    }
    if (at('+')) {  // from_chars knows no plus
      if (p_ + 1 < end_ && p_[1] == '-') fail(what);
      ++p_;
    }
    double v = 0;
    const auto [rest, error] = std::from_chars(p_, end_, v);
    if (error != std::errc() || !std::isfinite(v)) fail(what);
    p_ = rest;
    return v;
  }
  std::int32_t column() {
    std::int32_t v = 0;
    const auto [rest, error] = std::from_chars(p_, end_, v);
    if (error != std::errc() || v < 0) fail("a feature index from 0 to 2147483647");
    p_ = rest;
    return v;
  }
  void colon() {
    if (!take(":")) fail("index:value");
  }
  bool at(char c) const { return p_ < end_ && *p_ == c; }
  [[noreturn]] void fail(const std::string& expected) const {
    const std::string_view rest(p_, std::size_t(std::min<std::ptrdiff_t>(end_ - p_, 30)));
    throw std::invalid_argument("line " + std::to_string(number_) + ": expected " + expected +
                                " at '" + std::string(rest) + "'");
  }

 private:
  static constexpr double kPowers[16] = {1e0, 1e1, 1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                         1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15};
  const char *p_, *end_;
  std::int64_t number_;
};

}  // namespace

Parsed parse(std::string_view text, bool last, std::int64_t first_line) {
  Parsed out;
  while (out.consumed < text.size()) {
    std::size_t end = text.find('\n', out.consumed);
    if (end == std::string_view::npos) {
      if (!last) break;
      end = text.size();
    }
    std::string_view content = text.substr(out.consumed, end - out.consumed);
    content = content.substr(0, content.find('#'));
    Line line(content, first_line + out.lines);
    out.consumed = std::min(end + 1, text.size());
    ++out.lines;
    if (!line.skip_blanks()) continue;
    out.labels.push_back(line.number("a label"));
    while (line.skip_blanks()) {
      if (line.take("qid:")) {
        line.number("a query number");
        continue;
      }
      out.columns.push_back(line.column());
      line.colon();
      out.values.push_back(line.number("a value"));
    }
    out.starts.push_back(std::int64_t(out.columns.size()));
  }
  return out;
}

}  // namespace regretless::svmlight
