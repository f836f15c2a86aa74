// SPDX-License-Identifier: BSD-3-Clause
#include "gpz/cpu/checksum_kernels.hpp"

#include "gpz/core/config.hpp"
// GCC's own intrinsics of AVX-512 begin with values that are not set, on purpose.
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#pragma GCC diagnostic ignored "-Wuninitialized"
#endif
#include "gpz/format/checksum.hpp"

namespace gpz::cpu {
namespace GPZ_ISA {
namespace {

void add(void *state, const void *bytes, std::size_t size) {
  XXH3_64bits_update(static_cast<XXH3_state_t *>(state), bytes, size);
}

}  // namespace

constexpr ChecksumKernels checksum_kernels{add};

}  // namespace GPZ_ISA
}  // namespace gpz::cpu
