// SPDX-License-Identifier: BSD-3-Clause
// Structures and enumerations of callers, which may come from another version of gpz.h or contain invalid numbers.
// Convention (gpz.h): later versions add members at the end, with default 0, and structures end without padding
// (`reserved` fills it), because padding would count as members.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "gpz/error.hpp"

namespace gpz::c {

// Larger sizes are invalid: no structure will grow by more.
inline constexpr std::size_t max_growth = 4096;

// The size that the caller's structure states. Throws invalid_argument if no version of the structure can have it, such
// as a size that ends within a pointer. `name`: name of the structure.
template <class T>
std::size_t size_given(const T *structure, const char *name) {
  static_assert(offsetof(T, struct_size) == 0);
  if (structure == nullptr) throw Error(Status::invalid_argument, std::string(name) + ": a null pointer");
  const std::size_t size = structure->struct_size;
  if (size < sizeof(std::size_t) || size % alignof(T) != 0 || size > sizeof(T) + max_growth)
    throw Error(Status::invalid_argument, std::string(name) + ": struct_size is " + std::to_string(size) +
                                              ", which is not set: make it with the functions of gpz.h");
  return size;
}

// Copies the caller's structure, which may be of an older version, into one with every member of this version.
template <class T>
T taken(const T *from, const char *name) {
  const std::size_t size = size_given(from, name);
  const auto *bytes = reinterpret_cast<const unsigned char *>(from);
  for (std::size_t i = sizeof(T); i < size; ++i)
    if (bytes[i] != 0)
      throw Error(Status::invalid_argument,
                  std::string(name) + ": it says something that this version of gpz does not know");
  T to;
  std::memset(&to, 0, sizeof to);
  std::memcpy(&to, from, std::min(size, sizeof to));
  to.struct_size = sizeof to;
  return to;
}

// Element of an array with elements of `size` bytes.
template <class T>
T *element(T *array, std::size_t size, std::size_t i) {
  using Byte = std::conditional_t<std::is_const_v<T>, const unsigned char, unsigned char>;
  return reinterpret_cast<T *>(reinterpret_cast<Byte *>(array) + i * size);
}

template <class T>
std::vector<T> taken(const T *from, std::size_t count, const char *name) {
  std::vector<T> all;
  if (count == 0) return all;
  const std::size_t size = size_given(from, name);
  for (std::size_t i = 0; i < count; ++i) {
    const T *const one = element(from, size, i);
    if (one->struct_size != size)
      throw Error(Status::invalid_argument, std::string(name) + ": elements of one array differ in struct_size");
    all.push_back(taken(one, name));
  }
  return all;
}

// Writes the members of `value` that the caller's structure contains.
template <class T>
void give(const T &value, T *to, const char *name) {
  const std::size_t size = size_given(to, name);
  const auto *bytes = reinterpret_cast<const unsigned char *>(&value);
  std::copy(bytes + sizeof(std::size_t), bytes + std::min(size, sizeof value),
            reinterpret_cast<unsigned char *>(to) + sizeof(std::size_t));
}

// Number in a C enumeration, possibly none of its constants.
template <class E>
int number(const E &value) {
  static_assert(sizeof value == sizeof(int));
  int result;
  std::memcpy(&result, &value, sizeof result);
  return result;
}

}  // namespace gpz::c
