// SPDX-License-Identifier: BSD-3-Clause
// Errors for bytes that violate the format.
#pragma once

#include <cstdint>
#include <string>
#include <utility>

#include "gpz/error.hpp"

namespace gpz::format {

// Throws corrupt. `position`: byte offset from the start of the caller's input.
[[noreturn]] inline void corrupt(const std::string &cause, std::uint64_t position = Error::no_position) {
  throw Error(Status::corrupt, cause, {}, position);
}

// Last commits that read what left the format before version 1 was frozen: coding 9 and the first form of steps;
// coding 5, the bonds of coding 4, and the second form of steps; coding 12.
inline constexpr char molecules_left_behind[] = "3e11c2d5";
inline constexpr char bonds_left_behind[] = "5723a4f0";
inline constexpr char segments_left_behind[] = "450b42d0";

// The error of bytes that an early program wrote. `found`: what the input has at `position`; `commit` reads it.
inline Error left_the_format(const std::string &found, const std::string &commit, std::uint64_t position) {
  return {Status::unsupported_version,
          found + ", which left the format before version 1 was frozen; commit " + commit + " of gpz reads it",
          {},
          position};
}

// Calls f() for a part that begins at `offset`, and adds the offset to the position of its errors.
template <typename F>
auto located(std::uint64_t offset, F &&f) -> decltype(f()) {
  try {
    return std::forward<F>(f)();
  } catch (const Error &error) {
    const std::uint64_t inside = error.position() == Error::no_position ? 0 : error.position();
    throw Error(error.status(), error.cause(), error.file(), offset + inside, error.system_error());
  }
}

}  // namespace gpz::format
