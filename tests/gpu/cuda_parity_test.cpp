// The GPU writes the same bytes as the CPU, reads what the CPU wrote, and survives bytes that are no chunk.
#include <cuda_runtime_api.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <memory>
#include <numeric>

#include "codec_support.hpp"
#include "gpz/cuda.hpp"
#include "gpz/error.hpp"

namespace gpz::test {
namespace {

// GPZ_TEST_SEEDS: how many random inputs for each type.
int seeds() {
  const char *wanted = std::getenv("GPZ_TEST_SEEDS");
  return wanted != nullptr ? std::atoi(wanted) : 1000;
}

void check(cudaError_t error) { ASSERT_EQ(error, cudaSuccess) << cudaGetErrorString(error); }

class DeviceMemory {
 public:
  explicit DeviceMemory(std::size_t size) : size_(size) {
    check(cudaMalloc(&data_, size + 16));
    check(cudaMemset(data_, 0xAB, size + 16));  // nothing may depend on what was there
  }
  DeviceMemory(const void *from, std::size_t size) : DeviceMemory(size) {
    if (size != 0) check(cudaMemcpy(data_, from, size, cudaMemcpyHostToDevice));
  }
  ~DeviceMemory() { cudaFree(data_); }
  DeviceMemory(const DeviceMemory &) = delete;
  DeviceMemory &operator=(const DeviceMemory &) = delete;

  void *get() const { return data_; }
  std::vector<std::uint8_t> bytes(std::size_t size) const {
    std::vector<std::uint8_t> out(size);
    if (size != 0) check(cudaMemcpy(out.data(), data_, size, cudaMemcpyDeviceToHost));
    return out;
  }

 private:
  void *data_ = nullptr;
  std::size_t size_;
};

// Positions of several kinds, ids, images of 32 and 64 bits, velocities; sometimes with special values and a list of
// rows.
template <typename T>
struct RandomSnapshot {
  Random random;
  int components;
  std::size_t rows_in_memory = 0;
  std::size_t particles = 0;
  std::vector<T> x;
  std::vector<std::int32_t> id;
  std::vector<std::int64_t> image;
  std::vector<float> v;
  std::vector<int> rows;
  std::vector<FieldInput> fields;

