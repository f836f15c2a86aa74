// SPDX-License-Identifier: BSD-3-Clause
#include <string>

#include "gpz/codec/chunk_codec.hpp"
#include "gpz/codec/parallel.hpp"
#include "gpz/core/block.hpp"
#include "gpz/core/directory.hpp"
#include "gpz/error.hpp"
#include "gpz/format/budget.hpp"
#include "gpz/format/chunk_head.hpp"
#include "gpz/format/chunk_layout.hpp"
#include "gpz/format/corrupt.hpp"
#include "gpz/format/fields.hpp"
#include "gpz/kernels/kernels.hpp"

namespace gpz::codec {

using format::corrupt;

namespace {

// Starting a thread costs as much as decoding this many particles.
constexpr std::uint64_t particles_of_thread = 16384;

struct Block {
  core::BlockRecord record;
  std::uint64_t at;  // first word of the block in the section's payload
};

// Working memory of a thread: for the kernels, and for the values of one block that need conversion.
struct BlockMemory {
  explicit BlockMemory(std::uint32_t block_size) : scratch(block_size) {}
  void *component(std::size_t d) {
    if (values == nullptr) values.reset(new unsigned char[core::max_components * component_size()]);
    return values.get() + d * component_size();
  }
  std::size_t component_size() const { return scratch.block_size * sizeof(double); }

  Scratch scratch;
  std::unique_ptr<unsigned char[]> values;
};
static_assert(sizeof(double) == sizeof(std::int64_t), "integers have as much room");

}  // namespace

// Reads the directory and checks that the payloads fill the section: after this, blocks are independent.
class Decoder::Section {
 public:
  Section(const format::OpenedChunk &chunk, std::size_t f, const Field &field, std::uint64_t particles)
      : value_(format::core_value(field.type)),
        components_(static_cast<int>(field.components.size())),
        step_(field.step),
        particles_(particles),
        block_size_(chunk.block_size),
        position_(chunk.sections[f].offset) {
    const std::uint8_t *const bytes = chunk.section(f);
    const std::size_t size = chunk.sections[f].size;
    const std::uint64_t blocks = core::blocks_of(particles, block_size_);
    core::DirectoryShape shape;
    if (!format::read_shape(bytes, size, components_, shape)) corrupt("section header", position_);
    const std::size_t header = core::section_header_size(components_);
    const std::uint64_t bits = core::record_bits(shape);
    // Every record has at least one bit (mode and runs cannot both be 0), so the size of the file bounds the number of
    // blocks.
    if (bits == 0 || blocks > (size - header) * 8 / bits || core::directory_size(shape, blocks) > size - header)
      corrupt("block directory exceeds its section", position_ + header);
    const auto *directory = reinterpret_cast<const std::uint32_t *>(bytes + header);
    const std::uint64_t directory_words = core::directory_size(shape, blocks) / 4;
    for (std::uint64_t bit = blocks * bits; bit < directory_words * 32; ++bit)
      if (core::get_bits(directory, bit, 1) != 0) corrupt("padding of the block directory", position_ + header);
    payload_ = directory + directory_words;
    const std::uint64_t room = (size - header) / 4 - directory_words;
    blocks_.resize(blocks);
    std::uint64_t at = 0;
    for (std::uint64_t b = 0; b < blocks; ++b) {
      Block &block = blocks_[b];
      core::BlockLayout layout;
      if (!core::read_record(shape, directory, b, block.record) ||
          !core::mode_is_allowed(block.record.mode, step_ > 0, field.leading) ||
          !core::block_layout(block.record, components_, value_, size_of(b), block_size_, layout))
        corrupt("record of block " + std::to_string(b), position_ + header);
      block.at = at;
      at += layout.total();
      if (at > room) corrupt("block " + std::to_string(b) + " exceeds its section", position_ + header);
    }
    if (room - at > 1) corrupt("section longer than its blocks", position_);
    if (room - at == 1 && payload_[at] != 0) corrupt("padding of the section", position_);
  }

