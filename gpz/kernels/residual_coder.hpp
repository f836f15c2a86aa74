// SPDX-License-Identifier: BSD-3-Clause
// Chooses the code of a block's residuals, writes and reads them (docs/decisions/0010). Compiled once for each
// instruction set.
#pragma once

#include "gpz/core/pack.hpp"
#include "gpz/kernels/residual_block.hpp"

namespace gpz::codec {
namespace GPZ_ISA {

using core::ResidualCode;

// Functions are static instead of inline: inlined copies would have slower loops.

static std::uint64_t rough_bits(const std::uint32_t *u, std::uint32_t n) {
  std::uint32_t sum = 0;
  for (std::uint32_t i = 0; i < n; ++i) sum += static_cast<std::uint32_t>(core::rough_bits(u[i]));
  return sum;
}

// The best code for these values and its cost in bits, which is exact except for the unary bit of exceptions. An
// exception costs `exception` bits.
static ResidualCode choose_code(const std::uint32_t *u, std::uint32_t n, std::uint32_t &best_cost,
                                std::uint32_t exception = core::exception_bits) {
  const auto typical = static_cast<int>(rough_bits(u, n) / n);
  std::uint32_t all = 0;
  std::uint32_t nonzero = 0;
  for (std::uint32_t i = 0; i < n; ++i) {
    all |= u[i];
    nonzero += u[i] != 0 ? 1 : 0;
  }
  ResidualCode best{0, 1};
  best_cost = nonzero * exception;
  const auto offer = [&](ResidualCode code, std::uint32_t cost) {
    if (cost >= best_cost) return false;
    best = code;
    best_cost = cost;
    return true;
  };
  const auto attempt = [&](ResidualCode code) {
    if (!core::is_valid(code)) return false;
    const int low = core::low_bits(code);
    const std::uint32_t end = core::head_end(code);
    std::uint32_t cost = n * code.width;
    for (std::uint32_t i = 0; i < n; ++i) cost += core::unary_cost(u[i], low, end, exception);
    return offer(code, cost);
  };
  const int widest = core::bit_length(all);
  if (widest <= core::max_residual_width)
    offer({static_cast<std::uint8_t>(widest), 1}, n * static_cast<std::uint32_t>(widest));
  bool at_end = false;
  for (int c = 0; c < core::residual_candidates; ++c)
    if (attempt(core::residual_candidate(c, typical))) at_end = core::is_widest_candidate(c);
  // If values vary widely, the best code may be wider than all candidates.
  while (at_end) at_end = attempt({static_cast<std::uint8_t>(best.width + 1), best.head});
  return best;
}

// Handles the values that are in another image than expected: slightly beyond an edge they widen the margin, others
// become exceptions.
static void sort_out_images(const std::int64_t *q, const std::int64_t *expected, std::uint32_t n,
                            const core::GridAxis &axis, std::uint32_t *u, std::uint32_t &margin) {
  for (std::uint32_t i = 0; i < n; ++i) {
    if (q[i] == expected[i]) continue;
    const std::uint32_t needed = core::margin_needed(q[i], expected[i], axis);
    margin = core::max_of(margin, needed);
    if (needed == 0) u[i] = core::widest_residual;
  }
}

// Quotients to be coded in unary, and the bits that they take.
struct Quotients {
  std::uint32_t *list;
  std::uint32_t count = 0;
  std::uint64_t bits = 0;
};

// Reduces values in place to their bits in the plane. Appends the rest to `quotients` or to the exceptions.
static void split(const ResidualCode &code, int d, std::uint32_t n, std::uint32_t *u, Quotients &quotients,
                  ResidualScratch &scratch, ResidualRecord &record) {
  const int low = core::low_bits(code);
  const std::uint32_t end = core::head_end(code);
  const std::uint32_t beyond = end + core::quotient_end(code);
  std::uint32_t exceptions = 0;
  for (std::uint32_t i = 0; i < n; ++i) exceptions += (u[i] >> low) >= beyond || u[i] == core::widest_residual ? 1 : 0;
  if (exceptions != 0) {
    for (std::uint32_t i = 0; i < n; ++i) {
      if ((u[i] >> low) < beyond && u[i] != core::widest_residual) continue;
      scratch.exception[record.exceptions++] = i | static_cast<std::uint32_t>(d) << 16;
      u[i] = 0;
    }
  }
  if (code.head == 1) return;
  const std::uint32_t mask = static_cast<std::uint32_t>(core::low_mask(low));
  const std::uint32_t top = end << low;
  std::uint32_t *__restrict list = quotients.list;
  std::uint32_t count = quotients.count;
  for (std::uint32_t i = 0; i < n; ++i) {
    const std::uint32_t h = u[i] >> low;
    list[count] = h - end;
    count += h >= end ? 1 : 0;
  }
  std::uint64_t bits = 0;
  for (std::uint32_t j = quotients.count; j < count; ++j) bits += list[j] + 1;
  quotients.bits += bits;
  quotients.count = count;
  for (std::uint32_t i = 0; i < n; ++i) u[i] = (u[i] >> low) >= end ? top | (u[i] & mask) : u[i];
}

// Writes the unary codes. Returns the number of words.
static std::uint32_t write_bitmap(const Quotients &quotients, std::uint32_t *words) {
  const std::uint32_t count = core::words_for_bits(quotients.bits);
  memset(words, 0, count * sizeof(std::uint32_t));
  std::uint32_t at = 0;
  for (std::uint32_t j = 0; j < quotients.count; ++j) {
    at += quotients.list[j];
    words[at / 32] |= 1u << at % 32;
    ++at;
  }
  return count;
}

// Writes which values the exceptions are, each a component (bits 16 to 31) and a slot, then their grid indices. Returns
// the end.
template <typename Block>
static std::uint32_t *write_exceptions(const Block &block, const std::uint32_t *indices, std::uint32_t count,
                                       std::uint32_t *words) {
  memcpy(words, indices, count * sizeof(std::uint32_t));
  words += count;
  for (std::uint32_t e = 0; e < count; ++e, words += 2)
    memcpy(words, &block.axes[indices[e] >> 16].q[indices[e] & 0xFFFFu], 8);
  return words;
}

// Reads all unary codes. Returns false if there are more codes than values.
static bool read_bitmap(const std::uint32_t *words, std::uint32_t count, std::uint32_t values, Quotients &quotients) {
  std::uint32_t next = 0;
  for (std::uint32_t w = 0; w < count; ++w) {
    std::uint32_t bits = words[w];
    const auto ones = static_cast<std::uint32_t>(__builtin_popcount(bits));
    if (ones > values - quotients.count) return false;
    while (bits != 0) {
      const std::uint32_t at = w * 32 + static_cast<std::uint32_t>(__builtin_ctz(bits));
      quotients.list[quotients.count++] = at - next;
      next = at + 1;
      bits &= bits - 1;
    }
  }
  return true;
}

// Adds the unary parts to the values of the plane. Returns false if the bitmap has too few codes.
static bool join(const ResidualCode &code, std::uint32_t n, std::uint32_t *__restrict u, const Quotients &quotients,
                 std::uint32_t &used) {
  if (code.head == 1) return true;
  const int low = core::low_bits(code);
  const std::uint32_t end = core::head_end(code);
  std::uint32_t wanted = 0;
  for (std::uint32_t i = 0; i < n; ++i) wanted += (u[i] >> low) >= end ? 1 : 0;
  if (wanted > quotients.count - used) return false;
  const std::uint32_t *__restrict list = quotients.list;
  std::uint32_t j = used;
  for (std::uint32_t i = 0; i < n; ++i) {
    // A mask, because compilers turn a conditional into an unpredictable branch here.
    const std::uint32_t more = (u[i] >> low) >= end ? 1 : 0;
    u[i] += (list[j] & (0 - more)) << low;
    j += more;
  }
  used = j;
  return true;
}

// Moves values whose flag is set to their other image. `count` is the number of flags used so far. Returns false if
// flags are missing.
static bool apply_flags(const core::GridAxis &axis, const ResidualRecord &record, const std::uint32_t *words,
                        std::uint32_t n, std::int64_t *values, std::uint32_t &count) {
  if (record.margin == 0) return true;
  for (std::uint32_t i = 0; i < n; ++i) {
    const std::int64_t other = core::other_image(values[i], axis, record.margin);
    if (other == values[i]) continue;
    if (count == record.flags * 32) return false;
    if ((words[count / 32] >> count % 32 & 1) != 0) values[i] = other;
    ++count;
  }
  return true;
}

}  // namespace GPZ_ISA
}  // namespace gpz::codec
