// Vowpal Wabbit's text: `label importance base 'tag |namespace:scale name:value name |...`.
//
// All but the bar may be left out. A feature of a namespace is named "namespace|name", one of the
// nameless namespace just "name". An interaction of namespaces has a feature for every choice of
// one feature from each, "a|x * b|y", whose value is the product. Bars and blanks stand in no name,
// so that different features have different names. Every choice is made once, also if a namespace
// stands twice in an interaction or several interactions ask for it.
#pragma once
#include <set>
#include <vector>

#include "text/parser.hpp"

namespace regretless::text {

class VwParser : public Parser {
 public:
  // The namespaces of an interaction: a single character stands for all that begin with it, ':' for
  // all there are.
  using Interaction = std::vector<std::string>;
  static constexpr std::size_t kMostFeatures = 10'000'000;  // of a line with its interactions

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
  // of the example at hand, when there are interactions: what takes part in them, sorted by name
  std::vector<Feature> features_;
  std::vector<Group> groups_;
  std::set<Groups> chosen_;  // if they overlap
  std::string names_, joined_;
};

}  // namespace regretless::text
