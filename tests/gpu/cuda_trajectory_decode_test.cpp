// SPDX-License-Identifier: BSD-3-Clause
// gpz::cuda::TrajectoryDecoder: the values of the CPU's reader, to the bit, whatever particles, fields and boxes do, in
// stored order and in that of ids; statuses for damaged chunks; memory that stays as it is.
#include <limits>
#include <memory>

#include "decoder_outputs.hpp"
#include "gpz/cuda_trajectory.hpp"
#include "gpz/cuda_trajectory_decoder.hpp"
#include "trajectory_support.hpp"

namespace gpz::test {
namespace {

using cuda::OutputOrder;

std::vector<Field> fields_of(const Snapshot &snapshot) {
  std::vector<Field> fields;
  for (const Quantity &q : snapshot.quantities) {
    fields.push_back(q.field);
    fill_step(fields.back());
  }
  return fields;
}

// The CPU's reader of one chunk after the other.
class OnHost {
 public:
  void next(const EncodedChunk &chunk, const std::vector<Field> &fields) {
    const auto opened = format::open_chunk(chunk.bytes.data(), chunk.bytes.size(), fields.size());
    reader_.next(opened, chunk.particles, fields, {}, 1);
  }
  void write(const std::vector<Field> &fields, OutputOrder order, DecoderOutputs &outputs) const {
    write_sorted(reader_, fields, order, outputs);
  }

 private:
  trajectory::ChunkReader reader_;
};

// Both decoders, frame after frame.
class BothDecoders {
 public:
  explicit BothDecoders(std::uint64_t seed) : random_(seed) {}

  void next(const EncodedChunk &chunk, const std::vector<Field> &fields, const OutputChoice &choice = {}) {
    const OutputOrder order = random_.below(2) == 0 ? OutputOrder::stored : OutputOrder::id;
    next(chunk, fields, order, choice);
  }
  void next(const EncodedChunk &chunk, const std::vector<Field> &fields, OutputOrder order,
            const OutputChoice &choice = {}) {
    DecoderOutputs outputs(fields, chunk.particles, random_, choice);
    host_.next(chunk, fields);
    host_.write(fields, order, outputs);
    decode(chunk, outputs, order);
    EXPECT_EQ(gpu.particles(), chunk.particles);
    outputs.expect_equal();
    differences += chunk_kind(chunk.bytes.data(), chunk.bytes.size()) == ChunkKind::difference ? 1 : 0;
  }

  cuda::TrajectoryDecoder gpu;
  std::size_t differences = 0;

 private:
  // By one of four ways.
  void decode(const EncodedChunk &chunk, const DecoderOutputs &outputs, OutputOrder order) {
    const std::uint64_t way = random_.below(4);
    if (way == 0) {
      gpu.decode_from_host(chunk.bytes.data(), chunk.bytes.size(), chunk.particles, outputs.outputs(), order);
      return;
    }
    const DeviceMemory bytes(chunk.bytes.data(), chunk.bytes.size());
    if (way == 1) {
      gpu.decode(bytes.get(), chunk.bytes.size(), chunk.particles, outputs.outputs(), order, stream_.get());
      return;
    }
    if (way == 2) {
      gpu.queue(bytes.get(), chunk.bytes.data(), chunk.bytes.size(), chunk.particles, outputs.outputs(), order,
                stream_.get());
    } else {
      const auto read = [&](std::size_t offset, void *to, std::size_t count) {
        ASSERT_LE(offset + count, chunk.bytes.size());
        std::memcpy(to, chunk.bytes.data() + offset, count);
      };
      gpu.queue(bytes.get(), read, chunk.bytes.size(), chunk.particles, outputs.outputs(), order, stream_.get());
    }
    gpu.finish();
  }

