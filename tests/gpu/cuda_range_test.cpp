// SPDX-License-Identifier: BSD-3-Clause
// A part of a chunk: the blocks asked for, and nothing else.
#include <cstring>

#include "gpz/cuda_codec.hpp"
#include "gpz/error.hpp"
#include "random_snapshot.hpp"

namespace gpz::test {
namespace {

constexpr std::size_t particles = 5 * cuda::chunk_block_size + 300;

class CudaRange : public GpuTest {
 protected:
  void SetUp() override {
    GpuTest::SetUp();
    if (IsSkipped()) return;
    Random random(3);
    for (std::size_t i = 0; i < 3 * particles; ++i) x_.push_back(static_cast<float>(random.uniform(-50, 50)));
    x_[2 * 3 * 1024 + 7] = std::numeric_limits<float>::quiet_NaN();  // an exception in block 2
    for (std::size_t i = 0; i < particles; ++i) id_.push_back(static_cast<std::int32_t>(particles - i));
    fields_ = {field("x", x_, 3, 0.01, true), field("id", id_, 1, 0, false)};
    chunk_ = encode(fields_, particles);
  }

  struct Columns {
    std::vector<std::uint8_t> x;
    std::vector<std::uint8_t> id;
  };
  Columns decoded(cuda::BlockRange range) {
    const DeviceMemory x(particles * 12);
    const DeviceMemory id(particles * 4);
    std::vector<cuda::FieldOutput> outputs(2);
    for (int f = 0; f < 2; ++f) outputs[static_cast<std::size_t>(f)].field = fields_[static_cast<std::size_t>(f)].field;
    for (std::size_t d = 0; d < 3; ++d)
      outputs[0].components[d] = {static_cast<float *>(x.get()) + d, 12, ConstArray::Type::float32};
    outputs[1].components[0] = {id.get(), 4, ConstArray::Type::int32};
    cuda::Codec codec;
    codec.decode_from_host(chunk_.bytes.data(), chunk_.bytes.size(), particles, outputs, nullptr, range);
    return {x.bytes(particles * 12), id.bytes(particles * 4)};
  }

  std::vector<float> x_;
  std::vector<std::int32_t> id_;
  std::vector<FieldInput> fields_;
  EncodedChunk chunk_;
};

TEST_F(CudaRange, GivesTheBlocksAskedFor) {
  const Columns all = decoded({});
  const Columns untouched{std::vector<std::uint8_t>(particles * 12, DeviceMemory::pattern),
                          std::vector<std::uint8_t>(particles * 4, DeviceMemory::pattern)};
  const struct {
    cuda::BlockRange range;
    std::size_t first;
    std::size_t count;
  } cases[] = {
      {{0, 1}, 0, 1024}, {{2, 2}, 2048, 2048}, {{3, 0}, 3072, particles - 3072}, {{5, 1}, 5120, 300}, {{6, 0}, 0, 0}};
  for (const auto &c : cases) {
    const Columns part = decoded(c.range);
    const auto same = [&](const std::vector<std::uint8_t> &got, const std::vector<std::uint8_t> &from,
                          const std::vector<std::uint8_t> &empty, std::size_t size) {
      const std::size_t bytes = c.count * size;
      return std::equal(got.begin(), got.begin() + static_cast<std::ptrdiff_t>(bytes),
                        from.begin() + static_cast<std::ptrdiff_t>(c.first * size)) &&
             std::equal(got.begin() + static_cast<std::ptrdiff_t>(bytes), got.end(),
                        empty.begin() + static_cast<std::ptrdiff_t>(bytes));
    };
    EXPECT_TRUE(same(part.x, all.x, untouched.x, 12)) << "from block " << c.range.first;
    EXPECT_TRUE(same(part.id, all.id, untouched.id, 4)) << "from block " << c.range.first;
  }
}

TEST_F(CudaRange, RefusesBlocksThatAreNotThere) {
  for (const cuda::BlockRange range :
       {cuda::BlockRange{5, 2}, cuda::BlockRange{7, 0}, cuda::BlockRange{1, ~std::uint64_t{0}}})
    EXPECT_THROW(decoded(range), Error);
}

}  // namespace
}  // namespace gpz::test
