// SPDX-License-Identifier: BSD-3-Clause
// Calls of gpz::cuda::TrajectoryDecoder: several in flight, some fields only, wrong arguments, damaged chunks, and
// memory that stays as it is.
#include <memory>

#include "cuda_trajectory_decode_support.hpp"

namespace gpz::test {
namespace {

class CudaTrajectoryDecodeCalls : public GpuTest {};

// Frames that are all queued before one is waited for, in two streams.
TEST_F(CudaTrajectoryDecodeCalls, SeveralInFlight) {
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

TEST_F(CudaTrajectoryDecodeCalls, OnlySomeFieldsAreFollowed) {
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

TEST_F(CudaTrajectoryDecodeCalls, ADifferenceChunkNeedsTheOneBefore) {
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

TEST_F(CudaTrajectoryDecodeCalls, Arguments) {
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

TEST_F(CudaTrajectoryDecodeCalls, WhatOnlyTheCpuDecodes) {
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

TEST_F(CudaTrajectoryDecodeCalls, MemoryStaysAsItIs) {
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
TEST_F(CudaTrajectoryDecodeCalls, Damage) {
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
