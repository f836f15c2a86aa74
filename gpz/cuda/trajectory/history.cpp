// SPDX-License-Identifier: BSD-3-Clause
#include "gpz/cuda/trajectory/history.hpp"

#include <algorithm>
#include <utility>

#include "gpz/cuda/common/arguments.hpp"
#include "gpz/cuda/common/carver.hpp"
#include "gpz/cuda/trajectory/fields.hpp"
#include "gpz/format/difference_rules.hpp"
#include "gpz/format/fields.hpp"

namespace gpz::cuda {
namespace {

Kept kept_of(const Field &field, bool is_id) {
  return is_id || (field.type != ValueType::integer && field.step == 0) ? Kept::keys : Kept::state;
}

ConstArray::Type type_of(const Field &field) {
  return field.type == ValueType::integer   ? ConstArray::Type::int64
         : field.type == ValueType::float32 ? ConstArray::Type::float32
                                            : ConstArray::Type::float64;
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
  }
  started_ = true;
}

void DeviceHistory::release() {
  started_ = false;
  parts_.clear();
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

std::size_t DeviceHistory::scratch_size(std::uint64_t particles) {
  Carver carver(nullptr);
  for (int d = 0; d < core::max_components; ++d) carver.take<double>(particles);
  return carver.used();
}

// Decodes as many fields at a time as fit into scratch memory.
void DeviceHistory::add(Codec &codec, const DeviceChunk &chunk, void *scratch, std::size_t scratch_size,
                        Stream stream) {
  const std::uint64_t count = chunk.particles;
  for (std::size_t first = 0, end = 0; first < described_.size(); first = end) {
    std::vector<FieldOutput> outputs;
    for (const Field &field : described_) outputs.push_back({field, {}});
    Carver carver(scratch);
    for (end = first; end < outputs.size(); ++end) {
      const Field &field = described_[end];
      const ConstArray::Type type = type_of(field);
      const std::size_t size = size_of(type);
      DeviceArray arrays[core::max_components];
      if (end == id_)  // already in its final place
        arrays[0] = {parts_[id_].exact[0] + particles_, static_cast<std::ptrdiff_t>(size), type};
      else
        for (std::size_t d = 0; d < field.components.size(); ++d)
          arrays[d] = {carver.take<char>(count * size), static_cast<std::ptrdiff_t>(size), type};
      if (carver.used() > scratch_size) break;
      std::copy(std::begin(arrays), std::end(arrays), outputs[end].components);
    }
    if (end == first) throw Error(Status::internal, "no room to decode a field");
    codec.decode(chunk.data, chunk.size, count, outputs, stream);
    for (std::size_t f = first; f < end; ++f) {
      if (f == id_) continue;
      DeviceValues values{{}, nullptr, format::grid_of(described_[f])};
      for (std::size_t d = 0; d < core::max_components; ++d) {
        const DeviceArray &array = outputs[f].components[d];
        values.component[d] = {array.data, array.stride, array.type};
      }
      add(f, values, count, stream);
    }
  }
  particles_ += count;
}

void DeviceHistory::add(std::size_t field, const DeviceValues &decoded, std::uint64_t count, Stream stream) {
  Part &part = parts_[field];
  if (part.kept == Kept::keys) {
    std::int64_t *behind[core::max_components] = {};
    for (int d = 0; d < part.components; ++d) behind[d] = part.exact[d] + particles_;
    if (described_[field].type != ValueType::integer)
      return follow_keys(decoded, count, part.components, behind, nullptr, stream);
    for (int d = 0; d < part.components; ++d)
      load_integers(decoded.component[static_cast<std::size_t>(d)], count, behind[d], stream);
    return;
  }
  DeviceDifferenceState &state = part.state;
  std::int32_t *behind[core::max_components] = {};
  for (int d = 0; d < part.components; ++d) {
    behind[d] = state.last[d] + particles_;
    // New particles are at rest.
    for (std::int32_t *history : {state.deviation[d], state.velocity[d], state.previous[d]})
      if (history != nullptr && count != 0)
        check(cudaMemsetAsync(history + particles_, 0, count * sizeof(std::int32_t), stream), "clearing");
  }
  find_indices(decoded, count, part.components, behind, wide_, stream);
  state.particles = particles_ + count;
}

std::size_t DeviceHistory::device_bytes() const {
  std::size_t bytes = 0;
  for (const Part &part : parts_) bytes += part.memory->capacity();
  return bytes;
}

}  // namespace gpz::cuda
