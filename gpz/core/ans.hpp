// SPDX-License-Identifier: BSD-3-Clause
// Number streams (docs/format.md, section 10a): numbers below 2^32 as tokens and raw bits, token frequencies, and the
// steps of rANS, an asymmetric numeral system (docs/decisions/0022).
#pragma once

#include "gpz/core/config.hpp"

namespace gpz::core {

// The token frequencies of a table add up to ans_total.
inline constexpr int ans_bits = 12;
inline constexpr std::uint32_t ans_total = 1u << ans_bits;
// A state lies in [2^16, 2^32) and is renormalized by 16-bit words. Successive numbers alternate between the states.
inline constexpr std::uint32_t ans_low = 1u << 16;
inline constexpr std::uint32_t ans_states = 2;

// Tokens 0 to 239 stand for ranges of numbers; ranges widen with the numbers. Token 240 is the escape, followed by all
// 32 bits.
inline constexpr std::uint32_t number_tokens = 240;
// Limits of a table's scale, in eighths of an octave.
inline constexpr int least_scale = -64;
inline constexpr int largest_scale = 255;
// Limit of a shape's log2 densities, in units of the shape's precision.
inline constexpr int largest_log_density = 4095;
inline constexpr int weight_bits = 24;

// Slots of a token: the first slot and how many of the ans_total.
struct TokenShare {
  std::uint32_t start;
  std::uint32_t frequency;
};

inline namespace GPZ_ISA {

// Numbers below 16 have tokens of their own; each octave beyond is split into eight ranges.
GPZ_HD std::uint32_t token_of(std::uint32_t v) {
  const int k = bit_length(v | 8u) - 4;
  return 8 * static_cast<std::uint32_t>(k) + (v >> k);
}
// Raw bits that follow a token.
GPZ_HD int token_bits(std::uint32_t token) { return token < 16 ? 0 : static_cast<int>(token / 8) - 1; }
// Smallest number of a token; 2^32 for number_tokens.
GPZ_HD std::uint64_t token_first(std::uint32_t token) {
  return token < 16 ? token : std::uint64_t{8 + token % 8} << token_bits(token);
}

// Number of low bits that are stored raw at this scale, below all tokens.
GPZ_HD int low_bits_of_scale(int scale) { return scale > 0 ? scale >> 3 : 0; }

// 2^(24 - d / 16), rounded down; 0 for large d.
GPZ_HD std::uint32_t weight_of(int d) {
  constexpr std::uint32_t fraction[16] = {16777216, 16065917, 15384774, 14732510, 14107900, 13509772,
                                          12937002, 12388515, 11863283, 11360318, 10878678, 10417458,
                                          9975792,  9552851,  9147841,  8760003};
  return d >= 16 * (weight_bits + 1) ? 0 : fraction[d & 15] >> (d >> 4);
}
// 2^(16 - eighths / 8), for eighths of 0 to 7.
GPZ_HD std::uint32_t part_of_octave(int eighths) {
  constexpr std::uint32_t part[8] = {65536, 60097, 55109, 50535, 46341, 42495, 38968, 35734};
  return part[eighths];
}

// Number of tokens after a shape of `tokens` tokens is stretched to this scale.
GPZ_HD std::uint32_t tokens_at_scale(std::uint32_t tokens, int scale) {
  if (tokens == 0) return 0;
  const int low = low_bits_of_scale(scale);
  const std::uint64_t ratio = std::uint64_t{part_of_octave(scale & 7)} << (low - (scale >> 3));
  const std::uint64_t end = ((token_first(tokens) << 16) + ratio - 1) / ratio;
  const std::uint64_t most = 0xFFFFFFFFu >> low;
  return token_of(static_cast<std::uint32_t>(min_of(end - 1, most))) + 1;
}

// Stretches a shape to a scale. Writes the shares of tokens_at_scale() tokens, then that of the escape. weight[i]
// belongs to token i of the shape; each weight is at most 2^24, and not all are zero.
GPZ_HD void fill_shares(const std::uint32_t *weight, std::uint32_t tokens, int scale, TokenShare *share) {
  const std::uint32_t count = tokens_at_scale(tokens, scale);
  const std::uint64_t ratio = std::uint64_t{part_of_octave(scale & 7)} << (low_bits_of_scale(scale) - (scale >> 3));
  std::uint64_t all = 0;
  for (std::uint32_t k = 0; k < tokens; ++k) all += weight[k];
  if (count == 0) all = 1;
  const std::uint64_t slots =
      (std::uint64_t{ans_total - 1 - count} << 32) / all;  // slots per unit of weight, times 2^32
  std::uint64_t below = 0;                                 // sum of weight[0 .. k)
  std::uint32_t start = 0;
  std::uint32_t k = 0;
  for (std::uint32_t i = 0; i < count; ++i) {
    // End of token i, scaled to the shape's numbers, times 2^16.
    const std::uint64_t at = token_first(i + 1) * ratio;
    while (k < tokens && at >= token_first(k + 1) << 16) below += weight[k++];
    std::uint64_t sum = below;
    if (k < tokens) sum += weight[k] * ((at - (token_first(k) << 16)) >> token_bits(k)) >> 16;
    const std::uint32_t end = i + 1 == count ? ans_total - 1 : i + 1 + static_cast<std::uint32_t>(sum * slots >> 32);
    share[i] = {start, end - start};
    start = end;
  }
  share[count] = {start, ans_total - start};
}

// One decoder step. If the result is below ans_low, the caller then reads a word.
GPZ_HD std::uint32_t ans_pop(std::uint32_t state, std::uint32_t start, std::uint32_t frequency) {
  return frequency * (state >> ans_bits) + (state & (ans_total - 1)) - start;
}
// True if the encoder must write a word before this step.
GPZ_HD bool ans_is_full(std::uint32_t state, std::uint32_t frequency) { return state >> (32 - ans_bits) >= frequency; }
GPZ_HD std::uint32_t ans_push(std::uint32_t state, std::uint32_t start, std::uint32_t frequency) {
  return (state / frequency << ans_bits) + state % frequency + start;
}
// ans_push without the slow division: `quotient` is state / frequency or one less. How the quotient is computed depends
// on the processor.
GPZ_HD std::uint32_t ans_push(std::uint32_t state, std::uint32_t start, std::uint32_t frequency,
                              std::uint32_t quotient) {
  const std::uint32_t rest = state - quotient * frequency;
  const bool less = rest >= frequency;
  return ((quotient + (less ? 1 : 0)) << ans_bits) + rest - (less ? frequency : 0) + start;
}
// state / frequency by a multiplication, for frequencies up to ans_total and a state that is not full. With f for the
// frequency, state < f * 2^20, so the product stays below 2^64. The inverse exceeds 2^44 / f by less than 1, so the
// product exceeds the quotient times 2^44 by less than 2^32, which does not reach the next integer.
GPZ_HD std::uint64_t ans_inverse(std::uint32_t frequency) {
  return ((std::uint64_t{1} << 44) + frequency - 1) / frequency;
}
GPZ_HD std::uint32_t ans_quotient(std::uint32_t state, std::uint64_t inverse) {
  return static_cast<std::uint32_t>(state * inverse >> 44);
}
// ans_push with the quotient.
GPZ_HD std::uint32_t ans_push_exactly(std::uint32_t state, std::uint32_t start, std::uint32_t frequency,
                                      std::uint32_t quotient) {
  return state + start + quotient * (ans_total - frequency);
}

}  // namespace GPZ_ISA
}  // namespace gpz::core