  std::uint64_t blocks() const { return blocks_.size(); }

  // `target` covers the whole section.
  void decode(std::uint64_t b, const Target &target, BlockMemory &memory) const {
    const Target here = target.from(b * block_size_);
    if (here.skips(size_of(b))) return;
    const ConstArray::Type type = type_for(target);
    BlockOutput output{value_, components_, step_, size_of(b), block_size_, {}, type == ConstArray::Type::float32};
    const bool straight = point_at(here, type, memory, output);
    const Block &block = blocks_[b];
    if (!kernels().block.decode(block.record, payload_ + block.at, output, memory.scratch))
      corrupt("block " + std::to_string(b), position_);
    if (straight) return;
    if (type == ConstArray::Type::int64)
      store(values_of<std::int64_t>(output), output.n, here);
    else if (type == ConstArray::Type::float32)
      store(values_of<float>(output), output.n, here);
    else
      store(values_of<double>(output), output.n, here);
  }

 private:
  // Type that blocks are decoded to. f32 values for float32 arrays are not widened in between, so that NaN bits
  // survive.
  ConstArray::Type type_for(const Target &target) const {
    if (value_ == core::Value::integer) return ConstArray::Type::int64;
    const bool single = value_ == core::Value::float32 && target.has(ConstArray::Type::float32);
    return single ? ConstArray::Type::float32 : ConstArray::Type::float64;
  }

  // Points `output` at the target if every component is contiguous there. Otherwise points it at `memory` and returns
  // false.
  bool point_at(const Target &target, ConstArray::Type type, BlockMemory &memory, BlockOutput &output) const {
    const auto components = static_cast<std::size_t>(components_);
    bool straight = true;
    for (std::size_t d = 0; d < components; ++d) {
      if (target.components[d].data == nullptr) continue;
      output.values[d] = target.contiguous(d, type);
      straight = straight && output.values[d] != nullptr;
    }
    if (straight) return true;
    for (std::size_t d = 0; d < components; ++d)
      output.values[d] = target.components[d].data == nullptr ? nullptr : memory.component(d);
    return false;
  }

  template <typename T>
  static std::array<const T *, core::max_components> values_of(const BlockOutput &output) {
    std::array<const T *, core::max_components> out{};
    for (std::size_t d = 0; d < out.size(); ++d) out[d] = static_cast<const T *>(output.values[d]);
    return out;
  }

  std::uint32_t size_of(std::uint64_t b) const {
    const std::uint64_t left = particles_ - b * block_size_;
    return left < block_size_ ? static_cast<std::uint32_t>(left) : block_size_;
  }

  core::Value value_;
  int components_;
  double step_;
  std::uint64_t particles_;
  std::uint32_t block_size_;
  std::uint64_t position_;
  const std::uint32_t *payload_ = nullptr;
  format::Column<Block> blocks_;
};

Decoder::Decoder(const format::OpenedChunk &chunk, std::uint64_t particles, const std::vector<Field> &fields,
                 const std::vector<bool> &wanted)
    : block_size_(chunk.block_size), sections_(fields.size()) {
  for (std::size_t f = 0; f < fields.size() && particles != 0; ++f)
    if (wanted.empty() || wanted[f]) sections_[f] = std::make_unique<Section>(chunk, f, fields[f], particles);
}

Decoder::~Decoder() = default;

void Decoder::decode(std::size_t field, const Target &target, int threads) const {
  if (sections_[field] == nullptr || !target.is_wanted()) return;
  const Section &section = *sections_[field];
  parallel_ranges(thread_count(threads, section.blocks() * block_size_ / particles_of_thread + 1), section.blocks(),
                  [&](int, std::uint64_t first, std::uint64_t last) {
                    BlockMemory memory(block_size_);
                    for (std::uint64_t b = first; b < last; ++b) section.decode(b, target, memory);
                  });
}

}  // namespace gpz::codec
