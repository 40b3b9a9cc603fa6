// Checks that there is memory for a table before it is allocated.
#pragma once
#include <cstddef>
#include <new>
#include <string>

namespace regretless {

// A table of features and models does not fit. In Python a MemoryError.
class NoRoom : public std::bad_alloc {
 public:
  NoRoom(std::size_t rows, int lanes, std::size_t bytes, std::size_t available);
  const char* what() const noexcept override { return text_.c_str(); }

 private:
  std::string text_;
};

// The bytes that the machine, the process's control group and its limits leave.
std::size_t memory_available();

// Throws NoRoom if so many bytes, for a table of rows x lanes, are not available.
void check_memory(std::size_t rows, int lanes, std::size_t bytes);

}  // namespace regretless
