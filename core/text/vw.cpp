#include "text/vw.hpp"

#include <algorithm>
#include <array>

#include "text/decimals.hpp"
#include "text/line.hpp"

namespace regretless::text {

namespace {

constexpr auto kEndsName = [] {
  std::array<bool, 256> ends{};
  for (const char c : {' ', '\t', ':', '|'}) ends[std::size_t(c)] = true;
  return ends;
}();

bool fits(const std::string& wanted, std::string_view space) {
  return wanted == ":" || wanted == space || (wanted.size() == 1 && space.substr(0, 1) == wanted);
}

// The order of first occurrence, with equal entries side by side.
template <class T>
std::vector<T> together(const std::vector<T>& all) {
  std::vector<T> out;
  for (const T& one : all)
    if (std::find(out.begin(), out.end(), one) == out.end())
      out.insert(out.end(), std::size_t(std::count(all.begin(), all.end(), one)), one);
  return out;
}

template <class T>
std::vector<T> sorted(std::vector<T> all) {
  std::sort(all.begin(), all.end());
  return all;
}

}  // namespace

VwParser::VwParser(Options options, const std::vector<Interaction>& interactions)
    : Parser(options) {
  std::set<Interaction> known;
  bool all_letters = true;
  for (const Interaction& one : interactions) {
    if (!known.insert(sorted(one)).second) continue;  // "ab" and "ba" are the same pairs
    interactions_.push_back(together(one));
    for (const std::string& part : one) all_letters &= part.size() == 1 && part != ":";
  }
  // A namespace has one first letter, and one interaction of one part has its groups in order.
  const bool all_equal =
      interactions_.size() == 1 &&
      std::set<std::string>(interactions_[0].begin(), interactions_[0].end()).size() == 1;
  overlap_ = !all_letters && !all_equal;
}

void VwParser::record(std::string_view content, Examples& out) {
  const std::size_t bar = content.find('|');
  if (bar == std::string_view::npos) {
    if (Line(content).skip_blanks()) throw Malformed("expected '|' before the features");
    return;  // a blank line
  }
  // label, importance and base are numbers; a tag touches the bar or begins with '
  double numbers[3] = {std::nan(""), 1, 0};
  std::string_view tag;
  int count = 0;
  const std::string_view head = content.substr(0, bar);
  for (std::size_t at = 0; at < head.size();) {
    if (Line::is_blank(head[at])) {
      ++at;
      continue;
    }
    const std::size_t end = std::min(head.find_first_of(" \t", at), head.size());
    const std::string_view word = head.substr(at, end - at);
    at = end;
    if (word[0] == '\'' || end == bar) {
      tag = word.substr(word[0] == '\'');
      if (Line(head.substr(end)).skip_blanks()) throw Malformed("expected '|' after the tag");
    } else if (count == 3 || !as_number(word, numbers[count])) {
      static const char* const kExpected[] = {"a label", "an importance weight", "a base score",
                                              "a tag that begins with '"};
      throw Malformed(std::string("expected ") + kExpected[count] + ", not " + shown(word));
    } else {
      if (count == 0) check_label(word, numbers[0]);
      ++count;
    }
  }
  if (count == 0 && options().need_labels) throw Malformed("expected a label before '|'");
  if (numbers[1] < 0) throw Malformed("the importance weight is negative");
  if (numbers[2] != 0) throw Malformed("a base score (the third number) is not supported");
  out.begin();
  features(content.data() + bar, content.data() + content.size(), out);
  if (!interactions_.empty()) {
    gather();
    for (const Interaction& interaction : interactions_) interact(interaction, out);
  }
  out.finish(numbers[0], numbers[1], tag);
}

// Reads what follows the first bar, which is at p.
void VwParser::features(const char* p, const char* end, Examples& out) {
  bool keep = false;  // the namespace takes part in interactions
  features_.clear();
  names_.clear();
  double scale = 1;
  joined_.clear();
  std::size_t prefix = 0;  // of joined_: "namespace|"
  std::string_view space;
  const auto ends_word = [&] { return p == end || *p == ' ' || *p == '\t' || *p == '|'; };
  const auto value = [&](std::string_view name) __attribute__((always_inline)) {
    double v = 1;
    if (p < end && *p == ':') {
      const char* rest = read_number(p + 1, end, v);
      if (rest) p = rest;
      if (!rest || !ends_word())
        throw Malformed("expected a number after " + shown(std::string(name) + ":"));
    }
    return v;
  };
  const auto word = [&] {
    const char* begin = p;
    while (p < end && !kEndsName[static_cast<unsigned char>(*p)]) ++p;
    return std::string_view(begin, p);
  };
  while (p < end) {
    if (*p == '|') {
      ++p;
      space = word();
      scale = value(space);
      joined_.assign(space);
      if (!space.empty()) joined_ += '|';
      prefix = joined_.size();
      keep = interacts(space);
      continue;
    }
    if (Line::is_blank(*p)) {
      ++p;
      continue;
    }
    if (!prefix && !keep && unsigned(*p - '0') < 10) {
      const char* rest = plain_columns(p, end, limit(), scale, true, out);
      if (rest != p) {
        p = rest;
        continue;
      }
    }
    std::string_view name = word();
    if (name.empty()) throw Malformed("expected a name before ':'");
    const double v = value(name) * scale;
    if (prefix) {
      joined_.resize(prefix);
      joined_.append(name);
      name = joined_;
      out.add_text(name, v);
    } else {
      out.add(name, v);
    }
    if (keep && float(v) != 0) {
      features_.push_back({space, names_.size(), name.size(), v});
      names_.append(name);
    }
  }
}

bool VwParser::interacts(std::string_view space) const {
  for (const Interaction& interaction : interactions_)
    for (const std::string& part : interaction)
      if (fits(part, space)) return true;
  return false;
}

// Collects the features of each namespace from the whole line; those that repeat are added up.
void VwParser::gather() {
  const auto name = [&](const Feature& f) {
    return std::string_view(names_).substr(f.at, f.length);
  };
  std::sort(features_.begin(), features_.end(), [&](const Feature& a, const Feature& b) {
    if (a.space != b.space) return a.space < b.space;
    const int order = name(a).compare(name(b));
    return order < 0 || (order == 0 && a.at < b.at);
  });
  groups_.clear();
  chosen_.clear();
  std::size_t kept = 0;
  for (std::size_t i = 0, next; i < features_.size(); i = next) {
    Feature sum = features_[i];
    for (next = i + 1; next < features_.size() && features_[next].space == sum.space &&
                       name(features_[next]) == name(sum);
         ++next)
      sum.value += features_[next].value;
    if (float(sum.value) == 0) continue;
    if (groups_.empty() || groups_.back().name != sum.space)
      groups_.push_back({sum.space, kept, kept});
    features_[kept++] = sum;
    groups_.back().last = kept;
  }
}

// Goes through every choice of groups that fits.
void VwParser::interact(const Interaction& interaction, Examples& out) {
  Groups groups(interaction.size());
  const auto walk = [&](const auto& self, std::size_t depth) -> void {
    if (depth == interaction.size()) return choose_once(groups, out);
    for (const Group& group : groups_) {
      if (!fits(interaction[depth], group.name)) continue;
      // two places with the same letter: every pair of groups once
      if (depth && interaction[depth] == interaction[depth - 1] && &group < groups[depth - 1])
        continue;
      groups[depth] = &group;
      self(self, depth + 1);
    }
  };
  walk(walk, 0);
}

void VwParser::choose_once(const Groups& groups, Examples& out) {
  if (overlap_ && !chosen_.insert(sorted(groups)).second) return;
  joined_.clear();
  choose(overlap_ ? together(groups) : groups, 0, 0, 0, 1, out);
}

void VwParser::choose(const Groups& groups, std::size_t depth, std::size_t after,
                      std::size_t length, double value, Examples& out) {
  if (depth == groups.size()) {
    if (out.values.size() - out.starts.back() > kMostFeatures)
      throw Malformed("the interactions of this line have more than 10,000,000 features");
    out.make_room(1);
    out.add(joined_, value);
    return;
  }
  const Group& group = *groups[depth];
  // the same group twice: every pair of its features once
  const bool again = depth && groups[depth - 1] == &group;
  for (std::size_t i = again ? after : group.first; i < group.last; ++i) {
    joined_.resize(length);
    if (depth) joined_ += " * ";
    joined_.append(names_, features_[i].at, features_[i].length);
    choose(groups, depth + 1, i, joined_.size(), value * features_[i].value, out);
  }
}

}  // namespace regretless::text
