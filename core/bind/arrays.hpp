// NumPy arrays in and out.
#pragma once
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <algorithm>
#include <vector>

namespace regretless {

template <class T>
using Vector =
    nanobind::ndarray<const T, nanobind::ndim<1>, nanobind::c_contig, nanobind::device::cpu>;

template <class T>
nanobind::object array_of(const T* data, std::size_t size) {
  auto* copy = new T[size ? size : 1];
  std::copy(data, data + size, copy);
  nanobind::capsule owner(copy, [](void* p) noexcept { delete[] static_cast<T*>(p); });
  return nanobind::cast(
      nanobind::ndarray<nanobind::numpy, T, nanobind::ndim<1>>(copy, {size}, owner));
}
template <class T>
nanobind::object array_of(const std::vector<T>& v) {
  return array_of(v.data(), v.size());
}

}  // namespace regretless
