// SPDX-License-Identifier: BSD-3-Clause
#include "gpz/kernels/checksum_kernels.hpp"

#include <algorithm>

#include "gpz/core/config.hpp"
// GCC's AVX-512 intrinsics use uninitialized values on purpose.
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#pragma GCC diagnostic ignored "-Wuninitialized"
#endif
#include "gpz/format/checksum.hpp"

namespace gpz::codec {
namespace GPZ_ISA {
namespace {

void add(void *state, const void *bytes, std::size_t size) {
  XXH3_64bits_update(static_cast<XXH3_state_t *>(state), bytes, size);
}

// XXH3 sums 16 stripes per block into 8 lanes, then scrambles the lanes. Only the scrambling depends on earlier blocks,
// so sums can be computed in any order. These macros exist in all releases of xxHash 0.8.
constexpr std::size_t stripes = checksum_block / XXH_STRIPE_LEN;
static_assert(XXH_ACC_NB == checksum_lanes && XXH_STRIPE_LEN == checksum_tail);
static_assert(XXH_SECRET_DEFAULT_SIZE == (stripes + checksum_lanes) * XXH_SECRET_CONSUME_RATE);

void sum(const void *bytes, std::size_t blocks, std::uint64_t *sums) {
  const auto *block = static_cast<const std::uint8_t *>(bytes);
  for (std::size_t b = 0; b < blocks; ++b, block += checksum_block, sums += checksum_lanes) {
    XXH_ALIGN(XXH_ACC_ALIGN) xxh_u64 lanes[checksum_lanes] = {};
    for (std::size_t s = 0; s < stripes; ++s)
      XXH3_accumulate_512(lanes, block + s * XXH_STRIPE_LEN, XXH3_kSecret + s * XXH_SECRET_CONSUME_RATE);
    std::copy_n(lanes, checksum_lanes, sums);
  }
}

void add_sums(void *state, const std::uint64_t *sums, std::size_t blocks) {
  auto &to = *static_cast<XXH3_state_t *>(state);
  XXH_ALIGN(XXH_ACC_ALIGN) xxh_u64 lanes[checksum_lanes];
  std::copy_n(to.acc, checksum_lanes, lanes);
  for (std::size_t b = 0; b < blocks; ++b, sums += checksum_lanes) {
    for (std::size_t i = 0; i < checksum_lanes; ++i) lanes[i] += sums[i];
    XXH3_scrambleAcc(lanes, XXH3_kSecret + stripes * XXH_SECRET_CONSUME_RATE);
  }
  std::copy_n(lanes, checksum_lanes, to.acc);
  to.totalLen += blocks * checksum_block;
}

}  // namespace

constexpr ChecksumKernels checksum_kernels{add, sum, add_sums};

}  // namespace GPZ_ISA
}  // namespace gpz::codec
