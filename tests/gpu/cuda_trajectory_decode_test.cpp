// SPDX-License-Identifier: BSD-3-Clause
// gpz::cuda::TrajectoryDecoder: the values of the CPU's reader, to the bit, whatever particles, fields and boxes do, in
// stored order and in that of ids.
#include "cuda_trajectory_decode_support.hpp"
#include "gpz/cuda_trajectory.hpp"

namespace gpz::test {
namespace {

class CudaTrajectoryDecode : public GpuTest {};

void check_seed(std::uint64_t seed, Order order) {
  const std::size_t sizes[] = {0, 1, 2, 31, 33, 1000, 1023, 1024, 1025, 2048};
  Random random(seed * 133 + 7);
  const std::size_t n = random.below(2) == 0 ? sizes[random.below(std::size(sizes))] : random.below(5000);
  SCOPED_TRACE("seed " + std::to_string(seed) + ", " + std::to_string(n) + " particles");
  Gas gas(n, seed);
  Style style;
  style.type = random.below(2) == 0 ? ValueType::float64 : ValueType::float32;
  style.dimension = 2 + random.below(2);
  const double bounds[] = {0.001, 0.05, style.type == ValueType::float32 ? 0.0004 : 0.00001, 0};
  style.bound = bounds[random.below(random.below(4) == 0 ? 4 : 3)];
  style.scaled = random.below(4) == 0;
  style.images = random.below(3) != 0;
  style.velocities = random.below(3) != 0;
  if (random.below(5) == 0) gas.box.boundary[2] = gas.box.boundary[3] = 'f';
  const bool shuffles = random.below(3) != 0;
  const bool comes_and_goes = random.below(2) == 0;
  const bool has_specials = random.below(2) == 0;
  TrajectoryEncoder encoder;
  set_plain(encoder);
  encoder.set_order(order);
  BothDecoders both(seed);
  for (int f = 0; f < 12 && !testing::Test::HasFailure(); ++f) {
    SCOPED_TRACE("frame " + std::to_string(f));
    if (f > 0) gas.move();
    if (shuffles && f % 3 != 0) gas.shuffle();
    if (comes_and_goes && f > 0) {
      gas.thin(random.below(8) == 0 ? 0.6 : 0.04);
      gas.add(random.below(6) == 0 ? 300 : random.below(20));
    }
    Snapshot snapshot = gas.snapshot(style);
    if (style.velocities && random.below(4) == 0)
      for (double &q : snapshot.named("q").real) q = random.below(3) == 0 ? -0.0 : random.uniform();
    if (style.images && random.below(5) == 0 && !gas.particles.empty())
      snapshot.named("ix").integer[random.below(gas.particles.size()) * style.dimension] += 3;
    if (has_specials) add_specials(snapshot, random);
    OutputChoice choice;
    choice.narrow = !has_specials;
    choice.single = random.below(3) == 0;
    both.next(encode_next(encoder, snapshot, f == 0 || random.below(9) == 0), fields_of(snapshot), choice);
  }
  expect_healthy();
}

TEST_F(CudaTrajectoryDecode, AsOnTheCpu) {
  for (std::uint64_t seed = 0; seed < 150 && !HasFailure(); ++seed) check_seed(seed, Order::place);
}

// Chunks in the order of ids, and sections predicted from neighbours.
TEST_F(CudaTrajectoryDecode, OrderOfIdsAsOnTheCpu) {
  for (std::uint64_t seed = 500; seed < 600 && !HasFailure(); ++seed) check_seed(seed, Order::id);
}

void check_many_particles(Order order) {
  Gas gas(300000);
  TrajectoryEncoder encoder(0);
  set_plain(encoder);
  encoder.set_order(order);
  BothDecoders both(1);
  for (int f = 0; f < 8 && !testing::Test::HasFailure(); ++f) {
    SCOPED_TRACE(f);
    gas.move();
    if (f >= 5) {
      gas.shuffle();
      gas.thin(0.01);
      gas.add(3500);
    }
    const Snapshot snapshot = gas.snapshot();
    both.next(encode_next(encoder, snapshot, f == 0), fields_of(snapshot),
              f % 2 == 0 ? OutputOrder::id : OutputOrder::stored);
  }
  EXPECT_EQ(both.differences, 7u);
}

TEST_F(CudaTrajectoryDecode, ManyParticles) {
  check_many_particles(Order::place);
  check_many_particles(Order::id);
}

TEST_F(CudaTrajectoryDecode, AllLeaveAndOthersCome) {
  Gas gas(300);
  TrajectoryEncoder encoder;
  set_plain(encoder);
  BothDecoders both(2);
  int f = 0;
  for (const std::size_t n : {300u, 0u, 0u, 5u, 5u, 0u, 2000u, 2000u, 1u, 1u, 1u, 0u}) {
    SCOPED_TRACE(f);
    gas.particles.resize(std::min(gas.particles.size(), n));
    gas.add(n - gas.particles.size());
    const Snapshot snapshot = gas.snapshot();
    both.next(encode_next(encoder, snapshot, f++ == 0), fields_of(snapshot));
  }
}

// Some are negative, some need 64 bits, some are equal: those keep their order.
TEST_F(CudaTrajectoryDecode, OrderOfAnyIds) {
  for (const std::int64_t kind : {0, 1, 2, 3}) {
    SCOPED_TRACE(kind);
    Gas gas(3000);
    TrajectoryEncoder encoder;
    set_plain(encoder);
    BothDecoders both(3);
    for (int f = 0; f < 5; ++f) {
      gas.move();
      gas.shuffle();
      if (f == 3) gas.thin(0.1);
      for (Gas::Particle &p : gas.particles)
        p.id = kind == 0   ? p.tag % 7
               : kind == 1 ? p.tag - 1500
               : kind == 2 ? (p.tag % 2 == 0 ? INT64_MIN + p.tag : INT64_MAX - p.tag)
                           : 0;
      const Snapshot snapshot = gas.snapshot();
      both.next(encode_next(encoder, snapshot, f == 0), fields_of(snapshot), OutputOrder::id);
    }
  }
}

TEST_F(CudaTrajectoryDecode, ChunksOfTheGpu) {
  Gas gas(5000);
  cuda::TrajectoryCodec codec;
  BothDecoders both(4);
  for (int f = 0; f < 6; ++f) {
    gas.move();
    gas.shuffle();
    if (f == 3) gas.thin(0.05);
    if (f == 4) gas.add(100);
    const Snapshot snapshot = gas.snapshot();
    std::vector<std::unique_ptr<DeviceMemory>> memory;
    std::vector<FieldInput> inputs = snapshot.inputs();
    for (FieldInput &input : inputs) {
      const std::size_t width = input.field.components.size();
      const auto stride = static_cast<std::size_t>(input.components[0].stride);
      const char *const from = static_cast<const char *>(input.components[0].data);
      memory.push_back(std::make_unique<DeviceMemory>(from, gas.particles.size() * stride));
      for (std::size_t d = 0; d < width; ++d)
        input.components[d].data =
            memory.back()->as<char>() + (static_cast<const char *>(input.components[d].data) - from);
    }
    const cuda::DeviceChunk &encoded = codec.encode(inputs, gas.particles.size(), nullptr, snapshot.info.box, f == 0);
    EncodedChunk chunk;
    chunk.bytes.resize(encoded.size);
    check(cudaMemcpy(chunk.bytes.data(), encoded.data, encoded.size, cudaMemcpyDeviceToHost));
    chunk.particles = encoded.particles;
    both.next(chunk, fields_of(snapshot));
  }
  EXPECT_EQ(both.differences, 5u);
}

}  // namespace
}  // namespace gpz::test
