// SPDX-License-Identifier: BSD-3-Clause
// The measurements of a processor: how fast it copies, and how fast it compresses a snapshot.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "bench/measure.hpp"
#include "bench/snapshot.hpp"

namespace gpz::bench {

// One direction, several methods of counting (docs/bench.md).
struct Speeds {
  double first = 0;       // seconds of the first call of this process, as `allocating`; 0: this was not the first
  Timing warm;            // from the call until the result is known on the host; memory is there
  Timing allocating;      // with the allocation of workspace and output
  Timing end_to_end;      // with the transfers between host and device as well
  bool transfers = true;  // false: there are none, end_to_end is a copy of allocating
};

struct Outcome {
  std::vector<std::uint8_t> chunk;
  Snapshot decoded;             // what the last timed decompression gave, in the order of the chunk
  double reported_error = 0;    // largest error of the positions, by the encoder
  Speeds compress, decompress;  // empty without runs
};

class Device {
 public:
  Device() = default;
  virtual ~Device() = default;
  Device(const Device &) = delete;
  Device &operator=(const Device &) = delete;

  virtual std::string name() const = 0;  // cpu, gpu
  // Facts about it, as name and value, numbers as text.
  virtual std::vector<std::pair<std::string, std::string>> facts() const = 0;
  // Copies `bytes` at once, or fewer if there is not enough memory.
  virtual CopySpeed copy_speed(std::uint64_t bytes, const Repeats &repeats) = 0;
  // Compresses and decompresses; repeats.runs 0: once, without timing. Throws gpz::Error, tool::Failure.
  virtual Outcome run(const Snapshot &snapshot, double bound, const Repeats &repeats) = 0;
};

std::unique_ptr<Device> make_cpu(int threads);

// nullptr if there is none, and `reason` says why.
std::unique_ptr<Device> make_gpu(int index, std::string &reason);

}  // namespace gpz::bench
