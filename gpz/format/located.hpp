// SPDX-License-Identifier: BSD-3-Clause
// Errors of parts of a chunk, which know their place in the part at most.
#pragma once

#include <cstdint>
#include <utility>

#include "gpz/error.hpp"

namespace gpz::format {

// Calls f(), for a part that begins at `offset`: its errors leave with their position in the whole.
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
