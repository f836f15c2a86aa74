// SPDX-License-Identifier: BSD-3-Clause
// gpz::cuda::Reader against gpz::Reader: for each frame the same bytes in arrays of the same layout, or the same error.
#include "gpz/cuda_reader.hpp"

#include <cmath>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>

#include "gpu_support.hpp"
#include "gpz/gpz.h"
#include "sequence_support.hpp"
#include "trajectory_support.hpp"

extern "C" int reader_in_c(const char *path, double *x_of_last);

namespace gpz::test {
namespace {

using Type = ConstArray::Type;
using cuda::OutputOrder;

class CudaReader : public GpuTest {};

// How the arrays of a read lie in memory.
struct Layout {
  bool narrow = false;  // 32 bits
  bool rows = false;    // the columns of a particle next to each other, otherwise columns without gaps
  bool reverse = false;
};
constexpr Layout layouts[] = {{false, false, false}, {true, false, false}, {false, true, false},
                              {true, true, false},   {false, true, true},  {true, false, true}};

// Memory for columns of a frame, and arrays in it that begin at `base`, which may be an address of the device.
class Arrays {
 public:
  Arrays(const FrameInfo &info, const std::vector<std::string> &names, const Layout &layout) : layout_(layout) {
    for (const std::string &name : names)
      for (const Field &field : info.fields)
        for (const Field::Component &component : field.components)
          if (component.name == name) columns_.push_back({name, field.type});
    n_ = info.particles;
    size_ = columns_.size() * n_ * width() + 64;
  }

  std::size_t size() const { return size_; }
  std::vector<ColumnOutput> outputs(void *base) const {
    std::vector<ColumnOutput> out;
    const std::size_t count = columns_.size();
    for (std::size_t c = 0; c < count; ++c) {
      const std::size_t step = layout_.rows ? count * width() : width();
      std::size_t first = layout_.rows ? c * width() : c * n_ * width();
      if (layout_.reverse && n_ != 0) first += (n_ - 1) * step;
      const bool integer = columns_[c].type == ValueType::integer;
      const Type type = integer          ? layout_.narrow ? Type::int32 : Type::int64
                        : layout_.narrow ? Type::float32
                                         : Type::float64;
      const auto stride = static_cast<std::ptrdiff_t>(step);
      out.push_back({columns_[c].name, {static_cast<char *>(base) + first, layout_.reverse ? -stride : stride, type}});
    }
    return out;
  }
  // The first byte in which two memories differ; no difference: size(). NaN is NaN where a value was converted.
  std::size_t difference(const std::vector<std::uint8_t> &a, const std::vector<std::uint8_t> &b) const {
    if (a == b) return size_;
    for (std::size_t i = 0; i + 64 < size_; i += width()) {
      if (std::memcmp(&a[i], &b[i], width()) == 0) continue;
      double p = 0;
      double q = 0;
      float narrow = 0;
      std::memcpy(layout_.narrow ? static_cast<void *>(&narrow) : &p, &a[i], width());
      if (layout_.narrow) p = static_cast<double>(narrow);
      std::memcpy(layout_.narrow ? static_cast<void *>(&narrow) : &q, &b[i], width());
      if (layout_.narrow) q = static_cast<double>(narrow);
      if (!(std::isnan(p) && std::isnan(q))) return i;
    }
    return std::equal(a.end() - 64, a.end(), b.end() - 64) ? size_ : size_ - 64;
  }

 private:
  struct Column {
    std::string name;
    ValueType type;
  };
  std::size_t width() const { return layout_.narrow ? 4 : 8; }

  Layout layout_;
  std::vector<Column> columns_;
  std::size_t n_ = 0;
  std::size_t size_ = 0;
};

// An error, or none.
struct Outcome {
  Status status = Status::ok;
  std::string cause, file;
  std::uint64_t position = 0;

