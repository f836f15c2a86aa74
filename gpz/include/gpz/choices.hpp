// SPDX-License-Identifier: BSD-3-Clause
// The names of orders and efforts in options of programs, and the largest number of threads. dump gpz, the command and
// the Python package take them from here.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>

#include "gpz/trajectory.hpp"

namespace gpz {

// Whether a path names a .gpz file where programs go by the name: rerun, read_dump and gpz convert. The others look at
// the bytes.
inline bool is_gpz_name(const std::string &path) {
  constexpr char ending[] = ".gpz";
  constexpr std::size_t size = sizeof ending - 1;
  if (path.size() < size) return false;
  for (std::size_t k = 0; k < size; ++k) {
    const char letter = path[path.size() - size + k];
    if (letter != ending[k] && letter != (k == 0 ? '.' : ending[k] - 'a' + 'A')) return false;
  }
  return true;
}

// The largest number of threads that programs take: a larger one is a mistake.
inline constexpr int max_threads = 4096;

template <typename T>
struct Named {
  const char *name;
  T value;
};

inline constexpr std::array<Named<Order>, 4> order_names = {
    {{"auto", Order::automatic}, {"id", Order::id}, {"place", Order::place}, {"memory", Order::memory}}};
// From the fastest to the smallest files.
inline constexpr std::array<Named<Effort>, 3> effort_names = {
    {{"fast", Effort::fast}, {"standard", Effort::standard}, {"dense", Effort::dense}}};

// The value with this name; nothing if there is none.
template <typename T, std::size_t count>
inline std::optional<T> value_of(const std::array<Named<T>, count> &names, const std::string &name) {
  for (const Named<T> &named : names)
    if (name == named.name) return named.value;
  return std::nullopt;
}

// The name of a value that the table has.
template <typename T, std::size_t count>
constexpr const char *name_of(const std::array<Named<T>, count> &names, T value) {
  for (const Named<T> &named : names)
    if (named.value == value) return named.name;
  return "";
}

// For messages: "fast, standard or dense".
template <typename T, std::size_t count>
inline std::string listed(const std::array<Named<T>, count> &names) {
  std::string text;
  for (std::size_t n = 0; n < count; ++n)
    text += (n == 0 ? "" : n + 1 == count ? " or " : ", ") + std::string(names[n].name);
  return text;
}

}  // namespace gpz
