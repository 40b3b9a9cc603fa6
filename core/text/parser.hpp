// What all text formats share: records out of a stream of bytes, one after the other, with their
// line numbers, and what happens to bad ones.
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
  // A longer record is an error: something is wrong with the file, and memory is bounded.
  static constexpr std::size_t kLongest = std::size_t(16) << 20;

  explicit Parser(Options options) : options_(options) {}
  virtual ~Parser() = default;

  // Adds the whole records of `piece` to `out` and says how many bytes they took; the rest is to be
  // given again, with more, unless this is the `last` piece. std::invalid_argument says
  // "line 7: ..." when a record is bad; the records before it have then been added.
  std::size_t parse(std::string_view piece, bool last, Examples& out);

  std::int64_t line() const { return line_; }        // of the next record, counted from 1
  std::int64_t skipped() const { return skipped_; }  // bad records
  // What labels have been until now, for formats in which every one could be another: none yet, a
  // number or a text.
  enum class Kind : std::uint8_t { none, number, text };
  virtual Kind labels() const { return Kind::none; }
  virtual void go_on_at(std::int64_t line, Kind labels) {
    (void)labels;
    line_ = line, started_ = true;
  }

 protected:
  const Options& options() const { return options_; }
  // How far beyond the end of a record bytes may be looked at.
  const char* limit() const { return limit_; }
  // Before the records of a piece.
  virtual void begin(Examples&) {}
  // One record, without its end of line. Throws Malformed; what was added is then dropped.
  virtual void record(std::string_view content, Examples& out) = 0;
  // Where the record that begins at `from` ends (its '\n'); npos if that is not in `piece`. `lines`
  // counts the ends of lines within it.
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
