#include "text/jsonl.hpp"

#include <algorithm>

#include "text/line.hpp"

namespace regretless::text {

namespace {

bool is_digit(char c) { return unsigned(c - '0') < 10; }

void append_utf8(std::uint32_t c, std::string& out) {
  if (c < 0x80) {
    out += char(c);
    return;
  }
  const int more = c < 0x800 ? 1 : c < 0x10000 ? 2 : 3;
  static constexpr std::uint32_t kFirst[] = {0, 0xc0, 0xe0, 0xf0};
  out += char(kFirst[more] | (c >> (6 * more)));
  for (int i = more - 1; i >= 0; --i) out += char(0x80 | ((c >> (6 * i)) & 0x3f));
}

}  // namespace

// The grammar of RFC 8259. Blanks are skipped before a token is looked at.
class JsonlParser::Cursor {
 public:
  explicit Cursor(std::string_view text) : p_(text.data()), end_(text.data() + text.size()) {}

  // The first character of the next token; 0 at the end.
  char peek() {
    while (p_ < end_ && (*p_ == ' ' || *p_ == '\t' || *p_ == '\r' || *p_ == '\n')) ++p_;
    return p_ < end_ ? *p_ : '\0';
  }
  bool take(char c) {
    if (peek() != c) return false;
    ++p_;
    return true;
  }
  void expect(char c, const char* what) {
    if (!take(c)) fail(what);
  }
  [[noreturn, gnu::cold]] void fail(const std::string& expected) {
    throw Malformed("expected " + expected +
                    (peek() ? " at " + shown({p_, end_}, 30) : ", found the end of the line"));
  }

  // In place, or in `unescaped` when there are escapes.
  std::string_view string(std::string& unescaped) {
    expect('"', "a string");
    const char* begin = p_;
    skip_plain();
    if (*p_ == '"') return {begin, p_++};
    unescaped.assign(begin, p_);
    while (*p_ == '\\') {
      ++p_;
      escape(unescaped);
      begin = p_;
      skip_plain();
      unescaped.append(begin, p_);
    }
    ++p_;
    return unescaped;
  }

  // The text of a number.
  std::string_view numeral() {
    const char* begin = p_;
    const auto digits = [&] {
      if (p_ == end_ || !is_digit(*p_)) throw Malformed(not_a_number(begin));
      while (p_ < end_ && is_digit(*p_)) ++p_;
    };
    if (*p_ == '-') ++p_;
    if (p_ < end_ && *p_ == '0')
      ++p_;
    else
      digits();
    if (p_ < end_ && *p_ == '.') ++p_, digits();
    if (p_ < end_ && (*p_ | 0x20) == 'e') {
      if (++p_ < end_ && (*p_ == '+' || *p_ == '-')) ++p_;
      digits();
    }
    if (p_ < end_ && (is_digit(*p_) || *p_ == '.')) throw Malformed(not_a_number(begin));
    return {begin, p_};
  }
  double number() {
    std::string_view text;
    return number(text);
  }
  // Also as it is written.
  double number(std::string_view& text) {
    text = numeral();
    double value;
    if (!as_number(text, value)) throw Malformed(shown(text) + " is not a finite number");
    return value;
  }

  // true, false, null or NaN
  void word(std::string_view expected) {
    if (std::string_view(p_, end_).substr(0, expected.size()) != expected) fail("a value");
    p_ += expected.size();
  }
  bool boolean() {
    const bool yes = *p_ == 't';
    word(yes ? "true" : "false");
    return yes;
  }
  static bool is_missing(char first) { return first == 'n' || first == 'N'; }
  void missing() { word(*p_ == 'n' ? "null" : "NaN"); }

  void skip_value(int depth, std::string& unescaped) {
    const char first = peek();
    if (first == '{' || first == '[') {
      check_depth(depth);
      ++p_;
      const char last = first == '{' ? '}' : ']';
      if (take(last)) return;
      do {
        if (first == '{') {
          string(unescaped);
          expect(':', "':'");
        }
        skip_value(depth + 1, unescaped);
      } while (take(','));
      expect(last, first == '{' ? "',' or '}'" : "',' or ']'");
    } else if (first == '"') {
      string(unescaped);
    } else if (first == 't' || first == 'f') {
      boolean();
    } else if (is_missing(first)) {
      missing();
    } else if (first == '-' || is_digit(first)) {
      numeral();
    } else {
      fail("a value");
    }
  }
  static void check_depth(int depth) {
    if (depth > kDeepest)
      throw Malformed("more than " + std::to_string(kDeepest) + " objects or arrays in each other");
  }

