// Reads runs of plain numbers, the bulk of large files, several at a time.
//
// A processor cannot predict where a loop over the characters of a number ends. Here all bytes that
// are not digits are found first, in blocks. Then the limits of numbers are known, and the
// processor works on several of them at once.
#pragma once
#include "text/examples.hpp"

namespace regretless::text {

// Adds the features at p, such as `123:-0.5` or, if they may be `bare`, `123`, each value times
// `scale`. It stops at anything but columns of up to eight digits and decimals of up to fifteen,
// with single blanks between them, and returns that place. It may read bytes up to `limit`, beyond
// the end of the line; the byte at `end` is not a digit.
const char* plain_columns(const char* p, const char* end, const char* limit, double scale,
                          bool bare, Examples& out);

// Reads at most `most` decimals of up to fifteen digits, each followed by `delimiter` or `end`.
// Returns how many there were; p is then behind the last of them, at its delimiter.
std::size_t plain_numbers(const char*& p, const char* end, const char* limit, char delimiter,
                          double* out, std::size_t most);

}  // namespace regretless::text
