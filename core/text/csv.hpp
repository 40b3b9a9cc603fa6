// Comma-, tab- or otherwise separated values, quoted as in RFC 4180: one example a record.
//
// A column of numbers is a feature; a column of text has a feature for each of its texts. A missing
// value (missing.hpp) is absent.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "text/parser.hpp"

namespace regretless::text {

struct CsvColumns {
  enum Kind : std::uint8_t { number, category, label_number, label_text, weight, tag, ignored };
  char delimiter = ',';
  bool header = true;              // the first record names the columns and is not an example
  std::vector<std::string> names;  // of all columns, in order
  std::vector<Kind> kinds;
};

// What the user says about columns, by name. The rest is inferred from a sample.
struct CsvWishes {
  std::string label = {}, weight = {}, tag = {};  // empty: there is none
  std::vector<std::string> categorical = {}, numeric = {}, ignored = {};
  bool label_is_text_allowed = true;
  bool optional = false;  // a column that does not exist is ignored instead of an error
};

// The columns of a file that begins with `sample`. delimiter 0: the most frequent of , tab ; | in
// the first record.
CsvColumns infer_csv(std::string_view sample, bool sample_is_all, char delimiter, bool header,
                     const CsvWishes& wishes);

class CsvParser : public Parser {
 public:
  CsvParser(Options options, CsvColumns columns);

 protected:
  void begin(Examples& out) override;
  void record(std::string_view content, Examples& out) override;
  std::size_t end_of_record(std::string_view piece, std::size_t from, std::int64_t& lines) override;

 private:
  void check_header(std::string_view content) const;
  void read(std::string_view content, Examples& out);

  CsvColumns columns_;
  std::vector<Examples::Name> known_;  // the names of the columns in the present piece
  std::vector<std::size_t> runs_;      // columns of numbers in a row, from each column on
  bool has_label_texts_ = false;
  bool begun_ = false, header_is_due_ = false;
  std::string unquoted_;  // fields of the present record that could not be used in place
};

}  // namespace regretless::text
