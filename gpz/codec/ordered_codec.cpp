// SPDX-License-Identifier: BSD-3-Clause
#include "gpz/codec/ordered_codec.hpp"

#include <algorithm>
#include <cstring>
#include <memory>
#include <string>
#include <utility>

#include "gpz/codec/ordered_runs.hpp"
#include "gpz/codec/ordered_search.hpp"
#include "gpz/codec/parallel.hpp"
#include "gpz/codec/residual_section.hpp"
#include "gpz/core/block.hpp"
#include "gpz/core/ordered_section.hpp"
#include "gpz/error.hpp"
#include "gpz/format/corrupt.hpp"

namespace gpz::codec {

using format::corrupt;

namespace {

// Items of a record.
std::size_t items_of(int components) { return static_cast<std::size_t>(core::ordered_items(components)); }

using Bases = std::array<std::int64_t, core::max_components>;

std::uint64_t item_of(const OrderedRecord &record, const Bases &base, int components, std::size_t i) {
  const auto firsts = static_cast<std::size_t>(components);
  if (i < firsts) return static_cast<std::uint64_t>(core::difference_of(record.first[i], base[i]));
  return core::residual_item(record.residuals, components, static_cast<int>(i - firsts));
}

struct Header {
  OrderedPredictor predictor;
  Bases base{};
  std::array<std::uint8_t, core::max_ordered_items> width{};
};

std::vector<std::uint8_t> to_bytes(const Header &header, int components) {
  std::vector<std::uint8_t> bytes(core::ordered_header_size(components));
  bytes[0] = core::ordered_values_kind;
  bytes[1] = static_cast<std::uint8_t>(header.predictor.swapped);
  for (std::size_t k = 0; k < 2; ++k) {
    bytes[2 + 2 * k] = static_cast<std::uint8_t>(header.predictor.lag[k]);
    bytes[3 + 2 * k] = static_cast<std::uint8_t>(header.predictor.lag[k] >> 8);
  }
  std::copy_n(header.width.begin(), items_of(components), bytes.begin() + core::ordered_widths_at);
  std::uint8_t *at = bytes.data() + core::ordered_widths_end(components);
  const std::size_t size = static_cast<std::size_t>(components) * sizeof(std::int64_t);
  std::memcpy(at, header.predictor.offset[0], size);
  std::memcpy(at + size, header.predictor.offset[1], size);
  std::memcpy(at + 2 * size, header.base.data(), size);
  return bytes;
}

Header read_header(const OrderedShape &shape, const std::uint8_t *bytes) {
  const int components = shape.components;
  Header header;
  if (bytes[0] != core::ordered_values_kind) corrupt("unknown kind of ordered section", 0);
  header.predictor.swapped = bytes[1];
  for (std::size_t k = 0; k < 2; ++k) {
    header.predictor.lag[k] = bytes[2 + 2 * k] | static_cast<std::uint32_t>(bytes[3 + 2 * k]) << 8;
    if (header.predictor.lag[k] > core::max_lag) corrupt("lag of an ordered section", 2 + 2 * k);
  }
  if (header.predictor.swapped >> components != 0) corrupt("header of an ordered section", 1);
  for (std::size_t i = 0; i < core::ordered_widths_end(components) - core::ordered_widths_at; ++i) {
    const std::uint8_t width = bytes[core::ordered_widths_at + i];
    const int most = core::max_ordered_item_width(components, static_cast<int>(i));
    if (width > most) corrupt("header of an ordered section", core::ordered_widths_at + i);
    if (most != 0) header.width[i] = width;
  }
  const std::uint8_t *at = bytes + core::ordered_widths_end(components);
  const std::size_t size = static_cast<std::size_t>(components) * sizeof(std::int64_t);
  std::memcpy(header.predictor.offset[0], at, size);
  std::memcpy(header.predictor.offset[1], at + size, size);
  std::memcpy(header.base.data(), at + 2 * size, size);
  for (std::size_t d = 0; d < static_cast<std::size_t>(components); ++d)
    for (const auto &offset : header.predictor.offset)
      if (!core::is_offset(offset[d], core::checked_axis(shape.box[d])))
        corrupt("offset of an ordered section", core::ordered_widths_end(components));
  return header;
}

void encode_values(const OrderedShape &shape, const IndexColumns &q, const OrderedKernels &kernels, int threads,
                   std::vector<std::uint8_t> &bytes) {
  const auto scratch = std::make_unique<OrderedScratch>();
  Header header;
  header.predictor = choose_ordered_predictor(shape, q, kernels, *scratch);
  const std::uint64_t blocks = core::blocks_of(shape.particles);
  std::vector<OrderedRecord> records(blocks);
  Payloads payloads = encode_blocks<OrderedScratch>(
      threads_for_particles(threads, shape.particles), blocks, [&](std::uint64_t b, OrderedScratch &memory) {
        const OrderedBlock block = ordered_block(shape, q, {}, header.predictor, b);
        kernels.link(block, memory);
        return kernels.encode(block, memory, records[b]);
      });

  const std::size_t count = items_of(shape.components);
  for (std::size_t d = 0; d < header.base.size(); ++d) {
    header.base[d] = records[0].first[d];
    for (const auto &record : records) header.base[d] = std::min(header.base[d], record.first[d]);
  }
  const auto item = [&](const OrderedRecord &record, std::size_t i) {
    return item_of(record, header.base, shape.components, i);
  };
  find_item_widths(records, count, item, header.width.data());
  const auto raw = to_bytes(header, shape.components);
  bytes.insert(bytes.end(), raw.begin(), raw.end());
  append_directory(records, count, item, header.width.data(), bytes);
  append_words(payloads, bytes);
}

void decode_values(const OrderedShape &shape, const std::uint8_t *bytes, std::size_t size, const IndexOutput &q,
                   const OrderedKernels &kernels, int threads, const WantedBlocks &wanted) {
  const std::size_t start = core::ordered_header_size(shape.components);
  if (size < start || size % 8 != 0) corrupt("length of an ordered section", 0);
  const Header header = read_header(shape, bytes);
  const std::uint32_t bits = sum_of_widths(header.width.data(), items_of(shape.components));
  const std::uint64_t blocks = core::blocks_of(shape.particles);
  ResidualSection section(bytes, size, start, bits, blocks);

  format::Column<StoredBlock<OrderedRecord>> stored(blocks);
  for (std::uint64_t b = 0; b < blocks; ++b) {
    const std::uint32_t n = ordered_block(shape, {}, q, header.predictor, b).n;
    OrderedRecord &record = stored[b].record;
    if (!core::read_ordered_record(header.width.data(), section.directory(), b * bits, shape.components, n,
                                   header.base.data(), record))
      corrupt("record of block " + std::to_string(b), start);
    stored[b].words = section.take(core::residual_words(record.residuals, shape.components, n), b);
  }
  section.end();
  parallel_ranges(threads_for_particles(threads, shape.particles), blocks,
                  [&](int, std::uint64_t first, std::uint64_t last) {
                    const auto scratch = std::make_unique<OrderedScratch>();
                    for (std::uint64_t b = first; b < last; ++b) {
                      if (!wanted.has(b)) continue;
                      const OrderedBlock block = ordered_block(shape, {}, q, header.predictor, b);
                      kernels.link(block, *scratch);
                      if (!kernels.decode(block, stored[b].record, stored[b].words, *scratch))
                        corrupt("block " + std::to_string(b), start);
                    }
                  });
}

OrderedShape shape_of_runs(std::size_t count) { return {count, core::run_components, nullptr, {}}; }

void encode_runs(const Runs &runs, const OrderedKernels &kernels, int threads, std::vector<std::uint8_t> &bytes) {
  bytes.assign(core::ordered_runs_header, 0);
  bytes[0] = core::ordered_runs_kind;
  const std::uint64_t count = runs.gap.size();
  std::memcpy(bytes.data() + 8, &count, sizeof(count));
  encode_values(shape_of_runs(runs.gap.size()), {runs.gap.data(), runs.more.data()}, kernels, threads, bytes);
}

void decode_runs(std::size_t particles, const std::uint8_t *bytes, std::size_t size, std::int64_t *q,
                 const OrderedKernels &kernels, int threads) {
  if (size < core::ordered_runs_header) corrupt("length of an ordered section", 0);
  std::uint64_t count = 0;
  std::memcpy(&count, bytes + 8, sizeof(count));
  if (std::any_of(bytes + 1, bytes + 8, [](std::uint8_t byte) { return byte != 0; }))
    corrupt("header of an ordered section", 1);
  if (count == 0 || count > core::max_runs(particles)) corrupt("runs of an ordered section", 8);
  // Reserves the largest possible number of runs.
  Runs runs;
  runs.gap.resize(core::max_runs(particles));
  runs.more.resize(core::max_runs(particles));
  decode_values(shape_of_runs(count), bytes + core::ordered_runs_header, size - core::ordered_runs_header,
                {runs.gap.data(), runs.more.data()}, kernels, threads, {});
  runs.gap.resize(count);
  runs.more.resize(count);
  if (!expand_runs(runs, particles, q)) corrupt("runs of an ordered section", core::ordered_runs_header);
}

}  // namespace

void encode_ordered(const OrderedShape &shape, const IndexColumns &q, std::vector<std::uint8_t> &bytes,
                    const Kernels &kernels, int threads) {
  if (shape.particles == 0) return;
  std::vector<std::uint8_t> section;
  encode_values(shape, q, kernels.ordered, threads, section);
  if (shape.components == 1) {
    const Runs runs = find_runs(q[0], shape.particles);
    if (!runs.gap.empty()) {
      std::vector<std::uint8_t> other;
      encode_runs(runs, kernels.ordered, threads, other);
      if (other.size() < section.size()) section = std::move(other);
    }
  }
  if (bytes.empty())
    bytes = std::move(section);
  else
    bytes.insert(bytes.end(), section.begin(), section.end());
}

void decode_ordered(const OrderedShape &shape, const std::uint8_t *bytes, std::size_t size, const IndexOutput &q,
                    const Kernels &kernels, int threads, const WantedBlocks &wanted) {
  if (shape.particles == 0) {
    if (size != 0) corrupt("ordered section of an empty chunk", 0);
  } else if (shape.components == 1 && size != 0 && bytes[0] == core::ordered_runs_kind) {
    decode_runs(shape.particles, bytes, size, q[0], kernels.ordered, threads);
  } else {
    decode_values(shape, bytes, size, q, kernels.ordered, threads, wanted);
  }
}

}  // namespace gpz::codec
