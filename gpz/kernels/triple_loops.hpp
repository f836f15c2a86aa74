// SPDX-License-Identifier: BSD-3-Clause
// Loops over one block whose three components are coded as triples (docs/decisions/0014). Compiled once for each
// instruction set.
#pragma once

#include "gpz/core/triples.hpp"
#include "gpz/kernels/difference_kernels.hpp"
#include "gpz/kernels/residual_coder.hpp"

namespace gpz::codec {
namespace GPZ_ISA {

static constexpr core::TripleRanks triple_ranks = core::rank_triples();

static std::uint32_t between_at(const DifferenceScratch &scratch, std::uint32_t i) {
  return core::between_mask(scratch.expected[0][i], scratch.expected[1][i], scratch.expected[2][i]);
}

// Rank of particle i. Components marked in scratch.known are left out and count as 0.
static std::uint32_t rank_of(const DifferenceScratch &scratch, std::uint32_t i) {
  std::uint32_t triple = 0;
  for (std::uint32_t d = 0; d < core::max_components; ++d)
    triple = core::with_number(triple, scratch.known[d][i] != 0 ? 0 : scratch.value[d][i]);
  return triple_ranks.rank[between_at(scratch, i)][triple];
}

// Removes the largest component (the first of equals) of particle i's triple until its rank is below `end`. Returns the
// rank.
static std::uint32_t shorten(DifferenceScratch &scratch, std::uint32_t i, std::uint32_t end) {
  std::uint32_t rank = scratch.residual[i];
  while (rank >= end) {
    std::uint32_t at = core::max_components;
    for (std::uint32_t d = 0; d < core::max_components; ++d)
      if (scratch.known[d][i] == 0 && (at == core::max_components || scratch.value[d][i] > scratch.value[at][i]))
        at = d;
    scratch.known[at][i] = 1;
    rank = rank_of(scratch, i);
  }
  return rank;
}

// Number of values marked in scratch.known.
static std::uint32_t count_known(const DifferenceScratch &scratch, std::uint32_t n) {
  std::uint32_t count = 0;
  for (const auto &known : scratch.known)
    for (std::uint32_t i = 0; i < n; ++i) count += known[i];
  return count;
}

// Codes the block by ranks (scratch.residual) if they, with exceptions for the components left out, take fewer than
// `bits`. Else returns false.
static bool choose_triples(std::uint32_t n, std::uint32_t bits, DifferenceScratch &scratch, ResidualRecord &record) {
  for (std::uint32_t d = 0; d < core::max_components; ++d)
    for (std::uint32_t i = 0; i < n; ++i) scratch.known[d][i] = scratch.value[d][i] >= core::triple_values ? 1 : 0;
  for (std::uint32_t i = 0; i < n; ++i) scratch.residual[i] = rank_of(scratch, i);
  std::uint32_t cost = 0;
  const ResidualCode code = choose_code(scratch.residual, n, cost, core::rank_exception_bits);
  if (cost + count_known(scratch, n) * core::exception_bits >= bits) return false;
  // choose_code() only estimated the cost of ranks that are too long; count them exactly.
  cost = n * code.width;
  for (std::uint32_t i = 0; i < n; ++i) {
    scratch.residual[i] = shorten(scratch, i, core::rank_end(code));
    if (code.head != 1) cost += core::unary_cost(scratch.residual[i], core::low_bits(code), core::head_end(code));
  }
  if (cost + count_known(scratch, n) * core::exception_bits >= bits) return false;
  record.triples = true;
  record.code[0] = code;
  record.code[1] = record.code[2] = {0, 1};
  for (std::uint32_t d = 0; d < core::max_components; ++d)
    for (std::uint32_t i = 0; i < n; ++i)
      if (scratch.known[d][i] != 0) scratch.exception[record.exceptions++] = i | d << 16;
  return true;
}

static bool are_ranks(const std::uint32_t *rank, std::uint32_t n) {
  std::uint32_t largest = 0;
  for (std::uint32_t i = 0; i < n; ++i) largest = core::max_of(largest, rank[i]);
  return largest < core::triples;
}

// Replaces the rank of particle i, stored in component 0, by its three residual numbers.
static void separate(DifferenceScratch &scratch, std::uint32_t i) {
  const std::uint32_t triple = triple_ranks.triple[between_at(scratch, i)][scratch.value[0][i]];
  for (int d = 0; d < core::max_components; ++d) scratch.value[d][i] = core::number_of(triple, d);
}

}  // namespace GPZ_ISA
}  // namespace gpz::codec
