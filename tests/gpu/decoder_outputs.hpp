// SPDX-License-Identifier: BSD-3-Clause
// Arrays of any layout for the fields of a frame, on the host and on the device, that decoders of both fill.
#pragma once

#include <cstring>
#include <memory>
#include <vector>

#include "codec_support.hpp"
#include "gpu_support.hpp"
#include "gpz/codec/target.hpp"
#include "gpz/cuda_trajectory_decoder.hpp"
#include "gpz/format/fields.hpp"
#include "gpz/trajectory/chunk_reader.hpp"
#include "gpz/trajectory/id_order.hpp"

namespace gpz::test {

struct OutputChoice {
  bool narrow = false;  // float32 and int32 whatever the field is
  bool single = false;  // some components are left out, and some fields
};

class DecoderOutputs {
 public:
  DecoderOutputs(const std::vector<Field> &fields, std::size_t particles, Random &random,
                 const OutputChoice &choice = {}) {
    for (const Field &field : fields) {
      const std::size_t width = field.components.size();
      const bool is_integer = field.type == ValueType::integer;
      const bool is_narrow = choice.narrow && random.below(2) == 0;
      const ConstArray::Type type = is_integer ? is_narrow ? ConstArray::Type::int32 : ConstArray::Type::int64
                                    : (field.type == ValueType::float32) != (choice.narrow && is_narrow)
                                        ? ConstArray::Type::float32
                                        : ConstArray::Type::float64;
      const std::size_t size = type == ConstArray::Type::int32 || type == ConstArray::Type::float32 ? 4 : 8;
      const std::uint64_t layout = random.below(3);  // together, apart, with gaps
      const std::size_t stride = layout == 0 ? width * size : layout == 1 ? size : (width + 2) * size;
      const std::size_t step = layout == 1 ? particles * size : size;
      Array array{
          std::vector<std::uint8_t>(std::max(particles * stride, width * particles * size) + 64, DeviceMemory::pattern),
          nullptr};
      array.device = std::make_unique<DeviceMemory>(array.host.size());
      outputs_.push_back({field, {}});
      targets_.emplace_back();
      const bool left_out = choice.single && random.below(4) == 0;
      for (std::size_t d = 0; d < width; ++d) {
        if (left_out || (choice.single && random.below(6) == 0)) continue;
        outputs_.back().components[d] = {array.device->as<char>() + d * step, static_cast<std::ptrdiff_t>(stride),
                                         type};
        targets_.back().components[d] = {array.host.data() + d * step, static_cast<std::ptrdiff_t>(stride), type};
      }
      arrays_.push_back(std::move(array));
    }
  }

  const std::vector<cuda::FieldOutput> &outputs() const { return outputs_; }
  std::vector<codec::Target> &targets() { return targets_; }
  // Every byte, those between the values too.
  void expect_equal(const std::string &what = "") const {
    for (std::size_t f = 0; f < arrays_.size(); ++f)
      EXPECT_TRUE(arrays_[f].device->bytes() == arrays_[f].host) << what << " field " << f;
  }

 private:
  struct Array {
    std::vector<std::uint8_t> host;
    std::unique_ptr<DeviceMemory> device;
  };
  std::vector<Array> arrays_;
  std::vector<cuda::FieldOutput> outputs_;
  std::vector<codec::Target> targets_;
};

// What the CPU's reader of a chunk has, into the host's arrays.
inline void write_sorted(const trajectory::ChunkReader &reader, const std::vector<Field> &fields,
                         cuda::OutputOrder order, DecoderOutputs &outputs) {
  trajectory::IdOrder ranks;
  if (order == cuda::OutputOrder::id) {
    reader.write(format::identity_field(fields), ranks.target(static_cast<std::size_t>(reader.particles())));
    ranks.rank();
  }
  for (std::size_t f = 0; f < fields.size(); ++f) {
    codec::Target target = outputs.targets()[f];
    if (!target.is_wanted()) continue;
    if (order == cuda::OutputOrder::id) target.rows = ranks.rows();
    reader.write(f, target);
  }
}

}  // namespace gpz::test
