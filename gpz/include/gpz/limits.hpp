// SPDX-License-Identifier: BSD-3-Clause
// Limits of the memory that a reader takes (docs/decisions/0018-limits.md).
#pragma once

#include <cstdint>

#include "gpz/export.h"

namespace gpz {

// Few bytes of a file may legitimately stand for very many particles: a chunk in which all values are equal takes two
// bits for 4,096 particles. Beyond its limits a reader refuses a file instead of decoding it.
struct Limits {
  static constexpr std::uint64_t unlimited = ~std::uint64_t{0};

  // The most memory, in bytes, that a reader allocates at once for sizes that the file states: decoded values, the
  // history of difference frames, chunks, heads. Arrays of the caller do not count, nor does a Frame after the call
  // that returned it. 0: default_memory_limit(). Beyond the limit functions throw limit_exceeded before they allocate.
  std::uint64_t memory = 0;
};

// Half of the memory of this machine, or of the control group limit of the process if that is less, in bytes.
// Determined once per process; Limits::unlimited if the system does not report it.
GPZ_API std::uint64_t default_memory_limit();

}  // namespace gpz
