// SPDX-License-Identifier: BSD-3-Clause
// Limits of the memory that a reader takes (docs/decisions/0018-limits.md).
#pragma once

#include <cstdint>

#include "gpz/export.h"

namespace gpz {

// Few bytes of a file may honestly stand for very many particles: a chunk in which all values are equal takes two bits
// for 4,096 of them. Limits say when a reader refuses such a file instead of decoding it.
struct Limits {
  static constexpr std::uint64_t unlimited = ~std::uint64_t{0};

  // Bytes. The most memory that a reader takes at once for what the numbers of a file ask for: decoded values, the
  // history of difference frames, chunks, heads. Arrays of the caller do not count, nor does a Frame after the call
  // that returned it. 0: default_memory_limit(). Beyond it functions throw limit_exceeded, before they take the memory.
  std::uint64_t memory = 0;
};

// Half of the memory of this machine, in bytes; of what the control groups of the process allow, where that is less.
// Found once for each process; Limits::unlimited if the system does not say.
GPZ_API std::uint64_t default_memory_limit();

}  // namespace gpz
