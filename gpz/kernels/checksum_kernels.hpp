// SPDX-License-Identifier: BSD-3-Clause
// XXH3 of many bytes, compiled once for each instruction set (gpz/kernels/kernels.hpp).
#pragma once

#include <cstddef>
#include <cstdint>

namespace gpz::cpu {

constexpr std::size_t checksum_block = 1024;
constexpr std::size_t checksum_lanes = 8;
constexpr std::size_t checksum_tail = 64;

struct ChecksumKernels {
  // Goes on with a checksum; `state` is an XXH3_state_t, which is the same for all instruction sets.
  void (*add)(void *state, const void *bytes, std::size_t size);
  // Blocks of checksum_block bytes, in any order: checksum_lanes numbers of each.
  void (*sum)(const void *bytes, std::size_t blocks, std::uint64_t *sums);
  // Goes on with a checksum by blocks of which there are only the sums. So far it has whole blocks only, and at least
  // checksum_tail bytes will follow.
  void (*add_sums)(void *state, const std::uint64_t *sums, std::size_t blocks);
};

namespace GPZ_ISA {
extern const ChecksumKernels checksum_kernels;
}

}  // namespace gpz::cpu
