// A cursor over one line: reads numbers and words, and says what it expected instead.
#pragma once
#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#include "text/examples.hpp"

namespace regretless::text {

inline constexpr double kPowersOfTen[16] = {1e0, 1e1, 1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                            1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15};

// Reads digits without a loop, whose end a processor could not predict: eight bytes at a time, in a
// word. Eight digits are added up in pairs, the pairs in pairs, and these.
struct Word {
  std::uint64_t off, others;  // digits as 0 to 9; the top bit of every byte that is not a digit
  explicit Word(const char* p) {
    std::memcpy(&off, p, sizeof(off));
    off ^= 0x3030303030303030ULL;
    others = ((off + 0x7676767676767676ULL) | off) & 0x8080808080808080ULL;
  }
  // The number of bytes before the first that is not a digit; `others` is not 0.
  static unsigned before(std::uint64_t others) { return unsigned(__builtin_ctzll(others)) / 8; }
  // The number of `count` digits, 1 to 8.
  static std::uint64_t number(std::uint64_t digits, unsigned count) {
    std::uint64_t v = digits << (64 - 8 * count);  // leading zeros, as it were
    v = (v * 10 + (v >> 8)) & 0x00ff00ff00ff00ffULL;
    v = (v * 100 + (v >> 16)) & 0x0000ffff0000ffffULL;
    return (v * 10000 + (v >> 32)) & 0xffffffffULL;
  }
};

// Whether a number outside the range of doubles is too large rather than too small: by the place of
// its first digit that is not 0.
[[gnu::cold]] inline bool is_large(std::string_view number) {
  const std::size_t e = std::min(number.find_first_of("eE"), number.size());
  const std::string_view digits = number.substr(0, e);
  const std::size_t point = std::min(digits.find('.'), digits.size());
  const std::size_t first = digits.find_first_of("123456789");
  std::string_view exponent = number.substr(std::min(e + 1, number.size()));
  if (exponent.substr(0, 1) == "+") exponent.remove_prefix(1);
  std::int64_t shift = 0;
  const auto parsed = std::from_chars(exponent.data(), exponent.data() + exponent.size(), shift);
  if (parsed.ec == std::errc::result_out_of_range) return exponent[0] != '-';
  return std::int64_t(point) - std::int64_t(first) + shift > 0;
}

// Reads a number of any form at p; null if there is none.
inline const char* read_any_number(const char* p, const char* end, double& out) {
  if (p < end && *p == '+') {  // from_chars does not accept a plus
    if (++p < end && *p == '-') return nullptr;
  }
  const auto [rest, error] = std::from_chars(p, end, out);
  if (error == std::errc::result_out_of_range) {
    out = is_large({p, rest}) ? HUGE_VAL : 0;
    return rest;
  }
  return error == std::errc() ? rest : nullptr;
}

// Reads a number at p; null if there is none. Plain decimals of up to 15 digits, nearly all
// numbers, are exact in doubles: digits over a power of ten.
[[gnu::always_inline]] inline const char* read_number(const char* p, const char* end, double& out) {
  const char* begin = p;
  const bool negative = p < end && *p == '-';
  if (p < end && (*p == '-' || *p == '+')) ++p;
  if (end - p >= 9) {  // the usual case: up to seven bytes, the point included
    const Word word(p);
    // Doubles written in full have 16 digits or more: too many for the short cuts below.
    const bool one_point_at_most = !(word.others & (word.others - 1));
    if (one_point_at_most && end - p > 16 && !Word(p + 8).others && unsigned(p[16] - '0') < 10)
      return read_any_number(begin, end, out);
    if (word.others) {
      unsigned digits = Word::before(word.others), size = digits, scale = 0;
      std::uint64_t off = word.off;
      if (p[digits] == '.' && (word.others & (word.others - 1))) {
        size = Word::before(word.others & (word.others - 1));
        const std::uint64_t whole = (std::uint64_t(1) << (8 * digits)) - 1;
        off = (off & whole) | ((off >> 8) & ~whole);  // without the point
        scale = size - digits - 1;
        digits = size - 1;
      }
      const char after = char(p[size] | 0x20);
      if (digits > 0 && after != 'e' && after != '.') {
        // signs are random: no branch
        out = double(std::int64_t(Word::number(off, digits))) / kPowersOfTen[scale] *
              (1.0 - 2.0 * negative);
        return p + size;
      }
    }
  }
  std::uint64_t mantissa = 0;
  const char* digits = p;
  for (; p < end && unsigned(*p - '0') < 10; ++p) mantissa = mantissa * 10 + unsigned(*p - '0');
  std::ptrdiff_t count = p - digits, scale = 0;
  if (p < end && *p == '.') {
    const char* point = ++p;
    for (; p < end && unsigned(*p - '0') < 10; ++p) mantissa = mantissa * 10 + unsigned(*p - '0');
    scale = p - point;
    count += scale;
  }
  if (count > 0 && count <= 15 && (p == end || (*p | 0x20) != 'e')) {
    const double v = double(mantissa) / kPowersOfTen[scale];
    out = negative ? -v : v;
    return p;
  }
  return read_any_number(begin, end, out);
}

// The whole of a text as a finite number.
inline bool as_number(std::string_view text, double& out) {
  const char* end = text.data() + text.size();
  return read_number(text.data(), end, out) == end && std::isfinite(out);
}

// Whether a number is written as an integer that a double cannot hold: beyond 2^53 different
// integers become the same double.
inline bool is_inexact_integer(std::string_view text, double value) {
  if (std::fabs(value) < 0x1p53 || text.find_first_not_of("+-0123456789") != text.npos)
    return false;
  char digits[320];
  const auto written =
      std::to_chars(digits, digits + sizeof(digits), std::fabs(value), std::chars_format::fixed, 0);
  text.remove_prefix(std::min(text.find_first_of("123456789"), text.size()));
  return text != std::string_view(digits, written.ptr);
}
// So two labels are never taken for one.
inline void check_label(std::string_view text, double value) {
  if (is_inexact_integer(text, value))
    throw Malformed("the label " + std::string(text) +
                    " is an integer beyond 2^53, too long for a number; write it as a text, or "
                    "with an exponent if its last digits do not matter");
}

class Line {
 public:
  explicit Line(std::string_view text) : p_(text.data()), end_(text.data() + text.size()) {}

  bool at_end() const { return p_ == end_; }
  bool at(char c) const { return p_ < end_ && *p_ == c; }
  static bool is_blank(char c) { return c == ' ' || c == '\t'; }
  // Whether something is left.
  bool skip_blanks() {
    while (p_ < end_ && is_blank(*p_)) ++p_;
    return p_ < end_;
  }
  bool take(std::string_view word) {
    if (std::string_view(p_, end_).substr(0, word.size()) != word) return false;
    p_ += word.size();
    return true;
  }
  double number(const char* what) {
    double v;
    const char* rest = read_number(p_, end_, v);
    if (!rest || !std::isfinite(v)) fail(what);
    p_ = rest;
    return v;
  }
  std::string_view rest() const { return {p_, end_}; }
  void advance(std::size_t n) { p_ += n; }

  [[noreturn, gnu::cold]] void fail(const std::string& expected) const {
    throw Malformed("expected " + expected + " at " + shown(rest(), 30));
  }

 private:
  const char *p_, *end_;
};

}  // namespace regretless::text
