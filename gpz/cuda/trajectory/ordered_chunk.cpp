// SPDX-License-Identifier: BSD-3-Clause
#include "gpz/cuda/trajectory/ordered_chunk.hpp"

#include <algorithm>

#include "gpz/cuda/common/arguments.hpp"
#include "gpz/cuda/common/carver.hpp"
#include "gpz/cuda/ordered/ordered.hpp"
#include "gpz/cuda/trajectory/independent.hpp"
#include "gpz/cuda/trajectory/rows.hpp"
#include "gpz/cuda/trajectory/sections_on_host.hpp"
#include "gpz/cuda/trajectory/steps.hpp"
#include "gpz/format/bytes.hpp"
#include "gpz/format/chunk_head.hpp"
#include "gpz/format/corrupt.hpp"
#include "gpz/format/opened_chunk.hpp"

namespace gpz::cuda {

namespace {

struct Workspace {
  std::int64_t *ids;
  std::uint32_t *statuses;  // of each field's indices and exact values, and of the ids
  void *rest;
  std::size_t used;
};

Workspace carve(void *base, const std::vector<FieldOutput> &fields, std::uint64_t particles, std::size_t rest) {
  Carver carver(base);
  Workspace memory{};
  memory.ids = carver.take<std::int64_t>(particles);
  memory.statuses = carver.take<std::uint32_t>(2 * fields.size() + 1);
  memory.rest = carver.take<char>(rest);
  memory.used = carver.used();
  return memory;
}

// Workspace of the fields, which use it in turn.
std::size_t rest_size(const std::vector<FieldOutput> &fields, std::uint64_t particles) {
  std::size_t size = 0;
  for (const FieldOutput &output : fields) {
    const auto components = static_cast<int>(output.field.components.size());
    size = std::max(
        {size, decode_ordered_workspace(particles, components), decompress_workspace_size({output}, particles)});
  }
  return size;
}

class Decoder {
 public:
  Decoder(const ChunkBytes &chunk, std::uint64_t particles, const std::vector<FieldOutput> &fields,
          const Workspace &memory, std::size_t rest, Stream stream)
      : chunk_(chunk),
        particles_(particles),
        fields_(fields),
        memory_(memory),
        rest_(rest),
        stream_(stream),
        on_host_(chunk, particles, fields, stream),
        identity_(chunk.opened().identity) {
    const Field &ids = fields_[identity_].field;
    if (ids.type != ValueType::integer || ids.components.size() != 1)
      format::corrupt("field of the ids", format::identity_field_at);
  }

  void decode_ids() {
    FieldOutput output = fields_[identity_];
    output.components[0] = {memory_.ids, sizeof(std::int64_t), ConstArray::Type::int64};
    const ChunkBytes section = section_of(identity_);
    if (!have_kernels(read_coding(section, ChunkKind::ordered, format::identity).kind))
      throw Error(Status::unsupported, "ids of this coding: only the CPU decodes it");
    decode_values(behind_coding(section), output, nullptr);
    if (is_wanted(fields_[identity_])) write_keys(&memory_.ids, fields_[identity_], {0, particles_}, stream_);
  }

  void decode(std::size_t f) {
    if (f == identity_ || !is_wanted(fields_[f])) return;
    const ChunkBytes section = section_of(f);
    const format::FieldCoding coding = read_coding(section, ChunkKind::ordered, format::class_of(fields_[f].field));
    const ChunkBytes coded = behind_coding(section);
    if (coding.kind == format::steps && f == 0 && chunk_.steps().steps != nullptr) return decode_steps(coded);
    if (!have_kernels(coding.kind)) return on_host_.decode(f);
    if (format::rule_of(coding.kind).has_indices) return decode_values(coded, fields_[f], memory_.ids);
    FieldOutput alone = fields_[f];
    alone.field.leading = false;
    decompress(coded.device(), coded.size(), particles_, {alone}, memory_.rest, rest_, next_status(), stream_);
  }

  int statuses_used() const { return statuses_used_; }

 private:
  ChunkBytes section_of(std::size_t f) const {
    const format::Span &section = chunk_.opened().sections[f];
    return chunk_.part(section.offset, section.size);
  }

  void decode_values(const ChunkBytes &section, const FieldOutput &output, const std::int64_t *ids) {
    const SectionStart start = start_of(section, output.field);
    decode_ordered(particles_, ids,
                   {{start.box, memory_.rest, rest_, stream_},
                    section.device(start.head),
                    section.size() - start.head,
                    next_status()},
                   output);
    write_exact(section, start, output);
  }

  // Of field 0. Indices go into the state, from where difference frames go on.
  void decode_steps(const ChunkBytes &section) {
    const FieldOutput &output = fields_[0];
    const SectionStart start = start_of(section, output.field);
    if (!can_follow(start.box))
      throw Error(Status::unsupported, "edges of the box so many grid steps away: only the CPU decodes it");
    DeviceDifferenceState &state = *chunk_.steps().state;
    const ChunkBytes payload = section.part(start.head, section.size() - start.head);
    format::located(start.head, [&] {
      chunk_.steps().steps->decode_key(particles_, state.last, {payload, start.box, {}, next_status(), stream_});
    });
    write_indices(state, output, {0, particles_}, stream_);
    write_exact(section, start, output);
  }

  struct SectionStart {
    core::GridBox box{};
    std::size_t exact_at;  // where the exact values are
    std::uint64_t exact;   // how many
    std::size_t head;      // bytes in front of the indices
  };
  static SectionStart start_of(const ChunkBytes &section, const Field &field) {
    SectionStart start;
    start.exact_at = format::section_head_size(field.components.size());
    start.exact = format::read_section_start(section.host(0, start.exact_at), section.size(), field, start.box);
    start.head = start.exact_at + static_cast<std::size_t>(start.exact) * format::exact_value_size;
    return start;
  }
  void write_exact(const ChunkBytes &section, const SectionStart &start, const FieldOutput &output) {
    if (start.exact == 0) return;
    write_exact_values(section.device(start.exact_at), start.exact, output, {0, particles_}, next_status(), stream_);
  }

  std::uint32_t *next_status() { return memory_.statuses + statuses_used_++; }

  const ChunkBytes &chunk_;
  std::uint64_t particles_;
  const std::vector<FieldOutput> &fields_;
  Workspace memory_;
  std::size_t rest_;
  Stream stream_;
  SectionsOnHost on_host_;
  std::size_t identity_;
  int statuses_used_ = 0;
};

}  // namespace

std::size_t ordered_chunk_workspace(const std::vector<FieldOutput> &fields, std::uint64_t particles) {
  return carve(nullptr, fields, particles, rest_size(fields, particles)).used;
}

void decode_ordered_chunk(const ChunkBytes &chunk, std::uint64_t particles, const std::vector<FieldOutput> &fields,
                          void *workspace, std::size_t workspace_size, std::uint32_t *status, Stream stream) {
  const std::size_t rest = rest_size(fields, particles);
  const Workspace memory = carve(workspace, fields, particles, rest);
  check_workspace(workspace, workspace_size, memory.used);
  check(cudaMemsetAsync(memory.statuses, 0, (2 * fields.size() + 1) * sizeof(std::uint32_t), stream), "clearing");
  check(cudaMemsetAsync(status, 0, sizeof(*status), stream), "clearing");
  Decoder decoder(chunk, particles, fields, memory, rest, stream);
  decoder.decode_ids();
  for (std::size_t f = 0; f < fields.size(); ++f) decoder.decode(f);
  join_statuses(memory.statuses, decoder.statuses_used(), nullptr, status, stream);
}

}  // namespace gpz::cuda
