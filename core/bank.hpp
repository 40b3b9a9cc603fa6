// The bank: a table with a row per feature and a lane per model. Everything a learner keeps about a
// feature (weight, state of the update rule, audit of the certificate) lies in that feature's row,
// so that one cache miss brings all of it.
//
//   row:  [ doubles: slot 0 lanes | ... ][ floats: slot 0 lanes | ... ][ what all lanes share ]
//
// In double precision what is called floats here, and what lanes share, are doubles, too.
#pragma once
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <utility>
#include <vector>
#ifdef __linux__
#include <sys/mman.h>
#endif

#include "memory.hpp"
#include "real.hpp"

namespace regretless {

// Features, targets and importance weights beyond this are refused: squares and sums of them must
// stay within the range of floats. Weights below the inverse count as 0.
inline constexpr double kLargestValue = 1e19, kSmallestWeight = 1e-19;

// One sparse example: rows of the bank, no row twice, and values. In a prediction an unknown
// feature keeps its place: it has the value 0 and the row of the intercept.
struct Example {
  const std::uint32_t* rows;
  const Real* values;
  std::size_t size;
};

struct Layout {
  int lanes = 1;    // models in use
  int width = 1;    // lanes laid out, a multiple of the vector block; some may not be in use yet
  int doubles = 0;  // double slots per lane
  int floats = 1;   // float slots per lane
  int shared = 0;   // further floats per row, shared by its lanes
  std::size_t stride{};  // words of four bytes from one row to the next; numbers, for the kernels
  int words = 1;         // of a number: 2 in double precision

  // A single lane has rows of width 1, unless the rule knows only blocks. `room` is the number of
  // lanes to lay out for later.
  static Layout of(int lanes, int doubles, int floats, int shared = 0, bool blocks = false,
                   int room = 0, int words = 1) {
    const int most = std::max(lanes, room), width = most == 1 && !blocks ? 1 : (most + 3) / 4 * 4;
    Layout l{lanes, width, doubles, floats, shared, 0, words};
    const std::size_t used = std::size_t(l.width) * (2 * doubles + words * floats) + words * shared;
    // A short row is a power of two (it never straddles two cache lines), a long one whole lines.
    std::size_t stride = std::size_t(words);
    while (stride < used && stride < 16) stride *= 2;
    l.stride = used <= 16 ? stride : (used + 15) / 16 * 16;
    return l;
  }
  // The lanes that loops go over: those in use, rounded up to whole blocks.
  int active() const { return width == 1 ? 1 : (lanes + 3) / 4 * 4; }
  // As the kernels count: in numbers.
  std::size_t float_offset() const { return kPerDouble * std::size_t(width) * doubles; }
  std::size_t shared_offset() const { return std::size_t(width) * (kPerDouble * doubles + floats); }
  Layout in_numbers() const {
    Layout l = *this;
    l.stride /= std::size_t(words);
    return l;
  }
  // The same, whatever the words of a number.
  std::size_t first_number() const { return 2 / words * std::size_t(width) * doubles; }
  std::size_t first_shared() const { return first_number() + std::size_t(width) * floats; }
};

class Bank {
 public:
  explicit Bank(Layout layout = {}) : layout_(layout) {}
  Bank(const Bank& other) : layout_(other.layout_) {
    resize(other.rows_);
    for (std::size_t i = 0; i < rows_; ++i)  // rows of zeros are not written: no memory
      if (other.touched(i)) std::memcpy(row(i), other.row(i), bytes(1));
  }
  Bank(Bank&& other) noexcept { swap(other); }
  Bank& operator=(Bank other) noexcept {
    swap(other);
    return *this;
  }
  ~Bank() { std::free(raw_); }

  const Layout& layout() const { return layout_; }
  std::size_t rows() const { return rows_; }
  std::size_t bytes(std::size_t rows) const { return rows * layout_.stride * sizeof(float); }
  float* data() { return data_; }
  const float* data() const { return data_; }
  float* row(std::size_t i) { return data_ + i * layout_.stride; }
  const float* row(std::size_t i) const { return data_ + i * layout_.stride; }
  double* doubles(std::size_t i, int slot) {
    return reinterpret_cast<double*>(row(i)) + std::size_t(slot) * layout_.width;
  }
  float* floats(std::size_t i, int slot) { return numbers<float>(i, slot); }
  // The same for a layout whose numbers are of this type.
  template <class Number>
  Number* numbers(std::size_t i, int slot) {
    return reinterpret_cast<Number*>(row(i)) + layout_.first_number() +
           std::size_t(slot) * layout_.width;
  }

