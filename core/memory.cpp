#include "memory.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <limits>
#ifdef __linux__
#include <sys/resource.h>
#include <unistd.h>
#endif

namespace regretless {

namespace {

constexpr std::size_t kAll = std::numeric_limits<std::size_t>::max();

[[maybe_unused]] std::size_t less(std::size_t a, std::size_t b) { return a > b ? a - b : 0; }

// The number in a file, alone or after a word. Anything else ("max") means no limit.
[[maybe_unused]] std::size_t number_in(const std::string& path, const std::string& word = "") {
  std::ifstream file(path);
  std::string each;
  while (!word.empty() && file >> each && each != word) {
  }
  std::uint64_t number = 0;
  return file >> number ? std::size_t(number) : kAll;
}

// A limit of the control group minus its use, without the cache of files.
[[maybe_unused]] std::size_t left_by_group(const std::string& folder, const char* limit,
                                           const char* usage, const char* files) {
  const std::size_t most = number_in(folder + limit), used = number_in(folder + usage);
  if (most == kAll || used == kAll) return kAll;
  const std::size_t idle = number_in(folder + "/memory.stat", files);
  return less(most, idle == kAll ? used : less(used, idle));
}

std::string gigabytes(std::size_t bytes) {
  char text[32];
  std::snprintf(text, sizeof(text), "%.1f GB", double(bytes) / 1e9);
  return text;
}

}  // namespace

std::size_t memory_available() {
#ifdef __linux__
  std::size_t left = number_in("/proc/meminfo", "MemAvailable:");
  if (left != kAll) left *= 1024;
  const std::string v2 = "/sys/fs/cgroup", v1 = "/sys/fs/cgroup/memory";
  left = std::min(left, left_by_group(v2, "/memory.max", "/memory.current", "inactive_file"));
  left = std::min(left, left_by_group(v1, "/memory.limit_in_bytes", "/memory.usage_in_bytes",
                                      "total_inactive_file"));
  rlimit space{};
  if (getrlimit(RLIMIT_AS, &space) == 0 && space.rlim_cur != RLIM_INFINITY) {
    const std::size_t pages = number_in("/proc/self/statm");
    const std::size_t used = pages == kAll ? 0 : pages * std::size_t(sysconf(_SC_PAGESIZE));
    left = std::min(left, less(std::size_t(space.rlim_cur), used));
  }
  return left;
#else
  return kAll;
#endif
}

void check_memory(std::size_t rows, int lanes, std::size_t bytes) {
  if (bytes < std::size_t(64) << 20) return;  // asking takes as long as filling it
  const std::size_t available = memory_available();
  if (bytes > available) throw NoRoom(rows, lanes, bytes, available);
}

NoRoom::NoRoom(std::size_t rows, int lanes, std::size_t bytes, std::size_t available)
    : text_("a table of " + std::to_string(rows) + " features x " + std::to_string(lanes) +
            (lanes == 1 ? " model" : " models") + " needs " + gigabytes(bytes) +
            " of memory, and " + gigabytes(available) +
            " are available; use fewer labels, or features='hashed' with fewer bits") {}

}  // namespace regretless
