// One block of a difference section on the CPU, compiled once for each instruction set.
#pragma once

#include <cstdint>
#include <memory>

#include "gpz/core/residual.hpp"
#include "gpz/core/types.hpp"

namespace gpz::cpu {

// What the directory stores about a block; its payload length follows from it.
struct DifferenceRecord {
  core::ResidualCode code[core::max_components];
  std::uint32_t bitmap = 0;      // words of unary codes
  std::uint32_t margin = 0;      // how far beyond periodic edges particles are
  std::uint32_t flags = 0;       // words that say which ones are, of those that may be
  std::uint32_t exceptions = 0;  // indices stored as they are
};

// History and indices from the first particle of the block on.
struct DifferenceBlock {
  struct Axis {
    const std::int64_t *last;
    const std::int64_t *deviation;
    const std::int32_t *velocity;
    const std::int32_t *previous;
    const std::int64_t *q;  // encode only
    std::int64_t *out;      // decode only
    core::GridAxis grid;
  };

  std::uint32_t n;  // at most default_block_size
  int components;
  std::int64_t reciprocal;
  core::Predictor predictor;
  Axis axes[core::max_components];
};

// Working memory of a block.
struct DifferenceScratch {
  static constexpr std::uint32_t block_size = core::default_block_size;
  static constexpr std::uint32_t values = core::max_components * block_size;
  // For each value: at most 31 bits of the plane, a unary code of 96 or an exception with its unary bit, and a flag.
  static constexpr std::uint32_t max_words = values * (31 + core::exception_bits + 2) / 32 + 64;

  alignas(64) std::uint32_t residual[block_size];
  alignas(64) std::int32_t feature[4][block_size];
  alignas(64) std::uint32_t quotient[values + 1];
  std::uint32_t exception[values];  // places
  alignas(64) std::uint32_t words[max_words];
};

struct DifferenceKernels {
  const char *name;
  // Adds the block's values to the sums of a fit.
  void (*fit)(const DifferenceBlock &block, DifferenceScratch &scratch, core::FitSums &sums);
  core::Predictor (*solve)(const core::FitSums &sums);
  // Bits that the residuals take with block.predictor.
  std::uint64_t (*measure)(const DifferenceBlock &block, DifferenceScratch &scratch);
  // Writes the payload to scratch.words; returns its words.
  std::uint32_t (*encode)(const DifferenceBlock &block, DifferenceScratch &scratch, DifferenceRecord &record);
  // `words` has as many words as the record says. False: the block contradicts the format.
  bool (*decode)(const DifferenceBlock &block, const DifferenceRecord &record, const std::uint32_t *words,
                 DifferenceScratch &scratch);
  void (*advance)(const std::int64_t *q, const core::GridAxis &grid, std::size_t n, std::uint64_t frames,
                  std::int64_t *last, std::int64_t *deviation, std::int32_t *velocity, std::int32_t *previous);
};

// Words of a block of n particles.
std::uint64_t payload_words(const DifferenceRecord &record, int components, std::uint32_t n);

}  // namespace gpz::cpu