 private:
  std::string not_a_number(const char* begin) const {
    const char* end = std::find_if(begin, end_, [](char c) {
      return c == ',' || c == '}' || c == ']' || c == ' ' || c == '\t';
    });
    return shown({begin, end}) + " is not a number as JSON writes it";
  }

  // To the next quote or backslash.
  void skip_plain() {
    while (p_ < end_ && *p_ != '"' && *p_ != '\\') {
      if (static_cast<unsigned char>(*p_) < 0x20)
        throw Malformed("a string holds a control character; write it as \\n, \\t or \\u00..");
      ++p_;
    }
    if (p_ == end_) throw Malformed("a string is not closed");
  }

  // What follows a backslash.
  void escape(std::string& out) {
    if (p_ == end_) throw Malformed("a string is not closed");
    const char c = *p_++;
    constexpr std::string_view kNames = "\"\\/bfnrt", kMeant = "\"\\/\b\f\n\r\t";
    const std::size_t which = kNames.find(c);
    if (which != std::string_view::npos) {
      out += kMeant[which];
      return;
    }
    if (c != 'u') throw Malformed("a string has an unknown escape " + shown({p_ - 2, end_}, 8));
    std::uint32_t code = hex4();
    if (code >= 0xd800 && code < 0xe000) {
      // a pair, the high half first
      const bool pair = code < 0xdc00 && std::string_view(p_, end_).substr(0, 2) == "\\u";
      if (pair) p_ += 2;
      const std::uint32_t low = pair ? hex4() : 0;
      if (low < 0xdc00 || low > 0xdfff) throw Malformed("a string has half of a surrogate pair");
      code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
    }
    append_utf8(code, out);
  }
  std::uint32_t hex4() {
    std::uint32_t code = 0;
    const char* end = p_ + std::min<std::ptrdiff_t>(4, end_ - p_);
    const auto [rest, error] = std::from_chars(p_, end, code, 16);
    if (error != std::errc() || rest != p_ + 4) throw Malformed("\\u needs four hex digits");
    p_ = rest;
    return code;
  }

