// SPDX-License-Identifier: BSD-3-Clause
// Coding 2: a section that is a block chunk of one field (docs/format.md, sections 4 to 8).
#include "gpz/format/opened_chunk.hpp"
#include "gpz/trajectory/codings.hpp"

namespace gpz::trajectory {
namespace {

void decode_block_coded(const SectionContext &context, const Payload &payload, const codec::Target &target) {
  Field alone = context.field;
  alone.leading = false;
  const format::OpenedChunk chunk = format::open_block_chunk(payload.bytes, payload.size, 1);
  format::check_particles(chunk, context.particles);
  codec::Decoder(chunk, context.particles, {alone}, {}).decode(0, target, context.threads);
}

}  // namespace

void load_block_coded(const SectionContext &context, const Payload &payload, Indices &indices) {
  indices.load_decoded(context.field, context.particles, context.threads,
                       [&](const codec::Target &target) { decode_block_coded(context, payload, target); });
}

void write_block_coded(const SectionContext &context, const Payload &payload, Indices & /*indices*/,
                       const codec::Target &target) {
  decode_block_coded(context, payload, target);
}

bool encode_block_coded(const SectionSource &source, const ToBeat &best, EncodedSection &out) {
  if (best.section < source.least_for_blocks) return false;
  FieldInput alone = source.input;
  alone.field.leading = false;
  const auto *const rows = reinterpret_cast<const int *>(source.rows.data());  // fewer than 2^31
  std::vector<double> largest_error;
  source.encoder.encode({alone}, source.rows.size(), rows, out.payload, largest_error);
  out.largest_error = largest_error[0];
  return true;
}

}  // namespace gpz::trajectory
