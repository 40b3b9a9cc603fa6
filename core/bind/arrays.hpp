// NumPy arrays in and out.
#pragma once
#include <nanobind/ndarray.h>

#include <algorithm>
#include <cstdint>
#include <type_traits>
#include <utility>
#include <vector>

#include "casters.hpp"

namespace regretless {

// An array whose numbers lie where such numbers may: a view of bytes can begin anywhere, and is not
// taken as it is.
template <class Array>
struct Aligned : Array {
  Aligned() = default;
  Aligned(Array&& any) : Array(std::move(any)) {}
};
template <class T>
using Vector = Aligned<
    nanobind::ndarray<const T, nanobind::ndim<1>, nanobind::c_contig, nanobind::device::cpu>>;

// A number that is one of Python's, or NumPy's double, and not whatever can be made a number of.
struct Plain {
  double value = 0.0;
  operator double() const { return value; }
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

template <class Array>
struct nanobind::detail::type_caster<regretless::Aligned<Array>> {
  using Any = make_caster<Array>;
  NB_TYPE_CASTER(regretless::Aligned<Array>, Any::Name)
  template <class Flags>
  bool from_python(handle from, Flags flags, cleanup_list* cleanup) noexcept {
    Any any;
    if (!any.from_python(from, flags, cleanup)) return false;
    value = regretless::Aligned<Array>(std::move(any.value));
    using Number = std::remove_pointer_t<decltype(value.data())>;
    return reinterpret_cast<std::uintptr_t>(value.data()) % alignof(Number) == 0;
  }
  static handle from_cpp(const regretless::Aligned<Array>& a, rv_policy policy, cleanup_list* c) {
    return Any::from_cpp(a, policy, c);
  }
};

template <>
struct nanobind::detail::type_caster<regretless::Plain> {
  NB_TYPE_CASTER(regretless::Plain, const_name("float"))
  bool from_python(handle from, uint32_t, cleanup_list*) noexcept {
    if (PyFloat_Check(from.ptr())) {
      value.value = PyFloat_AS_DOUBLE(from.ptr());
      return true;
    }
    if (!PyLong_CheckExact(from.ptr())) return false;
    value.value = PyLong_AsDouble(from.ptr());
    if (value.value != -1.0 || !PyErr_Occurred()) return true;
    PyErr_Clear();  // too large for a double
    return false;
  }
};
