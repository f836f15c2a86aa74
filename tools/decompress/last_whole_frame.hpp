// SPDX-License-Identifier: BSD-3-Clause
// Messages about inputs that end within a frame.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <string>

#include "exit_code.hpp"

namespace gpz::tool {

// The message of `failure` and, if the input ends within a frame, what is whole before it: `frames` frames, of which
// the last one ends at byte `end` (0: not known, as for a .gpz file in a pipe).
inline std::string with_last_whole_frame(const Failure &failure, std::uint64_t frames, std::uint64_t end) {
  std::string text = failure.what();
  if (failure.code() != ExitCode::truncated || frames == 0) return text;
  text += fmt::format("; the last whole frame is frame {}", frames - 1);
  if (end > 0) text += fmt::format(", which ends at byte {}", end);
  return text;
}

}  // namespace gpz::tool
