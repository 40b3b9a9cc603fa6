#include "text/parser.hpp"

#include <algorithm>

namespace regretless::text {

namespace {

// Bytes above 127 and NULs are rare: one pass over the whole piece looks for them.
bool suspicious(std::string_view piece) {
  unsigned char seen = 0;
  for (const char c : piece) {
    const auto byte = static_cast<unsigned char>(c);
    seen |= byte | static_cast<unsigned char>(byte - 1);  // 0 - 1 is 255
  }
  return seen > 127;
}

void check_utf8(std::string_view s) {
  const auto* p = reinterpret_cast<const unsigned char*>(s.data());
  const auto* end = p + s.size();
  const auto damaged = [] { throw Malformed("the line is not valid UTF-8"); };
  while (p < end) {
    const unsigned c = *p++;
    if (c == 0) throw Malformed("the line holds a NUL byte");
    if (c < 0x80) continue;
    const int more = c >= 0xf0 ? 3 : c >= 0xe0 ? 2 : 1;
    if (c < 0xc2 || c > 0xf4 || end - p < more) damaged();
    // The second byte excludes overlong forms, surrogates and numbers beyond 0x10ffff.
    const unsigned low = c == 0xe0 ? 0xa0 : c == 0xf0 ? 0x90 : 0x80;
    const unsigned high = c == 0xed ? 0x9f : c == 0xf4 ? 0x8f : 0xbf;
    if (*p < low || *p > high) damaged();
    for (int i = 1; i < more; ++i)
      if ((p[i] & 0xc0) != 0x80) damaged();
    p += more;
  }
}

}  // namespace

void Parser::fail(const std::string& what) const {
  throw std::invalid_argument("line " + std::to_string(line_) + ": " + what);
}

void Parser::take(std::string_view content, bool may_be_damaged, Examples& out) {
  if (!content.empty() && content.back() == '\r') content.remove_suffix(1);
  try {
    if (content.size() > kLongest) throw Malformed("the line is longer than 16 MB");
    if (may_be_damaged) check_utf8(content);
    out.make_room(content.size() + 1);  // in every format a feature takes at least a byte
    record(content, out);
    out.lines.resize(out.size(), line_);
  } catch (const Malformed& error) {
    out.drop();
    if (!options_.skip_bad) fail(error.what());
    ++skipped_;
  }
}

std::size_t Parser::parse(std::string_view piece, bool last, Examples& out) {
  const bool may_be_damaged = suspicious(piece);
  out.make_room(piece.size() / 4);  // enough for most pieces; each record makes sure
  limit_ = piece.data() + piece.size();
  begin(out);
  std::size_t used = 0;
  if (!started_) {
    if (piece.size() < 3 && !last) return 0;
    if (piece.substr(0, 3) == "\xef\xbb\xbf") used = 3;
    started_ = true;
  }
  while (used < piece.size()) {
    std::int64_t lines = 0;  // line ends within it, in quotes
    std::size_t end = too_long_ ? piece.find('\n', used) : end_of_record(piece, used, lines);
    if (end == std::string_view::npos) {
      if (!last && piece.size() - used <= kLongest && !too_long_) break;
      end = piece.size();
      lines = std::count(piece.begin() + std::ptrdiff_t(used), piece.end(), '\n');
    }
    const std::string_view content = piece.substr(used, end - used);
    const bool whole = end < piece.size() || last;
    if (too_long_ || !whole) {
      if (!too_long_) {  // only its beginning is looked at
        if (!options_.skip_bad) fail("the line is longer than 16 MB");
        ++skipped_;
      }
      too_long_ = !whole;
    } else {
      take(content, may_be_damaged, out);
    }
    line_ += lines + (end < piece.size());
    used = std::min(end + 1, piece.size());
  }
  return used;
}

}  // namespace regretless::text
