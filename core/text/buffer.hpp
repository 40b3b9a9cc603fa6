// A vector with an unchecked push_back: room is made before.
//
// The pieces of a stream need buffers of the same few sizes again and again, allocated by one
// thread and released by another. Memory goes back to a small store instead of to the system, which
// would clear every page anew.
#pragma once
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdlib>
#include <mutex>
#include <new>
#include <utility>

namespace regretless::text {

class Store {
 public:
  struct Block {
    void* data = nullptr;
    std::size_t size = 0;
  };
  static Block take(std::size_t size) {
    if (size >= kSmallest) {
      const std::lock_guard lock(mutex());
      for (Block& block : blocks())
        if (block.size >= size && block.size <= 4 * size) return std::exchange(block, {});
    }
    void* data = std::malloc(size);
    if (!data) throw std::bad_alloc();
    return {data, size};
  }
  static void give(Block block) {
    if (block.size >= kSmallest && block.size <= kLargest) {
      const std::lock_guard lock(mutex());
      for (Block& place : blocks())
        if (!place.data) {
          place = block;
          return;
        }
    }
    std::free(block.data);
  }

 private:
  static constexpr std::size_t kSmallest = 1u << 16, kLargest = 1u << 23;
  static std::mutex& mutex() {
    static std::mutex one;
    return one;
  }
  static std::array<Block, 24>& blocks() {  // never freed: threads may still use it at exit
    static auto* all = new std::array<Block, 24>();
    return *all;
  }
};

template <class T>
class Buffer {
 public:
  Buffer() = default;
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;
  ~Buffer() { Store::give(block_); }

  std::size_t size() const { return size_; }
  const T* data() const { return static_cast<const T*>(block_.data); }
  const T& operator[](std::size_t i) const { return data()[i]; }
  void make_room(std::size_t more) {
    if (size_ + more <= capacity_) return;
    const std::size_t wanted = std::max(size_ + more, 2 * capacity_);
    const Store::Block fresh = Store::take(wanted * sizeof(T));
    std::copy(data(), data() + size_, static_cast<T*>(fresh.data));
    Store::give(block_);
    block_ = fresh;
    capacity_ = fresh.size / sizeof(T);
  }
  void push_back(T value) { static_cast<T*>(block_.data)[size_++] = value; }
  T* next() { return static_cast<T*>(block_.data) + size_; }  // where push_back writes
  void resize(std::size_t size) { size_ = size; }             // at most the room that was made

 private:
  Store::Block block_;
  std::size_t size_ = 0, capacity_ = 0;
};

}  // namespace regretless::text
