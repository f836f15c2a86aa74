// SPDX-License-Identifier: BSD-3-Clause
// Turns failed allocations into Error out_of_memory.
#pragma once

#include <new>
#include <stdexcept>
#include <string>

#include "gpz/error.hpp"

namespace gpz::format {

// Calls f(). Throws error() if f() runs out of memory, or allocates a vector of impossible length.
template <class F, class MakeError>
auto in_memory(F &&f, MakeError &&error) -> decltype(f()) {
  try {
    return f();
  } catch (const std::bad_alloc &) {
  } catch (const std::length_error &) {
  }
  throw error();
}

// `verb`: the operation that failed, "compress", "decompress", ...
inline Error no_memory(const char *verb, std::uint64_t particles) {
  return {Status::out_of_memory, "no memory to " + std::string(verb) + " " + std::to_string(particles) + " particles"};
}

}  // namespace gpz::format
