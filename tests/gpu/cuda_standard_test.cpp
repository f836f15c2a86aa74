// SPDX-License-Identifier: BSD-3-Clause
// Effort standard on the GPU: the bytes of gpz::TrajectoryEncoder.
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

std::uint8_t coding_of_positions(const EncodedChunk &chunk, std::size_t fields) {
  const format::OpenedChunk opened = format::open_chunk(chunk.bytes.data(), chunk.bytes.size(), fields);
  return opened.sections[0].size == 0 ? 0 : chunk.bytes[opened.sections[0].offset];
}

// In so many difference frames of few particles a CPU compares codings.
constexpr std::size_t settled = 4;

// A CPU encodes a key interval, and the GPU encodes it again with the molecules that the CPU found.
class Both {
 public:
  // The first frame is a key frame.
  explicit Both(const std::vector<Snapshot> &snapshots) : differences_(codec_) {
    TrajectoryEncoder cpu;
    cpu.set_order(Order::id);
    cpu.set_effort(Effort::standard, feature::steps);
    for (const Snapshot &snapshot : snapshots) {
      on_cpu.push_back(encode_on_cpu(cpu, snapshot, on_cpu.empty()));
      const lanes::State &steps = trajectory::EncoderAccess::history(cpu).modelled(0).steps;
      if (on_cpu.size() == 1) of_key_ = steps.known_plans()->of_key();
      if (on_cpu.size() == 2 && steps.have_bonds()) positions_.molecules = steps.learned().models.plan;
    }
    positions_.coding = format::steps;
    positions_.sections_with_motion = settled;
    differences_.make();
  }
  ~Both() {
    differences_.release();
    differences_.give_back();
  }
  Both(const Both &) = delete;
  Both &operator=(const Both &) = delete;

  bool have_bonds() const { return positions_.molecules != nullptr; }
  std::vector<EncodedChunk> on_cpu;

  // The next frame. Nothing if the GPU cannot encode it.
  std::optional<EncodedChunk> on_gpu(const Snapshot &snapshot) {
    const OnDevice device(snapshot);
    cuda::FrameCall call{device.fields, snapshot.info.particles, device.rows(), snapshot.info.box, nullptr};
    format::prepare_fields(call.fields, call.particles);
    if (!(differences_.started() ? differences_.encode(call) == cuda::ChunkEncoder::Outcome::encoded : begin(call)))
      return std::nullopt;
    return on_host(differences_.chunk(call.particles));
  }

 private:
  bool begin(const cuda::FrameCall &call) {
    const bool in_steps = coding_of_positions(on_cpu[0], call.fields.size()) == format::steps;
    const auto axes_of = [&](const std::uint32_t *) { return format::grid_box(call.box, call.field(0)); };
    const bool is_encoded =
        in_steps ? differences_.encode_ordered(call, of_key_, 1) : differences_.encode_ordered(call, axes_of);
    if (is_encoded) differences_.follow(positions_, 1);
    return is_encoded;
  }

  cuda::Codec codec_;
  cuda::ChunkEncoder differences_;
  std::shared_ptr<lanes::Plan> of_key_;
  cuda::ChunkEncoder::Positions positions_;
};

void expect_same_bytes(std::vector<Snapshot> snapshots, bool with_bonds = true) {
  shuffle(snapshots, 3);
  Both both(snapshots);
  ASSERT_EQ(both.have_bonds(), with_bonds);
  for (std::size_t f = 0; f < snapshots.size(); ++f) {
    const std::optional<EncodedChunk> chunk = both.on_gpu(snapshots[f]);
    ASSERT_TRUE(chunk) << "frame " << f;
    expect_equal(*chunk, both.on_cpu[f]);
    if (testing::Test::HasFatalFailure()) FAIL() << "frame " << f;
  }
  expect_healthy();
}

TEST_F(CudaStandard, EncodesStepsOfAllKinds) {
  for (const std::size_t particles : {6000u, 25000u}) {
    Fluid fluid(mixture(), particles, particles);
    // Constants are fitted in the twelfth frame for the last time.
    std::vector<Snapshot> snapshots = fluid.run(15);
    snapshots.push_back(snapshots.back());
    expect_same_bytes(std::move(snapshots));
  }
  for (const std::vector<Geometry> &kinds :
       {std::vector<Geometry>{water}, {row(2)}, {row(3)}, {star(2)}, {star(3)}, {alkane_geometry(12)}}) {
    Fluid fluid(kinds, 9000, 5);
    expect_same_bytes(fluid.run(8));
  }
}

TEST_F(CudaStandard, EncodesStepsWithoutBonds) {
  expect_same_bytes(Liquid({0}, 30000, 6).run(15, 0.05, fluid_bound), false);
}

TEST_F(CudaStandard, EncodesChains) {
  expect_same_bytes(Liquid(chain(10), 9000, 2).run(10, 0.04, fluid_bound));
  expect_same_bytes(Liquid({0, 1, 2}, 9000, 3).run(10, 0.04, fluid_bound));
}

