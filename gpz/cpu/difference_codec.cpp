#include "gpz/cpu/difference_codec.hpp"

#include <algorithm>
#include <cstring>
#include <memory>
#include <string>

#include "gpz/core/directory.hpp"
#include "gpz/core/triples.hpp"
#include "gpz/cpu/difference_kernels.hpp"
#include "gpz/error.hpp"

namespace gpz::cpu {

namespace {

constexpr std::uint32_t block_size = DifferenceScratch::block_size;
constexpr int max_items = 2 * core::max_components + 4;

// What section headers start with.
constexpr std::uint8_t temporal_predictor = 1;
constexpr std::uint8_t neighbour_predictor = 2;
constexpr std::size_t neighbours_at = 4;

int items_of(int components) { return 2 * components + 4; }

// What is behind the coefficients: the widths are at `widths_at`, 4 without neighbours.
std::size_t header_size(std::size_t widths_at, int components) {
  return core::round_up_to_8(widths_at + static_cast<std::size_t>(items_of(components)));
}

// Both kinds of prediction.
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
  std::size_t widths_at() const { return neighbours_at + (has_neighbours() ? header_size(neighbours) : 0); }
};

std::uint64_t blocks_of(std::size_t particles) {
  return particles / block_size + (particles % block_size != 0 ? 1 : 0);
}

// Items of a record: width and head of each component, words of the bitmap, margin, words of the
// flags, exceptions.
std::array<std::uint64_t, max_items> items(const DifferenceRecord &record, int components) {
  std::array<std::uint64_t, max_items> out{};
  const auto d_end = static_cast<std::size_t>(components);
  for (std::size_t d = 0; d < d_end; ++d) {
    out[d] = record.code[d].width;
    out[d_end + d] = record.code[d].head;
  }
  if (record.triples) out[d_end] += core::triples_head;
  out[2 * d_end] = record.bitmap;
  out[2 * d_end + 1] = record.margin;
  out[2 * d_end + 2] = record.flags;
  out[2 * d_end + 3] = record.exceptions;
  return out;
}

// The same backwards; false if an item is out of range.
bool to_record(const std::array<std::uint64_t, max_items> &item, int components, std::uint32_t n,
               DifferenceRecord &record) {
  const auto d_end = static_cast<std::size_t>(components);
  record.triples = components == core::max_components && item[d_end] >= core::triples_head;
  for (std::size_t d = 0; d < d_end; ++d) {
    const std::uint64_t head = item[d_end + d] - (record.triples && d == 0 ? core::triples_head : 0u);
    if (item[d] > core::max_residual_width || head > 3) return false;
    record.code[d] = {static_cast<std::uint8_t>(item[d]), static_cast<std::uint8_t>(head)};
    if (!core::is_valid(record.code[d])) return false;
    if (record.triples && d != 0 && (item[d] != 0 || head != 1)) return false;
  }
  const std::uint64_t values = static_cast<std::uint64_t>(components) * n;
  if (item[2 * d_end] > UINT32_MAX || item[2 * d_end + 1] > INT32_MAX ||
      item[2 * d_end + 2] > core::words_for_bits(values) || item[2 * d_end + 3] > values)
    return false;
  record.bitmap = static_cast<std::uint32_t>(item[2 * d_end]);
  record.margin = static_cast<std::uint32_t>(item[2 * d_end + 1]);
  record.flags = static_cast<std::uint32_t>(item[2 * d_end + 2]);
  record.exceptions = static_cast<std::uint32_t>(item[2 * d_end + 3]);
  return true;
}

// The history of a plain state.
constexpr std::int32_t at_rest[block_size] = {};

DifferenceBlock block_at(const DifferenceState &state, const IndexColumns &q, const IndexOutput &out,
                         const GridBox &box, const Prediction &prediction, std::uint64_t b) {
  const std::size_t first = b * block_size;
  DifferenceBlock block{};
  block.n = static_cast<std::uint32_t>(std::min<std::size_t>(block_size, state.particles - first));
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
                     out[d] == nullptr ? nullptr : out[d] + first,
                     core::checked_axis(box[d])};
  }
  return block;
}

