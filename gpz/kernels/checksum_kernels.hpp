// SPDX-License-Identifier: BSD-3-Clause
// XXH3 checksums, compiled once for each instruction set (gpz/kernels/kernels.hpp).
#pragma once

#include <cstddef>
#include <cstdint>

namespace gpz::codec {

constexpr std::size_t checksum_block = 1024;
constexpr std::size_t checksum_lanes = 8;
constexpr std::size_t checksum_tail = 64;

struct ChecksumKernels {
  // Updates a checksum. `state` is an XXH3_state_t, whose layout is common to all instruction sets.
  void (*add)(void *state, const void *bytes, std::size_t size);
  // Computes checksum_lanes sums for each block of checksum_block bytes. Calls may come in any order of blocks.
  void (*sum)(const void *bytes, std::size_t blocks, std::uint64_t *sums);
  // Updates a checksum from the sums of the next blocks. The state must hold whole blocks only, and at least
  // checksum_tail bytes must follow through add().
  void (*add_sums)(void *state, const std::uint64_t *sums, std::size_t blocks);
};

namespace GPZ_ISA {
extern const ChecksumKernels checksum_kernels;
}

}  // namespace gpz::codec
