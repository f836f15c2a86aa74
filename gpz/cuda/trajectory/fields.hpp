// SPDX-License-Identifier: BSD-3-Clause
// Operations on one field of a trajectory in device memory, in addition to those of difference.hpp. All work is queued
// on the caller's stream, without allocating or waiting.
#pragma once

#include <cstdint>

#include "gpz/cuda/difference/difference.hpp"

namespace gpz::cuda {

// Converts n integers of 32 or 64 bits to 64 bits; element i is that of row rows[i], or i if `rows` is null.
void load_integers(const ConstArray &array, const int *rows, std::uint64_t n, std::int64_t *out, Stream stream);

// Copies n integers of the caller's array, 4 or 8 bytes each, to a contiguous array. compare_copies sets *changed
// (device memory) to 1 if the integers differ from such a copy, and leaves it alone otherwise.
void copy_integers(const ConstArray &array, std::uint64_t n, void *out, Stream stream);
void compare_copies(const ConstArray &array, const void *copy, std::uint64_t n, std::uint32_t *changed, Stream stream);

// Sets *changed (device memory) to 1 if an integer differs from the state, and leaves it alone otherwise.
void compare_integers(const DeviceValues &values, const DeviceDifferenceState &state, std::uint32_t *changed,
                      Stream stream);

// Stores the keys (core::key_of) of n floats, component d in last[d], and sets *changed as above (null: not wanted).
// Does nothing if *cancelled (device memory) is not 0.
void follow_keys(const DeviceValues &values, std::uint64_t n, int components, std::int64_t *const *last,
                 std::uint32_t *changed, Stream stream, const std::uint32_t *cancelled = nullptr);

// to[i] = from[kept[i]].
void keep_integers(const std::int64_t *from, const std::uint32_t *kept, std::uint64_t count, std::int64_t *to,
                   Stream stream);

void add_crossings(std::int32_t *last, const std::int8_t *crossings, std::uint64_t n, Stream stream);
void add_crossings(std::int64_t *last, const std::int8_t *crossings, std::uint64_t n, Stream stream);

}  // namespace gpz::cuda