// The blocks that a fit looks at.
std::uint64_t fit_stride(std::uint64_t blocks) { return (blocks - 1) / core::max_fit_blocks + 1; }

// Bits of every other one of them.
std::uint64_t measured(const DifferenceState &state, const IndexColumns &q, const GridBox &box,
                       const Prediction &prediction, const DifferenceKernels &kernels, DifferenceScratch &scratch) {
  const std::uint64_t blocks = blocks_of(state.particles);
  std::uint64_t bits = 0;
  for (std::uint64_t b = 0; b < blocks; b += 2 * fit_stride(blocks))
    bits += kernels.measure(block_at(state, q, {}, box, prediction, b), scratch);
  return bits;
}

// What is left of the slots before, added to a prediction that takes `without` bits: only where fewer are left then,
// with the coefficients.
void add_neighbours(const DifferenceState &state, const IndexColumns &q, const GridBox &box, std::uint64_t without,
                    const DifferenceKernels &kernels, DifferenceScratch &scratch, Prediction &prediction) {
  const std::uint64_t blocks = blocks_of(state.particles);
  const std::uint64_t stride = fit_stride(blocks);
  NeighbourSums sums;
  for (std::uint64_t b = 0; b < blocks; b += stride)
    kernels.sum_neighbours(block_at(state, q, {}, box, prediction, b),
                           static_cast<std::uint32_t>(b * block_size % NeighbourSums::period), scratch, sums);
  prediction.use(fit_neighbours(sums, state.particles * static_cast<std::uint64_t>(state.components)));
  const std::uint64_t header =
      8 * (header_size(prediction.widths_at(), state.components) - header_size(neighbours_at, state.components));
  const std::uint64_t with = measured(state, q, box, prediction, kernels, scratch);
  const std::uint64_t sample = (blocks - 1) / (2 * stride) + 1;
  if (with * blocks + header * sample >= without * blocks) prediction.neighbours = {};
}

// Fitted over some of the blocks; the last position alone where every other of them is no smaller with the fit.
Prediction choose_prediction(const DifferenceState &state, const IndexColumns &q, const GridBox &box, bool neighbours,
                             const DifferenceKernels &kernels, DifferenceScratch &scratch) {
  Prediction best;
  if (state.plain) return best;
  const std::uint64_t blocks = blocks_of(state.particles);
  core::FitSums sums;
  for (std::uint64_t b = 0; b < blocks; b += fit_stride(blocks))
    kernels.fit(block_at(state, q, {}, box, {}, b), scratch, sums);
  best.temporal = kernels.solve(sums);
  const std::uint64_t with = measured(state, q, box, best, kernels, scratch);
  const std::uint64_t without = measured(state, q, box, {}, kernels, scratch);
  if (with >= without) best.temporal = {};
  if (neighbours) add_neighbours(state, q, box, std::min(with, without), kernels, scratch, best);
  return best;
}

void append(std::vector<std::uint8_t> &bytes, const std::vector<std::uint32_t> &words) {
  const auto *raw = reinterpret_cast<const std::uint8_t *>(words.data());
  bytes.insert(bytes.end(), raw, raw + words.size() * sizeof(std::uint32_t));
}

[[noreturn]] void corrupt(const std::string &cause, std::uint64_t position) {
  throw Error(Status::corrupt, cause, {}, position);
}

}  // namespace

std::uint64_t payload_words(const DifferenceRecord &record, int components, std::uint32_t n) {
  std::uint64_t words = std::uint64_t{record.bitmap} + record.flags + std::uint64_t{record.exceptions} * 3;
  for (int d = 0; d < components; ++d)
    words += core::packed_words(n, record.code[d].width, core::lanes_of(n, block_size));
  return words;
}

