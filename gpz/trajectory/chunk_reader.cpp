// SPDX-License-Identifier: BSD-3-Clause
#include "gpz/trajectory/chunk_reader.hpp"

#include <string>

#include "gpz/error.hpp"
#include "gpz/format/corrupt.hpp"
#include "gpz/format/fields.hpp"
#include "gpz/trajectory/block_chunk.hpp"
#include "gpz/trajectory/located.hpp"
#include "gpz/trajectory/values.hpp"

namespace gpz::trajectory {

using format::corrupt;

namespace {

cpu::IndexColumns last_of(const cpu::DifferenceState &state) {
  cpu::IndexColumns out{};
  for (std::size_t d = 0; d < static_cast<std::size_t>(state.components); ++d) out[d] = state.axes[d].last.data();
  return out;
}

}  // namespace

void ChunkReader::next(const std::uint8_t *bytes, std::size_t size, std::uint64_t particles,
                       const std::vector<Field> &fields, const std::vector<bool> &wanted, int threads) {
  if (chunk_kind(bytes, size) == ChunkKind::difference) {
    if (fields.empty()) corrupt("a difference chunk without fields", 0);
    if (!history_.fits(fields)) corrupt("a difference chunk without the frame it builds on", 0);
    next_differences(bytes, size, particles, threads);
    return;
  }
  same_particles_ = false;
  empty_.assign(fields.size(), false);
  history_.start(IndependentChunk(bytes, size, particles, fields, wanted), wanted, threads, &exact_);
}

void ChunkReader::next_differences(const std::uint8_t *bytes, std::size_t size, std::uint64_t particles, int threads) {
  const std::size_t fields = history_.fields().size();
  const format::DifferenceChunk chunk =
      format::read_difference_head(bytes, size, history_.particles(), particles, fields);
  same_particles_ = chunk.leaving.empty() && chunk.arriving == 0;
  if (!chunk.leaving.empty()) let_leave(chunk.leaving);
  // Which fields go through edges with field 0 is in their sections.
  counts_crossings_ = false;
  for (std::size_t f = 1; f < fields; ++f)
    counts_crossings_ |= history_.follows(f) && history_.state(f).plain && chunk.sections[f].size != 0;
  history_.remember_crossings(counts_crossings_);
  for (std::size_t f = 0; f < fields; ++f) {
    const format::Span section = chunk.sections[f];
    empty_[f] = section.size == 0;
    exact_[f].clear();
    if (history_.follows(f))
      located(section.offset, [&] { decode_section(f, bytes + section.offset, section.size, threads); });
  }
  if (chunk.arriving == 0) return;
  located(chunk.arrivals.offset, [&] {
    const std::uint8_t *const arrivals = bytes + chunk.arrivals.offset;
    if (chunk_kind(arrivals, chunk.arrivals.size) != ChunkKind::block) corrupt("kind of the chunk of arrivals", 4);
    const IndependentChunk opened(arrivals, chunk.arrivals.size, chunk.arriving, history_.fields(), history_.wanted());
    history_.add(opened, threads, &exact_);
  });
}

void ChunkReader::let_leave(const std::vector<std::uint32_t> &leaving) {
  format::Column<std::uint32_t> staying;
  staying.reserve(static_cast<std::size_t>(history_.particles()) - leaving.size());
  auto next = leaving.begin();
  for (std::uint32_t slot = 0; slot < history_.particles(); ++slot) {
    if (next != leaving.end() && *next == slot)
      ++next;
    else
      staying.push_back(slot);
  }
  history_.keep(staying);
}

void ChunkReader::decode_section(std::size_t field, const std::uint8_t *bytes, std::size_t size, int threads) {
  const cpu::DifferenceState &state = history_.state(field);
  if (size == 0) {
    decode_predicted(field, bytes, size);
    return;
  }
  const std::size_t counting = state.plain && field != 0 ? static_cast<std::size_t>(state.components) : 0;
  const format::FieldCoding coding =
      format::read_field_coding(bytes, size, format::predicted_values, counting,
                                state.plain ? format::block_coded_values : format::modelled_values);
  history_.expect_crossings(field, coding.crossed);
  bytes += format::field_coding_size;
  size -= format::field_coding_size;
  if (coding.kind == format::predicted_values) {
    located(format::field_coding_size, [&] { decode_predicted(field, bytes, size); });
    return;
  }
  if (coding.kind == format::modelled_values) {
    located(format::field_coding_size, [&] { decode_modelled(field, bytes, size); });
    return;
  }
  const Field &described = history_.fields()[field];
  located(format::field_coding_size, [&] {
    indices_.load_decoded(described, state.particles, [&](const cpu::Target &target) {
      decode_block_coded(bytes, size, state.particles, described, target, threads);
    });
  });
  exact_[field] = indices_.exact;
  history_.follow(field, indices_.columns(described.components.size()), {});
}

// What is behind the coding of a field. Nothing: every index is what it was, or was expected to be.
void ChunkReader::decode_predicted(std::size_t field, const std::uint8_t *bytes, std::size_t size) {
  const Field &described = history_.fields()[field];
  const std::size_t components = described.components.size();
  const cpu::DifferenceState &state = history_.state(field);
  core::GridBox box{};
  if (size == 0 && state.plain) {
    history_.follow(field, last_of(state), box);
    return;
  }
  if (size == 0) {
    for (std::size_t d = 0; d < components; ++d) indices_.column[d] = state.axes[d].last;
  } else {
    const std::size_t at = format::read_section_head(bytes, size, described, state.particles, box, exact_[field]);
    if (field != 0 || !counts_crossings_) {
      located(at, [&] { history_.follow_section(field, bytes + at, size - at, box); });
      return;
    }
    located(at, [&] {
      cpu::decode_difference(state, bytes + at, size - at, box, indices_.resize(state.particles, components));
    });
  }
  history_.follow(field, indices_.columns(components), box);
}

void ChunkReader::decode_modelled(std::size_t field, const std::uint8_t *bytes, std::size_t size) {
  const Field &described = history_.fields()[field];
  const std::size_t components = described.components.size();
  const cpu::DifferenceState &state = history_.state(field);
  core::GridBox box{};
  const std::size_t at = format::read_section_head(bytes, size, described, state.particles, box, exact_[field]);
  located(at, [&] {
    model::decode_modelled(state, history_.modelled(field), bytes + at, size - at, box,
                           indices_.resize(state.particles, components));
  });
  history_.follow(field, indices_.columns(components), box);
}

void ChunkReader::write(std::size_t field, const cpu::Target &target) const {
  const cpu::DifferenceState &state = history_.state(field);
  write_values(history_.fields()[field], last_of(state), state.particles, exact_[field], target);
}

}  // namespace gpz::trajectory