TEST_F(CudaStandard, EncodesMotionThatIsNotQuiet) {
  // Particles that are beyond the edges of the box for some frames, as LAMMPS leaves them.
  Fluid fluid({water}, 9000, 9);
  std::vector<Snapshot> snapshots = fluid.run(9);
  Random random(5);
  for (std::size_t f = 5; f < snapshots.size(); ++f) {
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
    std::vector<Snapshot> snapshots = fluid.run(3);
    shuffle(snapshots, 6);
    change.make(snapshots[2]);
    Both both(snapshots);
    for (std::size_t f = 0; f < 2; ++f) expect_equal(both.on_gpu(snapshots[f]).value(), both.on_cpu[f]);
    const std::optional<EncodedChunk> chunk = both.on_gpu(snapshots[2]);
    if (change.is_encoded)
      expect_equal(chunk.value(), both.on_cpu[2]);
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
  bool was_on_device = false;

  void next(const Snapshot &snapshot, bool key, bool from_host = false, const std::vector<int> &rows = {}) {
    const std::size_t n = rows.empty() ? snapshot.info.particles : rows.size();
    const int *const rows_on_host = rows.empty() ? nullptr : rows.data();
    const OnDevice device(snapshot, rows);
    const cuda::DeviceChunk &chunk = gpu.encode(from_host ? snapshot.inputs() : device.fields, n,
                                                from_host ? rows_on_host : device.rows(), snapshot.info.box, key);
    // The first frame of the GPU is independent.
    const bool begins = gpu.encoded_on_device() && !was_on_device;
    if (begins) {
      ASSERT_NE(chunk.kind, ChunkKind::difference);
    }
    EncodedChunk expected;
    cpu.encode(snapshot.inputs(), n, rows_on_host, snapshot.info.box, key || begins, expected);
    expect_equal(on_host(chunk), expected);
    was_on_device = gpu.encoded_on_device();
    on_device += was_on_device ? 1 : 0;
  }
  // A frame that the GPU cannot encode, behind frames that it encoded: as if the CPU had been asked for a key frame.
  void begin_anew(const Snapshot &snapshot) {
    ASSERT_TRUE(gpu.encoded_on_device());
    const OnDevice device(snapshot);
    const cuda::DeviceChunk &chunk =
        gpu.encode(device.fields, snapshot.info.particles, nullptr, snapshot.info.box, false);
    EXPECT_FALSE(gpu.encoded_on_device());
    was_on_device = false;
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
std::size_t expect_values(const std::vector<Snapshot> &snapshots, std::size_t interval = 1000) {
  cuda::StandardCodec gpu;
  const TemporaryFile file;
  Metadata metadata = small_metadata();
  metadata.features = feature::steps;
  gpu.set_features(metadata.features);
  Writer writer(file.path(), metadata);
  std::size_t on_device = 0;
  for (std::size_t f = 0; f < snapshots.size(); ++f) {
    const OnDevice device(snapshots[f]);
    const EncodedChunk chunk = on_host(
        gpu.encode(device.fields, snapshots[f].info.particles, nullptr, snapshots[f].info.box, f % interval == 0));
    on_device += gpu.encoded_on_device() ? 1 : 0;
    FrameInfo info = snapshots[f].info;
    info.fields = fields_of(snapshots[f]);
    info.since_key = static_cast<std::uint16_t>(f % interval);
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

// Near the sites of a lattice, as a simulation begins: bonds are in difference frames only. The GPU begins with a key
// frame, and again when the CPU has found the bonds.
TEST_F(CudaStandard, EncodesMoleculesWhoseKeyFramesAreNotInSteps) {
  EXPECT_EQ(expect_values(Fluid({water}, many, 1).run(10), 8), 7u);
  expect_healthy();
}

// A CPU looks for other edges.
TEST_F(CudaStandard, EncodesFramesInATiltedBox) {
  Fluid fluid({water}, many, 5);
  fluid.tilt();
  EXPECT_GE(expect_values(fluid.run(11), 8), 5u);
  Liquid liquid({0}, many, 6);
  liquid.tilt();
  EXPECT_EQ(expect_values(liquid.run(8, 0.05, fluid_bound)), 8u);
  expect_healthy();
}

TEST_F(CudaStandard, MakesAnIndependentChunkWhereItCannotGoOn) {
  Fluid fluid(mixture(), many, 2);
  std::vector<Snapshot> snapshots = fluid.run(12);
  shuffle(snapshots, 7);
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
  Fluid fluid(mixture(), many, 4);
  std::vector<Snapshot> snapshots = fluid.run(9);
  shuffle(snapshots, 8);
  Pair pair;
  for (std::size_t f = 0; f < 8; ++f) pair.next(snapshots[f], f == 0);
  Snapshot small = snapshots[8];
  keep_only(small, [](std::int64_t id) { return id <= 400000; });
  pair.begin_anew(small);
}

TEST_F(CudaStandard, TakesRowsOfTheCaller) {
  Fluid fluid(mixture(), many + 30000, 6);
  std::vector<Snapshot> snapshots = fluid.run(8);
  for (Snapshot &snapshot : snapshots)
    for (std::int64_t &id : snapshot.quantities[1].integer) id = 5 * id - 400;
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
  Fluid fluid(mixture(), many, 2);
  std::vector<Snapshot> snapshots = fluid.run(9);
  shuffle(snapshots, 8);
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
