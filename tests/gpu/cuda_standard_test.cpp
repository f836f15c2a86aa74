// SPDX-License-Identifier: BSD-3-Clause
// Effort standard on the GPU: the bytes of gpz::TrajectoryEncoder, from the frame on at which the GPU takes over.
#include "gpz/cuda_standard.hpp"

#include <algorithm>
#include <functional>
#include <optional>

#include "cuda_trajectory_decode_support.hpp"
#include "device_snapshot.hpp"
#include "fluid.hpp"
#include "gpz/cuda/trajectory/chunk_encoder.hpp"
#include "gpz/format/fields.hpp"
#include "gpz/trajectory/encoder_access.hpp"

namespace gpz::test {
namespace {

class CudaStandard : public GpuTest {};

// --- Frames of few particles, which a StandardCodec leaves to the CPU

// A CPU's encoder, and one on the GPU that goes on from it.
struct HandedOver {
  explicit HandedOver(format::FieldCodingKind positions, std::uint32_t features = feature::steps)
      : coding(positions), differences(codec) {
    cpu.set_order(Order::id);
    cpu.set_effort(Effort::standard, features);
    differences.make();
  }
  ~HandedOver() {
    differences.release();
    differences.give_back();
  }
  HandedOver(const HandedOver &) = delete;
  HandedOver &operator=(const HandedOver &) = delete;

  format::FieldCodingKind coding;
  TrajectoryEncoder cpu;
  cuda::Codec codec;
  cuda::ChunkEncoder differences;