  friend bool operator==(const Outcome &a, const Outcome &b) {
    return a.status == b.status && a.cause == b.cause && a.file == b.file && a.position == b.position;
  }
  friend std::ostream &operator<<(std::ostream &out, const Outcome &outcome) {
    return out << to_string(outcome.status) << ", " << outcome.file << " " << outcome.position << ": " << outcome.cause;
  }
};

template <typename F>
Outcome outcome_of(const F &call) {
  try {
    call();
  } catch (const Error &error) {
    return {error.status(), error.cause(), error.file(), error.position()};
  }
  return {};
}

std::vector<std::string> names_of(const FrameInfo &info) {
  std::vector<std::string> names;
  for (const Field &field : info.fields)
    for (const Field::Component &component : field.components) names.push_back(component.name);
  return names;
}

// What a test counts.
struct Count {
  int on_device = 0, on_cpu = 0, refused = 0;
};

// Reads these columns of frame i with both, and compares.
void compare(const Reader &cpu, cuda::Reader &gpu, std::size_t i, const std::vector<std::string> &names,
             const Layout &layout, OutputOrder order, Count &count, cudaStream_t stream = nullptr) {
  FrameInfo info;
  const Outcome head = outcome_of([&] { info = cpu.info(i); });
  if (head.status != Status::ok) {
    EXPECT_EQ(outcome_of([&] { gpu.info(i); }), head);
    EXPECT_EQ(outcome_of([&] { gpu.read(i, {}, 0, order, stream); }), head);
    ++count.refused;
    return;
  }
  const Arrays arrays(info, names, layout);
  std::vector<std::uint8_t> expected(arrays.size(), DeviceMemory::pattern);
  const DeviceMemory memory(arrays.size());
  const Outcome outcome = outcome_of([&] {
    const FrameInfo read =
        cpu.read_columns(i, arrays.outputs(expected.data()), info.particles, {1, order == OutputOrder::id});
    EXPECT_EQ(read.timestep, info.timestep);
  });
  // An integer that does not fit into 32 bits is an error on the CPU only.
  const bool too_wide = layout.narrow && outcome.status == Status::limit_exceeded;
  const Outcome on_gpu = outcome_of([&] {
    const cuda::FrameRead read = gpu.read(i, arrays.outputs(memory.get()), info.particles, order, stream);
    EXPECT_EQ(read.info.timestep, info.timestep);
    EXPECT_EQ(read.info.particles, info.particles);
    EXPECT_EQ(read.decoded_on_device, read.reason.empty());
    ++(read.decoded_on_device ? count.on_device : count.on_cpu);
  });
  if (too_wide) return;
  EXPECT_EQ(on_gpu, outcome) << "frame " << i;
  if (outcome.status != Status::ok) {
    ++count.refused;
    return;
  }
  const std::size_t at = arrays.difference(memory.bytes(arrays.size()), expected);
  EXPECT_EQ(at, arrays.size()) << "frame " << i << ", " << info.particles << " particles, order "
                               << static_cast<int>(order);
}

void compare_all(const Bytes &bytes, Count &count, const cuda::ReaderOptions &options = {}) {
  const Reader cpu = reader_of(bytes);
  for (const OutputOrder order : {OutputOrder::stored, OutputOrder::id}) {
    cuda::Reader gpu(bytes.data(), bytes.size(), "memory", 0, options);
    ASSERT_EQ(gpu.frames(), cpu.frames());
    for (const Layout &layout : layouts) {
      for (std::size_t i = 0; i < cpu.frames(); ++i) {
        std::vector<std::string> names;
        outcome_of([&] { names = names_of(cpu.info(i)); });
        compare(cpu, gpu, i, names, layout, order, count);
      }
      if (testing::Test::HasFailure()) return;
    }
  }
}

std::vector<std::string> golden_files() {
  const char *const given = std::getenv("GPZ_FUZZ_INPUTS");
  std::istringstream folders(given != nullptr ? given : "tests/golden/files");
  std::vector<std::string> found;
  for (std::string folder; std::getline(folders, folder, ':');) {
    if (!std::filesystem::is_directory(folder)) continue;
    for (const auto &entry : std::filesystem::directory_iterator(folder))
      if (entry.path().extension() == ".gpz") found.push_back(entry.path().string());
  }
  return found;
}

// Frames of several writers. Particles fly from one to the other: each has a slab of the box.
Bytes file_of_writers(Gas &gas, int frames, unsigned interval, std::size_t writers, Order order = Order::place,
                      bool moves = true) {
  Bytes out;
  Writer writer(out, small_metadata());
  std::vector<TrajectoryEncoder> encoders(writers);
  for (TrajectoryEncoder &encoder : encoders) set_plain(encoder);
  KeySchedule schedule(interval);
  for (int f = 0; f < frames; ++f) {
    if (f > 0 && moves) gas.move();
    gas.shuffle();
    Snapshot snapshot = gas.snapshot();
    for (const Quantity &quantity : snapshot.quantities) snapshot.info.fields.push_back(quantity.field);
    snapshot.info.since_key = schedule.next(snapshot.info.fields);
    std::vector<std::vector<int>> rows(writers);
    for (std::size_t p = 0; p < gas.particles.size(); ++p) {
      const double place = gas.particles[p].place[0] - std::floor(gas.particles[p].place[0]);
      const auto part = static_cast<std::size_t>(place * static_cast<double>(writers));
      rows[std::min(part, writers - 1)].push_back(static_cast<int>(p));
    }
    std::vector<EncodedChunk> chunks(writers);
    for (std::size_t k = 0; k < writers; ++k) {
      encoders[k].set_order(order);
      encoders[k].encode(snapshot.inputs(), rows[k].size(), rows[k].data(), snapshot.info.box,
                         snapshot.info.since_key == 0, chunks[k]);
    }
    writer.write(snapshot.info, chunks);
    schedule.written(snapshot.info);
  }
  writer.close();
  return out;
}

TEST_F(CudaReader, GoldenFilesAsOnTheCpu) {
  Count count;
  for (const std::string &path : golden_files()) {
    SCOPED_TRACE(path);
    std::ifstream stream(path, std::ios::binary);
    const Bytes bytes{std::istreambuf_iterator<char>(stream), {}};
    const Outcome opened = outcome_of([&] { reader_of(bytes); });
    EXPECT_EQ(outcome_of([&] { cuda::Reader(bytes.data(), bytes.size()); }), opened);
    if (opened.status != Status::ok) continue;
    compare_all(bytes, count);
    if (testing::Test::HasFailure()) return;
  }
  EXPECT_GT(count.on_device, 0) << "no golden files: GPZ_FUZZ_INPUTS names no folder with .gpz files";
  EXPECT_GT(count.on_cpu, 0);   // cells, modelled sections
  EXPECT_GT(count.refused, 0);  // no ids to sort by
  std::printf("reads: %d on the device, %d on the CPU, %d refused\n", count.on_device, count.on_cpu, count.refused);
  expect_healthy();
}

TEST_F(CudaReader, ParticlesThatArriveAndLeave) {
  for (const std::size_t n : {40u, 3000u}) {
    Gas gas(n);
    const Bytes bytes = file_of(trajectory(gas, 12, {},
                                           [&](int f) {
                                             if (f % 4 != 0) gas.shuffle();
                                             gas.thin(0.02);
                                             gas.add(n / 50);
                                           }),
                                5);
    Count count;
    compare_all(bytes, count);
    EXPECT_EQ(count.on_cpu, 0);
  }
  expect_healthy();
}

TEST_F(CudaReader, SeveralWriters) {
  for (const std::size_t writers : {2u, 7u}) {
    Gas gas(5000);
    Count count;
    compare_all(file_of_writers(gas, 7, 4, writers), count);
    EXPECT_EQ(count.on_cpu, 0);
    // Ids that stay, ids far apart, equal ids.
    for (Gas::Particle &particle : gas.particles) particle.id *= 1000003 * (particle.id % 3 == 0 ? -1 : 1);
    for (std::size_t p = 10; p < 20; ++p) gas.particles[p].id = gas.particles[p - 10].id;
    compare_all(file_of_writers(gas, 4, 9, writers, Order::place, false), count);
    EXPECT_EQ(count.on_cpu, 0);
  }
  expect_healthy();
}

TEST_F(CudaReader, AnyFrameAnyColumns) {
  Gas gas(2500);
  const Bytes bytes = file_of_writers(gas, 25, 7, 2);
  const Reader cpu = reader_of(bytes);
  for (const std::uint64_t ahead : {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{1} << 30}) {
    cuda::ReaderOptions options;
    options.ahead = ahead;
    options.threads = 3;
    cuda::Reader gpu(bytes.data(), bytes.size(), "memory", 0, options);
    const OwnStream stream;
    Random random(ahead + 3);
    Count count;
    std::size_t i = 0;
    for (int step = 0; step < 120; ++step) {
      i = random.below(3) == 0 ? random.below(cpu.frames()) : (i + 1) % cpu.frames();
      std::vector<std::string> names;
      for (const std::string &name : names_of(cpu.info(i)))
        if (random.below(3) == 0) names.push_back(name);
      compare(cpu, gpu, i, names, layouts[random.below(std::size(layouts))],
              random.below(2) == 0 ? OutputOrder::stored : OutputOrder::id, count, stream.get());
      if (random.below(30) == 0) {
        gpu.release();
        EXPECT_EQ(gpu.memory().device_bytes, 0u);
      }
      if (HasFailure()) return;
    }
    EXPECT_EQ(count.on_cpu, 0);
  }
  expect_healthy();
}

TEST_F(CudaReader, AnotherOrderOfParticlesGoesThroughWhoeverCanDecodeIt) {
  Gas gas(2000);
  Count count;
  compare_all(file_of_writers(gas, 6, 3, 2, Order::id), count);
  EXPECT_GT(count.on_cpu + count.on_device, 0);
}

TEST_F(CudaReader, OrderOfMemory) {
  for (const bool alone : {true, false}) {
    const Cloud<float> cloud = walk<float>(20000, 3, 0.01, 4);
    std::vector<FieldInput> fields = cloud.inputs();
    if (alone) fields.resize(1);
    FrameInfo info;
    info.particles = cloud.size();
    Bytes bytes;
    Writer writer(bytes, small_metadata());
    writer.set_order(Order::memory);
    writer.write(info, fields);
    writer.close();
    const StoredFrame stored = reader_of(bytes).stored(0);
    ASSERT_EQ(chunk_kind(stored.bytes.data(), stored.bytes.size()), ChunkKind::sequence);
    Count count;
    compare_all(bytes, count);
    EXPECT_EQ(count.on_device != 0, alone);
    EXPECT_EQ(count.on_cpu != 0, !alone);
  }
  expect_healthy();
}

TEST_F(CudaReader, DamagedFilesHaveTheErrorsOfTheCpu) {
  Gas gas(1500);
  const Bytes sound = file_of_writers(gas, 8, 3, 2);
  const FileScan scan = scan_bytes(sound);
  Random random(17);
  Count count;
  for (int step = 0; step < 150; ++step) {
    Bytes bytes = sound;
    const std::size_t at = random.below(bytes.size());
    bytes[at] ^= static_cast<std::uint8_t>(1u << random.below(8));
    const Outcome opened = outcome_of([&] { reader_of(bytes); });
    EXPECT_EQ(outcome_of([&] { cuda::Reader(bytes.data(), bytes.size()); }), opened);
    if (opened.status != Status::ok) continue;
    const Reader cpu = reader_of(bytes);
    cuda::Reader gpu(bytes.data(), bytes.size());
    const OutputOrder order = step % 2 == 0 ? OutputOrder::stored : OutputOrder::id;
    for (std::size_t i = 0; i < cpu.frames(); ++i) {
      std::vector<std::string> names;
      outcome_of([&] { names = names_of(cpu.info(i)); });
      compare(cpu, gpu, i, names, layouts[0], order, count);
    }
    if (HasFailure()) {
      ADD_FAILURE() << "byte " << at;
      return;
    }
  }
  EXPECT_GT(count.refused, 0);
  EXPECT_GT(count.on_device, 0);
  expect_healthy();
}

// What a checksum cannot find: bytes that were wrong when the file was written.
TEST_F(CudaReader, FalseChunksHaveTheErrorsOfTheCpu) {
  Gas gas(1500);
  const Bytes sound = file_of_writers(gas, 4, 4, 1);
  const Reader whole = reader_of(sound);
  Random random(19);
  Count count;
  for (int step = 0; step < 150; ++step) {
    Bytes bytes;
    Writer writer(bytes, small_metadata());
    const std::size_t wrong = random.below(whole.frames());
    for (std::size_t i = 0; i < whole.frames(); ++i) {
      StoredFrame frame = whole.stored(i);
      EncodedChunk chunk;
      chunk.particles = frame.info.particles;
      chunk.bytes = frame.bytes;
      if (i == wrong) {
        const std::size_t end = step % 2 == 0 ? 200 : chunk.bytes.size();
        chunk.bytes[random.below(std::min(end, chunk.bytes.size()))] ^=
            static_cast<std::uint8_t>(1u << random.below(8));
      }
      chunk.checksum = chunk_checksum(chunk.bytes.data(), chunk.bytes.size());
      for (const Field &field : frame.info.fields) chunk.largest_error.push_back(field.largest_error);
      writer.write(frame.info, std::vector<EncodedChunk>{chunk});
    }
    writer.close();
    const Reader cpu = reader_of(bytes);
    cuda::Reader gpu(bytes.data(), bytes.size());
    for (std::size_t i = 0; i < cpu.frames(); ++i)
      compare(cpu, gpu, i, names_of(cpu.info(i)), layouts[0], OutputOrder::stored, count);
    if (HasFailure()) return;
  }
  EXPECT_GT(count.refused, 0);
  expect_healthy();
}

// A reader on the CPU shares the source. Some of the frames are decoded on the CPU.
TEST_F(CudaReader, SourcesOfTheCaller) {
  Count count;
  for (const std::string &path : golden_files()) {
    std::ifstream stream(path, std::ios::binary);
    const Bytes bytes{std::istreambuf_iterator<char>(stream), {}};
    const auto source = std::make_shared<api::MemorySource>(bytes.data(), bytes.size(), "memory");
    if (outcome_of([&] { Reader reader(source); }).status != Status::ok) continue;
    const Reader cpu(source);
    cuda::Reader gpu(source);
    for (std::size_t i = 0; i < cpu.frames(); ++i)
      compare(cpu, gpu, i, names_of(cpu.info(i)), layouts[0], OutputOrder::stored, count);
    if (testing::Test::HasFailure()) return;
  }
  EXPECT_GT(count.on_device, 0);
  EXPECT_GT(count.on_cpu, 0);
  EXPECT_EQ(status_of([] { cuda::Reader(std::shared_ptr<Source>()); }), Status::invalid_argument);
  expect_healthy();
}

TEST_F(CudaReader, TruncatedFilesHaveTheirFrames) {
  Gas gas(700);
  const Bytes sound = file_of_writers(gas, 6, 3, 2);
  Count count;
  for (std::size_t size = 0; size < sound.size(); size += sound.size() / 23) {
    const Bytes bytes(sound.begin(), sound.begin() + static_cast<std::ptrdiff_t>(size));
    const Outcome opened = outcome_of([&] { reader_of(bytes); });
    EXPECT_EQ(outcome_of([&] { cuda::Reader(bytes.data(), bytes.size()); }), opened);
    if (opened.status == Status::ok) compare_all(bytes, count);
  }
  // Cut after it was opened.
  const TemporaryFile file;
  file.set(sound);
  cuda::Reader gpu(file.path());
  std::filesystem::resize_file(file.path(), gpu.scan().frames[3].offset + 500);
  std::vector<std::string> names = {"x"};
  const Arrays arrays(gpu.info(0), names, layouts[0]);
  const DeviceMemory memory(arrays.size());
  for (std::size_t i = 0; i < 3; ++i) gpu.read(i, arrays.outputs(memory.get()), gpu.info(i).particles);
  EXPECT_NE(status_of([&] { gpu.read(3, arrays.outputs(memory.get()), 1u << 20); }), Status::ok);
  EXPECT_NE(status_of([&] { gpu.read(5, arrays.outputs(memory.get()), 1u << 20); }), Status::ok);
  gpu.read(2, arrays.outputs(memory.get()), gpu.info(2).particles);
  expect_healthy();
}

TEST_F(CudaReader, GivesUpWhatIsUnderWay) {
  Gas gas(3000);
  const Bytes bytes = file_of_writers(gas, 30, 6, 2);
  Count count;
  for (std::size_t step = 0; step < 20; ++step) {
    cuda::ReaderOptions options;
    options.threads = 1 + static_cast<int>(step % 4);
    cuda::Reader gpu(bytes.data(), bytes.size(), "memory", 0, options);
    const Reader cpu = reader_of(bytes);
    for (std::size_t i = step; i < step + step % 3; ++i)
      compare(cpu, gpu, i, {"x", "id"}, layouts[0], OutputOrder::stored, count);
    cuda::Reader moved = std::move(gpu);  // with all that is under way
    if (step % 2 == 0) compare(cpu, moved, step + 3, {"z"}, layouts[2], OutputOrder::id, count);
  }
  EXPECT_EQ(count.on_cpu, 0);
  expect_healthy();
}

TEST_F(CudaReader, MemoryStaysAsItIs) {
  Gas gas(4000);
  const Bytes bytes = file_of_writers(gas, 20, 4, 3);
  cuda::ReaderOptions options;
  options.threads = 2;
  cuda::Reader gpu(bytes.data(), bytes.size(), "memory", 0, options);
  EXPECT_EQ(gpu.memory().device_bytes, 0u);
  const Arrays arrays(gpu.info(0), {"x", "y", "z", "id"}, layouts[0]);
  const DeviceMemory memory(arrays.size());
  const auto read_all = [&] {
    for (std::size_t i = 0; i < gpu.frames(); ++i)
      gpu.read(i, arrays.outputs(memory.get()), gpu.info(i).particles, OutputOrder::id);
  };
  for (int pass = 0; pass < 3; ++pass) read_all();
  const cuda::MemoryUse use = gpu.memory();
  EXPECT_GT(use.device_bytes, 0u);
  read_all();
  EXPECT_EQ(gpu.memory().allocations, use.allocations);
  EXPECT_EQ(gpu.memory().device_bytes, use.device_bytes);
  expect_healthy();
}

TEST_F(CudaReader, Limits) {
  Gas gas(20000);
  const Bytes bytes = file_of_writers(gas, 5, 5, 2);
  const auto options_of = [](std::uint64_t memory) {
    cuda::ReaderOptions options;
    options.limits.memory = memory;
    return options;
  };
  Count count;
  compare_all(bytes, count, options_of(std::uint64_t{1} << 30));
  EXPECT_EQ(count.on_cpu, 0);

  const Arrays arrays(reader_of(bytes).info(0), {"x", "y", "z"}, layouts[0]);
  const DeviceMemory memory(arrays.size());
  for (const std::uint64_t limit : {std::uint64_t{1000}, std::uint64_t{100000}, std::uint64_t{1} << 20}) {
    EXPECT_EQ(status_of([&] {
                cuda::Reader gpu(bytes.data(), bytes.size(), "memory", 0, options_of(limit));
                gpu.read(0, arrays.outputs(memory.get()), 20000);
              }),
              Status::limit_exceeded)
        << limit;
  }
  cuda::Reader gpu(bytes.data(), bytes.size());
  EXPECT_EQ(status_of([&] { gpu.read(0, arrays.outputs(memory.get()), 19999); }), Status::limit_exceeded);
  EXPECT_EQ(status_of([&] { gpu.read(5, arrays.outputs(memory.get()), 20000); }), Status::not_found);
  gpu.read(0, arrays.outputs(memory.get()), 20000);
  expect_healthy();
}

TEST_F(CudaReader, ArgumentsAreChecked) {
  Gas gas(100);
  const Bytes bytes = file_of_writers(gas, 3, 3, 1);
  cuda::Reader gpu(bytes.data(), bytes.size());
  const DeviceMemory memory(20000);
  std::vector<double> host(1000);
  char *const data = memory.as<char>();
  const auto status = [&](const std::string &name, const Array &array) {
    return status_of([&] { gpu.read(1, {{name, array}}, 100); });
  };
  EXPECT_EQ(status("x", {data, 8, Type::float64}), Status::ok);
  EXPECT_EQ(status("x", {data, 8, Type::int64}), Status::invalid_argument);
  EXPECT_EQ(status("id", {data, 8, Type::float64}), Status::invalid_argument);
  EXPECT_EQ(status("x", {nullptr, 8, Type::float64}), Status::invalid_argument);
  EXPECT_EQ(status("x", {data + 4, 8, Type::float64}), Status::invalid_argument);
  EXPECT_EQ(status("x", {data, 12, Type::float64}), Status::invalid_argument);
  EXPECT_EQ(status("other", {data, 8, Type::float64}), Status::not_found);
  int reaches_host_memory = 0;
  check(cudaDeviceGetAttribute(&reaches_host_memory, cudaDevAttrPageableMemoryAccess, 0));
  if (reaches_host_memory == 0) {
    EXPECT_EQ(status("x", {host.data(), 8, Type::float64}), Status::invalid_argument);
  }
  EXPECT_EQ(status_of([&] {
              gpu.read(1, {{"x", {data, 8, Type::float64}}, {"x", {data + 8000, 8, Type::float64}}}, 100);
            }),
            Status::invalid_argument);
  EXPECT_EQ(status("y", {data, 8, Type::float64}), Status::ok);
  EXPECT_EQ(status_of([&] { cuda::Reader("/no/such/file"); }), Status::io_error);
  EXPECT_EQ(status_of([&] { cuda::Reader(bytes.data(), bytes.size(), "memory", gpus()); }), Status::not_found);
  expect_healthy();
}

TEST_F(CudaReader, InC) {
  Gas gas(3000);
  const TemporaryFile file;
  file.set(file_of_writers(gas, 4, 3, 2));
  std::vector<double> x(3000);
  EXPECT_EQ(reader_in_c(file.path().c_str(), x.data()), 0) << gpz_last_error();
  std::vector<double> expected(3000);
  Reader(file.path()).read_columns(3, {{"x", {expected.data(), 8, Type::float64}}}, 3000, {1, true});
  EXPECT_EQ(x, expected);
  expect_healthy();
}

}  // namespace
}  // namespace gpz::test
