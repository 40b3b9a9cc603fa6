// NumPy arrays in and out.
#pragma once
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

namespace regretless {

template <class T>
using AnyVector =
    nanobind::ndarray<const T, nanobind::ndim<1>, nanobind::c_contig, nanobind::device::cpu>;
// The same, where a T may lie: a view of bytes can begin anywhere, and is not taken as it is.
template <class T>
struct Vector : AnyVector<T> {
  Vector() = default;
  Vector(AnyVector<T>&& any) : AnyVector<T>(std::move(any)) {}
};

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

template <class T>
struct nanobind::detail::type_caster<regretless::Vector<T>> {
  using Any = make_caster<regretless::AnyVector<T>>;
  NB_TYPE_CASTER(regretless::Vector<T>, Any::Name)
  template <class Flags>
  bool from_python(handle from, Flags flags, cleanup_list* cleanup) noexcept {
    Any any;
    if (!any.from_python(from, flags, cleanup)) return false;
    value = regretless::Vector<T>(std::move(any.value));
    return reinterpret_cast<std::uintptr_t>(value.data()) % alignof(T) == 0;
  }
  static handle from_cpp(const regretless::Vector<T>& v, rv_policy policy, cleanup_list* cleanup) {
    return Any::from_cpp(v, policy, cleanup);
  }
};