  const char *p_, *end_;
};

JsonlParser::JsonlParser(Options options, std::string label, std::string weight, std::string tag,
                         std::vector<std::string> ignored, std::vector<std::string> numeric)
    : Parser(options),
      label_(std::move(label)),
      weight_(std::move(weight)),
      tag_(std::move(tag)),
      ignored_(ignored.begin(), ignored.end()),
      numeric_(numeric.begin(), numeric.end()),
      seen_(64) {}

void JsonlParser::record(std::string_view content, Examples& out) {
  Cursor json(content);
  if (!json.peek()) return;  // a blank line
  if (json.peek() != '{') json.fail("an object, {\"name\": value, ...},");
  target_.kind = Kind::none;
  target_.weight = 1;
  target_.tag.clear();
  name_.clear();
  names_ = 0;
  ++record_;
  out.begin();
  object(json, 1, out);
  if (json.peek()) json.fail("the end of the line after the object");

  if (target_.kind == Kind::none) {
    if (options().need_labels) throw Malformed("the label " + shown(label_) + " is missing");
    target_.text.clear();
    target_.label = std::nan("");
  } else if (kind_ == Kind::none) {
    kind_ = target_.kind;
  } else if (kind_ != target_.kind) {
    throw Malformed("the label " + shown(label_) +
                    (kind_ == Kind::number ? " is a text, and was a number before"
                                           : " is a number, and was a text before"));
  }
  if (kind_ == Kind::text)
    out.finish(target_.text, target_.weight, target_.tag);
  else
    out.finish(target_.label, target_.weight, target_.tag);
}

void JsonlParser::object(Cursor& json, int depth, Examples& out) {
  Cursor::check_depth(depth);
  json.expect('{', "'{'");
  if (json.take('}')) return;
  const std::size_t prefix = name_.size();
  do {
    if (json.peek() != '"') json.fail("a name in double quotes");
    const std::string_view key = json.string(unescaped_);
    if (key.empty()) throw Malformed("a name is empty");
    name_.append(key);
    json.expect(':', "':' after a name");
    if (stands_twice(name_)) throw Malformed("the name " + shown(name_) + " stands twice");
    if (name_ == label_)
      read_label(json);
    else if (name_ == weight_)
      read_weight(json);
    else if (name_ == tag_)
      read_tag(json);
    else if (!ignored_.empty() && ignored_.contains(name_))
      json.skip_value(depth + 1, unescaped_);
    else
      feature(json, depth, out);
    name_.resize(prefix);
  } while (json.take(','));
  json.expect('}', "',' or '}'");
}

void JsonlParser::feature(Cursor& json, int depth, Examples& out) {
  const char first = json.peek();
  if (first == '-' || is_digit(first)) {
    out.add(name_, json.number());
  } else if (first == '"') {
    const std::string_view text = json.string(unescaped_);
    if (!numeric_.empty() && numeric_.contains(name_))
      throw Malformed(shown(name_) + ": " + shown(text) + " is not a number");
    out.add_category(name_, text);
  } else if (first == 't' || first == 'f') {
    out.add(name_, json.boolean());
  } else if (Cursor::is_missing(first)) {
    json.missing();
  } else if (first == '{') {
    name_ += '.';
    object(json, depth + 1, out);
  } else if (first == '[') {
    throw Malformed(shown(name_) + " is an array; spread it over several names");
  } else {
    json.fail("a value");
  }
}

void JsonlParser::read_label(Cursor& json) {
  const char first = json.peek();
  if (first == '"') {
    target_.text = json.string(unescaped_);
    if (target_.text.empty()) throw Malformed("the label " + shown(label_) + " is an empty text");
    target_.kind = Kind::text;
  } else if (first == '-' || is_digit(first)) {
    std::string_view text;
    target_.label = json.number(text);
    check_label(text, target_.label);
    target_.kind = Kind::number;
  } else if (first == 't' || first == 'f') {
    target_.label = json.boolean();
    target_.kind = Kind::number;
  } else if (Cursor::is_missing(first)) {
    json.missing();
  } else if (first == '{' || first == '[') {
    throw Malformed("the label " + shown(label_) + " is an " + (first == '{' ? "object" : "array"));
  } else {
    json.fail("a value");
  }
}

void JsonlParser::read_weight(Cursor& json) {
  const char first = json.peek();
  if (Cursor::is_missing(first)) return json.missing();
  if (first != '-' && !is_digit(first)) json.fail("a number for the weight " + shown(weight_));
  target_.weight = json.number();
  if (target_.weight < 0) throw Malformed("the weight " + shown(weight_) + " is negative");
}

void JsonlParser::read_tag(Cursor& json) {
  const char first = json.peek();
  if (Cursor::is_missing(first)) return json.missing();
  if (first == '"')
    target_.tag = json.string(unescaped_);
  else if (first == '-' || is_digit(first))
    target_.tag = json.numeral();
  else
    json.fail("a string or a number for the tag " + shown(tag_));
}

// Names are told apart by their 64-bit hashes.
bool JsonlParser::stands_twice(std::string_view name) {
  if (2 * ++names_ > seen_.size()) {
    std::vector<Seen> larger(2 * seen_.size());
    for (const Seen& entry : seen_) {
      if (entry.record != record_) continue;
      std::size_t at = entry.hash & (larger.size() - 1);
      while (larger[at].record == record_) at = (at + 1) & (larger.size() - 1);
      larger[at] = entry;
    }
    seen_.swap(larger);
  }
  const std::uint64_t hash = hash_bytes(name);
  std::size_t at = hash & (seen_.size() - 1);
  for (; seen_[at].record == record_; at = (at + 1) & (seen_.size() - 1))
    if (seen_[at].hash == hash) return true;
  seen_[at] = {hash, record_};
  return false;
}

}  // namespace regretless::text
