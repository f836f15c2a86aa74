// SPDX-License-Identifier: BSD-3-Clause
// Changes .gpz files so that the changes reach the code behind lengths and checksums.
#pragma once

#include <cstddef>
#include <cstdint>
#include <random>

namespace gpz::fuzz {

using Random = std::minstd_rand;

// Changes the file of `size` bytes in place, to at most `capacity` bytes. Returns the new size.
std::size_t mutate_file(std::uint8_t *bytes, std::size_t size, std::size_t capacity, Random &random);

// Writes to `out` the first file with a part of the second one in it. Returns its size, at most `capacity`; 0 if there
// is no room.
std::size_t cross_files(const std::uint8_t *first, std::size_t first_size, const std::uint8_t *second,
                        std::size_t second_size, std::uint8_t *out, std::size_t capacity, Random &random);

// libFuzzer's own change of a few bytes.
std::size_t mutate_bytes(std::uint8_t *bytes, std::size_t size, std::size_t capacity);

}  // namespace gpz::fuzz
