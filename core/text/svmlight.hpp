// svmlight / libsvm text: `label index:value index:value ... # comment`, one example a line.
// Columns are kept as written (libsvm counts from 1); `qid:` is read and left out.
#pragma once
#include "text/parser.hpp"

namespace regretless::text {

class SvmlightParser : public Parser {
 public:
  using Parser::Parser;

 protected:
  void record(std::string_view content, Examples& out) override;
};

}  // namespace regretless::text
