// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cstring>

#include "gpz/codec/chunk_codec.hpp"
#include "gpz/codec/parallel.hpp"
#include "gpz/core/block.hpp"
#include "gpz/core/pack.hpp"
#include "gpz/format/chunk_head.hpp"
#include "gpz/format/chunk_layout.hpp"
#include "gpz/format/fields.hpp"
#include "gpz/kernels/kernels.hpp"

namespace gpz::codec {
namespace {

constexpr std::uint32_t block_size = core::default_block_size;

// Blocks of a field before they are joined.
struct Section {
  std::vector<core::BlockRecord> records;
  std::vector<std::uint32_t> words;
  double largest_error = 0;

  void clear() {
    records.clear();
    words.clear();
    largest_error = 0;
  }
};

template <typename In, typename Out, typename Row>
void load_rows(const ConstArray &array, std::uint32_t n, const Row &row, Out *out) {
  const char *base = static_cast<const char *>(array.data);
  for (std::uint32_t i = 0; i < n; ++i) {
    In value;
    std::memcpy(&value, base + static_cast<std::ptrdiff_t>(row(i)) * array.stride, sizeof(In));
    out[i] = static_cast<Out>(value);
  }
}

// Particles of a block in stored order.
struct BlockRows {
  std::size_t first;
  std::uint32_t n;
  const int *rows;             // nullptr: particle i is row i
  const std::uint16_t *order;  // nullptr: input order
};

template <typename In, typename Out>
void load_as(const ConstArray &array, const BlockRows &block, Out *out) {
  const int *rows = block.rows == nullptr ? nullptr : block.rows + block.first;
  const std::uint16_t *order = block.order;
  const std::size_t first = block.first;
  if (rows != nullptr && order != nullptr)
    load_rows<In>(
        array, block.n, [=](std::uint32_t i) { return static_cast<std::size_t>(rows[order[i]]); }, out);
  else if (rows != nullptr)
    load_rows<In>(
        array, block.n, [=](std::uint32_t i) { return static_cast<std::size_t>(rows[i]); }, out);
  else if (order != nullptr)
    load_rows<In>(
        array, block.n, [=](std::uint32_t i) { return first + order[i]; }, out);
  else
    load_rows<In>(
        array, block.n, [=](std::uint32_t i) { return first + i; }, out);
}

// Contiguous values of a block. Copies them to `buffer` unless the caller's array is already contiguous.
const void *load(const ConstArray &array, const BlockRows &block, std::uint64_t *buffer) {
  using Type = ConstArray::Type;
  const bool in_place = block.rows == nullptr && block.order == nullptr;
  const auto contiguous = [&](std::ptrdiff_t size) {
    return in_place && array.stride == size &&
           reinterpret_cast<std::uintptr_t>(array.data) % static_cast<std::uintptr_t>(size) == 0;
  };
  switch (array.type) {
    case Type::int32:
      load_as<std::int32_t>(array, block, reinterpret_cast<std::int64_t *>(buffer));
      break;
    case Type::int64:
      if (contiguous(8)) return static_cast<const std::int64_t *>(array.data) + block.first;
      load_as<std::int64_t>(array, block, reinterpret_cast<std::int64_t *>(buffer));
      break;
    case Type::float32:
      if (contiguous(4)) return static_cast<const float *>(array.data) + block.first;
      load_as<float>(array, block, reinterpret_cast<float *>(buffer));
      break;
    case Type::float64:
      if (contiguous(8)) return static_cast<const double *>(array.data) + block.first;
      load_as<double>(array, block, reinterpret_cast<double *>(buffer));
      break;
  }
  return buffer;
}

BlockInput prototype(const FieldInput &from) {
  BlockInput input{};
  input.value = format::core_value(from.field.type);
  input.components = static_cast<int>(from.field.components.size());
  input.grid = format::grid_of(from);
  input.may_sort = from.field.leading;
  return input;
}

}  // namespace

struct Encoder::Worker {
  Scratch scratch{block_size};
  std::vector<std::uint64_t> buffer = std::vector<std::uint64_t>(std::size_t{core::max_components} * block_size);
  std::vector<Section> sections;
  std::vector<std::uint16_t> order = std::vector<std::uint16_t>(block_size);

  // Encodes all fields of a block together, so that its particles and their order stay in cache.
  void encode_block(const std::vector<FieldInput> &fields, BlockRows block) {
    block.order = nullptr;
    for (std::size_t f = 0; f < fields.size(); ++f) {
      BlockInput input = prototype(fields[f]);
      input.n = block.n;
      for (int d = 0; d < input.components; ++d)
        input.values[d] = load(fields[f].components[static_cast<std::size_t>(d)], block,
                               &buffer[static_cast<std::size_t>(d) * block_size]);
      BlockResult result;
      kernels().block.encode(input, scratch, result);
      if (result.sorted) {
        std::memcpy(order.data(), scratch.order, block.n * sizeof(std::uint16_t));
        block.order = order.data();
      }
      Section &section = sections[f];
      section.records.push_back(result.record);
      section.words.insert(section.words.end(), scratch.words, scratch.words + result.words);
      section.largest_error = std::max(section.largest_error, result.largest_error);
    }
  }
};

Encoder::Encoder(int threads) : threads_(threads) {}
Encoder::~Encoder() = default;

void Encoder::encode(const std::vector<FieldInput> &fields, std::size_t particles, const int *rows,
                     std::vector<std::uint8_t> &bytes, std::vector<double> &largest_error) {
  const std::uint64_t blocks = core::blocks_of(particles, block_size);
  const int threads = thread_count(threads_, blocks);
  while (workers_.size() < static_cast<std::size_t>(threads)) workers_.push_back(std::make_unique<Worker>());

  parallel_ranges(threads, blocks, [&](int t, std::uint64_t first, std::uint64_t last) {
    Worker &worker = *workers_[static_cast<std::size_t>(t)];
    worker.sections.resize(fields.size());
    for (auto &section : worker.sections) section.clear();
    for (std::uint64_t b = first; b < last; ++b) {
      const std::size_t at = b * block_size;
      const auto n = static_cast<std::uint32_t>(std::min<std::size_t>(block_size, particles - at));
      worker.encode_block(fields, {at, n, rows, nullptr});
    }
  });

  // Stage 4, compaction: joins the sections of all workers in block order.
  bytes.clear();
  format::append_chunk_head(ChunkKind::block, {}, fields.size(), bytes);
  largest_error.assign(fields.size(), 0);
  if (particles == 0) return;
  std::vector<core::BlockRecord> records;
  for (std::size_t f = 0; f < fields.size(); ++f) {
    const std::size_t begin = bytes.size();
    records.clear();
    for (int t = 0; t < threads; ++t) {
      const Section &section = workers_[static_cast<std::size_t>(t)]->sections[f];
      records.insert(records.end(), section.records.begin(), section.records.end());
      largest_error[f] = std::max(largest_error[f], section.largest_error);
    }
    format::append_directory(format::shape_of(records, static_cast<int>(fields[f].field.components.size())), records,
                             bytes);
    for (int t = 0; t < threads; ++t) {
      const Section &section = workers_[static_cast<std::size_t>(t)]->sections[f];
      const auto *raw = reinterpret_cast<const std::uint8_t *>(section.words.data());
      bytes.insert(bytes.end(), raw, raw + section.words.size() * 4);
    }
    bytes.resize((bytes.size() + 7) / 8 * 8);
    format::set_section_length(bytes, ChunkKind::block, f, bytes.size() - begin);
  }
}

}  // namespace gpz::codec
