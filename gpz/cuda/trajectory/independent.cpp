// SPDX-License-Identifier: BSD-3-Clause
#include "gpz/cuda/trajectory/independent.hpp"

#include "gpz/core/block.hpp"
#include "gpz/core/sequence.hpp"
#include "gpz/cuda/sequence/sequence.hpp"
#include "gpz/cuda/trajectory/ordered_chunk.hpp"
#include "gpz/format/chunk_head.hpp"
#include "gpz/format/corrupt.hpp"
#include "gpz/format/opened_chunk.hpp"

namespace gpz::cuda {
namespace {

using Fields = std::vector<Field>;
using Outputs = std::vector<FieldOutput>;

std::size_t sequence_workspace(const Outputs &outputs, std::uint64_t particles) {
  return decode_sequence_workspace(outputs[0], particles);
}
void decode_sequence(const ChunkBytes &chunk, std::uint64_t particles, const Outputs &outputs, void *workspace,
                     std::size_t size, std::uint32_t *status, Stream stream) {
  decode_sequence_chunk(chunk.device(), chunk.size(), particles, outputs[0], workspace, size, status, stream);
}
void decode_blocks(const ChunkBytes &chunk, std::uint64_t particles, const Outputs &outputs, void *workspace,
                   std::size_t size, std::uint32_t *status, Stream stream) {
  decompress(chunk.device(), chunk.size(), particles, outputs, workspace, size, status, stream);
}

bool any(const Fields & /*fields*/, std::uint64_t /*particles*/) { return true; }
// Fields of sequence chunks that kernels support. Kernels read such heads themselves.
bool has_positions_alone(const Fields &fields, std::uint64_t particles) {
  return particles != 0 && fields.size() == 1 && fields[0].type != ValueType::integer && fields[0].step > 0;
}

// The record of a block has at least one bit.
std::uint64_t least_for_blocks(const Fields & /*fields*/, std::uint64_t particles) {
  return core::blocks_of(particles) / 8;
}
std::uint64_t least_for_ids(const Fields & /*fields*/, std::uint64_t /*particles*/) { return 0; }
std::uint64_t least_for_sequence(const Fields &fields, std::uint64_t particles) {
  return core::sequence_blocks(particles) * core::sequence_record_size(static_cast<int>(fields[0].components.size()));
}

// By number of the kind. Sequence chunks start no history, because their exact values get other indices than a history
// would use.
constexpr IndependentDecoder decoders[format::chunk_kinds] = {
    {any, "", least_for_blocks, decompress_workspace_size, decode_blocks, true},
    {},
    {any, "", least_for_ids, ordered_chunk_workspace, decode_ordered_chunk, true},
    {nullptr, "cell chunks", nullptr, nullptr, nullptr, false},
    {has_positions_alone, "sequence chunks with other fields than positions", least_for_sequence, sequence_workspace,
     decode_sequence, false},
};

}  // namespace

const IndependentDecoder &decoder_of(const ChunkBytes &chunk, std::uint64_t particles, const std::vector<Field> &fields,
                                     bool is_inside) {
  const format::ChunkRule rule = format::rule_of(chunk_kind(chunk.host(0, format::chunk_start_size), chunk.size()));
  if (is_inside) format::require_blocks(rule);
  if (rule.population == format::Population::followed)
    format::corrupt("a difference chunk where an independent chunk is expected", format::chunk_kind_at);
  const IndependentDecoder &decoder = decoders[static_cast<std::uint32_t>(rule.kind)];
  if (decoder.serves == nullptr || !decoder.serves(fields, particles))
    throw Error(Status::unsupported, std::string(decoder.others) + " are decoded on the CPU only", {},
                format::chunk_kind_at);
  if (!format::may_have(rule, particles, chunk.size()) || decoder.least_size(fields, particles) > chunk.size())
    format::corrupt("more particles than a chunk can have", 0);
  return decoder;
}

format::FieldCoding read_coding(const ChunkBytes &section, ChunkKind chunk, unsigned field, std::size_t counting) {
  const std::uint8_t *const bytes = section.host(0, format::field_coding_size);
  return format::read_field_coding(bytes, section.size(), chunk, field, counting);
}

bool have_kernels(format::FieldCodingKind coding) { return format::rule_of(coding).feature == 0; }

}  // namespace gpz::cuda