void DifferenceState::start(const IndexColumns &q, std::size_t n, int count, bool as_plain) {
  components = count;
  plain = as_plain;
  frames = 1;
  for (std::size_t d = 0; d < axes.size(); ++d) {
    if (d >= static_cast<std::size_t>(count)) axes[d].last.clear();
    if (plain || d >= static_cast<std::size_t>(count))
      for (auto *column : {&axes[d].deviation, &axes[d].velocity, &axes[d].previous}) column->clear();
  }
  replace(nullptr, 0, q, n);
}

void DifferenceState::advance(const IndexColumns &q, const GridBox &box, const Kernels &kernels) {
  for (std::size_t d = 0; d < static_cast<std::size_t>(components); ++d) {
    Axis &axis = axes[d];
    if (plain)
      std::copy_n(q[d], particles, axis.last.begin());
    else
      kernels.difference.advance(q[d], core::checked_axis(box[d]), particles, frames, axis.last.data(),
                                 axis.deviation.data(), axis.velocity.data(), axis.previous.data());
  }
  ++frames;
}

void DifferenceState::replace(const std::uint32_t *kept, std::size_t count, const IndexColumns &added,
                              std::size_t added_count) {
  const auto keep = [&](auto &column) {
    for (std::size_t i = 0; i < count; ++i) column[i] = column[kept[i]];
    column.resize(count);
  };
  for (std::size_t d = 0; d < static_cast<std::size_t>(components); ++d) {
    Axis &axis = axes[d];
    keep(axis.last);
    axis.last.insert(axis.last.end(), added[d], added[d] + added_count);
    if (plain) continue;
    for (auto *column : {&axis.deviation, &axis.velocity, &axis.previous}) {
      keep(*column);
      column->resize(count + added_count, 0);
    }
  }
  particles = count + added_count;
}

void encode_difference(const DifferenceState &state, const IndexColumns &q, const GridBox &box,
                       std::vector<std::uint8_t> &bytes, const Kernels &kernels, bool neighbours) {
  if (state.particles == 0) return;
  const auto scratch = std::make_unique<DifferenceScratch>();
  const Prediction prediction = choose_prediction(state, q, box, neighbours, kernels.difference, *scratch);
  const std::uint64_t blocks = blocks_of(state.particles);
  std::vector<DifferenceRecord> records(blocks);
  std::vector<std::uint32_t> payload;
  for (std::uint64_t b = 0; b < blocks; ++b) {
    const std::uint32_t words =
        kernels.difference.encode(block_at(state, q, {}, box, prediction, b), *scratch, records[b]);
    payload.insert(payload.end(), scratch->words, scratch->words + words);
  }

  const auto count = static_cast<std::size_t>(items_of(state.components));
  std::array<std::uint64_t, max_items> all{};
  for (const auto &record : records) {
    const auto item = items(record, state.components);
    for (std::size_t i = 0; i < count; ++i) all[i] |= item[i];
  }
  const std::size_t widths_at = prediction.widths_at();
  std::vector<std::uint8_t> header(header_size(widths_at, state.components));
  header[0] = prediction.has_neighbours() ? neighbour_predictor : temporal_predictor;
  header[1] = static_cast<std::uint8_t>(prediction.temporal.velocity);
  header[2] = static_cast<std::uint8_t>(prediction.temporal.previous);
  header[3] = static_cast<std::uint8_t>(prediction.temporal.mean);
  if (prediction.has_neighbours()) write_header(prediction.neighbours, &header[neighbours_at]);
  std::uint32_t bits = 0;
  for (std::size_t i = 0; i < count; ++i) {
    header[widths_at + i] = static_cast<std::uint8_t>(core::bit_length(all[i]));
    bits += header[widths_at + i];
  }
  std::vector<std::uint32_t> directory(core::directory_size(bits, blocks) / sizeof(std::uint32_t));
  std::uint64_t at = 0;
  for (const auto &record : records) {
    const auto item = items(record, state.components);
    for (std::size_t i = 0; i < count; at += header[widths_at + i], ++i)
      core::put_bits(directory.data(), at, header[widths_at + i], item[i]);
  }
  if (payload.size() % 2 != 0) payload.push_back(0);
  bytes.insert(bytes.end(), header.begin(), header.end());
  append(bytes, directory);
  append(bytes, payload);
}

