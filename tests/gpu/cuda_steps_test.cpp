// SPDX-License-Identifier: BSD-3-Clause
// Steps on the GPU against the CPU, over several key intervals: the same molecules as in the interval before, others,
// particles that leave and arrive, tilted boxes.
#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>

#include "cuda_reader_support.hpp"
#include "fluid.hpp"
#include "gpz/cuda_trajectory_decoder.hpp"
#include "gpz/format/section_head.hpp"
#include "gpz/lanes/opened_section.hpp"

namespace gpz::test {
namespace {

class CudaSteps : public GpuTest {};

constexpr double bound = fluid_bound;
constexpr unsigned interval = fluid_interval;

Bytes file_of_steps(const std::vector<Snapshot> &snapshots) {
  Bytes bytes;
  Metadata metadata = small_metadata();
  metadata.features = feature::steps;
  Writer writer(bytes, metadata);
  TrajectoryEncoder encoder;
  encoder.set_order(Order::id);
  encoder.set_effort(Effort::standard, feature::steps);
  KeySchedule schedule(interval);
  for (Snapshot snapshot : snapshots) {
    for (const Quantity &quantity : snapshot.quantities) snapshot.info.fields.push_back(quantity.field);
    snapshot.info.since_key = schedule.next(snapshot.info.fields);
    std::vector<EncodedChunk> chunks(1);
    encoder.encode(snapshot.inputs(), snapshot.info.particles, nullptr, snapshot.info.box, snapshot.info.since_key == 0,
                   chunks[0]);
    writer.write(snapshot.info, chunks);
    schedule.written(snapshot.info);
  }
  writer.close();
  return bytes;
}

// Of positions.
struct Sections {
  std::size_t keys = 0, keys_of_steps = 0;
  std::size_t all = 0, of_steps = 0;          // of difference frames
  std::size_t plans = 0, repeated_plans = 0;  // sections with molecules, and those with one of the last two
};
Sections sections_of(const Bytes &bytes) {
  const Reader reader = reader_of(bytes);
  Sections count;
  Bytes last_plan, plan_before;
  for (std::size_t i = 0; i < reader.frames(); ++i) {
    const StoredFrame frame = reader.stored(i);
    const format::OpenedChunk chunk = format::open_chunk(frame.bytes.data(), frame.bytes.size(), 2);
    const bool is_key = frame.info.since_key == 0;
    ++(is_key ? count.keys : count.all);
    if (chunk.rule.family == format::Family::blocks) continue;
    const std::uint8_t *const section = chunk.section(0);
    if (section[0] != format::steps) continue;
    ++(is_key ? count.keys_of_steps : count.of_steps);
    const std::size_t exact = format::section_head_size(core::max_components) - sizeof(std::uint64_t);
    std::size_t at = format::field_coding_size;
    at += exact + sizeof(std::uint64_t) +
          format::exact_value_size * format::load_little<std::uint64_t>(section + at + exact);
    const auto u64 = [&] {
      at += sizeof(std::uint64_t);
      return format::load_little<std::uint64_t>(section + at - sizeof(std::uint64_t));
    };
    const std::uint64_t flags = u64();
    if ((flags & lanes::new_plan) == 0) continue;
    ++count.plans;
    if ((flags & lanes::tilted) != 0) at += 9 * sizeof(std::int64_t);
    const std::uint64_t length = u64();
    const Bytes plan(section + at, section + at + length);
    if (plan == last_plan || plan == plan_before) ++count.repeated_plans;
    plan_before = std::exchange(last_plan, plan);
  }
  return count;
}

void expect_as_on_the_cpu(const Bytes &bytes) {
  const Sections sections = sections_of(bytes);
  EXPECT_EQ(sections.of_steps, sections.all);
  EXPECT_GE(sections.plans, 2u);
  Count count;
  compare_all(bytes, count);
  EXPECT_EQ(count.on_cpu, 0);
  EXPECT_EQ(count.refused, 0);
}
void expect_as_on_the_cpu(const std::vector<Snapshot> &snapshots) { expect_as_on_the_cpu(file_of_steps(snapshots)); }

TEST_F(CudaSteps, OfAllKinds) {
  for (const std::size_t n : {std::size_t{25000}, std::size_t{5000}})
    for (const std::vector<Geometry> &kinds : {std::vector<Geometry>{water}, {alkane_geometry(4)}, mixture()}) {
      SCOPED_TRACE(std::to_string(n) + " particles, molecules of " + std::to_string(kinds[0].size()));
      expect_as_on_the_cpu(Fluid(kinds, n, n).run(9));
      if (HasFailure()) return;
    }
  expect_healthy();
}

// Only the first section of steps in an interval has a plan; motion ends after 16 of them. A first difference frame of
// few particles is smaller in coding 1.
TEST_F(CudaSteps, WithoutBonds) {
  for (const std::size_t n : {std::size_t{30000}, std::size_t{5000}}) {
    SCOPED_TRACE(n);
    const std::vector<Snapshot> snapshots = Fluid({{{0, 0, 0}}}, n, n).run(31);
    const Bytes bytes = file_by(snapshots, Effort::standard, Order::id, 1, 25);
    const Sections sections = sections_of(bytes);
    EXPECT_EQ(sections.keys_of_steps, 0u);
    EXPECT_GE(sections.of_steps + sections.keys, sections.all);
    Count count;
    compare_all(bytes, count);
    EXPECT_EQ(count.refused, 0);
  }
  expect_healthy();
}

TEST_F(CudaSteps, AsAWriterWritesThem) {
  for (const molecule::Shape &shape : {molecule::Shape{0, 1, 2}, chain(10)}) {
    const std::vector<Snapshot> snapshots = Liquid(shape, 9000, 2).run(9, 0.04, bound);
    const Bytes bytes = file_by(snapshots, Effort::standard, Order::id, 1, interval);
    EXPECT_LT(bytes.size(), file_by(snapshots, Effort::fast, Order::id, 1, interval).size());
    expect_as_on_the_cpu(bytes);
  }
  expect_healthy();
}

TEST_F(CudaSteps, InATiltedBox) {
  Fluid fluid({water, alkane_geometry(4)}, 6000, 3);
  fluid.tilt();
  expect_as_on_the_cpu(fluid.run(9));
  expect_healthy();
}

// Lengths of bonds pass the limits between classes.
TEST_F(CudaSteps, OfOtherClassesInEachInterval) {
  expect_as_on_the_cpu(Fluid(mixture(), 6000, 4).run(13, std::exp2(0.1)));
  expect_healthy();
}

TEST_F(CudaSteps, WithIdsInAnyOrder) {
  std::vector<Snapshot> snapshots = Fluid(mixture(), 5000, 5).run(11);
  shuffle(snapshots, 6);
  expect_as_on_the_cpu(snapshots);
  expect_healthy();
}

// Frames with and without changes follow key frames: intervals have four frames, and every third frame others leave.
TEST_F(CudaSteps, ThatLeaveAndArrive) {
  for (const bool tilted : {false, true}) {
    Liquid liquid(chain(10), 6000, 7);
    if (tilted) liquid.tilt();
    expect_as_on_the_cpu(file_of_steps(liquid.run(18, 0.05, bound, true)));
  }
  expect_healthy();
}

// In the second of two intervals with the same molecules, and so on.
TEST_F(CudaSteps, ThatLeaveAndArriveBehindTheSamePlan) {
  std::vector<Snapshot> snapshots = Fluid(mixture(), 6000, 16).run(17);
  for (std::size_t f = 0; f < snapshots.size(); ++f) {
    const std::size_t since_key = f % interval;
    if (f / interval % 2 == 1 && since_key >= 2)
      keep_only(snapshots[f],
                [&](std::int64_t id) { return (7 * static_cast<std::size_t>(id) + since_key) % 41 != 0; });
  }
  const Bytes bytes = file_of_steps(snapshots);
  EXPECT_GE(sections_of(bytes).repeated_plans, 1u);
  expect_as_on_the_cpu(bytes);
  expect_healthy();
}

// The last class has bonds of all lengths.
TEST_F(CudaSteps, OfMoreKindsThanThereAreClasses) {
  std::vector<Geometry> kinds;
  for (int k = 0; k < 32; ++k)
    for (Geometry kind :
         {alkane_geometry(1), alkane_geometry(3), alkane_geometry(4), water, row(2), row(3), row(5), star(3)}) {
      for (Vector &atom : kind)
        for (double &x : atom) x *= 0.08 * std::exp2(k / 8.0);
      kinds.push_back(kind);
    }
  Fluid fluid(kinds, 9000, 17);
  fluid.trembling = 0.001;
  expect_as_on_the_cpu(fluid.run(9));
  expect_healthy();
}

// 11,000 lengths of 17 octaves in the last class: their sum may be rounded, and is computed on the host.
TEST_F(CudaSteps, OfBondsOfAllLengths) {
  std::vector<Geometry> kinds;
  for (const Geometry &geometry : {star(3), row(3), star(2), row(2), row(4)})
    for (int k = 0; k < 64; ++k) {
      kinds.push_back(geometry);
      for (Vector &atom : kinds.back())
        for (double &x : atom) x *= 2.8 * std::exp2(-k / 4.0);
    }
  Fluid fluid(kinds, 24000, 18);
  fluid.trembling = 0.0003;
  fluid.bound = 1.5e-6;
  expect_as_on_the_cpu(fluid.run(9));
  expect_healthy();
}

// Other molecules in some of the intervals, of as many particles.
TEST_F(CudaSteps, ThatAreOthersInTheNextInterval) {
  std::vector<Snapshot> snapshots;
  Fluid waters({water}, 6600, 8);
  Fluid alkanes({alkane_geometry(3)}, 6600, 9);
  for (Fluid *const fluid : {&waters, &alkanes, &alkanes, &waters, &waters, &alkanes})
    for (const Snapshot &snapshot : fluid->run(static_cast<int>(interval))) snapshots.push_back(snapshot);
  for (std::size_t f = 0; f < snapshots.size(); ++f) snapshots[f].info.timestep = static_cast<std::int64_t>(f);
  const Bytes bytes = file_of_steps(snapshots);
  EXPECT_GE(sections_of(bytes).repeated_plans, 1u);
  expect_as_on_the_cpu(bytes);
  expect_healthy();
}

// A frame in the middle of an interval is read after one of another interval.
TEST_F(CudaSteps, AnyFrameAnyColumns) {
  for (const bool exchanged : {false, true}) {
    const Bytes bytes = file_of_steps(exchanged ? Liquid(chain(10), 3000, 11).run(20, 0.05, bound, true)
                                                : Fluid(mixture(), 3000, 11).run(20));
    const Reader cpu = reader_of(bytes);
    cuda::Reader gpu(bytes.data(), bytes.size(), "memory", 0, on_device());
    const OwnStream stream;
    Random random(12);
    Count count;
    std::size_t i = 0;
    for (int step = 0; step < 150; ++step) {
      i = random.below(2) == 0 ? random.below(cpu.frames()) : (i + 1) % cpu.frames();
      std::vector<std::string> names;
      for (const std::string &name : names_of(cpu.info(i)))
        if (random.below(3) != 0) names.push_back(name);
      compare(cpu, gpu, i, names, layouts[random.below(std::size(layouts))],
              random.below(2) == 0 ? OutputOrder::stored : OutputOrder::id, count, stream.get());
      if (random.below(30) == 0) gpu.release();
      if (HasFailure()) return;
    }
    EXPECT_EQ(count.on_cpu, 0);
  }
  expect_healthy();
}

// Values that the grid cannot hold, in key frames and others.
TEST_F(CudaSteps, WithExactValues) {
  std::vector<Snapshot> snapshots = Fluid(mixture(), 6000, 19).run(9);
  for (std::size_t f = 0; f < snapshots.size(); ++f) {
    std::vector<double> &x = snapshots[f].quantities[0].real;
    x[300 + f] = std::numeric_limits<double>::quiet_NaN();
    x[3000 + f % 2] = -std::numeric_limits<double>::infinity();
    x[9000] = 1e300;
  }
  const Bytes bytes = file_of_steps(snapshots);
  const Sections sections = sections_of(bytes);
  EXPECT_EQ(sections.keys_of_steps, sections.keys);
  EXPECT_EQ(sections.of_steps, sections.all);
  Count count;
  compare_all(bytes, count);
  EXPECT_EQ(count.on_cpu, 0);
  expect_healthy();
}

// The CPU would find false words within the call that queues the chunk.
TEST_F(CudaSteps, KernelsReadTheWordsOfKeyFrames) {
  const Bytes bytes = file_of_steps(Fluid(mixture(), 6000, 20).run(1));
  ASSERT_EQ(sections_of(bytes).keys_of_steps, 1u);
  const Reader reader = reader_of(bytes);
  StoredFrame frame = reader.stored(0);
  const format::OpenedChunk chunk = format::open_chunk(frame.bytes.data(), frame.bytes.size(), 2);
  // At most 7 bytes of padding follow the words.
  const std::size_t end = chunk.sections[0].offset + chunk.sections[0].size;
  std::vector<cuda::FieldOutput> outputs;
  for (const Field &field : frame.info.fields) outputs.push_back({field, {}});
  const DeviceMemory values(frame.info.particles * 3 * sizeof(double));
  for (std::size_t d = 0; d < 3; ++d)
    outputs[0].components[d] = {values.as<double>() + d, 3 * sizeof(double), Type::float64};
  const auto queue_and_finish = [&] {
    const DeviceMemory on_device(frame.bytes.data(), frame.bytes.size());
    cuda::TrajectoryDecoder decoder;
    decoder.queue(on_device.get(), frame.bytes.data(), frame.bytes.size(), frame.info.particles, outputs);
    return status_of([&] { decoder.finish(); });
  };
  EXPECT_EQ(queue_and_finish(), Status::ok);
  for (std::size_t at = end - 300; at < end - 100; ++at) frame.bytes[at] ^= 0x55;
  EXPECT_EQ(queue_and_finish(), Status::corrupt);
  expect_healthy();
}

TEST_F(CudaSteps, MemoryStaysAsItIs) {
  const Bytes bytes = file_of_steps(Fluid({water}, 9000, 13).run(12));
  cuda::Reader gpu(bytes.data(), bytes.size(), "memory", 0, on_device());
  const Arrays arrays(gpu.info(0), {"x", "y", "z"}, layouts[0]);
  const DeviceMemory memory(arrays.size());
  const auto read_all = [&] {
    for (std::size_t i = 0; i < gpu.frames(); ++i)
      gpu.read(i, arrays.outputs(memory.get()), gpu.info(i).particles, OutputOrder::stored);
  };
  for (int pass = 0; pass < 2; ++pass) read_all();
  const cuda::MemoryUse use = gpu.memory();
  read_all();
  EXPECT_EQ(gpu.memory().allocations, use.allocations);
  EXPECT_EQ(gpu.memory().device_bytes, use.device_bytes);
  gpu.release();
  EXPECT_EQ(gpu.memory().device_bytes, 0u);
  expect_healthy();
}

// Bytes of sections that were wrong when the file was written: molecules, constants, tables and words in any interval.
TEST_F(CudaSteps, FalseSectionsHaveTheErrorsOfTheCpu) {
  const Bytes sound = file_of_steps(Fluid({alkane_geometry(4)}, 1000, 14).run(10));
  Random random(15);
  Count count;
  compare_false_chunks(
      sound, reader_of(sound).metadata(), random, 400,
      [&](int step, std::size_t frames) {
        return step % 3 == 0 ? random.below(frames) : interval * (1 + random.below(2)) + 1;
      },
      count);
  EXPECT_GT(count.refused, 0);
  EXPECT_GT(count.on_device, 0);
  expect_healthy();
}

}  // namespace
}  // namespace gpz::test