  static cuda::FrameCall call_of(const OnDevice &device, const Snapshot &snapshot) {
    cuda::FrameCall call{device.fields, snapshot.info.particles, device.rows(), snapshot.info.box, nullptr};
    format::prepare_fields(call.fields, call.particles);
    return call;
  }
  void take_over(const Snapshot &snapshot) {
    const OnDevice device(snapshot);
    const cuda::FrameCall call = call_of(device, snapshot);
    ASSERT_TRUE(differences.start_from(call, trajectory::EncoderAccess::history(cpu),
                                       trajectory::EncoderAccess::key(cpu),
                                       format::identity_field(format::described(call.fields)), coding, 1));
  }
  EncodedChunk on_cpu(const Snapshot &snapshot, bool key) { return encode_on_cpu(cpu, snapshot, key); }
  // Nothing if the GPU cannot encode the frame.
  std::optional<EncodedChunk> on_gpu(const Snapshot &snapshot) {
    const OnDevice device(snapshot);
    const cuda::FrameCall call = call_of(device, snapshot);
    if (differences.encode(call) != cuda::ChunkEncoder::Outcome::encoded) return std::nullopt;
    return on_host(differences.chunk(call.particles));
  }
};

std::uint8_t coding_of_positions(const EncodedChunk &chunk, std::size_t fields) {
  const format::OpenedChunk opened = format::open_chunk(chunk.bytes.data(), chunk.bytes.size(), fields);
  return opened.sections[0].size == 0 ? 0 : chunk.bytes[opened.sections[0].offset];
}

// The first contests have ended after this frame.
constexpr std::size_t settled = 4;

// The GPU takes over after frame `from`. All later chunks must equal the CPU's.
void expect_same_bytes(const std::vector<Snapshot> &snapshots, std::size_t from = settled,
                       format::FieldCodingKind coding = format::steps) {
  HandedOver both(coding);
  for (std::size_t f = 0; f < snapshots.size(); ++f) {
    const EncodedChunk expected = both.on_cpu(snapshots[f], f == 0);
    if (f <= from) {
      if (f == from) both.take_over(snapshots[f]);
      continue;
    }
    ASSERT_EQ(coding_of_positions(expected, snapshots[f].quantities.size()), coding) << "frame " << f;
    const std::optional<EncodedChunk> chunk = both.on_gpu(snapshots[f]);
    ASSERT_TRUE(chunk) << "frame " << f;
    expect_equal(*chunk, expected);
    if (testing::Test::HasFatalFailure()) FAIL() << "frame " << f;
  }
  expect_healthy();
}

TEST_F(CudaStandard, GoesOnWithStepsOfAllKinds) {
  for (const std::size_t particles : {6000u, 25000u}) {
    Fluid fluid(mixture(), particles, particles);
    // Constants are fitted in the twelfth frame for the last time.
    expect_same_bytes(fluid.run(15));
  }
  for (const std::vector<Geometry> &kinds :
       {std::vector<Geometry>{water}, {row(2)}, {row(3)}, {star(2)}, {star(3)}, {alkane_geometry(12)}}) {
    Fluid fluid(kinds, 9000, 5);
    expect_same_bytes(fluid.run(8));
  }
}

TEST_F(CudaStandard, GoesOnWithoutBonds) {
  const std::vector<Snapshot> snapshots = Fluid({{{0, 0, 0}}}, 30000, 6).run(15);
  expect_same_bytes(snapshots);
  expect_same_bytes({snapshots.begin(), snapshots.begin() + 6}, 1);
}

TEST_F(CudaStandard, GoesOnWithChains) {
  expect_same_bytes(Liquid(chain(10), 9000, 2).run(10, 0.04, fluid_bound));
  expect_same_bytes(Liquid({0, 1, 2}, 9000, 3).run(10, 0.04, fluid_bound));
}

TEST_F(CudaStandard, GoesOnInAnyOrderOfRows) {
  Fluid fluid(mixture(), 9000, 7);
  std::vector<Snapshot> snapshots = fluid.run(9);
  shuffle(snapshots, 3);
  // Rows that stay as they are in some frames.
  snapshots.push_back(snapshots.back());
  expect_same_bytes(snapshots);
  expect_same_bytes(fluid.run(9));
}

TEST_F(CudaStandard, GoesOnWithMotionThatIsNotQuiet) {
  // Particles that are beyond the edges of the box for some frames, as LAMMPS leaves them.
  Fluid fluid({water}, 9000, 9);
  std::vector<Snapshot> snapshots = fluid.run(9);
  Random random(5);
  for (std::size_t f = settled; f < snapshots.size(); ++f) {
    const double size = snapshots[f].info.box.values[1];
    std::vector<double> &x = snapshots[f].quantities[0].real;
    for (int k = 0; k < 40; ++k) x[random.below(x.size())] += random.below(2) == 0 ? size : -size;
  }
  expect_same_bytes(snapshots);
}

TEST_F(CudaStandard, LeavesToTheCpuWhatItCannotEncode) {
  struct Change {
    std::function<void(Snapshot &)> make;
    bool is_encoded = false;
  };
  const Change changes[] = {
      {[](Snapshot &s) { s.quantities[0].real[5] = std::numeric_limits<double>::quiet_NaN(); }},
      {[](Snapshot &s) { s.quantities[0].real[5] = 1e5; }, true},  // far from its parent
      {[](Snapshot &s) { s.quantities[0].real[5] = 1e9; }},        // an index of more than 2^30
      {[](Snapshot &s) { s.quantities[1].integer[3] = -5; }},      // arrives, and another one leaves
  };
  for (const Change &change : changes) {
    Fluid fluid({water}, 3000, 1);
    std::vector<Snapshot> snapshots = fluid.run(settled + 2);
    change.make(snapshots.back());
    HandedOver both(format::steps);
    for (std::size_t f = 0; f <= settled; ++f) static_cast<void>(both.on_cpu(snapshots[f], f == 0));
    both.take_over(snapshots[settled]);
    const std::optional<EncodedChunk> chunk = both.on_gpu(snapshots.back());
    const EncodedChunk expected = both.on_cpu(snapshots.back(), false);
    if (change.is_encoded)
      expect_equal(chunk.value(), expected);
    else
      EXPECT_FALSE(chunk) << &change - changes;
  }
  expect_healthy();
}

// --- Many particles

struct Pair {
  explicit Pair(int threads = 4) : cpu(threads), gpu(0, threads) {
    cpu.set_order(Order::id);
    cpu.set_effort(Effort::standard);
  }

  TrajectoryEncoder cpu;
  cuda::StandardCodec gpu;
  std::size_t on_device = 0;

