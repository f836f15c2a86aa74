// SPDX-License-Identifier: BSD-3-Clause
// The loops over one block of a difference section. Compiled once for each instruction set (GPZ_ISA).
#include "gpz/kernels/difference_kernels.hpp"

#include "gpz/core/pack.hpp"
#include "gpz/core/quantize.hpp"
#include "gpz/kernels/neighbour_loops.hpp"
#include "gpz/kernels/residual_coder.hpp"

namespace gpz::codec {
namespace GPZ_ISA {
namespace {

using core::FitSums;
using core::GridAxis;
using core::Predictor;
using Axis = DifferenceBlock::Axis;
using Block = DifferenceBlock;
using Record = ResidualRecord;
using Scratch = DifferenceScratch;

template <bool OnlyItsValues, typename T>
std::uint32_t quantize_to(const T *x, std::uint32_t n, const core::Grid &grid, std::int64_t *q, double &largest_error) {
  const core::Grid here = grid;
  std::int64_t *__restrict out = q;
  std::uint64_t invalid = 0;
  auto largest = core::bit_cast<std::int64_t>(largest_error);  // bits of non-negative doubles have their order
  for (std::uint32_t i = 0; i < n; ++i) {
    const auto found = core::quantize<OnlyItsValues>(x[i], here);
    out[i] = found.index;
    invalid += found.valid ? 0 : 1;
    largest = core::max_of(largest, found.valid ? core::bit_cast<std::int64_t>(double{found.error}) : 0);
  }
  largest_error = core::bit_cast<double>(largest);
  return static_cast<std::uint32_t>(invalid);
}

template <typename T>
std::uint32_t quantize(const T *x, std::uint32_t n, const core::Grid &grid, std::int64_t *q, double &largest_error) {
  return grid.only_its_values ? quantize_to<true>(x, n, grid, q, largest_error)
                              : quantize_to<false>(x, n, grid, q, largest_error);
}

enum Feature { velocity, previous, mean, target };

void fit(const Block &block, Scratch &scratch, FitSums &sums) {
  const std::uint32_t n = block.n;
  for (int d = 0; d < block.components; ++d) {
    const Axis axis = block.axes[d];
    std::int32_t *__restrict v = scratch.feature[velocity];
    std::int32_t *__restrict p = scratch.feature[previous];
    std::int32_t *__restrict m = scratch.feature[mean];
    std::int32_t *__restrict t = scratch.feature[target];
    for (std::uint32_t i = 0; i < n; ++i) {
      v[i] = axis.velocity[i];
      p[i] = axis.previous[i];
      m[i] = core::whole_offset(core::offset_to_mean(axis.deviation[i], block.reciprocal));
      t[i] = core::limit_history(core::displacement(axis.q[i], axis.last[i], axis.grid));
    }
    std::int32_t most[4];
    for (int f = 0; f < 4; ++f) most[f] = usual_limit(scratch.feature[f], n);
    core::FitSums of_axis;
    for (std::uint32_t i = 0; i < n; ++i) {
      const bool usual = (v[i] < most[velocity]) & (v[i] > -most[velocity]) & (p[i] < most[previous]) &
                         (p[i] > -most[previous]) & (m[i] < most[mean]) & (m[i] > -most[mean]) & (t[i] < most[target]) &
                         (t[i] > -most[target]);
      core::add_to_fit(of_axis, usual ? v[i] : 0, usual ? p[i] : 0, usual ? m[i] : 0, usual ? t[i] : 0);
    }
    for (int k = 0; k < 6; ++k) sums.product[k] += of_axis.product[k];
    for (int k = 0; k < 3; ++k) sums.target[k] += of_axis.target[k];
  }
}

Predictor solve(const FitSums &sums) { return core::fit_predictor(sums); }

// The particle's position without the image: last position plus minimum-image displacement, wrapped into the box.
std::int64_t followed(const Axis &axis, std::uint32_t i) {
  return core::wrap(core::sum_of(axis.last[i], core::displacement(axis.q[i], axis.last[i], axis.grid)), axis.grid);
}

// Computes predictions and residual numbers of axis d. Returns how many particles lie in another periodic image than
// predicted.
std::uint32_t find_residuals(const Block &block, int d, Scratch &scratch) {
  std::uint32_t *__restrict u = scratch.value[d];
  std::int32_t *__restrict expected = scratch.expected[d];
  const Axis axis = block.axes[d];
  const Predictor predictor = block.predictor;
  const std::int32_t reciprocal = block.reciprocal;
  const std::uint32_t n = block.n;
  std::uint64_t elsewhere = 0;
  if (block.weight[0] != nullptr) {
    find_neighbour_residuals(block, d, scratch);
    for (std::uint32_t i = 0; i < n; ++i) elsewhere += followed(axis, i) != axis.q[i] ? 1 : 0;
    return static_cast<std::uint32_t>(elsewhere);
  }
  for (std::uint32_t i = 0; i < n; ++i) {
    const std::int64_t moved = core::displacement(axis.q[i], axis.last[i], axis.grid);
    const std::int32_t here = expect(axis, predictor, reciprocal, i);
    expected[i] = here;
    u[i] = core::narrow_number(core::residual_number(core::difference_of(moved, core::expected_step(here)), here));
    elsewhere += followed(axis, i) != axis.q[i] ? 1 : 0;
  }
  return static_cast<std::uint32_t>(elsewhere);
}

// Writes followed() of all particles on axis d to scratch.remainder.
void find_followed(const Block &block, int d, Scratch &scratch) {
  std::int64_t *__restrict position = scratch.remainder;
  const Axis axis = block.axes[d];
  const std::uint32_t n = block.n;
  for (std::uint32_t i = 0; i < n; ++i) position[i] = followed(axis, i);
}

// Bits of the residuals with block.predictor and block.weight.
std::uint64_t measure(const Block &block, Scratch &scratch) {
  std::uint64_t bits = 0;
  for (int d = 0; d < block.components; ++d) {
    find_residuals(block, d, scratch);
    std::uint32_t cost = 0;
    choose_code(scratch.value[d], block.n, cost);
    bits += cost;
  }
  return bits;
}

// Position that a decoder computes from a residual of 0.
std::int64_t position_of_zero(const Block &block, const Scratch &scratch, int d, std::uint32_t i) {
  const Axis &axis = block.axes[d];
  return core::wrap(core::sum_of(axis.last[i], core::expected_step(scratch.expected[d][i])), axis.grid);
}

// Writes a bit for each value that has another image within the margin: 1 if the value lies there. Returns the number
// of words.
std::uint32_t write_flags(const Block &block, Scratch &scratch, const Record &record, std::uint32_t *words) {
  constexpr std::uint32_t may_be = 1;
  constexpr std::uint32_t is_there = 2;
  const std::uint32_t n = block.n;
  const std::uint32_t margin = record.margin;
  std::uint32_t count = 0;
  std::uint32_t next = 0;  // exception
  for (int d = 0; d < block.components; ++d) {
    const Axis axis = block.axes[d];
    find_followed(block, d, scratch);
    std::int64_t *__restrict position = scratch.remainder;
    // Decoders read a residual of 0 in place of an exception.
    for (; next < record.exceptions && scratch.exception[next] >> 16 == static_cast<std::uint32_t>(d); ++next) {
      const std::uint32_t i = scratch.exception[next] & 0xFFFFu;
      position[i] = position_of_zero(block, scratch, d, i);
    }
    std::uint32_t *__restrict image = scratch.residual;
    for (std::uint32_t i = 0; i < n; ++i) {
      const std::int64_t other = core::other_image(position[i], axis.grid, margin);
      image[i] = (other != position[i] ? may_be : 0) | (other == axis.q[i] ? is_there : 0);
    }
    for (std::uint32_t i = 0; i < n; ++i) {
      if ((image[i] & may_be) == 0) continue;
      if (count % 32 == 0) words[count / 32] = 0;
      words[count / 32] |= image[i] / is_there << count % 32;
      ++count;
    }
  }
  return core::words_for_bits(count);
}

std::uint32_t encode(const Block &block, Scratch &scratch, Record &record) {
  record = Record{};
  const std::uint32_t lanes = core::lanes_of(block.n, Scratch::block_size);
  Quotients quotients{scratch.quotient};
  std::uint32_t *words = scratch.words;
  std::uint32_t bits = 0;
  for (int d = 0; d < block.components; ++d) {
    if (find_residuals(block, d, scratch) != 0) {
      find_followed(block, d, scratch);
      sort_out_images(block.axes[d].q, scratch.remainder, block.n, block.axes[d].grid, scratch.value[d], record.margin);
    }
    std::uint32_t cost = 0;
    record.code[d] = choose_code(scratch.value[d], block.n, cost);
    bits += cost;
  }
  if (block.components == core::max_components && bits <= core::most_triple_bits * block.n &&
      choose_triples(block.n, bits, scratch, record)) {
    split(record.code[0], 0, block.n, scratch.residual, quotients, scratch, record);
    words += core::pack(scratch.residual, block.n, record.code[0].width, lanes, words);
  } else {
    for (int d = 0; d < block.components; ++d) {
      split(record.code[d], d, block.n, scratch.value[d], quotients, scratch, record);
      words += core::pack(scratch.value[d], block.n, record.code[d].width, lanes, words);
    }
  }
  record.bitmap = write_bitmap(quotients, words);
  words += record.bitmap;
  if (record.margin != 0) record.flags = write_flags(block, scratch, record, words);
  words += record.flags;
  words = write_exceptions(block, scratch.exception, record.exceptions, words);
  return static_cast<std::uint32_t>(words - scratch.words);
}

void reconstruct(const Block &block, int d, const Scratch &scratch) {
  const std::uint32_t *__restrict u = scratch.value[d];
  const std::int32_t *__restrict expected = scratch.expected[d];
  const Axis axis = block.axes[d];
  std::int64_t *__restrict out = axis.out;
  const std::uint32_t n = block.n;
  for (std::uint32_t i = 0; i < n; ++i) {
    const std::int64_t moved = core::numbered_residual(u[i], expected[i]) + core::expected_step(expected[i]);
    out[i] = core::wrap(core::sum_of(axis.last[i], moved), axis.grid);
  }
}

bool decode(const Block &block, const Record &record, const std::uint32_t *words, Scratch &scratch) {
  const std::uint32_t lanes = core::lanes_of(block.n, Scratch::block_size);
  const auto components = static_cast<std::uint32_t>(block.components);
  const std::uint32_t *plane = words;
  for (int d = 0; d < block.components; ++d) words += core::packed_words(block.n, record.code[d].width, lanes);
  Quotients quotients{scratch.quotient};
  if (!read_bitmap(words, record.bitmap, block.n * components, quotients)) return false;
  words += record.bitmap;
  std::uint32_t used = 0;
  for (int d = 0; d < block.components; ++d) {
    plane += core::unpack(plane, block.n, record.code[d].width, lanes, scratch.value[d]);
    if (!join(record.code[d], block.n, scratch.value[d], quotients, used)) return false;
  }
  if (used != quotients.count || (record.triples && !are_ranks(scratch.value[0], block.n))) return false;

  const std::uint32_t *exception = words + record.flags;
  const std::uint32_t *index = exception + record.exceptions;
  for (std::uint32_t e = 0; e < record.exceptions; ++e)
    if ((exception[e] & 0xFFFFu) >= block.n || exception[e] >> 16 >= components ||
        (e != 0 && exception[e] <= exception[e - 1]))
      return false;
  for (int d = 0; d < block.components; ++d) find_expected(block, d, scratch);
  if (block.weight[0] != nullptr)
    follow_neighbours(block, record.triples, exception, index, record.exceptions, scratch);
  else if (record.triples)
    for (std::uint32_t i = 0; i < block.n; ++i) separate(scratch, i);
  std::uint32_t flags = 0;
  for (int d = 0; d < block.components; ++d) {
    reconstruct(block, d, scratch);
    if (!apply_flags(block.axes[d].grid, record, words, block.n, block.axes[d].out, flags)) return false;
  }
  for (std::uint32_t e = 0; e < record.exceptions; ++e, index += 2)
    memcpy(&block.axes[exception[e] >> 16].out[exception[e] & 0xFFFFu], index, 8);
  return core::words_for_bits(flags) == record.flags;
}

void advance(const std::int64_t *__restrict q, const GridAxis &grid, std::size_t n, std::uint64_t frames,
             std::int64_t *__restrict last, std::int32_t *__restrict deviation, std::int32_t *__restrict velocity_of,
             std::int32_t *__restrict previous_of) {
  const GridAxis axis = grid;
  for (std::size_t i = 0; i < n; ++i) {
    const std::int64_t moved = core::displacement(q[i], last[i], axis);
    deviation[i] = core::next_deviation(deviation[i], frames, moved);
    previous_of[i] = velocity_of[i];
    velocity_of[i] = core::limit_history(moved);
    last[i] = q[i];
  }
}

}  // namespace

const DifferenceKernels difference_kernels{quantize<float>, quantize<double>, fit,    solve,  sum_neighbours,
                                           measure,         encode,           decode, advance};

}  // namespace GPZ_ISA
}  // namespace gpz::codec
