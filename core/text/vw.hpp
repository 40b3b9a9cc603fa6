// Vowpal Wabbit's text: `label importance base 'tag |namespace:scale name:value name |...`.
//
// All but the bar may be left out. A feature of a namespace is named "namespace^name", one of the
// nameless namespace just "name". An interaction of namespaces has a feature for every choice of
// one feature from each, "a^x*b^y", whose value is the product; a namespace that stands twice in it
// gives every pair once.
#pragma once
#include <vector>

#include "text/parser.hpp"

namespace regretless::text {

class VwParser : public Parser {
 public:
  // The namespaces of an interaction: a single character stands for all that begin with it, ':' for
  // all there are.
  using Interaction = std::vector<std::string>;
  static constexpr std::size_t kMostFeatures = 10'000'000;  // of a line with its interactions

  VwParser(Options options, std::vector<Interaction> interactions)
      : Parser(options), interactions_(std::move(interactions)) {}

 protected:
  void record(std::string_view content, Examples& out) override;

 private:
  struct Feature {
    std::size_t at, length;  // of the name in names_
    double value;
  };
  struct Group {
    std::string_view name;
    std::size_t first, last;  // in features_
  };

  void features(const char* p, const char* end, Examples& out);
  void interact(const Interaction& interaction, Examples& out);
  void choose(const std::vector<const Group*>& groups, std::size_t depth, std::size_t after,
              std::size_t length, double value, Examples& out);

  std::vector<Interaction> interactions_;
  // of the example at hand, kept when there are interactions
  std::vector<Feature> features_;
  std::vector<Group> groups_;
  std::string names_, joined_;
};

}  // namespace regretless::text
