// SPDX-License-Identifier: BSD-3-Clause
// XXH3, 64 bits, seed 0: the only checksum of the format. Only this header includes xxhash.h.
#pragma once

#include <cstddef>
#include <cstdint>

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace gpz::format {

inline std::uint64_t xxh3(const void *bytes, std::size_t size) { return XXH3_64bits(bytes, size); }

}  // namespace gpz::format
