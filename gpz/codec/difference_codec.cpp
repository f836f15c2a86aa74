// SPDX-License-Identifier: BSD-3-Clause
#include "gpz/codec/difference_codec.hpp"

#include <algorithm>
#include <cstring>
#include <memory>
#include <string>

#include "gpz/codec/parallel.hpp"
#include "gpz/codec/residual_section.hpp"
#include "gpz/core/block.hpp"
#include "gpz/core/difference_section.hpp"
#include "gpz/error.hpp"
#include "gpz/format/corrupt.hpp"
#include "gpz/kernels/difference_kernels.hpp"

namespace gpz::codec {

using format::corrupt;

namespace {

constexpr std::uint32_t difference_block = DifferenceScratch::block_size;
// Temporal prediction and neighbour prediction of a section.
struct Prediction {
  core::Predictor temporal;
  Neighbours neighbours;
  std::unique_ptr<NeighbourTable> table;

  void use(const Neighbours &fitted) {
    if (table == nullptr) table = std::make_unique<NeighbourTable>();
    neighbours = fitted;
    fill_table(neighbours, *table);
  }
  bool has_neighbours() const { return neighbours.levels != 0; }
  std::size_t widths_at() const { return core::coefficients_end + (has_neighbours() ? header_size(neighbours) : 0); }
};

// Zero history for plain states.
constexpr std::int32_t at_rest[difference_block] = {};

// The pointers `out` of all axes stay null.
DifferenceBlock block_at(const DifferenceState &state, const IndexColumns &q, const GridBox &box,
                         const Prediction &prediction, std::uint64_t b) {
  const std::size_t first = b * difference_block;
  DifferenceBlock block{};
  block.n = static_cast<std::uint32_t>(std::min<std::size_t>(difference_block, state.particles - first));
  block.components = state.components;
  block.reciprocal = core::reciprocal_of(state.frames);
  block.predictor = prediction.temporal;
  if (const std::uint32_t levels = prediction.neighbours.levels; levels != 0)
    for (std::uint32_t j = 0; j < max_neighbour_lags; ++j)
      block.weight[j] = prediction.table->weight[j] + first % levels;
  for (std::size_t d = 0; d < static_cast<std::size_t>(state.components); ++d) {
    const DifferenceState::Axis &axis = state.axes[d];
    block.axes[d] = {axis.last.data() + first,
                     state.plain ? at_rest : axis.deviation.data() + first,
                     state.plain ? at_rest : axis.velocity.data() + first,
                     state.plain ? at_rest : axis.previous.data() + first,
                     q[d] == nullptr ? nullptr : q[d] + first,
                     nullptr,
                     core::checked_axis(box[d])};
  }
  return block;
}

// A fit samples one block in this many.
std::uint64_t fit_stride(std::uint64_t blocks) { return (blocks - 1) / core::max_fit_blocks + 1; }

// Bits of every second sampled block.
std::uint64_t measured(const DifferenceState &state, const IndexColumns &q, const GridBox &box,
                       const Prediction &prediction, const DifferenceKernels &kernels, DifferenceScratch &scratch) {
  const std::uint64_t blocks = core::blocks_of(state.particles);
  std::uint64_t bits = 0;
  for (std::uint64_t b = 0; b < blocks; b += 2 * fit_stride(blocks))
    bits += kernels.measure(block_at(state, q, box, prediction, b), scratch);
  return bits;
}

// Adds the neighbour prediction if the section, including the weights, then takes fewer bits than `without`.
void add_neighbours(const DifferenceState &state, const IndexColumns &q, const GridBox &box, std::uint64_t without,
                    const DifferenceKernels &kernels, DifferenceScratch &scratch, Prediction &prediction) {
  const std::uint64_t blocks = core::blocks_of(state.particles);
  const std::uint64_t stride = fit_stride(blocks);
  NeighbourSums sums;
  for (std::uint64_t b = 0; b < blocks; b += stride)
    kernels.sum_neighbours(block_at(state, q, box, prediction, b),
                           static_cast<std::uint32_t>(b * difference_block % NeighbourSums::period), scratch, sums);
  prediction.use(fit_neighbours(sums, state.particles * static_cast<std::uint64_t>(state.components)));
  const std::uint64_t header = 8 * (core::difference_header_size(prediction.widths_at(), state.components) -
                                    core::difference_header_size(core::coefficients_end, state.components));
  const std::uint64_t with = measured(state, q, box, prediction, kernels, scratch);
  const std::uint64_t sample = (blocks - 1) / (2 * stride) + 1;
  if (with * blocks + header * sample >= without * blocks) prediction.neighbours = {};
}

// Fits the prediction over the sampled blocks. Falls back to the last position if the fit does not shrink the measured
// blocks.
Prediction choose_prediction(const DifferenceState &state, const IndexColumns &q, const GridBox &box, bool neighbours,
                             const DifferenceKernels &kernels, DifferenceScratch &scratch) {
  Prediction best;
  if (state.plain) return best;
  const std::uint64_t blocks = core::blocks_of(state.particles);
  core::FitSums sums;
  for (std::uint64_t b = 0; b < blocks; b += fit_stride(blocks))
    kernels.fit(block_at(state, q, box, {}, b), scratch, sums);
  best.temporal = kernels.solve(sums);
  const std::uint64_t with = measured(state, q, box, best, kernels, scratch);
  const std::uint64_t without = measured(state, q, box, {}, kernels, scratch);
  if (with >= without) best.temporal = {};
  if (neighbours) add_neighbours(state, q, box, std::min(with, without), kernels, scratch, best);
  return best;
}

}  // namespace

void DifferenceState::start(const IndexColumns &q, std::size_t n, int count, bool as_plain, int threads) {
  components = count;
  plain = as_plain;
  frames = 1;
  for (std::size_t d = 0; d < axes.size(); ++d) {
    if (d >= static_cast<std::size_t>(count)) axes[d].last.clear();
    if (plain || d >= static_cast<std::size_t>(count))
      for (auto *column : {&axes[d].deviation, &axes[d].velocity, &axes[d].previous}) column->clear();
  }
  keep(nullptr, 0);
  add(q, n, threads);
  at_rest = true;
}

void DifferenceState::advance(const IndexColumns &q, const GridBox &box, const Kernels &kernels, int threads,
                              const WantedBlocks &wanted) {
  parallel_wanted(threads, particles, wanted, [&](std::size_t first, std::size_t last) {
    IndexColumns from{};
    for (std::size_t d = 0; d < static_cast<std::size_t>(components); ++d) from[d] = q[d] + first;
    advance_range(first, last - first, from, box, kernels);
  });
  at_rest = false;
  ++frames;
}

void DifferenceState::rest(const IndexColumns &q, int threads, const WantedBlocks &wanted) {
  ++frames;
  const auto is_last = [&](std::size_t d) { return q[d] == axes[d].last.data(); };
  // Nothing to do, for which threads would be started.
  if ((plain || at_rest) && is_last(0) && is_last(1) && is_last(2)) return;
  parallel_wanted(threads, particles, wanted, [&](std::size_t first, std::size_t last) {
    for (std::size_t d = 0; d < static_cast<std::size_t>(components); ++d) {
      Axis &axis = axes[d];
      if (!is_last(d)) std::copy(q[d] + first, q[d] + last, axis.last.begin() + static_cast<std::ptrdiff_t>(first));
      if (plain || at_rest) continue;
      for (auto *column : {&axis.deviation, &axis.velocity, &axis.previous})
        std::fill(column->begin() + static_cast<std::ptrdiff_t>(first),
                  column->begin() + static_cast<std::ptrdiff_t>(last), 0);
    }
  });
  at_rest = true;
}

void DifferenceState::advance_range(std::size_t first, std::size_t n, const IndexColumns &q, const GridBox &box,
                                    const Kernels &kernels) {
  for (std::size_t d = 0; d < static_cast<std::size_t>(components); ++d) {
    Axis &axis = axes[d];
    std::int64_t *const last = axis.last.data() + first;
    if (plain && q[d] != last)
      std::copy_n(q[d], n, last);
    else if (!plain)
      kernels.difference.advance(q[d], core::checked_axis(box[d]), n, frames, last, axis.deviation.data() + first,
                                 axis.velocity.data() + first, axis.previous.data() + first);
  }
}

void DifferenceState::keep(const std::uint32_t *kept, std::size_t count) {
  // Moves whole ranges, because few particles leave at a time.
  const auto keep_in = [&](auto &column) {
    for (std::size_t i = 0; i < count;) {
      std::size_t end = i + 1;
      while (end < count && kept[end] == kept[i] + (end - i)) ++end;
      if (kept[i] != i) std::copy(column.begin() + kept[i], column.begin() + kept[i] + (end - i), column.begin() + i);
      i = end;
    }
    column.resize(count);
  };
  for (std::size_t d = 0; d < static_cast<std::size_t>(components); ++d) {
    Axis &axis = axes[d];
    keep_in(axis.last);
    if (plain) continue;
    for (auto *column : {&axis.deviation, &axis.velocity, &axis.previous}) keep_in(*column);
  }
  particles = count;
}

void DifferenceState::add(const IndexColumns &added, std::size_t count, int threads) {
  // Column by column: most of the time goes to pages that the system has to provide.
  const std::uint64_t columns = plain ? 1 : 4;
  const std::uint64_t all = columns * static_cast<std::uint64_t>(components);
  const int used = thread_count(threads_for_particles(threads, count), all);
  parallel_ranges(used, all, [&](int, std::uint64_t first, std::uint64_t last) {
    for (std::uint64_t k = first; k < last; ++k) {
      const std::size_t d = k / columns;
      Axis &axis = axes[d];
      if (k % columns == 0)
        axis.last.insert(axis.last.end(), added[d], added[d] + count);
      else
        std::array{&axis.deviation, &axis.velocity, &axis.previous}[k % columns - 1]->resize(particles + count, 0);
    }
  });
  particles += count;
}

void encode_difference(const DifferenceState &state, const IndexColumns &q, const GridBox &box,
                       std::vector<std::uint8_t> &bytes, const Kernels &kernels, bool neighbours, int threads) {
  if (state.particles == 0) return;
  const auto scratch = std::make_unique<DifferenceScratch>();
  const Prediction prediction = choose_prediction(state, q, box, neighbours, kernels.difference, *scratch);
  const std::uint64_t blocks = core::blocks_of(state.particles);
  std::vector<ResidualRecord> records(blocks);
  Payloads payloads = encode_blocks<DifferenceScratch>(
      threads_for_particles(threads, state.particles), blocks, [&](std::uint64_t b, DifferenceScratch &memory) {
        return kernels.difference.encode(block_at(state, q, box, prediction, b), memory, records[b]);
      });

  const std::size_t widths_at = prediction.widths_at();
  std::vector<std::uint8_t> header(core::difference_header_size(widths_at, state.components));
  header[0] = prediction.has_neighbours() ? core::neighbour_predictor : core::temporal_predictor;
  header[1] = static_cast<std::uint8_t>(prediction.temporal.velocity);
  header[2] = static_cast<std::uint8_t>(prediction.temporal.previous);
  header[3] = static_cast<std::uint8_t>(prediction.temporal.mean);
  if (prediction.has_neighbours()) write_header(prediction.neighbours, &header[core::coefficients_end]);
  const auto count = static_cast<std::size_t>(core::residual_items(state.components));
  const auto item_of = [&](const ResidualRecord &record, std::size_t i) {
    return core::residual_item(record, state.components, static_cast<int>(i));
  };
  std::uint8_t *const width = &header[widths_at];
  find_item_widths(records, count, item_of, width);
  bytes.insert(bytes.end(), header.begin(), header.end());
  append_directory(records, count, item_of, width, bytes);
  append_words(payloads, bytes);
}

namespace {

struct OpenedBlocks {
  Prediction prediction;
  std::size_t header = 0;  // bytes
  format::Column<StoredBlock<ResidualRecord>> blocks;
};

OpenedBlocks open_blocks(const DifferenceState &state, const std::uint8_t *bytes, std::size_t size) {
  OpenedBlocks opened;
  if (state.particles == 0) {
    if (size != 0) corrupt("difference section of an empty chunk", 0);
    return opened;
  }
  if (size < core::difference_header_size(core::coefficients_end, state.components) || size % 8 != 0)
    corrupt("length of a difference section", 0);
  if (bytes[0] != core::temporal_predictor && (bytes[0] != core::neighbour_predictor || state.plain))
    corrupt("unknown predictor", 0);
  Prediction &prediction = opened.prediction;
  prediction.temporal = {static_cast<std::int8_t>(bytes[1]), static_cast<std::int8_t>(bytes[2]),
                         static_cast<std::int8_t>(bytes[3])};
  if (state.plain && (bytes[1] | bytes[2] | bytes[3]) != 0) corrupt("prediction without history", 1);
  if (bytes[0] == core::neighbour_predictor) {
    Neighbours neighbours;
    if (!read_header(bytes + core::coefficients_end, size - core::coefficients_end, neighbours))
      corrupt("coefficients of neighbours", core::coefficients_end);
    prediction.use(neighbours);
  }
  const std::size_t widths_at = prediction.widths_at();
  const std::size_t header = opened.header = core::difference_header_size(widths_at, state.components);
  if (size < header) corrupt("length of a difference section", 0);
  const auto count = static_cast<std::size_t>(core::residual_items(state.components));
  for (std::size_t i = widths_at; i < header; ++i)
    if (bytes[i] > (i < widths_at + count ? core::max_residual_item_width : 0))
      corrupt("header of a difference section", i);
  const std::uint8_t *const width = bytes + widths_at;
  const std::uint32_t bits = sum_of_widths(width, count);
  const std::uint64_t blocks = core::blocks_of(state.particles);
  ResidualSection section(bytes, size, header, bits, blocks);

  opened.blocks.resize(blocks);
  for (std::uint64_t b = 0; b < blocks; ++b) {
    StoredBlock<ResidualRecord> &block = opened.blocks[b];
    const auto n =
        static_cast<std::uint32_t>(std::min<std::size_t>(difference_block, state.particles - b * difference_block));
    if (!core::read_residual_record(width, section.directory(), b * bits, state.components, n, true, block.record))
      corrupt("record of block " + std::to_string(b), header);
    block.words = section.take(core::residual_words(block.record, state.components, n), b);
  }
  section.end();
  return opened;
}

// Decodes the wanted ones of blocks first, ... last - 1. Indices of axis d from particle `at` on go to memory(at, d);
// after each block decoded(at, n) is called.
template <class Memory, class Decoded>
void decode_blocks(const DifferenceState &state, const OpenedBlocks &opened, std::uint64_t first, std::uint64_t last,
                   const GridBox &box, const DifferenceKernels &kernels, const WantedBlocks &wanted,
                   const Memory &memory, const Decoded &decoded) {
  const auto scratch = std::make_unique<DifferenceScratch>();
  for (std::uint64_t b = first; b < last; ++b) {
    if (!wanted.has(b)) continue;
    DifferenceBlock block = block_at(state, {}, box, opened.prediction, b);
    const std::size_t at = b * difference_block;
    for (std::size_t d = 0; d < static_cast<std::size_t>(state.components); ++d) block.axes[d].out = memory(at, d);
    const StoredBlock<ResidualRecord> &stored = opened.blocks[b];
    if (!kernels.decode(block, stored.record, stored.words, *scratch))
      corrupt("block " + std::to_string(b), opened.header);
    decoded(at, block.n);
  }
}

}  // namespace

void decode_difference(const DifferenceState &state, const std::uint8_t *bytes, std::size_t size, const GridBox &box,
                       const IndexOutput &q, const Kernels &kernels, int threads) {
  const OpenedBlocks opened = open_blocks(state, bytes, size);
  parallel_ranges(threads_for_particles(threads, state.particles), opened.blocks.size(),
                  [&](int, std::uint64_t first, std::uint64_t last) {
                    decode_blocks(
                        state, opened, first, last, box, kernels.difference, {},
                        [&](std::size_t at, std::size_t d) { return q[d] + at; }, [](std::size_t, std::size_t) {});
                  });
}

void follow_difference(DifferenceState &state, const std::uint8_t *bytes, std::size_t size, const GridBox &box,
                       const Kernels &kernels, int threads, const WantedBlocks &wanted) {
  const OpenedBlocks opened = open_blocks(state, bytes, size);
  parallel_ranges(threads_for_particles(threads, state.particles), opened.blocks.size(),
                  [&](int, std::uint64_t first, std::uint64_t last) {
                    alignas(64) std::int64_t block[core::max_components][difference_block];
                    IndexColumns q{};
                    for (std::size_t d = 0; d < q.size(); ++d) q[d] = block[d];
                    decode_blocks(
                        state, opened, first, last, box, kernels.difference, wanted,
                        [&](std::size_t, std::size_t d) { return block[d]; },
                        [&](std::size_t at, std::size_t n) { state.advance_range(at, n, q, box, kernels); });
                  });
  state.at_rest = false;
  ++state.frames;
}

}  // namespace gpz::codec
