// Counts the checks of the core's own tests and prints those that fail. No Python is needed, so the
// tests run under the address and undefined-behaviour sanitizers.
#pragma once
#include <cstdio>
#include <string>

inline int checks = 0, failures = 0;

inline void check(bool held, const std::string& what, const char* file, int line) {
  ++checks;
  if (held) return;
  ++failures;
  std::printf("%s:%d: %s\n", file, line, what.c_str());
}
#define CHECK(condition) check((condition), #condition, __FILE__, __LINE__)

inline int outcome() {
  std::printf("%d checks, %d failures\n", checks, failures);
  return failures != 0;
}
