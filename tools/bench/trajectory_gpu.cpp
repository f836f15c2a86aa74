// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cstring>

#include "bench/gpu_memory.hpp"
#include "bench/trajectory.hpp"
#include "gpz/cuda_reader.hpp"
#include "gpz/cuda_trajectory_decoder.hpp"
#include "gpz/error.hpp"

namespace gpz::bench {
namespace {

// Calls read(i, base) for the first frames, and compares what is at `base` then with what gpz::Reader reads.
template <typename Read>
void verify(const TrajectoryFile &file, const Memory &positions, TrajectoryRow &row, const Read &read) {
  const Reader reader(file.path);
  HostPositions expected(file);
  std::vector<double> found(static_cast<std::size_t>(file.most) * file.columns.size());
  for (std::size_t i = 0; i < std::min(row.frames, checked_frames); ++i) {
    read(i);
    const std::vector<double> &values = expected.read(reader, i, 1, row.by_id);
    copy_now(found.data(), positions.get(), expected.size_of_last(), "positions");
    ++row.frames_checked;
    if (std::memcmp(found.data(), values.data(), expected.size_of_last()) == 0) continue;
    row.problem = "the positions of frame " + std::to_string(i) + " are not those that the CPU reads";
    return;
  }
}

TrajectoryRow row_of(const TrajectoryFile &file, bool by_id, bool from_device) {
  TrajectoryRow row;
  row.device = "gpu";
  row.by_id = by_id;
  row.from_device = from_device;
  row.frames = file.frames;
  row.particles = file.particles;
  return row;
}

TrajectoryRow from_file(const TrajectoryFile &file, const Memory &positions, int index, int threads,
                        const Repeats &repeats, bool by_id) {
  cuda::ReaderOptions options;
  options.threads = threads;
  cuda::Reader reader(file.path, index, options);
  const auto columns = position_columns(file, static_cast<double *>(positions.get()));
  const auto order = by_id ? cuda::OutputOrder::id : cuda::OutputOrder::stored;
  TrajectoryRow row = row_of(file, by_id, false);
  row.pass = measure(repeats, [&] {
    row.frames_on_cpu = 0;
    for (std::size_t i = 0; i < file.frames; ++i)
      if (!reader.read(i, columns, static_cast<std::size_t>(file.most), order).decoded_on_device) ++row.frames_on_cpu;
    return 0;
  });
  verify(file, positions, row,
         [&](std::size_t i) { reader.read(i, columns, static_cast<std::size_t>(file.most), order); });
  return row;
}

// The first frames of a file whose frames have one chunk each, as far as there is memory for them.
class FramesOnDevice {
 public:
  FramesOnDevice(const TrajectoryFile &file, const Memory &positions) {
    const Reader reader(file.path);
    std::size_t room = free_memory() / 4;
    for (std::size_t i = 0; i < file.frames; ++i) {
      const StoredFrame stored = reader.stored(i);
      if (stored.chunks.size() != 1 || stored.bytes.size() > room) break;
      room -= stored.bytes.size();
      Frame frame;
      frame.particles = stored.info.particles;
      frame.bytes = Memory(Where::device, stored.bytes.size());
      frame.size = stored.bytes.size();
      copy_now(frame.bytes.get(), stored.bytes.data(), stored.bytes.size(), "a chunk");
      for (const Field &field : stored.info.fields) frame.outputs.push_back({field, {}});
      const std::size_t count = file.columns.size();
      for (std::size_t d = 0; d < count; ++d)
        frame.outputs[0].components[d] = {static_cast<double *>(positions.get()) + d,
                                          static_cast<std::ptrdiff_t>(count * sizeof(double)),
                                          ConstArray::Type::float64};
      frames_.push_back(std::move(frame));
    }
  }

  std::size_t count() const { return frames_.size(); }
  std::uint64_t particles() const {
    std::uint64_t sum = 0;
    for (const Frame &frame : frames_) sum += frame.particles;
    return sum;
  }
  void decode(cuda::TrajectoryDecoder &decoder, std::size_t i, cuda::OutputOrder order) const {
    const Frame &frame = frames_[i];
    decoder.decode(frame.bytes.get(), frame.size, frame.particles, frame.outputs, order);
  }

 private:
  struct Frame {
    Memory bytes;
    std::size_t size = 0;
    std::uint64_t particles = 0;
    std::vector<cuda::FieldOutput> outputs;
  };
  std::vector<Frame> frames_;
};

TrajectoryRow from_device(const TrajectoryFile &file, const FramesOnDevice &frames, const Memory &positions, int index,
                          const Repeats &repeats, bool by_id) {
  cuda::TrajectoryDecoder decoder(index);
  const auto order = by_id ? cuda::OutputOrder::id : cuda::OutputOrder::stored;
  TrajectoryRow row = row_of(file, by_id, true);
  row.frames = frames.count();
  row.particles = frames.particles();
  row.pass = measure(repeats, [&] {
    for (std::size_t i = 0; i < frames.count(); ++i) frames.decode(decoder, i, order);
    return 0;
  });
  verify(file, positions, row, [&](std::size_t i) { frames.decode(decoder, i, order); });
  return row;
}

double bus_speed(const Repeats &repeats) {
  constexpr std::size_t size = std::size_t{1} << 28;
  const Memory host(Where::pinned_host, size);
  const Memory device(Where::device, size);
  std::memset(host.get(), 1, size);
  const Timing timing = measure(repeats, [&] {
    copy_now(device.get(), host.get(), size, "copy to the device");
    return 0;
  });
  return static_cast<double>(size) / timing.median / 1e9;
}

}  // namespace

void read_on_gpu(int index, int threads, const Repeats &repeats, TrajectoryReport &report) {
  const TrajectoryFile &file = report.file;
  report.bus_gb_per_s = bus_speed(repeats);
  const Memory positions(Where::device, static_cast<std::size_t>(file.most) * file.columns.size() * sizeof(double));
  const FramesOnDevice frames(file, positions);
  for (const bool by_id : {false, true}) {
    if (by_id && !file.has_ids) continue;
    try {
      if (frames.count() != 0) report.rows.push_back(from_device(file, frames, positions, index, repeats, by_id));
    } catch (const Error &error) {
      if (error.status() != Status::unsupported) throw;  // then the CPU decodes what is read, which its row says
    }
    report.rows.push_back(from_file(file, positions, index, threads, repeats, by_id));
  }
}

}  // namespace gpz::bench