  void next(const Snapshot &snapshot, bool key, bool from_host = false, const std::vector<int> &rows = {}) {
    const std::size_t n = rows.empty() ? snapshot.info.particles : rows.size();
    const int *const rows_on_host = rows.empty() ? nullptr : rows.data();
    EncodedChunk expected;
    cpu.encode(snapshot.inputs(), n, rows_on_host, snapshot.info.box, key, expected);
    const OnDevice device(snapshot, rows);
    const cuda::DeviceChunk &chunk = gpu.encode(from_host ? snapshot.inputs() : device.fields, n,
                                                from_host ? rows_on_host : device.rows(), snapshot.info.box, key);
    expect_equal(on_host(chunk), expected);
    on_device += gpu.encoded_on_device() ? 1 : 0;
  }
  // A frame that the GPU cannot encode, behind frames that it encoded: as if the CPU had been asked for a key frame.
  void begin_anew(const Snapshot &snapshot) {
    ASSERT_TRUE(gpu.encoded_on_device());
    const OnDevice device(snapshot);
    const cuda::DeviceChunk &chunk =
        gpu.encode(device.fields, snapshot.info.particles, nullptr, snapshot.info.box, false);
    EXPECT_FALSE(gpu.encoded_on_device());
    expect_equal(on_host(chunk), encode_on_cpu(cpu, snapshot, true));
  }
};

constexpr std::size_t many = 70000;  // particles: more than gpz::model::large_section

TEST_F(CudaStandard, EncodesTheFramesOfWater) {
  Fluid fluid({water}, many, 1);
  std::vector<Snapshot> snapshots = fluid.run(10);
  shuffle(snapshots, 1);
  Pair pair;
  std::uint64_t allocations = 0;
  for (std::size_t f = 0; f < snapshots.size(); ++f) {
    pair.next(snapshots[f], f == 0, f % 2 == 1);
    if (pair.on_device == 2) allocations = pair.gpu.memory().allocations;
  }
  EXPECT_GE(pair.on_device, 5u);
  EXPECT_EQ(pair.gpu.memory().allocations, allocations);
  // A second key interval, of molecules that are known.
  pair.on_device = 0;
  for (std::size_t f = 0; f < 8; ++f) pair.next(snapshots[f], f == 0);
  EXPECT_EQ(pair.on_device, 8u);
  expect_healthy();
}

TEST_F(CudaStandard, EncodesKeyFramesOfMoleculesOfAllKinds) {
  Fluid fluid(mixture(), many, 3);
  std::vector<Snapshot> snapshots = fluid.run(14);
  shuffle(snapshots, 2);
  Pair pair;
  for (std::size_t f = 0; f < 8; ++f) pair.next(snapshots[f], f == 0);
  pair.on_device = 0;
  for (std::size_t f = 8; f < snapshots.size(); ++f) pair.next(snapshots[f], f == 8 || f == 11);
  EXPECT_EQ(pair.on_device, 6u);
  // Other molecules are found by the CPU.
  const auto particles = static_cast<std::int64_t>(snapshots[12].info.particles);
  for (std::int64_t &id : snapshots[12].quantities[1].integer) id = particles + 1 - id;
  pair.next(snapshots[12], true);
  EXPECT_FALSE(pair.gpu.encoded_on_device());
  expect_healthy();
}

// In steps, whose motion ends after 16 sections. The GPU encodes all frames.
TEST_F(CudaStandard, EncodesTheFramesOfALiquidOfAtoms) {
  std::vector<Snapshot> snapshots = Liquid({0}, many, 3).run(21, 0.05, fluid_bound);
  shuffle(snapshots, 4);
  Pair pair;
  for (std::size_t f = 0; f < snapshots.size(); ++f) pair.next(snapshots[f], f == 0 || f == 18, f % 3 == 1);
  EXPECT_EQ(pair.on_device, 21u);
}

// A reader finds the values within their bounds. Returns how many frames the GPU encoded.
std::size_t expect_values(const std::vector<Snapshot> &snapshots) {
  cuda::StandardCodec gpu;
  const TemporaryFile file;
  Metadata metadata = small_metadata();
  metadata.features = feature::steps;
  gpu.set_features(metadata.features);
  Writer writer(file.path(), metadata);
  std::size_t on_device = 0;
  for (std::size_t f = 0; f < snapshots.size(); ++f) {
    const OnDevice device(snapshots[f]);
    const EncodedChunk chunk =
        on_host(gpu.encode(device.fields, snapshots[f].info.particles, nullptr, snapshots[f].info.box, f == 0));
    on_device += gpu.encoded_on_device() ? 1 : 0;
    FrameInfo info = snapshots[f].info;
    info.fields = fields_of(snapshots[f]);
    info.since_key = static_cast<std::uint16_t>(f);
    writer.write(info, std::vector<EncodedChunk>{chunk});
  }
  writer.close();
  const Reader reader(file.path());
  for (std::size_t f = 0; f < snapshots.size(); ++f) expect_true(snapshots[f], reader.read(f), "id");
  return on_device;
}

// If particles without bonds leave and arrive, positions are predicted up to the next key frame.
TEST_F(CudaStandard, GoesOnWhereAtomsLeaveAndArrive) {
  std::vector<Snapshot> snapshots = Liquid({0}, many, 5).run(12, 0.05, fluid_bound);
  for (std::size_t f = 5; f < 9; ++f)
    keep_only(snapshots[f], [&](std::int64_t id) { return id % 1000 != static_cast<std::int64_t>(f); });
  EXPECT_EQ(expect_values(snapshots), snapshots.size());
  expect_healthy();
}

// A CPU looks for other edges.
TEST_F(CudaStandard, EncodesFramesInATiltedBox) {
  Fluid fluid({water}, many, 5);
  fluid.tilt();
  EXPECT_GE(expect_values(fluid.run(7)), 1u);
  Liquid liquid({0}, many, 6);
  liquid.tilt();
  EXPECT_EQ(expect_values(liquid.run(8, 0.05, fluid_bound)), 8u);
  expect_healthy();
}

TEST_F(CudaStandard, MakesAnIndependentChunkWhereItCannotGoOn) {
  Fluid fluid({alkane_geometry(12)}, many, 2);
  std::vector<Snapshot> snapshots = fluid.run(12);
  Pair pair;
  std::size_t f = 0;
  for (; f < 8; ++f) pair.next(snapshots[f], f == 0);
  snapshots[f].quantities[0].real[100] = std::numeric_limits<double>::quiet_NaN();
  pair.begin_anew(snapshots[f]);
  // From here on with the bytes of a CPU that began anew as well.
  for (++f; f < snapshots.size(); ++f) {
    pair.next(snapshots[f], false);
    EXPECT_FALSE(pair.gpu.encoded_on_device());
  }
  pair.next(snapshots[0], true);
}

TEST_F(CudaStandard, LeavesSmallFramesToTheCpu) {
  Fluid fluid({alkane_geometry(12)}, many, 4);
  const std::vector<Snapshot> snapshots = fluid.run(9);
  Pair pair;
  for (std::size_t f = 0; f < 8; ++f) pair.next(snapshots[f], f == 0);
  Snapshot small = snapshots[8];
  keep_only(small, [](std::int64_t id) { return id <= 60000; });
  pair.begin_anew(small);
}

TEST_F(CudaStandard, TakesRowsOfTheCaller) {
  Fluid fluid({alkane_geometry(12)}, many + 30000, 6);
  const std::vector<Snapshot> snapshots = fluid.run(8);
  std::vector<int> rows(many);
  for (std::size_t i = 0; i < rows.size(); ++i) rows[i] = static_cast<int>((i * 7919) % many + 15000);
  Pair pair;
  for (std::size_t f = 0; f < snapshots.size(); ++f) pair.next(snapshots[f], f == 0, f % 2 == 1, rows);
  EXPECT_GE(pair.on_device, 3u);
  const OnDevice device(snapshots[0], rows);
  EXPECT_EQ(
      status_of([&] { pair.gpu.encode(snapshots[0].inputs(), many, device.rows(), snapshots[0].info.box, false); }),
      Status::invalid_argument);
}

TEST_F(CudaStandard, GoesOnBehindErrors) {
  Fluid fluid({alkane_geometry(12)}, many, 2);
  const std::vector<Snapshot> snapshots = fluid.run(9);
  Pair pair;
  for (std::size_t f = 0; f < 7; ++f) pair.next(snapshots[f], f == 0);
  ASSERT_TRUE(pair.gpu.encoded_on_device());
  const OnDevice device(snapshots[7]);
  std::vector<FieldInput> fields = device.fields;
  fields[0].components[1].data = nullptr;
  EXPECT_EQ(status_of([&] { pair.gpu.encode(fields, many, nullptr, snapshots[7].info.box, false); }),
            Status::invalid_argument);
  EXPECT_NE(pair.gpu.encode(device.fields, snapshots[7].info.particles, nullptr, snapshots[7].info.box, false).kind,
            ChunkKind::difference);
  EXPECT_NE(pair.gpu.encode(device.fields, snapshots[7].info.particles, nullptr, snapshots[7].info.box, true).kind,
            ChunkKind::difference);
  pair.gpu.release();
  EXPECT_NE(pair.gpu.encode(device.fields, snapshots[7].info.particles, nullptr, snapshots[7].info.box, false).kind,
            ChunkKind::difference);
  expect_healthy();
}

}  // namespace
}  // namespace gpz::test
