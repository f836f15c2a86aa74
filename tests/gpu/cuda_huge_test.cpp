// SPDX-License-Identifier: BSD-3-Clause
// More than 2^31 values in one chunk: encoded and decoded on the device, and every value looked at there.
#include <algorithm>
#include <cstring>

#include "cloud.hpp"
#include "codec_support.hpp"
#include "gpu_support.hpp"
#include "gpz/cuda.hpp"

namespace gpz::test {
namespace {

constexpr std::uint64_t limit = std::uint64_t{1} << 31;

Field described(const char *name, ValueType type, int components, double bound, bool leading) {
  Field described;
  described.type = type;
  described.bound = bound;
  described.leading = leading;
  fill_step(described);
  for (int d = 0; d < components; ++d) described.components.push_back({name + std::to_string(d), 0});
  return described;
}

double gigabytes(std::size_t bytes) { return static_cast<double>(bytes) / 1e9; }

class CudaHuge : public GpuTest {
 protected:
  // What the arrays and the codec need together, or why that is too much for this device.
  std::string too_much(const std::vector<FieldInput> &fields, const std::vector<cuda::FieldOutput> &outputs,
                       std::uint64_t particles, std::size_t arrays) {
    workspace_size =
        std::max(cuda::compress_workspace_size(fields, particles), cuda::decompress_workspace_size(outputs, particles));
    capacity = cuda::compressed_bound(fields, particles);
    const std::size_t needed = arrays + workspace_size + capacity + (std::size_t{64} << 20);
    std::size_t available = 0;
    std::size_t total = 0;
    check(cudaMemGetInfo(&available, &total));
    if (needed <= available) return "";
    return "needs " + std::to_string(gigabytes(needed)) + " GB of device memory, " +
           std::to_string(gigabytes(available)) + " are free";
  }

  // Encodes, overwrites the arrays, decodes into them. Returns what compress() reported.
  cuda::CompressResult there_and_back(const std::vector<FieldInput> &fields,
                                      const std::vector<cuda::FieldOutput> &outputs, std::uint64_t particles,
                                      const std::vector<const DeviceMemory *> &arrays) const {
    const DeviceMemory workspace(workspace_size);
    const DeviceMemory chunk(capacity);
    const Pinned<cuda::CompressResult> result;
    const Pinned<std::uint32_t> damaged;
    cuda::compress(fields, particles, nullptr, workspace.get(), workspace.size(), chunk.get(), capacity, result.get(),
                   nullptr);
    check(cudaDeviceSynchronize());
    EXPECT_EQ(result->fits, 1u);
    for (const DeviceMemory *array : arrays) check(cudaMemset(array->get(), 0xFF, array->size()));
    cuda::decompress(chunk.get(), static_cast<std::size_t>(result->bytes), particles, outputs, workspace.get(),
                     workspace.size(), damaged.get(), nullptr);
    check(cudaDeviceSynchronize());
    EXPECT_EQ(*damaged, 0u);
    return *result;
  }

  std::size_t workspace_size = 0;
  std::size_t capacity = 0;
};

CloudReport fetch(const DeviceMemory &report) {
  CloudReport fetched{};
  std::memcpy(&fetched, report.bytes(sizeof fetched).data(), sizeof fetched);
  return fetched;
}

TEST_F(CudaHuge, MoreThan2To31Values) {
  const std::uint64_t particles = 750'000'007;  // not a multiple of anything
  static_assert(particles * 3 > limit);
  const double bound = 0.001;
  constexpr std::ptrdiff_t width = sizeof(float);
  std::vector<FieldInput> fields = {{described("x", ValueType::float32, 3, bound, true), {}},
                                    {described("id", ValueType::integer, 1, 0, false), {}}};
  std::vector<cuda::FieldOutput> outputs = {{fields[0].field, {}}, {fields[1].field, {}}};
  const std::size_t xyz_size = particles * 3 * sizeof(float);
  const std::size_t id_size = particles * sizeof(std::int32_t);
  const std::size_t seen_size = (particles + 31) / 32 * 4;
  const std::string too_much_memory = too_much(fields, outputs, particles, xyz_size + id_size + seen_size);
  if (!too_much_memory.empty()) GTEST_SKIP() << too_much_memory;

  const DeviceMemory xyz(xyz_size);
  const DeviceMemory id(id_size);
  check(make_cloud(xyz.as<float>(), id.as<std::int32_t>(), particles, nullptr));
  for (std::size_t d = 0; d < 3; ++d) {
    fields[0].components[d] = {xyz.as<float>() + d, 3 * width, ConstArray::Type::float32};
    outputs[0].components[d] = {xyz.as<float>() + d, 3 * width, ConstArray::Type::float32};
  }
  fields[1].components[0] = {id.get(), sizeof(std::int32_t), ConstArray::Type::int32};
  outputs[1].components[0] = {id.get(), sizeof(std::int32_t), ConstArray::Type::int32};
  const cuda::CompressResult result = there_and_back(fields, outputs, particles, {&xyz, &id});
  EXPECT_LT(result.bytes, xyz_size);
  EXPECT_GT(result.largest_error[0], 0.5 * bound);
  EXPECT_LE(result.largest_error[0], bound);

  const DeviceMemory seen(seen_size);
  const DeviceMemory device_report(sizeof(CloudReport));
  check(cudaMemset(seen.get(), 0, seen.size()));
  check(cudaMemset(device_report.get(), 0, device_report.size()));
  check(check_cloud(xyz.as<float>(), id.as<std::int32_t>(), particles, bound, seen.as<std::uint32_t>(),
                    device_report.as<CloudReport>(), nullptr));
  const CloudReport report = fetch(device_report);
  EXPECT_EQ(report.outside, 0u);
  EXPECT_EQ(report.unknown, 0u);
  EXPECT_EQ(report.twice, 0u);
}

TEST_F(CudaHuge, MoreThan2To31Particles) {
  const std::uint64_t particles = limit + 4'567;
  const double bound = 0.01;
  std::vector<FieldInput> fields = {{described("x", ValueType::float32, 1, bound, false), {}}};
  std::vector<cuda::FieldOutput> outputs = {{fields[0].field, {}}};
  const std::string too_much_memory = too_much(fields, outputs, particles, particles * sizeof(float));
  if (!too_much_memory.empty()) GTEST_SKIP() << too_much_memory;

  const DeviceMemory x(particles * sizeof(float));
  check(make_column(x.as<float>(), particles, nullptr));
  fields[0].components[0] = {x.get(), sizeof(float), ConstArray::Type::float32};
  outputs[0].components[0] = {x.get(), sizeof(float), ConstArray::Type::float32};
  const cuda::CompressResult result = there_and_back(fields, outputs, particles, {&x});
  EXPECT_LT(result.bytes, x.size());

  const DeviceMemory device_report(sizeof(CloudReport));
  check(cudaMemset(device_report.get(), 0, device_report.size()));
  check(check_column(x.as<float>(), particles, bound, device_report.as<CloudReport>(), nullptr));
  EXPECT_EQ(fetch(device_report).outside, 0u);
}

}  // namespace
}  // namespace gpz::test
