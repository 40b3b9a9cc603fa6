// NumPy arrays in and out, and the names that their types have in signatures and in the stub.
#pragma once
#include <nanobind/ndarray.h>

#include <algorithm>
#include <cstdint>
#include <type_traits>
#include <utility>
#include <vector>

#include "casters.hpp"

namespace regretless {

// An array whose data is aligned for its numbers. A view of bytes can begin anywhere: it is
// refused.
template <class Array>
struct Aligned : Array {
  Aligned() = default;
  Aligned(Array&& any) : Array(std::move(any)) {}
};
template <class T>
using Vector = Aligned<
    nanobind::ndarray<const T, nanobind::ndim<1>, nanobind::c_contig, nanobind::device::cpu>>;

// A float, an int or a NumPy double, but not another object that could be converted to a number.
struct Plain {
  double value = 0.0;
  operator double() const { return value; }
};

// An object that signatures show as a NumPy array of T. An argument of this type is any object: it
// is cast to a Vector where it is used.
template <class T>
class Array : public nanobind::object {
 public:
  static constexpr auto Name = nanobind::detail::const_name("ndarray[dtype=") +
                               nanobind::detail::dtype_traits<T>::name +
                               nanobind::detail::const_name("]");
  using object::object;
  using object::operator=;
  Array(nanobind::object any) : object(std::move(any)) {}
};
class AnyArray : public nanobind::object {
 public:
  static constexpr auto Name = nanobind::detail::const_name("numpy.typing.NDArray[typing.Any]");
  using object::object;
  using object::operator=;
  AnyArray(nanobind::object any) : object(std::move(any)) {}
};
class Any : public nanobind::object {
 public:
  static constexpr auto Name = nanobind::detail::const_name("typing.Any");
  using object::object;
  using object::operator=;
  Any(nanobind::object any) : object(std::move(any)) {}
};
template <class... T>
using TupleOf = nanobind::typed<nanobind::tuple, T...>;
template <class T>
using ListOf = nanobind::typed<nanobind::list, T>;
template <class T>
using Named = nanobind::typed<nanobind::dict, nanobind::str, T>;  // a dict by name
using Options = Named<Any>;

template <class T>
Array<T> array_of(const T* data, std::size_t size) {
  auto* copy = new T[size ? size : 1];
  std::copy(data, data + size, copy);
  nanobind::capsule owner(copy, [](void* p) noexcept { delete[] static_cast<T*>(p); });
  return nanobind::cast(
      nanobind::ndarray<nanobind::numpy, T, nanobind::ndim<1>>(copy, {size}, owner));
}
template <class T>
Array<T> array_of(const std::vector<T>& v) {
  return array_of(v.data(), v.size());
}

}  // namespace regretless

template <class Array>
struct nanobind::detail::type_caster<regretless::Aligned<Array>> {
  using Any = make_caster<Array>;
  using Number = std::remove_const_t<typename Array::Scalar>;
  NB_TYPE_CASTER(regretless::Aligned<Array>, regretless::Array<Number>::Name)
  template <class Flags>
  bool from_python(handle from, Flags flags, cleanup_list* cleanup) noexcept {
    Any any;
    if (!any.from_python(from, flags, cleanup)) return false;
    value = regretless::Aligned<Array>(std::move(any.value));
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
