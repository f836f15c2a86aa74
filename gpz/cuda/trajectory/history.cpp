// SPDX-License-Identifier: BSD-3-Clause
#include "gpz/cuda/trajectory/history.hpp"

#include <algorithm>
#include <utility>

#include "gpz/cuda/block/kept.hpp"
#include "gpz/cuda/common/carver.hpp"
#include "gpz/cuda/trajectory/fields.hpp"
#include "gpz/format/difference_rules.hpp"
#include "gpz/format/fields.hpp"

namespace gpz::cuda {
namespace {

Kept kept_of(const Field &field, bool is_id) {
  return is_id || (field.type != ValueType::integer && field.step == 0) ? Kept::keys : Kept::state;
}

int components_of(const Field &field) { return static_cast<int>(field.components.size()); }

template <typename T>
void copy(T *to, const T *from, std::uint64_t count, cudaStream_t stream) {
  if (count != 0 && from != nullptr)
    check(cudaMemcpyAsync(to, from, count * sizeof(T), cudaMemcpyDeviceToDevice, stream), "copy of the history");
}

}  // namespace

DeviceHistory::Part DeviceHistory::place(const Field &field, Kept kept, std::uint64_t capacity) {
  Part part;
  part.kept = kept;
  part.components = components_of(field);
  part.memory = std::make_unique<DeviceBuffer>();
  if (kept == Kept::nothing) return part;
  if (kept == Kept::state) {
    const bool plain = format::is_plain(field);
    part.memory->allocate(difference_state_size(capacity, part.components, plain), 0);
    part.state = place_difference_state(part.memory->data(), capacity, part.components, plain);
    part.state.frames = 1;
  } else {
    for (const bool measure : {true, false}) {
      Carver carver(measure ? nullptr : part.memory->data());
      for (int d = 0; d < part.components; ++d) part.exact[d] = carver.take<std::int64_t>(capacity);
      part.spare = carver.take<std::int64_t>(capacity);
      if (measure) part.memory->allocate(carver.used(), 0);
    }
  }
  ++allocations_;
  return part;
}

void DeviceHistory::start(const std::vector<Field> &fields, std::size_t id, std::uint64_t capacity, std::uint32_t *wide,
                          Stream stream) {
  std::vector<Kept> kept;
  for (std::size_t f = 0; f < fields.size(); ++f) kept.push_back(kept_of(fields[f], f == id));
  start(fields, kept, capacity, wide, stream);
  id_ = id;
  for (Part &part : parts_) part.state.rest_implied = true;
}

void DeviceHistory::start(const std::vector<Field> &fields, const std::vector<Kept> &kept, std::uint64_t capacity,
                          std::uint32_t *wide, Stream stream) {
  started_ = false;
  particles_ = 0;
  wide_ = wide;
  check(cudaMemsetAsync(wide, 0, sizeof(*wide), stream), "clearing");
  bool reusable = parts_.size() == fields.size() && capacity <= capacity_;
  for (std::size_t f = 0; f < fields.size() && reusable; ++f) {
    const Part &part = parts_[f];
    reusable = part.kept == kept[f] && part.components == components_of(fields[f]) &&
               (part.kept != Kept::state || part.state.plain == format::is_plain(fields[f]));
  }
  described_ = fields;
  if (!reusable) {
    release();
    capacity_ = capacity + capacity / 8;
    for (std::size_t f = 0; f < fields.size(); ++f) parts_.push_back(place(fields[f], kept[f], capacity_));
  }
  for (Part &part : parts_) {
    part.state.particles = 0;
    part.state.frames = 1;
    part.state.rest_implied = false;
    part.state.is_motionless = false;
  }
  started_ = true;
}

void DeviceHistory::release() {
  started_ = false;
  parts_.clear();
  workspace_.release();
  capacity_ = 0;
}

void DeviceHistory::grow(std::uint64_t capacity, Stream stream) {
  if (capacity <= capacity_) return;
  const std::uint64_t larger = capacity + capacity / 8;
  for (std::size_t f = 0; f < parts_.size(); ++f) {
    Part &before = parts_[f];
    Part part = place(described_[f], before.kept, larger);
    part.state.particles = before.state.particles;
    part.state.frames = before.state.frames;
    part.state.rest_implied = before.state.rest_implied;
    for (int d = 0; d < before.components; ++d) {
      copy(part.exact[d], before.exact[d], particles_, stream);
      copy(part.state.last[d], before.state.last[d], particles_, stream);
      copy(part.state.deviation[d], before.state.deviation[d], particles_, stream);
      copy(part.state.velocity[d], before.state.velocity[d], particles_, stream);
      copy(part.state.previous[d], before.state.previous[d], particles_, stream);
    }
    before = std::move(part);  // freeing waits for the copies
  }
  capacity_ = larger;
}

void DeviceHistory::keep(const std::uint32_t *kept, std::uint64_t count, Stream stream) {
  for (Part &part : parts_) {
    if (part.kept == Kept::nothing) continue;
    if (part.kept == Kept::state) {
      replace_difference(part.state, kept, count, {}, 0, wide_, stream);
      continue;
    }
    for (int d = 0; d < part.components; ++d) {
      keep_integers(part.exact[d], kept, count, part.spare, stream);
      std::swap(part.exact[d], part.spare);
    }
  }
  particles_ = count;
}

void DeviceHistory::add(const DeviceChunk &chunk, std::uint32_t *damaged, Stream stream) {
  if (chunk.particles == 0) return;
  const std::size_t workspace_size = decompress_kept_workspace_size(parts_.size(), chunk.particles);
  if (workspace_size > workspace_.capacity()) {
    workspace_.release();
    workspace_.allocate(workspace_size);
    ++allocations_;
  }
  std::vector<KeptOutput> outputs;
  for (std::size_t f = 0; f < parts_.size(); ++f) {
    Part &part = parts_[f];
    KeptOutput output{described_[f], part.kept == Kept::keys};
    for (int d = 0; d < part.components; ++d)
      output.component[d] =
          output.keys ? static_cast<void *>(part.exact[d] + particles_) : part.state.last[d] + particles_;
    outputs.push_back(output);
    if (part.kept == Kept::state) add_at_rest(part.state, chunk.particles, stream);
  }
  decompress_kept(chunk, outputs, wide_, workspace_.data(), workspace_.capacity(), damaged, stream);
  particles_ += chunk.particles;
}

void DeviceHistory::add(std::size_t field, const DeviceValues &decoded, std::uint64_t count, Stream stream) {
  Part &part = parts_[field];
  if (part.kept == Kept::keys) {
    std::int64_t *behind[core::max_components] = {};
    for (int d = 0; d < part.components; ++d) behind[d] = part.exact[d] + particles_;
    if (described_[field].type != ValueType::integer)
      return follow_keys(decoded, count, part.components, behind, nullptr, stream);
    for (int d = 0; d < part.components; ++d)
      load_integers(decoded.component[static_cast<std::size_t>(d)], reinterpret_cast<const int *>(decoded.rows), count,
                    behind[d], stream);
    return;
  }
  DeviceDifferenceState &state = part.state;
  std::int32_t *behind[core::max_components] = {};
  for (int d = 0; d < part.components; ++d) behind[d] = state.last[d] + particles_;
  find_indices(decoded, count, part.components, behind, wide_, stream);
  add_at_rest(state, count, stream);
}

void DeviceHistory::add_ids(const std::int64_t *ids, std::uint64_t count, Stream stream) {
  copy(parts_[id_].exact[0] + particles_, ids, count, stream);
}

std::size_t DeviceHistory::device_bytes() const {
  std::size_t bytes = workspace_.capacity();
  for (const Part &part : parts_) bytes += part.memory->capacity();
  return bytes;
}

}  // namespace gpz::cuda
