#include "text/vw.hpp"

#include "text/decimals.hpp"
#include "text/line.hpp"

namespace regretless::text {

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
      ++count;
    }
  }
  if (count == 0 && options().need_labels) throw Malformed("expected a label before '|'");
  if (numbers[1] < 0) throw Malformed("the importance weight is negative");
  if (numbers[2] != 0) throw Malformed("a base score (the third number) is not supported");
  out.begin();
  features(content.data() + bar, content.data() + content.size(), out);
  for (const Interaction& interaction : interactions_) interact(interaction, out);
  out.finish(numbers[0], numbers[1], tag);
}

// What follows the first bar, which is at p.
void VwParser::features(const char* p, const char* end, Examples& out) {
  const bool keep = !interactions_.empty();
  features_.clear();
  groups_.clear();
  names_.clear();
  double scale = 1;
  joined_.clear();
  std::size_t prefix = 0;  // of joined_: "namespace^"
  const auto ends_word = [&] { return p == end || *p == ' ' || *p == '\t' || *p == '|'; };
  const auto value = [&](std::string_view name) {
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
    while (p < end && *p != ' ' && *p != ':' && *p != '\t' && *p != '|') ++p;
    return std::string_view(begin, p);
  };
  while (p < end) {
    if (*p == '|') {
      ++p;
      const std::string_view name = word();
      scale = value(name);
      joined_.assign(name);
      if (!name.empty()) joined_ += '^';
      prefix = joined_.size();
      if (keep) groups_.push_back({name, features_.size(), features_.size()});
      continue;
    }
    if (Line::is_blank(*p)) {
      ++p;
      continue;
    }
    if (!prefix && !keep) {
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
    }
    out.add(name, v);
    if (keep && v != 0) {
      features_.push_back({names_.size(), name.size(), v});
      names_.append(name);
      groups_.back().last = features_.size();
    }
  }
}

void VwParser::interact(const Interaction& interaction, Examples& out) {
  // every choice of groups that fits, each group as often as it stands in the example
  std::vector<const Group*> chosen(interaction.size());
  const auto fits = [](const std::string& wanted, std::string_view name) {
    return wanted == ":" || wanted == name || (wanted.size() == 1 && name.substr(0, 1) == wanted);
  };
  const auto walk = [&](const auto& self, std::size_t depth) -> void {
    if (depth == interaction.size()) {
      joined_.clear();
      choose(chosen, 0, 0, 0, 1, out);
      return;
    }
    for (const Group& group : groups_) {
      if (!fits(interaction[depth], group.name)) continue;
      // two places that ask for the same: every pair of groups once
      if (depth && interaction[depth] == interaction[depth - 1] && &group < chosen[depth - 1])
        continue;
      chosen[depth] = &group;
      self(self, depth + 1);
    }
  };
  walk(walk, 0);
}

void VwParser::choose(const std::vector<const Group*>& groups, std::size_t depth, std::size_t after,
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
    if (depth) joined_ += '*';
    joined_.append(names_, features_[i].at, features_[i].length);
    choose(groups, depth + 1, i, joined_.size(), value * features_[i].value, out);
  }
}

}  // namespace regretless::text
