// The readers, for regretless.streams.
#pragma once
#include <nanobind/nanobind.h>

namespace regretless {

void bind_streams(nanobind::module_& m);

}  // namespace regretless
