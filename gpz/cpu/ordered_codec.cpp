#include "gpz/cpu/ordered_codec.hpp"

#include <algorithm>
#include <cstring>
#include <memory>
#include <string>
#include <utility>

#include "gpz/core/directory.hpp"
#include "gpz/cpu/ordered_runs.hpp"
#include "gpz/cpu/ordered_search.hpp"
#include "gpz/error.hpp"

namespace gpz::cpu {

namespace {

constexpr std::uint32_t block_size = OrderedScratch::block_size;
constexpr int max_items = 3 * core::max_components + 4;

// What sections start with; another number would be another prediction or another code.
constexpr std::uint8_t values_kind = 1;
constexpr std::uint8_t runs_kind = 2;
constexpr std::size_t widths_at = 6;
constexpr std::size_t runs_header = 16;  // kind, 7 zeros, number of runs

std::size_t items_of(int components) { return 3 * static_cast<std::size_t>(components) + 4; }

// Of the header: the widths end here, then come offsets and bases.
std::size_t widths_end(int components) { return core::round_up_to_8(widths_at + items_of(components)); }

std::size_t header_size(int components) {
  return widths_end(components) + 3 * static_cast<std::size_t>(components) * 8;
}

std::uint64_t blocks_of(std::size_t particles) {
  return particles / block_size + (particles % block_size != 0 ? 1 : 0);
}

using Items = std::array<std::uint64_t, max_items>;
using Bases = std::array<std::int64_t, core::max_components>;

// Items of a record: the first place of each component less its base, width and head of each, words of the bitmap,
// margin, words of the flags, exceptions.
Items items(const OrderedRecord &record, const Bases &base, int components) {
  Items out{};
  const auto d_end = static_cast<std::size_t>(components);
  const ResidualRecord &coded = record.residuals;
  for (std::size_t d = 0; d < d_end; ++d) {
    out[d] = static_cast<std::uint64_t>(core::difference_of(record.first[d], base[d]));
    out[d_end + d] = coded.code[d].width;
    out[2 * d_end + d] = coded.code[d].head;
  }
  out[3 * d_end] = coded.bitmap;
  out[3 * d_end + 1] = coded.margin;
  out[3 * d_end + 2] = coded.flags;
  out[3 * d_end + 3] = coded.exceptions;
  return out;
}

// The same backwards; false if an item is out of range.
bool to_record(const Items &item, const Bases &base, int components, std::uint32_t n, OrderedRecord &record) {
  const auto d_end = static_cast<std::size_t>(components);
  ResidualRecord &coded = record.residuals;
  for (std::size_t d = 0; d < d_end; ++d) {
    record.first[d] = core::sum_of(static_cast<std::int64_t>(item[d]), base[d]);
    if (item[d_end + d] > core::max_residual_width || item[2 * d_end + d] > 3) return false;
    coded.code[d] = {static_cast<std::uint8_t>(item[d_end + d]), static_cast<std::uint8_t>(item[2 * d_end + d])};
    if (!core::is_valid(coded.code[d])) return false;
  }
  const std::uint64_t values = static_cast<std::uint64_t>(components) * n;
  if (item[3 * d_end] > UINT32_MAX || item[3 * d_end + 1] > INT32_MAX ||
      item[3 * d_end + 2] > core::words_for_bits(values) || item[3 * d_end + 3] > values)
    return false;
  coded.bitmap = static_cast<std::uint32_t>(item[3 * d_end]);
  coded.margin = static_cast<std::uint32_t>(item[3 * d_end + 1]);
  coded.flags = static_cast<std::uint32_t>(item[3 * d_end + 2]);
  coded.exceptions = static_cast<std::uint32_t>(item[3 * d_end + 3]);
  return true;
}

void append(std::vector<std::uint8_t> &bytes, const std::vector<std::uint32_t> &words) {
  const auto *raw = reinterpret_cast<const std::uint8_t *>(words.data());
  bytes.insert(bytes.end(), raw, raw + words.size() * sizeof(std::uint32_t));
}

[[noreturn]] void corrupt(const std::string &cause, std::uint64_t position) {
  throw Error(Status::corrupt, cause, {}, position);
}

// Header of a section.
struct Header {
  OrderedPredictor predictor;
  Bases base{};
  std::array<std::uint8_t, max_items> width{};
};

std::vector<std::uint8_t> to_bytes(const Header &header, int components) {
  std::vector<std::uint8_t> bytes(header_size(components));
  bytes[0] = values_kind;
  bytes[1] = static_cast<std::uint8_t>(header.predictor.swapped);
  for (std::size_t k = 0; k < 2; ++k) {
    bytes[2 + 2 * k] = static_cast<std::uint8_t>(header.predictor.lag[k]);
    bytes[3 + 2 * k] = static_cast<std::uint8_t>(header.predictor.lag[k] >> 8);
  }
  std::copy_n(header.width.begin(), items_of(components), bytes.begin() + widths_at);
  std::uint8_t *at = bytes.data() + widths_end(components);
  const std::size_t size = static_cast<std::size_t>(components) * sizeof(std::int64_t);
  std::memcpy(at, header.predictor.offset[0], size);
  std::memcpy(at + size, header.predictor.offset[1], size);
  std::memcpy(at + 2 * size, header.base.data(), size);
  return bytes;
}

Header read_header(const OrderedShape &shape, const std::uint8_t *bytes) {
  const int components = shape.components;
  Header header;
  if (bytes[0] != values_kind) corrupt("unknown kind of ordered section", 0);
  header.predictor.swapped = bytes[1];
  for (std::size_t k = 0; k < 2; ++k) {
    header.predictor.lag[k] = bytes[2 + 2 * k] | static_cast<std::uint32_t>(bytes[3 + 2 * k]) << 8;
    if (header.predictor.lag[k] > core::max_lag) corrupt("lag of an ordered section", 2 + 2 * k);
  }
  if (header.predictor.swapped >> components != 0) corrupt("header of an ordered section", 1);
  for (std::size_t i = 0; i < widths_end(components) - widths_at; ++i) {
    const std::uint8_t width = bytes[widths_at + i];
    const int most = i < static_cast<std::size_t>(components) ? 64 : i < items_of(components) ? 32 : 0;
    if (width > most) corrupt("header of an ordered section", widths_at + i);
    if (most != 0) header.width[i] = width;
  }
  const std::uint8_t *at = bytes + widths_end(components);
  const std::size_t size = static_cast<std::size_t>(components) * sizeof(std::int64_t);
  std::memcpy(header.predictor.offset[0], at, size);
  std::memcpy(header.predictor.offset[1], at + size, size);
  std::memcpy(header.base.data(), at + 2 * size, size);
  for (std::size_t d = 0; d < static_cast<std::size_t>(components); ++d)
    for (const auto &offset : header.predictor.offset)
      if (!core::is_offset(offset[d], core::checked_axis(shape.box[d])))
        corrupt("offset of an ordered section", widths_end(components));
  return header;
}

void encode_values(const OrderedShape &shape, const IndexColumns &q, const OrderedKernels &kernels,
                   std::vector<std::uint8_t> &bytes) {
  const auto scratch = std::make_unique<OrderedScratch>();
  Header header;
  header.predictor = choose_ordered_predictor(shape, q, kernels, *scratch);
  const std::uint64_t blocks = blocks_of(shape.particles);
  std::vector<OrderedRecord> records(blocks);
  std::vector<std::uint32_t> payload;
  for (std::uint64_t b = 0; b < blocks; ++b) {
    const OrderedBlock block = ordered_block(shape, q, {}, header.predictor, b);
    kernels.link(block, *scratch);
    const std::uint32_t words = kernels.encode(block, *scratch, records[b]);
    payload.insert(payload.end(), scratch->words, scratch->words + words);
  }

  const std::size_t count = items_of(shape.components);
  for (std::size_t d = 0; d < header.base.size(); ++d) {
    header.base[d] = records[0].first[d];
    for (const auto &record : records) header.base[d] = std::min(header.base[d], record.first[d]);
  }
  Items all{};
  for (const auto &record : records) {
    const Items item = items(record, header.base, shape.components);
    for (std::size_t i = 0; i < count; ++i) all[i] |= item[i];
  }
  std::uint32_t bits = 0;
  for (std::size_t i = 0; i < count; ++i) {
    header.width[i] = static_cast<std::uint8_t>(core::bit_length(all[i]));
    bits += header.width[i];
  }
  std::vector<std::uint32_t> directory(core::directory_size(bits, blocks) / sizeof(std::uint32_t));
  std::uint64_t at = 0;
  for (const auto &record : records) {
    const Items item = items(record, header.base, shape.components);
    for (std::size_t i = 0; i < count; at += header.width[i], ++i)
      core::put_bits(directory.data(), at, header.width[i], item[i]);
  }
  if (payload.size() % 2 != 0) payload.push_back(0);
  const auto raw = to_bytes(header, shape.components);
  bytes.insert(bytes.end(), raw.begin(), raw.end());
  append(bytes, directory);
  append(bytes, payload);
}

void decode_values(const OrderedShape &shape, const std::uint8_t *bytes, std::size_t size, const IndexOutput &q,
                   const OrderedKernels &kernels) {
  const std::size_t start = header_size(shape.components);
  if (size < start || size % 8 != 0) corrupt("length of an ordered section", 0);
  const Header header = read_header(shape, bytes);
  const std::size_t count = items_of(shape.components);
  std::uint32_t bits = 0;
  for (const std::uint8_t width : header.width) bits += width;
  const std::uint64_t blocks = blocks_of(shape.particles);
  if ((bits != 0 && blocks > (size - start) * 8 / bits) || core::directory_size(bits, blocks) > size - start)
    corrupt("block directory exceeds its section", start);
  const auto *directory = reinterpret_cast<const std::uint32_t *>(bytes + start);
  const std::uint64_t directory_words = core::directory_size(bits, blocks) / sizeof(std::uint32_t);
  for (std::uint64_t bit = blocks * bits; bit < directory_words * 32; ++bit)
    if (core::get_bits(directory, bit, 1) != 0) corrupt("padding of the block directory", start);
  const std::uint32_t *words = directory + directory_words;
  std::uint64_t room = (size - start) / sizeof(std::uint32_t) - directory_words;

  const auto scratch = std::make_unique<OrderedScratch>();
  std::uint64_t at = 0;
  for (std::uint64_t b = 0; b < blocks; ++b) {
    const OrderedBlock block = ordered_block(shape, {}, q, header.predictor, b);
    Items item{};
    for (std::size_t i = 0; i < count; at += header.width[i], ++i)
      item[i] = core::get_bits(directory, at, header.width[i]);
    OrderedRecord record;
    if (!to_record(item, header.base, shape.components, block.n, record))
      corrupt("record of block " + std::to_string(b), start);
    const std::uint64_t length = payload_words(record.residuals, shape.components, block.n);
    if (length > room) corrupt("block " + std::to_string(b) + " exceeds its section", start);
    kernels.link(block, *scratch);
    if (!kernels.decode(block, record, words, *scratch)) corrupt("block " + std::to_string(b), start);
    words += length;
    room -= length;
  }
  if (room > 1) corrupt("ordered section longer than its blocks", start);
  if (room == 1 && *words != 0) corrupt("padding of an ordered section", start);
}

OrderedShape shape_of_runs(std::size_t count) { return {count, 2, nullptr, {}}; }

void encode_runs(const Runs &runs, const OrderedKernels &kernels, std::vector<std::uint8_t> &bytes) {
  bytes.assign(runs_header, 0);
  bytes[0] = runs_kind;
  const std::uint64_t count = runs.gap.size();
  std::memcpy(bytes.data() + 8, &count, sizeof(count));
  encode_values(shape_of_runs(runs.gap.size()), {runs.gap.data(), runs.more.data()}, kernels, bytes);
}

void decode_runs(std::size_t particles, const std::uint8_t *bytes, std::size_t size, std::int64_t *q,
                 const OrderedKernels &kernels) {
  if (size < runs_header) corrupt("length of an ordered section", 0);
  std::uint64_t count = 0;
  std::memcpy(&count, bytes + 8, sizeof(count));
  if (std::any_of(bytes + 1, bytes + 8, [](std::uint8_t byte) { return byte != 0; }))
    corrupt("header of an ordered section", 1);
  if (count == 0 || count > max_runs(particles)) corrupt("runs of an ordered section", 8);
  // Room for as many as there can be.
  Runs runs{std::vector<std::int64_t>(max_runs(particles)), std::vector<std::int64_t>(max_runs(particles))};
  decode_values(shape_of_runs(count), bytes + runs_header, size - runs_header, {runs.gap.data(), runs.more.data()},
                kernels);
  runs.gap.resize(count);
  runs.more.resize(count);
  if (!expand_runs(runs, particles, q)) corrupt("runs of an ordered section", runs_header);
}

}  // namespace

void encode_ordered(const OrderedShape &shape, const IndexColumns &q, std::vector<std::uint8_t> &bytes,
                    const Kernels &kernels) {
  if (shape.particles == 0) return;
  std::vector<std::uint8_t> section;
  encode_values(shape, q, kernels.ordered, section);
  if (shape.components == 1) {
    const Runs runs = find_runs(q[0], shape.particles);
    if (!runs.gap.empty()) {
      std::vector<std::uint8_t> other;
      encode_runs(runs, kernels.ordered, other);
      if (other.size() < section.size()) section = std::move(other);
    }
  }
  bytes.insert(bytes.end(), section.begin(), section.end());
}

void decode_ordered(const OrderedShape &shape, const std::uint8_t *bytes, std::size_t size, const IndexOutput &q,
                    const Kernels &kernels) {
  if (shape.particles == 0) {
    if (size != 0) corrupt("ordered section of an empty chunk", 0);
  } else if (shape.components == 1 && size != 0 && bytes[0] == runs_kind) {
    decode_runs(shape.particles, bytes, size, q[0], kernels.ordered);
  } else {
    decode_values(shape, bytes, size, q, kernels.ordered);
  }
}

}  // namespace gpz::cpu