void decode_difference(const DifferenceState &state, const std::uint8_t *bytes, std::size_t size, const GridBox &box,
                       const IndexOutput &q, const Kernels &kernels) {
  if (state.particles == 0) {
    if (size != 0) corrupt("difference section of an empty chunk", 0);
    return;
  }
  if (size < header_size(neighbours_at, state.components) || size % 8 != 0)
    corrupt("length of a difference section", 0);
  if (bytes[0] != temporal_predictor && (bytes[0] != neighbour_predictor || state.plain))
    corrupt("unknown predictor", 0);
  Prediction prediction;
  prediction.temporal = {static_cast<std::int8_t>(bytes[1]), static_cast<std::int8_t>(bytes[2]),
                         static_cast<std::int8_t>(bytes[3])};
  if (state.plain && (bytes[1] | bytes[2] | bytes[3]) != 0) corrupt("prediction without history", 1);
  if (bytes[0] == neighbour_predictor) {
    Neighbours neighbours;
    if (!read_header(bytes + neighbours_at, size - neighbours_at, neighbours))
      corrupt("coefficients of neighbours", neighbours_at);
    prediction.use(neighbours);
  }
  const std::size_t widths_at = prediction.widths_at();
  const std::size_t header = header_size(widths_at, state.components);
  if (size < header) corrupt("length of a difference section", 0);
  const auto count = static_cast<std::size_t>(items_of(state.components));
  std::uint32_t bits = 0;
  for (std::size_t i = widths_at; i < header; ++i) {
    if (bytes[i] > (i < widths_at + count ? 32 : 0)) corrupt("header of a difference section", i);
    bits += bytes[i];
  }
  const std::uint64_t blocks = blocks_of(state.particles);
  if ((bits != 0 && blocks > (size - header) * 8 / bits) || core::directory_size(bits, blocks) > size - header)
    corrupt("block directory exceeds its section", header);
  const auto *directory = reinterpret_cast<const std::uint32_t *>(bytes + header);
  const std::uint64_t directory_words = core::directory_size(bits, blocks) / sizeof(std::uint32_t);
  for (std::uint64_t bit = blocks * bits; bit < directory_words * 32; ++bit)
    if (core::get_bits(directory, bit, 1) != 0) corrupt("padding of the block directory", header);
  const std::uint32_t *words = directory + directory_words;
  std::uint64_t room = (size - header) / sizeof(std::uint32_t) - directory_words;

  const auto scratch = std::make_unique<DifferenceScratch>();
  std::uint64_t at = 0;
  for (std::uint64_t b = 0; b < blocks; ++b) {
    const DifferenceBlock block = block_at(state, {}, q, box, prediction, b);
    std::array<std::uint64_t, max_items> item{};
    for (std::size_t i = 0; i < count; at += bytes[widths_at + i], ++i)
      item[i] = core::get_bits(directory, at, bytes[widths_at + i]);
    DifferenceRecord record;
    if (!to_record(item, state.components, block.n, record)) corrupt("record of block " + std::to_string(b), header);
    const std::uint64_t length = payload_words(record, state.components, block.n);
    if (length > room) corrupt("block " + std::to_string(b) + " exceeds its section", header);
    if (!kernels.difference.decode(block, record, words, *scratch)) corrupt("block " + std::to_string(b), header);
    words += length;
    room -= length;
  }
  if (room > 1) corrupt("difference section longer than its blocks", header);
  if (room == 1 && *words != 0) corrupt("padding of a difference section", header);
}

}  // namespace gpz::cpu
