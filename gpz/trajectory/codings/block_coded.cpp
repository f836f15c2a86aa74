// SPDX-License-Identifier: BSD-3-Clause
#include "gpz/trajectory/codings/block_coded.hpp"

#include "gpz/format/chunk_head.hpp"
#include "gpz/format/corrupt.hpp"
#include "gpz/format/fields.hpp"

namespace gpz::trajectory {

std::unique_ptr<cpu::Decoder> open_block_chunk(const std::uint8_t *bytes, const format::OpenedChunk &chunk,
                                               std::uint64_t particles, const std::vector<Field> &fields,
                                               const std::vector<bool> &wanted) {
  if (chunk.kind != ChunkKind::block)
    format::corrupt("kind of a chunk that has to be a block chunk", format::chunk_kind_at);
  format::check_particles(chunk, particles);
  std::vector<cpu::FieldCoding> codings;
  codings.reserve(fields.size());
  for (const Field &field : fields)
    codings.push_back({format::core_value(field.type), static_cast<int>(field.components.size()), field.step,
                       field.leading, wanted.empty() || wanted[codings.size()]});
  return std::make_unique<cpu::Decoder>(bytes, chunk, particles, codings);
}

void decode_block_coded(const SectionContext &context, const Payload &payload, const cpu::Target &target) {
  Field alone = context.field;
  alone.leading = false;
  const format::OpenedChunk chunk = format::open_chunk(payload.bytes, payload.size, 1);
  open_block_chunk(payload.bytes, chunk, context.particles, {alone}, {})->decode(0, target, context.threads);
}

bool encode_block_coded(const SectionSource &source, const ToBeat &best, EncodedSection &out) {
  if (best.section < source.least_for_blocks) return false;
  FieldInput alone = source.input;
  alone.field.leading = false;
  const std::vector<int> rows(source.rows.begin(), source.rows.end());
  std::vector<double> largest_error;
  source.encoder.encode({alone}, rows.size(), rows.data(), out.payload, largest_error);
  out.largest_error = largest_error[0];
  return true;
}

}  // namespace gpz::trajectory
