// SPDX-License-Identifier: BSD-3-Clause
#include "gpz/cuda/trajectory/sample_encoder.hpp"

#include <vector>

#include "gpz/format/codings.hpp"
#include "gpz/format/opened_chunk.hpp"
#include "gpz/format/section_head.hpp"
#include "gpz/model/contest.hpp"
#include "gpz/trajectory/encoder_access.hpp"

namespace gpz::cuda {

using trajectory::EncoderAccess;

SampleEncoder::SampleEncoder(int device, int threads) : cpu_(threads), download_(device) {
  cpu_.set_order(Order::id);
  set_features(feature::known);
}

std::uint8_t SampleEncoder::encode(const FrameCall &call, std::size_t id, const std::uint32_t *rows, bool key) {
  // In the middle, and large, so that contests between codings end as those of all particles do.
  constexpr std::uint64_t count = model::large_section;
  const auto *const first = reinterpret_cast<const int *>(rows) + (call.particles - count) / 2;
  std::vector<FieldInput> fields{call.fields[0], call.fields[id]};
  download_.download(fields, count, first, call.stream);
  cpu_.encode(fields, count, nullptr, call.box, key, encoded_);
  const format::OpenedChunk opened = format::open_chunk(encoded_.bytes.data(), encoded_.bytes.size(), fields.size());
  return opened.sections[0].size == 0 ? 0 : encoded_.bytes[opened.sections[0].offset];
}

std::optional<core::GridBox> SampleEncoder::ordered_axes(const FrameCall &call, std::size_t id,
                                                         const std::uint32_t *rows) {
  if (encode(call, id, rows, true) != format::ordered_values) return std::nullopt;
  constexpr std::size_t coding = format::field_coding_size;
  const format::OpenedChunk opened = format::open_chunk(encoded_.bytes.data(), encoded_.bytes.size(), 2);
  core::GridBox axes{};
  format::read_section_start(opened.section(0) + coding, opened.sections[0].size - coding, call.field(0), axes);
  return axes;
}

ChunkEncoder::Advice SampleEncoder::advise(const FrameCall &call, std::size_t id, const std::uint32_t *rows) {
  const std::uint8_t coding = encode(call, id, rows, false);
  ChunkEncoder::Advice advice;
  if (coding == format::predicted_values ||
      (coding == format::steps && !EncoderAccess::history(cpu_).modelled(0).steps.have_bonds()))
    advice.coding = static_cast<format::FieldCodingKind>(coding);
  advice.stays = EncoderAccess::settled(cpu_) == coding;
  return advice;
}

std::size_t SampleEncoder::host_memory_usage() const {
  return cpu_.memory_usage() + encoded_.bytes.capacity() + download_.capacity();
}

}  // namespace gpz::cuda
