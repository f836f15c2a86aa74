// SPDX-License-Identifier: BSD-3-Clause
// What readers of bytes throw when these contradict the format.
#pragma once

#include <cstdint>
#include <string>

#include "gpz/error.hpp"

namespace gpz::format {

// Throws corrupt. `position`: the byte, from the start of what the caller reads.
[[noreturn]] inline void corrupt(const std::string &cause, std::uint64_t position = Error::no_position) {
  throw Error(Status::corrupt, cause, {}, position);
}

}  // namespace gpz::format