  bool touched(std::size_t i) const { return any(row(i), layout_.stride); }

  // Takes lanes into use that are laid out. They are zero.
  void use(int lanes) { layout_.lanes = lanes; }

  // New rows are zero. Growth is geometric; calloc leaves untouched pages of a hashed bank unused.
  // Throws NoRoom and changes nothing if there is too little memory.
  void resize(std::size_t rows) {
    if (rows > capacity_) {
      const std::size_t capacity = rows_ == 0 ? rows : std::size_t(double(rows) * 1.5) + 16;
      if (rows_) check_memory(rows, layout_.lanes, bytes(capacity));
      const std::size_t align = bytes(capacity) < kHugePage ? kCacheLine : kHugePage;
      const std::size_t size = (bytes(capacity) + align - 1) / align * align;
      void* raw = std::calloc(size + align, 1);
      if (!raw) throw NoRoom(rows, layout_.lanes, size, memory_available());
      const auto address = reinterpret_cast<std::uintptr_t>(raw);
      auto* fresh = reinterpret_cast<float*>((address + align - 1) / align * align);
#ifdef __linux__  // otherwise the first pass over a large bank has a page fault per example
      if (align == kHugePage) madvise(fresh, size, MADV_HUGEPAGE);
#endif
      if (rows_) std::memcpy(fresh, data_, bytes(rows_));
      std::free(raw_);
      raw_ = raw;
      data_ = fresh;
      capacity_ = capacity;
    } else if (rows < rows_) {
      std::memset(data_ + rows * layout_.stride, 0, bytes(rows_ - rows));
    }
    rows_ = rows;
  }

  // Lays the rows out anew: move(from, to) fills a row of zeros from the old row. Narrower rows
  // take the place of the wide ones. Rows of zeros are not written to, so they cost no memory.
  template <class F>
  void change(const Layout& layout, F move) {
    if (layout.stride > layout_.stride || !rows_) {
      Bank fresh(layout);
      fresh.resize(rows_);
      for (std::size_t i = 0; i < rows_; ++i)
        if (any(row(i), layout_.stride)) move(row(i), fresh.row(i));
      swap(fresh);
      return;
    }
    const std::size_t wide = layout_.stride, narrow = layout.stride;
    std::vector<double> old((wide + 1) / 2);  // doubles come first in a row
    auto* from = reinterpret_cast<float*>(old.data());
    for (std::size_t i = 0; i < rows_; ++i) {
      const bool used = any(data_ + i * wide, wide);
      if (!used && narrow == wide) continue;
      std::memcpy(from, data_ + i * wide, wide * sizeof(float));
      clear(data_ + i * narrow, narrow);
      if (used) move(from, data_ + i * narrow);
    }
    for (std::size_t at = rows_ * narrow; at < rows_ * wide; at += narrow)
      clear(data_ + at, std::min(narrow, rows_ * wide - at));
    capacity_ = capacity_ * wide / narrow;
    layout_ = layout;
  }

 private:
  // Whether a row has anything but zeros, -0 being something: all of its bits at once, for a hashed
  // bank has many rows and few that are used.
  static bool any(const float* row, std::size_t size) {
    std::uint32_t bits = 0;
    for (std::size_t k = 0; k < size; ++k) bits |= std::bit_cast<std::uint32_t>(row[k]);
    return bits != 0;
  }
  static void clear(float* row, std::size_t size) {
    if (any(row, size)) std::memset(row, 0, size * sizeof(float));
  }
  static constexpr std::size_t kCacheLine = 64, kHugePage = std::size_t(2) << 20;
  void swap(Bank& other) noexcept {
    std::swap(layout_, other.layout_);
    std::swap(raw_, other.raw_);
    std::swap(data_, other.data_);
    std::swap(rows_, other.rows_);
    std::swap(capacity_, other.capacity_);
  }

  Layout layout_;
  void* raw_ = nullptr;
  float* data_ = nullptr;
  std::size_t rows_ = 0, capacity_ = 0;
};

}  // namespace regretless
