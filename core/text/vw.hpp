// Vowpal Wabbit's text: `label importance base 'tag |namespace:scale name:value name |...`.
//
// Everything but the bar may be left out. A feature of a namespace is named "namespace|name", one
// of the nameless namespace just "name". An interaction of namespaces has a feature for every
// choice of one feature from each, "a|x * b|y", and its value is the product. Names contain no bars
// or blanks, so different features have different names. Every choice is made once, even if a
// namespace is twice in an interaction or several interactions ask for it.
#pragma once
#include <set>
#include <vector>

#include "text/parser.hpp"

namespace regretless::text {

class VwParser : public Parser {
 public:
  // The namespaces of an interaction. A single character stands for all namespaces that begin with
  // it, ':' for all.
  using Interaction = std::vector<std::string>;
  static constexpr std::size_t kMostFeatures = 10'000'000;  // of a line, interactions included

  VwParser(Options options, const std::vector<Interaction>& interactions);

 protected:
  void record(std::string_view content, Examples& out) override;

 private:
  struct Feature {
    std::string_view space;
    std::size_t at, length;  // of the name in names_
    double value;
  };
  struct Group {
    std::string_view name;
    std::size_t first, last;  // in features_
  };
  using Groups = std::vector<const Group*>;

  void features(const char* p, const char* end, Examples& out);
  bool interacts(std::string_view space) const;
  void gather();
  void interact(const Interaction& interaction, Examples& out);
  void choose_once(const Groups& groups, Examples& out);
  void choose(const Groups& groups, std::size_t depth, std::size_t after, std::size_t length,
              double value, Examples& out);

  std::vector<Interaction> interactions_;
  bool overlap_ = false;  // two interactions, or two places in one, can ask for the same groups
  // with interactions: the groups of the present example that take part in them, sorted by name
  std::vector<Feature> features_;
  std::vector<Group> groups_;
  std::set<Groups> chosen_;  // if they overlap
  std::string names_, joined_;
};

}  // namespace regretless::text
