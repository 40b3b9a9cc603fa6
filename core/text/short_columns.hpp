// Features such as `123:0.5 `, all there is in large files of numbers, read without a loop over
// their characters.
#pragma once
#include "text/examples.hpp"

namespace regretless::text {

// Adds the features at p, each value times `scale`, as long as they are columns of up to seven
// digits and values of a few, with single blanks between them. Returns where something else begins.
const char* short_columns(const char* p, const char* end, double scale, Examples& out);

}  // namespace regretless::text
