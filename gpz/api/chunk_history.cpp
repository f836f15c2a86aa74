#include "gpz/api/chunk_history.hpp"

#include <algorithm>
#include <numeric>
#include <string>

#include "gpz/chunk.hpp"
#include "gpz/error.hpp"
#include "gpz/format/difference_chunk.hpp"
#include "gpz/format/fields.hpp"

namespace gpz::api {
namespace {

[[noreturn]] void corrupt(const std::string &cause, std::uint64_t position) {
  throw Error(Status::corrupt, cause, {}, position);
}

}  // namespace

void ChunkHistory::start(const Frame &frame, std::size_t first, std::uint64_t particles,
                         const std::vector<bool> &wanted) {
  started_ = false;
  wanted_ = wanted;
  particles_ = particles;
  described_ = frame.info.fields;
  fields_.resize(described_.size());
  for (std::size_t f = 0; f < fields_.size(); ++f) {
    if (!is_wanted(f)) continue;
    const Field &field = frame.info.fields[f];
    indices_.load(frame, f, first, particles);
    fields_[f].start(indices_.columns(field.components.size()), particles, static_cast<int>(field.components.size()),
                     format::is_plain(field));
  }
  started_ = true;
}

bool ChunkHistory::fits(const std::vector<Field> &fields) const {
  return started_ && format::have_same_grids(fields, described_);
}

void ChunkHistory::keep(const std::vector<std::uint32_t> &slots) {
  for (std::size_t f = 0; f < fields_.size(); ++f)
    if (is_wanted(f)) fields_[f].replace(slots.data(), slots.size(), {}, 0);
  particles_ = slots.size();
}

void ChunkHistory::follow(std::size_t field, const cpu::IndexColumns &indices, const core::GridBox &box) {
  cpu::DifferenceState &state = fields_[field];
  for (std::size_t d = 0; field == 0 && d < core::max_components; ++d) {
    const core::GridAxis axis = core::checked_axis(box[d]);
    crossings_[d].clear();
    if (axis.period == 0) continue;
    crossings_[d].resize(particles_);
    for (std::size_t i = 0; i < particles_; ++i)
      crossings_[d][i] = core::crossing(indices[d][i], state.axes[d].last[i], axis);
  }
  state.advance(indices, box);
}

void ChunkHistory::expect_crossings(std::size_t field, const format::Crossed &crossed) {
  cpu::DifferenceState &state = fields_[field];
  for (std::size_t d = 0; d < static_cast<std::size_t>(state.components); ++d) {
    if (crossed[d] == 0 || crossings_[crossed[d] - 1].empty()) continue;
    const auto &crossings = crossings_[crossed[d] - 1];
    for (std::size_t i = 0; i < particles_; ++i)
      state.axes[d].last[i] = core::sum_of(state.axes[d].last[i], crossings[i]);
  }
}

void ChunkHistory::add(const Frame &frame, std::size_t first, std::uint64_t particles) {
  std::vector<std::uint32_t> all(particles_);
  std::iota(all.begin(), all.end(), 0u);
  for (std::size_t f = 0; f < fields_.size(); ++f) {
    if (!is_wanted(f)) continue;
    indices_.load(frame, f, first, particles);
    fields_[f].replace(all.data(), all.size(), indices_.columns(frame.info.fields[f].components.size()), particles);
  }
  particles_ += particles;
}

void ChunkHistory::next(const std::uint8_t *bytes, std::size_t size, std::uint64_t particles, Frame &frame,
                        int threads) {
  const std::size_t fields = frame.info.fields.size();
  if (fields == 0) corrupt("a chunk of differences without fields", 0);
  if (!fits(frame.info.fields)) corrupt("a chunk of differences without the frame it builds on", 0);
  const format::DifferenceChunk chunk = format::read_difference_head(bytes, size, particles_, particles, fields);
  if (!chunk.leaving.empty()) {
    std::vector<std::uint32_t> staying;
    staying.reserve(particles_ - chunk.leaving.size());
    auto leaving = chunk.leaving.begin();
    for (std::uint32_t slot = 0; slot < particles_; ++slot) {
      if (leaving != chunk.leaving.end() && *leaving == slot)
        ++leaving;
      else
        staying.push_back(slot);
    }
    keep(staying);
  }

  std::size_t first = 0;
  for (std::size_t f = 0; f < fields; ++f) {
    if (!is_wanted(f)) continue;
    first = grow_columns(frame, f, particles_);
    try {
      decode_section(f, bytes + chunk.sections[f].offset, chunk.sections[f].size, first, frame, threads);
    } catch (const Error &error) {
      const std::uint64_t inside = error.position() == Error::no_position ? 0 : error.position();
      throw Error(error.status(), error.cause(), {}, chunk.sections[f].offset + inside);
    }
  }
  if (chunk.arriving == 0) return;
  if (format::chunk_kind(bytes + chunk.arrivals.offset, chunk.arrivals.size) != format::block_chunk)
    corrupt("kind of the chunk of arrivals", chunk.arrivals.offset);
  const std::size_t new_rows = first + particles_;
  decode_chunk(bytes + chunk.arrivals.offset, chunk.arrivals.size, chunk.arriving, frame, wanted_, threads);
  add(frame, new_rows, chunk.arriving);
}

void ChunkHistory::decode_section(std::size_t field, const std::uint8_t *bytes, std::size_t size, std::size_t first,
                                  Frame &frame, int threads) {
  const cpu::DifferenceState &state = fields_[field];
  if (size == 0) {
    decode_predicted(field, bytes, size, first, frame);
    return;
  }
  const std::size_t counting = state.plain && field != 0 ? static_cast<std::size_t>(state.components) : 0;
  const format::FieldCoding coding = format::read_field_coding(bytes, size, format::predicted_values, counting);
  expect_crossings(field, coding.crossed);
  if (coding.kind == format::predicted_values) {
    decode_predicted(field, bytes, size, first, frame);
    return;
  }
  decode_block_coded(bytes + format::field_coding_size, size - format::field_coding_size, field, first, particles_,
                     frame, threads);
  indices_.load(frame, field, first, particles_);
  follow(field, indices_.columns(frame.info.fields[field].components.size()), {});
}

std::size_t ChunkHistory::memory_usage() const {
  std::size_t bytes = 0;
  for (const cpu::DifferenceState &state : fields_)
    for (const auto &axis : state.axes)
      bytes += axis.last.capacity() * sizeof(std::int64_t) +
               (axis.deviation.capacity() + axis.velocity.capacity() + axis.previous.capacity()) * sizeof(std::int32_t);
  for (const auto &column : indices_.column) bytes += column.capacity() * sizeof(std::int64_t);
  return bytes;
}

// A section that ends behind its coding, or is empty: every index is what it was, or was expected to be.
void ChunkHistory::decode_predicted(std::size_t field, const std::uint8_t *bytes, std::size_t size, std::size_t first,
                                    Frame &frame) {
  const Field &described = frame.info.fields[field];
  const std::size_t components = described.components.size();
  const cpu::DifferenceState &state = fields_[field];
  core::GridBox box{};
  if (size <= format::field_coding_size) {
    indices_.exact.clear();
    for (std::size_t d = 0; d < components; ++d) indices_.column[d] = state.axes[d].last;
  } else {
    std::size_t at = format::field_coding_size;
    at += format::read_section_head(bytes + at, size - at, described, particles_, box, indices_.exact);
    cpu::decode_difference(state, bytes + at, size - at, box, indices_.resize(particles_, components));
  }
  indices_.store(frame, field, first);
  follow(field, indices_.columns(components), box);
}

}  // namespace gpz::api