  Random random_;
  OwnStream stream_;
  OnHost host_;
};

EncodedChunk encode_next(TrajectoryEncoder &encoder, const Snapshot &snapshot, bool key) {
  EncodedChunk chunk;
  encoder.encode(snapshot.inputs(), snapshot.info.particles, nullptr, snapshot.info.box, key, chunk);
  return chunk;
}

class CudaTrajectoryDecode : public GpuTest {};

// What the grid cannot hold, integers of any size, integers that change in many ways.
void add_specials(Snapshot &snapshot, Random &random) {
  const std::size_t n = static_cast<std::size_t>(snapshot.info.particles);
  Quantity &position = snapshot.quantities[0];
  if (n != 0 && random.below(3) == 0)
    for (int k = 0; k < 3; ++k) {
      const double special[] = {std::numeric_limits<double>::quiet_NaN(), -std::numeric_limits<double>::infinity(),
                                1e300};
      const std::size_t at = random.below(n * position.field.components.size());
      if (position.field.type == ValueType::float64)
        position.real[at] = special[k];
      else
        position.single[at] = static_cast<float>(special[k]);
    }
  Quantity kinds;
  kinds.field.type = ValueType::integer;
  kinds.field.components = {{"kind", 40}, {"state", 41}, {"big", 42}};
  const std::uint64_t how = random.below(4);
  for (std::size_t i = 0; i < n; ++i) {
    const std::int64_t tag = snapshot.integers("tag")[i];
    kinds.integer.push_back(how == 1 && random.below(50) == 0 ? 9 : tag % 4);
    kinds.integer.push_back(how == 2 ? static_cast<std::int64_t>(random.below(1 << 20)) - 1000 : 7);
    kinds.integer.push_back((tag << 40) + (how == 3 ? static_cast<std::int64_t>(random.below(3)) : 0));
  }
  snapshot.quantities.push_back(kinds);
}

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

// Frames that are all queued before one is waited for, in two streams.
TEST_F(CudaTrajectoryDecode, SeveralInFlight) {
  Gas gas(20000);
  Random random(5);
  const OwnStream streams[2];
  TrajectoryEncoder encoder;
  set_plain(encoder);
  OnHost host;
  cuda::TrajectoryDecoder gpu;
  std::vector<std::unique_ptr<DecoderOutputs>> outputs;
  std::vector<std::unique_ptr<DeviceMemory>> memory;
  for (int f = 0; f < 12; ++f) {
    gas.move();
    if (f % 3 == 1) {
      gas.thin(0.02);
      gas.add(random.below(300));
    }
    const Snapshot snapshot = gas.snapshot();
    const std::vector<Field> fields = fields_of(snapshot);
    const EncodedChunk chunk = encode_next(encoder, snapshot, f % 8 == 0);
    const OutputOrder order = f % 2 == 0 ? OutputOrder::id : OutputOrder::stored;
    outputs.push_back(std::make_unique<DecoderOutputs>(fields, chunk.particles, random));
    memory.push_back(std::make_unique<DeviceMemory>(chunk.bytes.data(), chunk.bytes.size()));
    gpu.queue(memory.back()->get(), chunk.bytes.data(), chunk.bytes.size(), chunk.particles, outputs.back()->outputs(),
              order, streams[f % 2].get());
    gpu.check();
    host.next(chunk, fields);
    host.write(fields, order, *outputs.back());
  }
  gpu.finish();
  for (const auto &one : outputs) one->expect_equal();
}

TEST_F(CudaTrajectoryDecode, OnlySomeFieldsAreFollowed) {
  Gas gas(2000);
  Random random(6);
  TrajectoryEncoder encoder;
  set_plain(encoder);
  OnHost host;
  cuda::TrajectoryDecoder gpu;
  gpu.follow({false, false, false, true});  // image flags, and with them positions and ids
  for (int f = 0; f < 5; ++f) {
    gas.move();
    const Snapshot snapshot = gas.snapshot();
    const std::vector<Field> fields = fields_of(snapshot);
    ASSERT_EQ(fields[3].components[0].name, "ix");
    const EncodedChunk chunk = encode_next(encoder, snapshot, f == 0);
    host.next(chunk, fields);
    DecoderOutputs outputs(fields, chunk.particles, random);
    std::vector<cuda::FieldOutput> wanted = outputs.outputs();
    const auto decode = [&] {
      gpu.decode_from_host(chunk.bytes.data(), chunk.bytes.size(), chunk.particles, wanted, OutputOrder::id);
    };
    if (f == 4) {
      EXPECT_EQ(status_of(decode), Status::not_found);
      return;
    }
    for (const std::size_t other : {2u, 4u, 5u}) {
      if (f == 0) continue;  // an independent chunk has everything
      for (std::size_t d = 0; d < 3; ++d) {
        wanted[other].components[d] = {};
        outputs.targets()[other].components[d] = {};
      }
    }
    host.write(fields, OutputOrder::id, outputs);
    decode();
    outputs.expect_equal();
  }
}

TEST_F(CudaTrajectoryDecode, ADifferenceChunkNeedsTheOneBefore) {
  Gas gas(1500);
  Random random(7);
  TrajectoryEncoder encoder;
  set_plain(encoder);
  cuda::TrajectoryDecoder gpu;
  const auto decode = [&](const EncodedChunk &chunk, const std::vector<Field> &fields) {
    const DecoderOutputs outputs(fields, chunk.particles, random);
    return status_of(
        [&] { gpu.decode_from_host(chunk.bytes.data(), chunk.bytes.size(), chunk.particles, outputs.outputs()); });
  };
  const Snapshot snapshot = gas.snapshot();
  const std::vector<Field> fields = fields_of(snapshot);
  const EncodedChunk key = encode_next(encoder, snapshot, true);
  gas.move();
  const EncodedChunk next = encode_next(encoder, gas.snapshot(), false);
  EXPECT_EQ(decode(next, fields), Status::not_found);
  EXPECT_EQ(decode(key, fields), Status::ok);
  EXPECT_EQ(decode(next, fields), Status::ok);
  gpu.forget();
  EXPECT_EQ(decode(next, fields), Status::not_found);
  EXPECT_EQ(decode(key, fields), Status::ok);
  std::vector<Field> others = fields;
  others[0].bound *= 2;
  others[0].step *= 2;
  EXPECT_EQ(decode(next, others), Status::corrupt);
  EXPECT_EQ(decode(next, fields), Status::not_found);  // after an exception
  EXPECT_EQ(decode(key, fields), Status::ok);
  gpu.release();
  EXPECT_EQ(gpu.memory().device_bytes, 0u);
  EXPECT_EQ(decode(next, fields), Status::not_found);
  EXPECT_EQ(decode(key, fields), Status::ok);
  EXPECT_EQ(decode(next, fields), Status::ok);
  expect_healthy();
}

TEST_F(CudaTrajectoryDecode, Arguments) {
  Gas gas(1500);
  Random random(8);
  Snapshot snapshot = gas.snapshot();
  const EncodedChunk chunk = encode(snapshot.inputs(), 1500);
  const std::vector<Field> fields = fields_of(snapshot);
  const DecoderOutputs outputs(fields, 1500, random);
  const DeviceMemory bytes(chunk.bytes.data(), chunk.bytes.size());
  cuda::TrajectoryDecoder gpu;
  const auto decode = [&](const void *data, const std::vector<cuda::FieldOutput> &given, OutputOrder order) {
    return status_of([&] { gpu.decode(data, chunk.bytes.size(), 1500, given, order); });
  };
  EXPECT_EQ(decode(bytes.get(), outputs.outputs(), OutputOrder::stored), Status::ok);
  EXPECT_EQ(decode(bytes.as<char>() + 4, outputs.outputs(), OutputOrder::stored), Status::invalid_argument);
  EXPECT_EQ(decode(nullptr, outputs.outputs(), OutputOrder::stored), Status::invalid_argument);
  std::vector<cuda::FieldOutput> given = outputs.outputs();
  given[1].field.components[0].name = "number";
  EXPECT_EQ(decode(bytes.get(), given, OutputOrder::id), Status::invalid_argument);
  EXPECT_EQ(decode(bytes.get(), given, OutputOrder::stored), Status::ok);
  given = outputs.outputs();
  given[0].components[1].type = ConstArray::Type::int64;
  EXPECT_EQ(decode(bytes.get(), given, OutputOrder::stored), Status::invalid_argument);
  EXPECT_EQ(status_of([] { const cuda::TrajectoryDecoder none(4096); }), Status::not_found);
  expect_healthy();
}

TEST_F(CudaTrajectoryDecode, WhatOnlyTheCpuDecodes) {
  Random random(9);
  const auto last_status = [&](const std::vector<Snapshot> &snapshots, Order order) {
    TrajectoryEncoder encoder;
    set_plain(encoder);
    encoder.set_order(order);
    cuda::TrajectoryDecoder gpu;
    Status status = Status::ok;
    for (std::size_t f = 0; f < snapshots.size() && status == Status::ok; ++f) {
      const std::vector<Field> fields = fields_of(snapshots[f]);
      const EncodedChunk chunk = encode_next(encoder, snapshots[f], f == 0);
      const DecoderOutputs outputs(fields, chunk.particles, random);
      status = status_of(
          [&] { gpu.decode_from_host(chunk.bytes.data(), chunk.bytes.size(), chunk.particles, outputs.outputs()); });
    }
    return status;
  };
  auto snapshots = trajectory(1500, 3);
  EXPECT_EQ(last_status(snapshots, Order::place), Status::ok);
  auto changed = snapshots;
  changed[0].named("x").real[5] = 1e8;  // a grid index of 2^30 or more, which an independent chunk may have
  changed.resize(1);
  EXPECT_EQ(last_status(changed, Order::place), Status::ok);
  changed = snapshots;
  for (Snapshot &s : changed) s.named("x").real[s.quantities[1].integer[0] % 3] = 1e8;
  EXPECT_EQ(last_status(changed, Order::place), Status::unsupported);
  changed = snapshots;
  for (Snapshot &s : changed) s.info.box.values = {-1e7, 1e7, 0, 12, 2, 10};
  EXPECT_EQ(last_status(changed, Order::place), Status::unsupported);
  expect_healthy();
}

TEST_F(CudaTrajectoryDecode, MemoryStaysAsItIs) {
  Gas gas(3000);
  Random random(10);
  TrajectoryEncoder encoder;
  set_plain(encoder);
  cuda::TrajectoryDecoder gpu;
  cuda::MemoryUse first;
  for (int f = 0; f < 30; ++f) {
    gas.move();
    if (f % 2 == 0) gas.shuffle();
    const Snapshot snapshot = gas.snapshot();
    const EncodedChunk chunk = encode_next(encoder, snapshot, f % 7 == 0);
    const DecoderOutputs outputs(fields_of(snapshot), chunk.particles, random);
    gpu.decode_from_host(chunk.bytes.data(), chunk.bytes.size(), chunk.particles, outputs.outputs(),
                         f % 2 == 0 ? OutputOrder::id : OutputOrder::stored);
    if (f == 9) first = gpu.memory();
  }
  EXPECT_EQ(gpu.memory().allocations, first.allocations);
  EXPECT_EQ(gpu.memory().device_bytes, first.device_bytes);
}

// Broken bytes are refused where the CPU refuses them, and nothing but the outputs is written.
TEST_F(CudaTrajectoryDecode, Damage) {
  Random random(11);
  std::size_t refused = 0;
  std::size_t whole = 0;
  for (int round = 0; round < 400 && !HasFailure(); ++round) {
    SCOPED_TRACE(round);
    Gas gas(round % 4 == 0 ? 100 : 2500, static_cast<std::uint64_t>(round));
    TrajectoryEncoder encoder;
    set_plain(encoder);
    encoder.set_order(round % 3 == 1 ? Order::id : Order::place);
    OnHost host;
    cuda::TrajectoryDecoder gpu;
    const auto frames = 2 + static_cast<int>(random.below(3));
    for (int f = 0; f < frames; ++f) {
      gas.move();
      if (f > 0 && round % 2 == 0) {
        gas.thin(0.03);
        gas.add(20);
      }
      Snapshot snapshot = gas.snapshot();
      if (round % 5 == 0) add_specials(snapshot, random);
      const std::vector<Field> fields = fields_of(snapshot);
      EncodedChunk chunk = encode_next(encoder, snapshot, f == 0);
      const OutputOrder order = random.below(2) == 0 ? OutputOrder::stored : OutputOrder::id;
      const bool is_last = f == frames - 1 || (round % 10 == 9 && f == 0);
      if (is_last) {
        const std::size_t head = std::min<std::size_t>(chunk.bytes.size(), 200);
        const std::size_t range = random.below(2) == 0 ? head : chunk.bytes.size();
        for (std::uint64_t k = random.below(4); k < 4; ++k)
          chunk.bytes[random.below(range)] ^= static_cast<std::uint8_t>(1u << random.below(8));
        if (random.below(4) == 0) chunk.bytes.resize(random.below(chunk.bytes.size()));
      }
      DecoderOutputs outputs(fields, chunk.particles, random);
      const bool on_cpu = status_of([&] { host.next(chunk, fields); }) == Status::ok;
      const bool queued = random.below(2) == 0;
      const DeviceMemory bytes(chunk.bytes.data(), chunk.bytes.size());
      const Status on_gpu = status_of([&] {
        if (queued) {
          gpu.queue(bytes.get(), chunk.bytes.data(), chunk.bytes.size(), chunk.particles, outputs.outputs(), order);
          gpu.finish();
        } else {
          gpu.decode(bytes.get(), chunk.bytes.size(), chunk.particles, outputs.outputs(), order);
        }
      });
      if (!is_last) {
        ASSERT_EQ(on_gpu, Status::ok);
        continue;
      }
      if (on_cpu) {
        EXPECT_TRUE(on_gpu == Status::ok || on_gpu == Status::unsupported) << static_cast<int>(on_gpu);
      } else {
        EXPECT_TRUE(on_gpu == Status::corrupt || on_gpu == Status::truncated || on_gpu == Status::unsupported)
            << static_cast<int>(on_gpu);
      }
      (on_gpu == Status::ok ? whole : refused) += 1;
      break;
    }
    expect_healthy();
  }
  EXPECT_GT(refused, 100u);
  EXPECT_GT(whole, 10u);
}

}  // namespace
}  // namespace gpz::test
