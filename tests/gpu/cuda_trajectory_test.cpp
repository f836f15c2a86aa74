// SPDX-License-Identifier: BSD-3-Clause
// gpz::cuda::TrajectoryCodec: the bytes of gpz::TrajectoryEncoder, whatever particles, fields and boxes do; where the
// device cannot follow, chunks with the right values; memory that stays as it is, and failures after which it works.
#include "gpz/cuda_trajectory.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <numeric>

#include "allocation_spy.hpp"
#include "device_snapshot.hpp"
#include "gpz/format/opened_chunk.hpp"
#include "trajectory_support.hpp"

namespace gpz::test {
namespace {

EncodedChunk encode_on_gpu(cuda::TrajectoryCodec &codec, const Snapshot &snapshot, bool key, bool narrow = false) {
  const OnDevice device(snapshot, {}, narrow);
  return on_host(codec.encode(device.fields, snapshot.info.particles, nullptr, snapshot.info.box, key));
}

// Both, frame after frame.
struct Pair {
  Pair() { set_plain(cpu); }

  TrajectoryEncoder cpu;
  cuda::TrajectoryCodec gpu;
  OwnStream stream;
  bool narrow = false;
  std::size_t differences = 0;

  void next(const Snapshot &snapshot, bool key, const std::vector<int> &rows = {}) {
    const std::size_t n = rows.empty() ? snapshot.info.particles : rows.size();
    EncodedChunk expected;
    cpu.encode(snapshot.inputs(), n, rows.empty() ? nullptr : rows.data(), snapshot.info.box, key, expected);
    const OnDevice device(snapshot, rows, narrow);
    expect_equal(on_host(gpu.encode(device.fields, n, device.rows(), snapshot.info.box, key, stream.get())), expected);
    differences += kind_of(expected) == ChunkKind::difference ? 1 : 0;
  }
};

// Integers that change now and then: as differences, as blocks, or not at all.
void add_kinds(Snapshot &snapshot, Random &random, std::uint64_t how) {
  Quantity kinds;
  kinds.field.type = ValueType::integer;
  kinds.field.components = {{"kind", 40}, {"state", 41}};
  for (const std::int64_t tag : snapshot.integers("tag")) {
    kinds.integer.push_back(how == 1 && random.below(50) == 0 ? 9 : tag % 4);
    kinds.integer.push_back(how == 2 ? static_cast<std::int64_t>(random.below(1 << 20)) - 1000 : 7);
  }
  snapshot.quantities.push_back(kinds);
}

class CudaTrajectory : public GpuTest {};

void check_seed(std::uint64_t seed) {
  const std::size_t sizes[] = {0, 1, 2, 31, 33, 1000, 1023, 1024, 1025, 2048};
  Random random(seed * 131 + 9);
  const std::size_t n = random.below(2) == 0 ? sizes[random.below(std::size(sizes))] : random.below(5000);
  SCOPED_TRACE("seed " + std::to_string(seed) + ", " + std::to_string(n) + " particles");
  Gas gas(n, seed);
  Style style;
  style.type = random.below(2) == 0 ? ValueType::float64 : ValueType::float32;
  style.dimension = 2 + random.below(2);
  // Finer ones than these are for the digits of a float too fine, and its values then stored as they are.
  const double bounds[] = {0.001, 0.05, style.type == ValueType::float32 ? 0.0004 : 0.00001, 0};
  style.bound = bounds[random.below(random.below(4) == 0 ? 4 : 3)];
  style.scaled = random.below(4) == 0;
  style.images = random.below(3) != 0;
  style.velocities = random.below(3) != 0;
  if (random.below(5) == 0) {
    gas.box.kind = Box::Kind::triclinic;
    gas.box.values[6] = 0.5;
  }
  if (random.below(5) == 0) gas.box.boundary[2] = gas.box.boundary[3] = 'f';
  const bool shuffles = random.below(3) != 0;
  const bool comes_and_goes = random.below(2) == 0;
  const bool has_rows = random.below(3) == 0;
  const bool has_kinds = random.below(2) == 0;
  Pair pair;
  pair.narrow = random.below(2) == 0;
  for (int f = 0; f < 14 && !testing::Test::HasFailure(); ++f) {
    SCOPED_TRACE("frame " + std::to_string(f));
    if (f > 0) gas.move();
    if (shuffles && f % 3 != 0) gas.shuffle();
    if (comes_and_goes && f > 0) {
      gas.thin(random.below(8) == 0 ? 0.6 : 0.04);
      gas.add(random.below(6) == 0 ? 300 : random.below(20));
    }
    Snapshot snapshot = gas.snapshot(style);
    if (has_kinds) add_kinds(snapshot, random, random.below(4));
    if (style.velocities && random.below(4) == 0)
      for (double &q : snapshot.named("q").real) q = random.below(3) == 0 ? -0.0 : random.uniform();
    if (style.images && random.below(5) == 0 && !gas.particles.empty())
      snapshot.named("ix").integer[random.below(gas.particles.size()) * style.dimension] += 3;
    std::vector<int> rows;
    for (std::size_t i = gas.particles.size(); has_rows && i-- > 0;)
      if (gas.particles[i].tag % 4 != 0) rows.push_back(static_cast<int>(i));
    pair.next(snapshot, f == 0 || random.below(9) == 0, rows);
  }
  expect_healthy();
}

TEST_F(CudaTrajectory, AsOnTheCpu) {
  for (std::uint64_t seed = 0; seed < 120 && !HasFailure(); ++seed) check_seed(seed);
}

TEST_F(CudaTrajectory, ManyParticles) {
  Gas gas(300000);
  Pair pair;
  for (int f = 0; f < 6; ++f) {
    SCOPED_TRACE(f);
    gas.move();
    if (f >= 3) {
      gas.shuffle();
      gas.thin(0.01);
      gas.add(3500);
    }
    pair.next(gas.snapshot(), f == 0);
    if (HasFailure()) return;
  }
  EXPECT_EQ(pair.differences, 5u);
}

// Some rows are exchanged, or types are, or neither, in turn.
TEST_F(CudaTrajectory, FewParticlesChangePlaces) {
  Gas gas(9000);
  Random random(3);
  Pair pair;
  std::vector<std::int64_t> changed;
  for (int f = 0; f < 14 && !HasFailure(); ++f) {
    SCOPED_TRACE(f);
    gas.move();
    if (f == 4 || f == 5 || f == 9)
      for (int k = 0; k < 60; ++k)
        std::swap(gas.particles[random.below(gas.particles.size())], gas.particles[random.below(gas.particles.size())]);
    if (f == 11) std::reverse(gas.particles.begin(), gas.particles.end());
    if (f == 3 || f == 9) changed.push_back(gas.particles[random.below(gas.particles.size())].tag);
    Snapshot snapshot = gas.snapshot();
    Quantity kind;
    kind.field.type = ValueType::integer;
    kind.field.components = {{"kind", 40}};
    for (const std::int64_t tag : snapshot.integers("tag"))
      kind.integer.push_back(std::count(changed.begin(), changed.end(), tag) != 0 ? 5 : tag % 4);
    snapshot.quantities.push_back(kind);
    pair.narrow = f != 7;
    pair.next(snapshot, f == 0);
  }
  EXPECT_EQ(pair.differences, 13u);
}

TEST_F(CudaTrajectory, ForLong) {
  Gas gas(700);
  Pair pair;
  for (int f = 0; f < 150 && !HasFailure(); ++f) {
    SCOPED_TRACE(f);
    gas.move();
    if (f % 2 == 0) gas.shuffle();
    pair.next(gas.snapshot(), f == 0);
  }
  EXPECT_EQ(pair.differences, 149u);
}

TEST_F(CudaTrajectory, AllLeaveAndOthersCome) {
  Gas gas(300);
  Pair pair;
  int f = 0;
  for (const std::size_t n : {300u, 0u, 0u, 5u, 5u, 0u, 2000u, 2000u, 1u, 1u, 1u, 0u}) {
    SCOPED_TRACE(f);
    gas.particles.resize(std::min(gas.particles.size(), n));
    gas.add(n - gas.particles.size());
    pair.next(gas.snapshot(), f++ == 0);
  }
}

TEST_F(CudaTrajectory, OtherFieldsStandAlone) {
  Gas gas(1200);
  Pair pair;
  Style style;
  pair.next(gas.snapshot(style), true);
  pair.next(gas.snapshot(style), false);
  style.bound = 0.01;
  pair.next(gas.snapshot(style), false);
  style.velocities = false;
  pair.next(gas.snapshot(style), false);
  EXPECT_EQ(pair.differences, 1u);
  style.velocities = true;
  pair.next(gas.snapshot(style), false);
  pair.next(gas.snapshot(style), false);
  EXPECT_EQ(pair.differences, 2u);
  Snapshot without = gas.snapshot(style);
  without.quantities.erase(without.quantities.begin() + 1);
  pair.next(without, false);
  pair.next(without, false);
  EXPECT_EQ(pair.differences, 2u);
}

// Frames from the GPU only, read from a file. Returns how many chunks are independent.
std::size_t expect_right_values(const std::vector<Snapshot> &snapshots, bool narrow = false) {
  const TemporaryFile file;
  std::size_t alone = 0;
  {
    cuda::TrajectoryCodec codec;
    Writer writer(file.path(), {});
    for (std::size_t f = 0; f < snapshots.size(); ++f) {
      const EncodedChunk chunk = encode_on_gpu(codec, snapshots[f], f == 0, narrow);
      alone += kind_of(chunk) == ChunkKind::block ? 1 : 0;
      FrameInfo info = snapshots[f].info;
      for (const Quantity &q : snapshots[f].quantities) info.fields.push_back(q.field);
      info.since_key = static_cast<std::uint16_t>(f);
      writer.write(info, std::vector<EncodedChunk>{chunk});
    }
  }
  const Reader reader(file.path());
  EXPECT_EQ(reader.frames(), snapshots.size());
  for (std::size_t f = 0; f < snapshots.size(); ++f) {
    SCOPED_TRACE("frame " + std::to_string(f));
    expect_true(snapshots[f], reader.read(f));
  }
  return alone;
}

TEST_F(CudaTrajectory, WhatTheDeviceCannotFollowStandsAlone) {
  auto snapshots = trajectory(1500, 7);
  EXPECT_EQ(expect_right_values(snapshots), 1u);
  auto changed = snapshots;
  changed[2].named("x").real[31] = std::nan("");
  changed[4].named("x").real[3] = 1e300;
  EXPECT_EQ(expect_right_values(changed), 3u);
  changed = snapshots;
  changed[3].named("x").real[100] = 1e8;  // an index of 2^30 or more
  EXPECT_GE(expect_right_values(changed), 3u);
  changed = snapshots;
  for (Snapshot &s : changed)
    for (std::int64_t &tag : s.named("tag").integer) tag <<= 33;
  EXPECT_EQ(expect_right_values(changed), 7u);
  changed = snapshots;
  for (Snapshot &s : changed) s.info.box.values = {-1e7, 1e7, 0, 12, 2, 10};
  EXPECT_EQ(expect_right_values(changed), 7u);
  Style fine;
  fine.bound = 1e-9;
  EXPECT_EQ(expect_right_values(trajectory(900, 4, fine)), 4u);
}

TEST_F(CudaTrajectory, IdsOfAnySize) {
  auto snapshots = trajectory(1500, 5);
  for (Snapshot &s : snapshots)
    for (std::int64_t &id : s.named("id").integer) id = id % 2 == 0 ? INT64_MIN + id : INT64_MAX - id;
  Pair pair;
  for (std::size_t f = 0; f < snapshots.size(); ++f) pair.next(snapshots[f], f == 0);
  EXPECT_EQ(pair.differences, 4u);
}

TEST_F(CudaTrajectory, IdsNeedNotBeUnique) {
  for (const std::int64_t ids : {1, 7, 700}) {
    SCOPED_TRACE(ids);
    for (const std::size_t n : {60u, 1300u, 40000u}) {
      Gas gas(n);
      expect_right_values(trajectory(gas, 5, {}, [&](int f) {
        gas.shuffle();
        if (f == 3) gas.thin(0.1);
        if (f == 4) gas.add(20);
        for (Gas::Particle &p : gas.particles) p.id = p.tag % ids;
      }));
    }
  }
  expect_healthy();
}

TEST_F(CudaTrajectory, IntegersOfTwoSizesInOneFieldStandAlone) {
  Gas gas(500);
  cuda::TrajectoryCodec codec;
  for (int f = 0; f < 3; ++f) {
    gas.move();
    const Snapshot snapshot = gas.snapshot();
    OnDevice device(snapshot);
    const OnDevice narrow(snapshot, {}, true);
    device.fields[3].components[1] = narrow.fields[3].components[1];
    const EncodedChunk chunk =
        on_host(codec.encode(device.fields, snapshot.info.particles, nullptr, snapshot.info.box, f == 0));
    EXPECT_EQ(kind_of(chunk), ChunkKind::block);
    EXPECT_TRUE(chunk.bytes == encode(snapshot.inputs(), 500).bytes);
  }
}

TEST_F(CudaTrajectory, MemoryStaysAsItIs) {
  Gas gas(3000);
  cuda::TrajectoryCodec codec;
  const auto some_frames = [&](int frames) {
    for (int f = 0; f < frames; ++f) {
      gas.move();
      gas.shuffle();
      gas.particles.erase(gas.particles.begin(), gas.particles.begin() + 30);
      gas.add(30);
      EXPECT_EQ(kind_of(encode_on_gpu(codec, gas.snapshot(), f % 6 == 0)),
                f % 6 == 0 ? ChunkKind::block : ChunkKind::difference);
    }
  };
  some_frames(8);
  const cuda::MemoryUse before = codec.memory();
  EXPECT_GT(before.device_bytes, 3000u * 60);
  EXPECT_LT(before.device_bytes, 3000u * 1200);
  some_frames(20);
  EXPECT_EQ(codec.memory().allocations, before.allocations);
  EXPECT_EQ(codec.memory().device_bytes, before.device_bytes);

  const std::int64_t live = allocation_spy::live();
  codec.release();
  EXPECT_EQ(codec.memory().device_bytes, 0u);
  EXPECT_LT(allocation_spy::live(), live - 10);
  EXPECT_EQ(kind_of(encode_on_gpu(codec, gas.snapshot(), false)), ChunkKind::block);
  EXPECT_EQ(kind_of(encode_on_gpu(codec, gas.snapshot(), false)), ChunkKind::difference);
}

// Fails the first allocation, then the second, and so on, until no more of them are needed.
TEST_F(CudaTrajectory, WorksAfterAnyFailedAllocation) {
  Gas gas(2500);
  std::vector<Snapshot> snapshots;
  std::vector<std::unique_ptr<OnDevice>> there;
  for (int f = 0; f < 3; ++f) {
    gas.move();
    gas.shuffle();
    if (f == 2) gas.add(900);  // more than there was room for
    snapshots.push_back(gas.snapshot());
    there.push_back(std::make_unique<OnDevice>(snapshots.back()));
  }
  gas.add(500);
  const Snapshot larger = gas.snapshot();  // after it, independent chunks need no allocation
  const OnDevice larger_there(larger);
  const std::int64_t live = allocation_spy::live();
  int failures = 0;
  int alone = 0;
  for (std::uint64_t allowed = 0;; ++allowed) {
    SCOPED_TRACE(allowed);
    ASSERT_LT(allowed, 100u);
    allocation_spy::fail_after(allowed);
    std::unique_ptr<cuda::TrajectoryCodec> codec;
    ChunkKind kind = ChunkKind::block;
    const auto encoded = [&](std::size_t f, bool key) {
      return codec->encode(there[f]->fields, snapshots[f].info.particles, nullptr, snapshots[f].info.box, key);
    };
    const Status status = status_of([&] {
      codec = std::make_unique<cuda::TrajectoryCodec>();
      codec->encode(larger_there.fields, larger.info.particles, nullptr, larger.info.box, true);
      for (std::size_t f = 0; f < 3; ++f) kind = kind_of(on_host(encoded(f, f == 0)));
    });
    allocation_spy::stop_failing();
    expect_healthy();
    if (status == Status::ok && kind == ChunkKind::difference) break;
    EXPECT_TRUE(status == Status::ok || status == Status::out_of_memory);
    failures += status == Status::ok ? 0 : 1;
    alone += status == Status::ok ? 1 : 0;
    if (codec == nullptr) continue;
    if (status != Status::ok) {
      EXPECT_EQ(kind_of(on_host(encoded(0, false))), ChunkKind::block);
    }
    TrajectoryEncoder cpu;
    set_plain(cpu);
    for (std::size_t f = 0; f < 3; ++f)
      expect_equal(on_host(encoded(f, f == 0)), encode_on_cpu(cpu, snapshots[f], f == 0));
  }
  EXPECT_GE(failures, 3);
  EXPECT_GE(alone, 5);
  EXPECT_EQ(allocation_spy::live(), live);
}

TEST_F(CudaTrajectory, WrongArgumentsAreAStatusAndTheNextChunkStandsAlone) {
  Gas gas(500);
  cuda::TrajectoryCodec codec;
  for (const int wrong : {0, 1, 2}) {
    encode_on_gpu(codec, gas.snapshot(), true);
    EXPECT_EQ(kind_of(encode_on_gpu(codec, gas.snapshot(), false)), ChunkKind::difference);
    const Snapshot snapshot = gas.snapshot();
    OnDevice device(snapshot);
    if (wrong == 0) device.fields[0].field.bound = -1;
    if (wrong == 1) device.fields[1].components[0].data = nullptr;
    if (wrong == 2) device.fields[1].components[0].type = ConstArray::Type::float64;
    EXPECT_EQ(status_of([&] { codec.encode(device.fields, 500, nullptr, snapshot.info.box, false); }),
              Status::invalid_argument);
    EXPECT_EQ(kind_of(encode_on_gpu(codec, gas.snapshot(), false)), ChunkKind::block);
  }
  expect_healthy();
}

}  // namespace
}  // namespace gpz::test