  explicit RandomSnapshot(std::uint64_t seed) : random(seed), components(1 + static_cast<int>(random.below(3))) {
    const std::size_t sizes[] = {random.below(40), 1000 + random.below(50), 1024 * (1 + random.below(6)),
                                 random.below(20000), random.below(20000)};
    const std::size_t n = rows_in_memory = sizes[random.below(5)];
    const double width = std::pow(10.0, random.uniform(-2, 4));
    const double bound = random.below(10) == 0 ? 0.0 : width * std::pow(10.0, random.uniform(-10, 0.3));
    const std::uint64_t kind = random.below(5);
    for (std::size_t i = 0; i < n; ++i) {
      for (int d = 0; d < components; ++d) {
        const double at = kind == 0   ? random.uniform(-width, width)
                          : kind == 1 ? width * 0.001 * static_cast<double>(i / 7) + random.uniform(0, width * 0.01)
                          : kind == 2
                              ? width * std::round(random.uniform(0, 5))
                              : width * std::exp(random.uniform(-6, 0)) * static_cast<double>(i * 2654435761u % 3);
        x.push_back(static_cast<T>(at));
      }
      v.push_back(static_cast<float>(random.uniform(-3, 3)));
    }
    const std::size_t specials = random.below(4) == 0 && n != 0 ? 1 + n / 50 : 0;
    const T special[] = {std::numeric_limits<T>::quiet_NaN(), std::numeric_limits<T>::infinity(), static_cast<T>(1e30)};
    for (std::size_t k = 0; k < specials; ++k) x[random.below(x.size())] = special[k % 3];
    id.resize(n);
    std::iota(id.begin(), id.end(), 1);
    for (std::size_t i = n; i > 1; --i) std::swap(id[i - 1], id[random.below(i)]);
    for (std::size_t i = 0; i < n; ++i)
      image.push_back(static_cast<std::int64_t>(random.below(random.below(2) != 0 ? 3 : 1000000000000u)) - 1);
    particles = n;
    if (random.below(3) == 0) {
      for (std::size_t i = 0; i < n; ++i)
        if (random.below(3) != 0) rows.push_back(static_cast<int>(i));
      rows.reserve(1);  // a list without entries is a list
      particles = rows.size();
    }
    fields = {field("x", x, components, bound, random.below(8) != 0), field("id", id, 1, 0, false),
              field("image", image, 1, 0, false), field("v", v, 1, random.below(2) != 0 ? 0.001 : 0.0, false)};
  }
  const int *row_list() const { return rows.capacity() != 0 ? rows.data() : nullptr; }
};

struct Decoded {
  std::uint32_t damaged;
  std::vector<std::vector<std::uint8_t>> columns;
};

Decoded decode_on_gpu(const std::vector<std::uint8_t> &bytes, const Frame &frame, std::uint64_t particles) {
  const DeviceMemory chunk(bytes.data(), bytes.size());
  std::vector<cuda::FieldOutput> outputs;
  std::vector<std::unique_ptr<DeviceMemory>> memory;
  for (const auto &column : frame.columns) {
    if (column.component == 0) outputs.push_back({frame.info.fields[column.field], {}});
    memory.push_back(std::make_unique<DeviceMemory>(particles * 8));
    const bool integer = frame.info.fields[column.field].type == ValueType::integer;
    outputs.back().components[column.component] = {memory.back()->get(), 8,
                                                   integer ? ConstArray::Type::int64 : ConstArray::Type::float64};
  }
  const std::size_t size = cuda::decompress_workspace_size(outputs, particles);
  const DeviceMemory workspace(size);
  const DeviceMemory damaged(sizeof(std::uint32_t));
  cuda::decompress(chunk.get(), bytes.size(), particles, outputs, workspace.get(), size,
                   static_cast<std::uint32_t *>(damaged.get()), nullptr);
  check(cudaDeviceSynchronize());
  Decoded out{};
  std::memcpy(&out.damaged, damaged.bytes(4).data(), 4);
  for (const auto &column : memory) out.columns.push_back(column->bytes(particles * 8));
  return out;
}

template <typename T>
class CudaParity : public testing::Test {
 protected:
  void SetUp() override {
    int devices = 0;
    if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) GTEST_SKIP() << "no GPU on this machine";
  }
};
using Floats = testing::Types<float, double>;
TYPED_TEST_SUITE(CudaParity, Floats);

TYPED_TEST(CudaParity, SameBytesAsTheCpu) {
  for (int seed = 1; seed <= seeds(); ++seed) {
    const RandomSnapshot<TypeParam> s(static_cast<std::uint64_t>(seed));
    const EncodedChunk expected = encode(s.fields, s.particles, 1, s.row_list());
    std::vector<FieldInput> fields = s.fields;
    const DeviceMemory x(s.x.data(), s.x.size() * sizeof(TypeParam));
    const DeviceMemory id(s.id.data(), s.id.size() * 4);
    const DeviceMemory image(s.image.data(), s.image.size() * 8);
    const DeviceMemory v(s.v.data(), s.v.size() * 4);
    const DeviceMemory rows(s.rows.data(), s.rows.size() * sizeof(int));
    for (int d = 0; d < s.components; ++d)
      fields[0].components[static_cast<std::size_t>(d)].data =
          static_cast<char *>(x.get()) + static_cast<std::size_t>(d) * sizeof(TypeParam);
    fields[1].components[0].data = id.get();
    fields[2].components[0].data = image.get();
    fields[3].components[0].data = v.get();
    const std::size_t size = cuda::compress_workspace_size(fields, s.particles);
    const std::size_t capacity = cuda::compressed_bound(fields, s.particles);
    const DeviceMemory workspace(size);
    const DeviceMemory out(capacity);
    const DeviceMemory device_result(sizeof(cuda::CompressResult));
    cuda::compress(fields, s.particles, s.row_list() != nullptr ? static_cast<int *>(rows.get()) : nullptr,
                   workspace.get(), size, out.get(), capacity, static_cast<cuda::CompressResult *>(device_result.get()),
                   nullptr);
    check(cudaDeviceSynchronize());
    cuda::CompressResult result;
    std::memcpy(&result, device_result.bytes(sizeof(result)).data(), sizeof(result));
    ASSERT_EQ(result.fits, 1u) << "seed " << seed;
    ASSERT_EQ(out.bytes(result.bytes), expected.bytes) << "seed " << seed;
    for (std::size_t f = 0; f < fields.size(); ++f)
      ASSERT_EQ(result.largest_error[f], expected.largest_error[f]) << "seed " << seed;
  }
}

TYPED_TEST(CudaParity, SameValuesAsTheCpu) {
  for (int seed = 1; seed <= seeds(); ++seed) {
    const RandomSnapshot<TypeParam> s(static_cast<std::uint64_t>(seed));
    const EncodedChunk chunk = encode(s.fields, s.particles, 1, s.row_list());
    const Frame expected = decode(s.fields, chunk);
    const Decoded got = decode_on_gpu(chunk.bytes, frame_for(s.fields), s.particles);
    ASSERT_EQ(got.damaged, 0u) << "seed " << seed;
    for (std::size_t c = 0; c < expected.columns.size() && s.particles != 0; ++c) {
      const auto &column = expected.columns[c];
      const void *values =
          column.integers.empty() ? static_cast<const void *>(column.floats.data()) : column.integers.data();
      ASSERT_EQ(std::memcmp(got.columns[c].data(), values, s.particles * 8), 0) << "seed " << seed << " column " << c;
    }
  }
}

// What the CPU calls corrupt, the GPU does; and nothing is read or written outside (run under compute-sanitizer).
TYPED_TEST(CudaParity, DamagedBytesAreReported) {
  Random random(99);
  for (int seed = 1; seed <= seeds() / 4; ++seed) {
    const RandomSnapshot<TypeParam> s(static_cast<std::uint64_t>(seed));
    EncodedChunk chunk = encode(s.fields, s.particles, 1, s.row_list());
    for (int k = 0; k < 3; ++k) {
      auto &byte = chunk.bytes[random.below(chunk.bytes.size())];
      byte = static_cast<std::uint8_t>(byte ^ (1 + random.below(255)));
    }
    bool corrupt = false;
    try {
      decode(s.fields, chunk);
    } catch (const Error &) {
      corrupt = true;
    }
    const Decoded got = decode_on_gpu(chunk.bytes, frame_for(s.fields), s.particles);
    if (corrupt) {
      EXPECT_EQ(got.damaged, 1u) << "seed " << seed;
    }
  }
}

}  // namespace
}  // namespace gpz::test
