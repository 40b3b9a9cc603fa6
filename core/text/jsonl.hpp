// JSON lines: one object a line, one example each.
//
// A number is a feature, a string a category ("name=string"), true and false are 1 and 0, null and
// NaN (which Python writes) are absent. Names in nested objects are joined: {"user": {"age": 30}}
// has the feature "user.age".
#pragma once
#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "text/parser.hpp"

namespace regretless::text {

class JsonlParser : public Parser {
 public:
  static constexpr int kDeepest = 64;  // objects and arrays within each other

  // Joined names; empty if there is none. An ignored value may be anything, even an array. A text
  // under a name that is numeric is an error.
  JsonlParser(Options options, std::string label, std::string weight, std::string tag,
              std::vector<std::string> ignored, std::vector<std::string> numeric = {});

  Kind labels() const override { return kind_; }
  void go_on_at(std::int64_t line, Kind labels) override {
    Parser::go_on_at(line, labels);
    kind_ = labels;
  }

 protected:
  void record(std::string_view content, Examples& out) override;

 private:
  struct Target {  // of the present example
    Kind kind = Kind::none;
    double label = 0, weight = 1;
    std::string text, tag;
  };
  struct Seen {
    std::uint64_t hash;
    std::int64_t record;
  };
  class Cursor;

  void object(Cursor& json, int depth, Examples& out);
  void feature(Cursor& json, int depth, Examples& out);
  void read_label(Cursor& json);
  void read_weight(Cursor& json);
  void read_tag(Cursor& json);
  bool stands_twice(std::string_view name);

  std::string label_, weight_, tag_;
  std::set<std::string, std::less<>> ignored_, numeric_;
  Kind kind_ = Kind::none;  // of the labels until now
  Target target_;
  std::string name_;  // joined name of the present value
  std::string unescaped_;
  // a hash table of the names of the present record; entries of earlier records count as free
  std::vector<Seen> seen_;
  std::size_t names_ = 0;
  std::int64_t record_ = 0;
};

}  // namespace regretless::text
