// SPDX-License-Identifier: BSD-3-Clause
#include "gpz/cuda/trajectory/sections_on_host.hpp"

#include <utility>

#include "gpz/cuda/trajectory/rows.hpp"
#include "gpz/format/corrupt.hpp"
#include "gpz/trajectory/independent_chunk.hpp"
#include "gpz/trajectory/indices.hpp"

namespace gpz::cuda {

SectionsOnHost::SectionsOnHost(const ChunkBytes &chunk, std::uint64_t particles, const std::vector<FieldOutput> &fields,
                               Stream stream)
    : chunk_(chunk), particles_(particles), outputs_(fields), stream_(stream) {
  for (const FieldOutput &output : fields) fields_.push_back(output.field);
}
SectionsOnHost::~SectionsOnHost() = default;

const trajectory::IndependentChunk &SectionsOnHost::opened() {
  if (opened_ == nullptr)
    opened_ = std::make_unique<trajectory::IndependentChunk>(
        format::open_chunk(chunk_.host(0, chunk_.size()), chunk_.size(), fields_.size()), particles_, fields_,
        std::vector<bool>());
  return *opened_;
}

void SectionsOnHost::decode(std::size_t f) {
  const Field &field = fields_[f];
  const ConstArray::Type type = field.type == ValueType::integer   ? ConstArray::Type::int64
                                : field.type == ValueType::float32 ? ConstArray::Type::float32
                                                                   : ConstArray::Type::float64;
  const auto n = static_cast<std::size_t>(particles_);
  const std::size_t column = n * element_size(type);
  const std::size_t all = column * field.components.size();
  HostValues &memory = chunk_.values();
  memory.reserve(all);
  codec::Target target;
  DeviceValues values{};
  const std::int64_t *keys[core::max_components] = {};
  for (std::size_t d = 0; d < field.components.size(); ++d) {
    const auto stride = static_cast<std::ptrdiff_t>(element_size(type));
    target.components[d] = {static_cast<char *>(memory.on_host.data()) + d * column, stride, type};
    void *const on_device = static_cast<char *>(memory.on_device.data()) + d * column;
    values.component[d] = {on_device, stride, type};
    keys[d] = static_cast<const std::int64_t *>(on_device);
  }
  trajectory::Indices indices;
  opened().write(f, target, memory.threads, indices);
  check(cudaMemcpyAsync(memory.on_device.data(), memory.on_host.data(), all, cudaMemcpyHostToDevice, stream_),
        "copy to the device");
  memory.sent->record(stream_);
  if (type == ConstArray::Type::int64)
    write_keys(keys, outputs_[f], {0, particles_}, stream_);
  else
    write_values(values, outputs_[f], {0, particles_}, stream_);
}

}  // namespace gpz::cuda
