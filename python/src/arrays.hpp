// SPDX-License-Identifier: BSD-3-Clause
// NumPy arrays as the arrays of the C++ API, without a copy.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

#include "gpz/frame.hpp"
#include "gpz/reader.hpp"

namespace gpz::python {

// A NumPy array that takes over the values.
template <class T>
nanobind::object array_of(std::vector<T> values) {
  auto kept = std::make_unique<std::vector<T>>(std::move(values));
  std::vector<T> *data = kept.release();
  const nanobind::capsule owner(data, [](void *pointer) noexcept { delete static_cast<std::vector<T> *>(pointer); });
  return nanobind::cast(nanobind::ndarray<nanobind::numpy, T, nanobind::ndim<1>>(data->data(), {data->size()}, owner));
}

// The type of the elements of an array. Throws type_error for other types.
ConstArray::Type type_of(nanobind::dlpack::dtype type);

// (N,) arrays for columns by their names, in which they have room for `capacity` elements each. The caller keeps them.
// Throws type_error for what is no array of int32, int64, float32 or float64 in the byte order of the machine.
std::vector<ColumnOutput> outputs(const nanobind::list &names, const nanobind::list &arrays, std::size_t &capacity);

// An (N,) array to read from; `particles` receives its size. Throws as outputs.
ConstArray input(const nanobind::handle &array, std::size_t &particles);

}  // namespace gpz::python
