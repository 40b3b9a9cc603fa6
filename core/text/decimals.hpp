// Runs of plain numbers, all there is in large files of them, read several at a time.
//
// A loop over the characters of a number ends where a processor cannot guess. Here all bytes that
// are no digits are found first, in blocks; numbers then lie between known places, and the
// processor works on several of them at once.
#pragma once
#include "text/examples.hpp"

namespace regretless::text {

// Adds the features at p, such as `123:-0.5` or `123`, each value times `scale`, as long as they
// are columns of up to eight digits and decimals of up to fifteen, with single blanks between them;
// one without a value only if it may be `bare`. Returns where something else begins. Bytes up to
// `limit`, beyond the line's `end`, may be looked at; the one at `end` is no digit.
const char* plain_columns(const char* p, const char* end, const char* limit, double scale,
                          bool bare, Examples& out);

// Reads at most `most` decimals of up to fifteen digits, each with `delimiter` or `end` behind it.
// Returns how many there were; p is then behind the last of them, at its delimiter.
std::size_t plain_numbers(const char*& p, const char* end, const char* limit, char delimiter,
                          double* out, std::size_t most);

}  // namespace regretless::text
