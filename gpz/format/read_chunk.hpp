// SPDX-License-Identifier: BSD-3-Clause
// A chunk whose bytes are fetched when they are asked for.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>

namespace gpz::format {

// Reads `size` bytes of a chunk from the byte `at` on, which are within it.
using ReadChunk = std::function<void(std::uint64_t at, std::uint8_t *bytes, std::size_t size)>;

}  // namespace gpz::format
