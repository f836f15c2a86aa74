// SPDX-License-Identifier: BSD-3-Clause
// Memory used by columns.
#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include "gpz/format/budget.hpp"

namespace gpz::codec {

namespace memory {

template <typename T>
std::size_t of(const format::Column<T> &column) {
  return column.capacity() * sizeof(T);
}
template <typename T>
std::size_t of(const std::vector<T> &elements) {
  return elements.capacity() * sizeof(T);
}
template <typename T>
std::size_t of(const std::vector<format::Column<T>> &columns) {
  std::size_t bytes = columns.capacity() * sizeof(format::Column<T>);
  for (const auto &column : columns) bytes += of(column);
  return bytes;
}
template <typename T, std::size_t N>
std::size_t of(const std::array<format::Column<T>, N> &columns) {
  std::size_t bytes = 0;
  for (const auto &column : columns) bytes += of(column);
  return bytes;
}

}  // namespace memory

// Bytes used by columns, vectors, and arrays and vectors of columns.
template <typename... Columns>
std::size_t memory_of(const Columns &...columns) {
  return (std::size_t{0} + ... + memory::of(columns));
}

}  // namespace gpz::codec
