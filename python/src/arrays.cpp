// SPDX-License-Identifier: BSD-3-Clause
#include "arrays.hpp"

#include <algorithm>
#include <cstdint>

#include "text.hpp"

namespace nb = nanobind;

namespace gpz::python {
namespace {

constexpr const char *wrong_type =
    "arrays have one dimension and int32, int64, float32 or float64 elements in the byte order of this machine";

template <class Array>
Array array_from(const nb::handle &object) {
  Array array;
  if (!nb::try_cast(object, array)) throw nb::type_error(wrong_type);
  return array;
}

template <class Array>
std::ptrdiff_t stride_of(const Array &array) {
  return array.stride(0) * static_cast<std::ptrdiff_t>(array.itemsize());
}

}  // namespace

ConstArray::Type type_of(nb::dlpack::dtype type) {
  if (type == nb::dtype<std::int32_t>()) return ConstArray::Type::int32;
  if (type == nb::dtype<std::int64_t>()) return ConstArray::Type::int64;
  if (type == nb::dtype<float>()) return ConstArray::Type::float32;
  if (type == nb::dtype<double>()) return ConstArray::Type::float64;
  throw nb::type_error(wrong_type);
}

std::vector<ColumnOutput> outputs(const nb::list &names, const nb::list &arrays, std::size_t &capacity) {
  if (names.size() != arrays.size()) throw nb::value_error("one array for each column");
  std::vector<ColumnOutput> result;
  capacity = ~std::size_t{0};
  for (std::size_t i = 0; i < names.size(); ++i) {
    const auto array = array_from<nb::ndarray<nb::ndim<1>, nb::device::cpu>>(arrays[i]);
    result.push_back(
        {from_python(nb::cast<nb::str>(names[i])), {array.data(), stride_of(array), type_of(array.dtype())}});
    capacity = std::min(capacity, array.shape(0));
  }
  return result;
}

ConstArray input(const nb::handle &object, std::size_t &particles) {
  const auto array = array_from<nb::ndarray<nb::ro, nb::ndim<1>, nb::device::cpu>>(object);
  particles = array.shape(0);
  return {array.data(), stride_of(array), type_of(array.dtype())};
}

}  // namespace gpz::python
