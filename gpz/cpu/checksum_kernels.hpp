// SPDX-License-Identifier: BSD-3-Clause
// XXH3 of many bytes, compiled once for each instruction set (gpz/cpu/kernels.hpp).
#pragma once

#include <cstddef>

namespace gpz::cpu {

struct ChecksumKernels {
  // Goes on with a checksum; `state` is an XXH3_state_t, which is the same for all instruction sets.
  void (*add)(void *state, const void *bytes, std::size_t size);
};

namespace GPZ_ISA {
extern const ChecksumKernels checksum_kernels;
}

}  // namespace gpz::cpu
