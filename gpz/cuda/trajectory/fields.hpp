// SPDX-License-Identifier: BSD-3-Clause
// Steps over one field of a trajectory in device memory, in addition to those of difference.hpp. Everything is queued
// on the caller's stream; nothing is allocated, nothing waits.
#pragma once

#include <cstdint>

#include "gpz/cuda/difference/difference.hpp"

namespace gpz::cuda {

// n integers of either size to 64 bits.
void load_integers(const ConstArray &array, std::uint64_t n, std::int64_t *out, Stream stream);

// n integers as they are in the caller's array, 4 or 8 bytes each, to an array without gaps; and whether others are
// different: *changed (device memory) becomes 1 then, and is left alone otherwise.
void copy_integers(const ConstArray &array, std::uint64_t n, void *out, Stream stream);
void compare_copies(const ConstArray &array, const void *copy, std::uint64_t n, std::uint32_t *changed, Stream stream);

// *changed (device memory) becomes 1 if one of these integers is not what the state has, and is left alone otherwise.
void compare_integers(const DeviceValues &values, const DeviceDifferenceState &state, std::uint32_t *changed,
                      Stream stream);

// Keys (core::key_of) of n floats, component d to last[d], and *changed as above (nullptr: not wanted); nothing if
// *cancelled (device memory) is not 0.
void follow_keys(const DeviceValues &values, std::uint64_t n, int components, std::int64_t *const *last,
                 std::uint32_t *changed, Stream stream, const std::uint32_t *cancelled = nullptr);

// to[i] = from[kept[i]].
void keep_integers(const std::int64_t *from, const std::uint32_t *kept, std::uint64_t count, std::int64_t *to,
                   Stream stream);

void add_crossings(std::int32_t *last, const std::int8_t *crossings, std::uint64_t n, Stream stream);
void add_crossings(std::int64_t *last, const std::int8_t *crossings, std::uint64_t n, Stream stream);

}  // namespace gpz::cuda
