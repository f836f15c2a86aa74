// SPDX-License-Identifier: BSD-3-Clause
// "1 frame", "2 frames".
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <string>

namespace gpz::tool {

inline std::string counted(std::uint64_t count, const char *noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

}  // namespace gpz::tool
