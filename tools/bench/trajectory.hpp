// SPDX-License-Identifier: BSD-3-Clause
// Reading the frames of a .gpz file: how fast positions come into memory, on a CPU and on a GPU.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "bench/measure.hpp"
#include "gpz/reader.hpp"

namespace gpz::bench {

struct TrajectoryFile {
  std::string path;
  std::vector<std::string> columns;  // of the positions, or of whatever the first field has
  bool has_ids = false;
  std::size_t frames = 0;
  std::uint64_t particles = 0;  // of all frames
  std::uint64_t most = 0;       // of a frame
  std::uint64_t bytes = 0;      // of the file

  std::uint64_t position_bytes() const { return 8 * columns.size() * particles; }  // as f64
};

// Throws gpz::Error, tool::Failure: no frames, no float field at the front.
TrajectoryFile open_trajectory(const std::string &path);

// A method of reading all frames, in the order of the file, to f64 positions of one particle after the other.
struct TrajectoryRow {
  std::string device;              // cpu, gpu
  bool from_device = false;        // false: from the file. true: from compressed bytes in device memory
  bool by_id = false;              // the order of the particles
  Timing pass;                     // over all frames
  std::uint64_t particles = 0;     // of a pass
  std::size_t frames = 0;          // of a pass
  std::size_t frames_on_cpu = 0;   // of a GPU's pass, which the CPU decoded
  std::size_t frames_checked = 0;  // against gpz::Reader in one thread; 0 of that itself
  std::string problem;             // what the check found; empty: nothing
};

struct TrajectoryReport {
  TrajectoryFile file;
  double bus_gb_per_s = 0;  // from pinned host memory to the device; 0: no GPU
  std::vector<TrajectoryRow> rows;

  // Particles a second whose positions come to the device as raw f64 at the speed of the bus.
  double raw_particles_per_second() const {
    return bus_gb_per_s * 1e9 / (8 * static_cast<double>(file.columns.size()));
  }
};

// How many frames are checked: the first ones.
constexpr std::size_t checked_frames = 10;

// Memory for positions of a frame on the host, and where gpz::Reader writes them.
class HostPositions {
 public:
  explicit HostPositions(const TrajectoryFile &file);
  const std::vector<double> &read(const Reader &reader, std::size_t frame, int threads, bool by_id);
  std::size_t size_of_last() const { return last_ * columns_.size() * sizeof(double); }  // bytes

 private:
  std::vector<double> values_;
  std::vector<ColumnOutput> columns_;
  std::size_t last_ = 0;  // particles
};

// Columns of a file in memory at `base`, of the host or of a device.
std::vector<ColumnOutput> position_columns(const TrajectoryFile &file, double *base);

std::vector<TrajectoryRow> read_on_cpu(const TrajectoryFile &file, int threads, const Repeats &repeats);
// Adds its rows and the speed of the bus.
void read_on_gpu(int index, int threads, const Repeats &repeats, TrajectoryReport &report);

}  // namespace gpz::bench
