// SPDX-License-Identifier: BSD-3-Clause
#include "gpz/cuda/reader/frame_decoder.hpp"

#include <algorithm>
#include <utility>

#include "gpz/cuda/common/arguments.hpp"
#include "gpz/error.hpp"
#include "gpz/format/fields.hpp"

namespace gpz::cuda {
namespace {

std::vector<bool> wanted_of(const std::vector<FieldOutput> &outputs) {
  std::vector<bool> wanted;
  wanted.reserve(outputs.size());
  for (const FieldOutput &output : outputs) wanted.push_back(is_wanted(output));
  return wanted;
}

std::vector<FieldOutput> without_arrays(const std::vector<Field> &fields) {
  std::vector<FieldOutput> outputs;
  outputs.reserve(fields.size());
  for (const Field &field : fields) outputs.push_back({field, {}});
  return outputs;
}

constexpr std::uint64_t bytes_of_steps = 83;  // per particle, without bonds; 75 with bonds

// Bytes per particle that a TrajectoryDecoder takes (gpz/cuda_trajectory_decoder.hpp), with an eighth to spare.
std::uint64_t bytes_each(const std::vector<Field> &fields, bool sorted, std::uint32_t features) {
  std::uint64_t bytes = sorted ? 24 : 0;
  if ((features & feature::steps) != 0) bytes += bytes_of_steps;
  for (const Field &field : fields) {
    const std::uint64_t each = field.type != ValueType::integer && field.bound != 0 ? 16 : 8;
    bytes += each * field.components.size() + 8;
  }
  return bytes + bytes / 8;
}

}  // namespace

bool FrameDecoder::follows(const std::vector<bool> &wanted) const {
  if (wanted_.empty()) return true;
  for (std::size_t f = 0; f < wanted.size(); ++f)
    if (wanted[f] && !(f < wanted_.size() && wanted_[f])) return false;
  return true;
}

std::size_t FrameDecoder::first_frame(std::size_t i, const format::FrameHead &head,
                                      const std::vector<FieldOutput> &outputs) {
  const std::size_t since_key = head.info.since_key;
  std::vector<bool> wanted = wanted_of(outputs);
  if (since_key > i) throw Error(Status::corrupt, "a frame that it builds on is missing");
  const bool lies_between = complete_ && since_key != 0 && frame_ < i && frame_ + since_key >= i;
  if (lies_between && follows(wanted)) return frame_ + 1;
  // A caller that alternates between fields gets both followed, then all fields.
  if (lies_between) {
    for (std::size_t f = 0; f < wanted.size() && f < wanted_.size(); ++f)
      if (wanted_[f]) wanted[f] = true;
    if (joined_ || wanted_.empty()) wanted.clear();
  }
  joined_ = lies_between;
  wanted_ = std::move(wanted);
  complete_ = false;
  return i - since_key;
}

void FrameDecoder::begin(const format::FrameHead &head, bool sorted) {
  const FrameInfo &info = head.info;
  const bool follows_last = complete_ && info.since_key == since_key_ + 1 && info.reference == checksum_ &&
                            head.chunks.size() == decoders_.size();
  if (info.since_key != 0 && !follows_last) throw Error(Status::corrupt, "the frame that it builds on is missing");
  complete_ = false;
  if (decoders_.size() > head.chunks.size())
    decoders_.erase(decoders_.begin() + static_cast<std::ptrdiff_t>(head.chunks.size()), decoders_.end());
  while (decoders_.size() < head.chunks.size()) {
    decoders_.emplace_back(device_);
    decoders_.back().allow(features_);
    decoders_.back().use_threads(threads_);
  }
  // Frames with other fields than the wanted frame have independent chunks only.
  const bool has_these = wanted_.size() == info.fields.size();
  std::uint64_t held = 0;
  for (TrajectoryDecoder &decoder : decoders_) {
    decoder.follow(has_these ? wanted_ : std::vector<bool>());
    held += decoder.memory().device_bytes;
  }
  charge_ = {};
  const std::uint64_t each = bytes_each(info.fields, sorted, features_);
  format::require_memory(info.particles, each);
  charge_ = format::Charge(std::max(held, info.particles * each));
}

void FrameDecoder::queue(const format::FrameHead &head, const Bytes &bytes, const std::vector<FieldOutput> &outputs,
                         OutputOrder order, Stream stream) {
  std::vector<FieldOutput> parts = outputs;
  std::size_t at = 0;
  for (std::size_t k = 0; k < head.chunks.size(); ++k) {
    const ChunkEntry &chunk = head.chunks[k];
    const auto size = static_cast<std::size_t>(chunk.length);
    const ReadBytes read = [&](std::size_t offset, void *to, std::size_t count) { bytes.read(at + offset, to, count); };
    decoders_[k].queue(bytes.device + at, read, size, chunk.particles, parts, order, stream);
    at += size;
    for (FieldOutput &part : parts)
      for (DeviceArray &array : part.components)
        if (array.data != nullptr)
          array.data = static_cast<char *>(array.data) + static_cast<std::ptrdiff_t>(chunk.particles) * array.stride;
  }
}

void FrameDecoder::finish() {
  for (TrajectoryDecoder &decoder : decoders_) decoder.finish();
}

void FrameDecoder::pass(std::size_t j, const format::FrameHead &head, const Bytes &bytes, Stream stream) {
  decode(j, head, bytes, without_arrays(head.info.fields), format::no_field, stream);
}

void FrameDecoder::decode(std::size_t j, const format::FrameHead &head, const Bytes &bytes,
                          const std::vector<FieldOutput> &outputs, std::size_t sorted_by, Stream stream) {
  const bool sorted = sorted_by != format::no_field;
  begin(head, sorted);
  if (sorted && head.chunks.size() > 1) {
    decode_merged(head, bytes, outputs, sorted_by, stream);
  } else {
    queue(head, bytes, outputs, sorted ? OutputOrder::id : OutputOrder::stored, stream);
    finish();
  }
  complete_ = true;
  frame_ = j;
  since_key_ = head.info.since_key;
  checksum_ = head.checksum;
}

void FrameDecoder::decode_merged(const format::FrameHead &head, const Bytes &bytes,
                                 const std::vector<FieldOutput> &outputs, std::size_t sorted_by, Stream stream) {
  const std::uint64_t n = head.info.particles;
  std::vector<DeviceArray *> from;  // staged components
  std::vector<DeviceArray> to;
  std::vector<FieldOutput> stored = outputs;
  for (std::size_t f = 0; f < stored.size(); ++f)
    for (DeviceArray &array : stored[f].components)
      if (f != sorted_by && array.data != nullptr) {
        from.push_back(&array);
        to.push_back(array);
      }
  staged_.reserve(to, n);
  for (std::size_t c = 0; c < from.size(); ++c) {
    const StagedValues::Column &column = staged_.columns()[c];
    const auto size = static_cast<std::ptrdiff_t>(column.size());
    *from[c] = {staged_.on_device(column), size, column.type()};
  }
  std::int64_t *const ids = order_.ids(n);
  stored[sorted_by].components[0] = {ids, sizeof(std::int64_t), ConstArray::Type::int64};
  queue(head, bytes, stored, OutputOrder::stored, stream);
  finish();
  const std::uint32_t *const rows = order_.rows(n, stream);
  staged_.place(rows, stream);
  const DeviceArray &wanted_ids = outputs[sorted_by].components[0];
  if (wanted_ids.data != nullptr) place_values(ids, ConstArray::Type::int64, wanted_ids, n, rows, stream);
  check_handled(cudaStreamSynchronize(stream), "writing values");
}

MemoryUse FrameDecoder::memory() const {
  MemoryUse sum = order_.memory();
  const auto add = [&](const MemoryUse &use) {
    sum.device_bytes += use.device_bytes;
    sum.allocations += use.allocations;
  };
  add(staged_.memory());
  for (const TrajectoryDecoder &decoder : decoders_) add(decoder.memory());
  return sum;
}

}  // namespace gpz::cuda
