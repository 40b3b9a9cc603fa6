// What all text formats share: a stream of bytes is cut into records with line numbers, and bad
// records are skipped or refused.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>

#include "text/examples.hpp"

namespace regretless::text {

class Parser {
 public:
  struct Options {
    bool skip_bad = false;     // count bad records and go on
    bool need_labels = false;  // a record without a label is bad
  };
  // A longer record is an error: something is wrong with the file, and memory stays bounded.
  static constexpr std::size_t kLongest = std::size_t(16) << 20;

  explicit Parser(Options options) : options_(options) {}
  virtual ~Parser() = default;

  // Adds the complete records of `piece` to `out` and returns how many bytes they took. Unless this
  // is the `last` piece, the caller passes the rest again, with more. If a record is bad it throws
  // std::invalid_argument "line 7: ..."; the records before it have been added.
  std::size_t parse(std::string_view piece, bool last, Examples& out);

  std::int64_t line() const { return line_; }        // of the next record, counted from 1
  std::int64_t skipped() const { return skipped_; }  // bad records
  // The kind of labels so far, for formats that do not fix it: none yet, number or text.
  enum class Kind : std::uint8_t { none, number, text };
  virtual Kind labels() const { return Kind::none; }
  virtual void go_on_at(std::int64_t line, Kind labels) {
    (void)labels;
    line_ = line, started_ = true;
  }

 protected:
  const Options& options() const { return options_; }
  // How far beyond the end of a record bytes may be read.
  const char* limit() const { return limit_; }
  // Called before the records of a piece.
  virtual void begin(Examples&) {}
  // Reads one record, without its end of line. If it throws Malformed the example is dropped.
  virtual void record(std::string_view content, Examples& out) = 0;
  // The end (the '\n') of the record that begins at `from`; npos if it is not in `piece`. `lines`
  // counts the line ends within the record.
  virtual std::size_t end_of_record(std::string_view piece, std::size_t from, std::int64_t& lines) {
    (void)lines;
    return piece.find('\n', from);
  }

 private:
  void take(std::string_view content, bool may_be_damaged, Examples& out);
  [[noreturn]] void fail(const std::string& what) const;

  Options options_;
  const char* limit_ = nullptr;
  std::int64_t line_ = 1, skipped_ = 0;
  bool started_ = false;   // past the byte-order mark
  bool too_long_ = false;  // in the middle of a record that is being skipped
};

}  // namespace regretless::text
