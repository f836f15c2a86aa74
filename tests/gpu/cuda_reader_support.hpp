// SPDX-License-Identifier: BSD-3-Clause
// What the tests of gpz::cuda::Reader share: a frame read by both readers into arrays of the same layout, and files of
// several writers.
#pragma once

#include <cmath>
#include <cstring>

#include "gpu_support.hpp"
#include "gpz/cuda_reader.hpp"
#include "trajectory_support.hpp"

namespace gpz::test {

using Type = ConstArray::Type;
using cuda::OutputOrder;

// How the arrays of a read lie in memory.
struct Layout {
  bool narrow = false;  // 32 bits
  bool rows = false;    // the columns of a particle next to each other, otherwise columns without gaps
  bool reverse = false;
};
inline constexpr Layout layouts[] = {{false, false, false}, {true, false, false}, {false, true, false},
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

inline std::vector<std::string> names_of(const FrameInfo &info) {
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
inline void compare(const Reader &cpu, cuda::Reader &gpu, std::size_t i, const std::vector<std::string> &names,
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

// Options with which the device decodes all that it can.
inline cuda::ReaderOptions on_device() {
  cuda::ReaderOptions options;
  options.least_chained = 1;
  return options;
}

inline void compare_all(const Bytes &bytes, Count &count, const cuda::ReaderOptions &options = on_device()) {
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

// Frames of several writers. Particles fly from one to the other: each has a slab of the box.
inline Bytes file_of_writers(Gas &gas, int frames, unsigned interval, std::size_t writers, Order order = Order::place,
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
      const double place = gas.particles[p].position[0] - std::floor(gas.particles[p].position[0]);
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

// What a checksum cannot find: a bit that was wrong when the file was written, in the frame that wrong_of(step, frames)
// chooses; in every second step one of the first `head` bytes of its chunk.
template <typename WrongOf>
void compare_false_chunks(const Bytes &sound, const Metadata &metadata, Random &random, std::size_t head,
                          const WrongOf &wrong_of, Count &count) {
  const Reader whole = reader_of(sound);
  for (int step = 0; step < 150; ++step) {
    Bytes bytes;
    Writer writer(bytes, metadata);
    const std::size_t wrong = wrong_of(step, whole.frames());
    for (std::size_t i = 0; i < whole.frames(); ++i) {
      StoredFrame frame = whole.stored(i);
      EncodedChunk chunk;
      chunk.particles = frame.info.particles;
      chunk.bytes = frame.bytes;
      if (i == wrong) {
        const std::size_t end = step % 2 == 0 ? head : chunk.bytes.size();
        chunk.bytes[random.below(std::min(end, chunk.bytes.size()))] ^=
            static_cast<std::uint8_t>(1u << random.below(8));
      }
      chunk.checksum = chunk_checksum(chunk.bytes.data(), chunk.bytes.size());
      for (const Field &field : frame.info.fields) chunk.largest_error.push_back(field.largest_error);
      writer.write(frame.info, std::vector<EncodedChunk>{chunk});
    }
    writer.close();
    const Reader cpu = reader_of(bytes);
    cuda::Reader gpu(bytes.data(), bytes.size(), "memory", 0, on_device());
    for (std::size_t i = 0; i < cpu.frames(); ++i)
      compare(cpu, gpu, i, names_of(cpu.info(i)), layouts[0], OutputOrder::stored, count);
    if (testing::Test::HasFailure()) return;
  }
}

}  // namespace gpz::test
