// SPDX-License-Identifier: BSD-3-Clause
#include "gpz/trajectory/block_chunk.hpp"

#include "gpz/format/chunk_head.hpp"
#include "gpz/format/corrupt.hpp"
#include "gpz/format/difference_chunk.hpp"
#include "gpz/format/fields.hpp"

namespace gpz::trajectory {

std::unique_ptr<cpu::Decoder> open_block_chunk(const std::uint8_t *bytes, std::size_t size, std::uint64_t particles,
                                               const std::vector<Field> &fields, const std::vector<bool> &wanted) {
  if (chunk_kind(bytes, size) != ChunkKind::block)
    format::corrupt("kind of a chunk that has to be a block chunk", format::chunk_kind_at);
  std::vector<cpu::FieldCoding> codings;
  codings.reserve(fields.size());
  for (const Field &field : fields)
    codings.push_back({format::core_value(field.type), static_cast<int>(field.components.size()), field.step,
                       field.leading, wanted.empty() || wanted[codings.size()]});
  return std::make_unique<cpu::Decoder>(bytes, size, particles, codings);
}

void decode_block_coded(const std::uint8_t *bytes, std::size_t size, std::uint64_t particles, const Field &field,
                        const cpu::Target &target, int threads) {
  Field alone = field;
  alone.leading = false;
  open_block_chunk(bytes, size, particles, {alone}, {})->decode(0, target, threads);
}

double append_block_coded(const FieldInput &input, const Rows &rows, cpu::Encoder &encoder,
                          std::vector<std::uint8_t> &bytes) {
  FieldInput alone = input;
  alone.field.leading = false;
  const std::vector<int> list(rows.begin(), rows.end());
  std::vector<std::uint8_t> chunk;
  std::vector<double> largest_error;
  encoder.encode({alone}, list.size(), list.data(), chunk, largest_error);
  bytes.insert(bytes.end(), chunk.begin(), chunk.end());
  return largest_error[0];
}

}  // namespace gpz::trajectory
