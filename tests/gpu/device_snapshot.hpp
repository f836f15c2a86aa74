// SPDX-License-Identifier: BSD-3-Clause
// Snapshots in device memory, and chunks of CPU and GPU side by side.
#pragma once

#include <algorithm>
#include <memory>
#include <vector>

#include "gpu_support.hpp"
#include "gpz/cuda_codec.hpp"
#include "gpz/trajectory.hpp"
#include "trajectory_support.hpp"

namespace gpz::test {

inline ChunkKind kind_of(const EncodedChunk &chunk) { return chunk_kind(chunk.bytes.data(), chunk.bytes.size()); }

// A snapshot in device memory; integers as int32 if they are to be narrow.
class OnDevice {
 public:
  std::vector<FieldInput> fields;

  explicit OnDevice(const Snapshot &snapshot, const std::vector<int> &rows = {}, bool narrow = false) {
    for (const Quantity &q : snapshot.quantities) {
      FieldInput input = q.input();
      const std::size_t width = q.field.components.size();
      const auto place = [&](const auto &values) {
        using T = std::decay_t<decltype(values[0])>;
        const char *data = keep(values);
        for (std::size_t d = 0; d < width; ++d)
          input.components[d] = {data + d * sizeof(T), static_cast<std::ptrdiff_t>(sizeof(T) * width), array_type<T>()};
      };
      if (q.field.type == ValueType::float64) place(q.real);
      if (q.field.type == ValueType::float32) place(q.single);
      if (q.field.type == ValueType::integer && !narrow) place(q.integer);
      if (q.field.type == ValueType::integer && narrow)
        place(std::vector<std::int32_t>(q.integer.begin(), q.integer.end()));
      fields.push_back(input);
    }
    if (!rows.empty()) rows_ = reinterpret_cast<const int *>(keep(rows));
  }
  const int *rows() const { return rows_; }

 private:
  template <typename T>
  const char *keep(const std::vector<T> &values) {
    memory_.push_back(std::make_unique<DeviceMemory>(values.data(), values.size() * sizeof(T)));
    return memory_.back()->template as<char>();
  }

  std::vector<std::unique_ptr<DeviceMemory>> memory_;
  const int *rows_ = nullptr;
};

inline EncodedChunk on_host(const cuda::DeviceChunk &chunk) {
  EncodedChunk out;
  out.bytes.resize(chunk.size);
  check(cudaMemcpy(out.bytes.data(), chunk.data, chunk.size, cudaMemcpyDeviceToHost));
  out.particles = chunk.particles;
  out.largest_error = chunk.largest_error;
  out.checksum = chunk_checksum(out.bytes.data(), out.bytes.size());
  EXPECT_EQ(chunk.kind, kind_of(out));
  return out;
}

inline EncodedChunk encode_on_cpu(TrajectoryEncoder &encoder, const Snapshot &snapshot, bool key) {
  EncodedChunk chunk;
  encoder.encode(snapshot.inputs(), snapshot.info.particles, nullptr, snapshot.info.box, key, chunk);
  return chunk;
}

inline void expect_equal(const EncodedChunk &gpu, const EncodedChunk &cpu) {
  EXPECT_EQ(gpu.particles, cpu.particles);
  EXPECT_EQ(gpu.largest_error, cpu.largest_error);
  ASSERT_EQ(kind_of(gpu), kind_of(cpu));
  const auto differing = std::mismatch(
      gpu.bytes.begin(), gpu.bytes.begin() + static_cast<std::ptrdiff_t>(std::min(gpu.bytes.size(), cpu.bytes.size())),
      cpu.bytes.begin());
  ASSERT_TRUE(gpu.bytes == cpu.bytes) << gpu.bytes.size() << " and " << cpu.bytes.size()
                                      << " bytes, which differ from byte " << differing.first - gpu.bytes.begin()
                                      << " on";
}

}  // namespace gpz::test
