// SPDX-License-Identifier: BSD-3-Clause
// Compares what a timed decompression gave with the input, without trusting the encoder. A block comes back in another
// order, so the particles are compressed once more with their numbers as ids, which give their identity.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "bench/device.hpp"
#include "bench/snapshot.hpp"

namespace gpz::bench {

// Over values of positions.
struct Errors {
  double largest = 0;
  double square_sum = 0;
  std::uint64_t values = 0;
  std::uint64_t wrong_bits = 0;  // NaN or infinity on one side that is not the same on the other

  void add(double value, double decoded);
  // 20 log10(range / root mean square error), in dB; infinite without any error.
  double psnr(double range) const;
};

struct Verification {
  std::uint64_t particles = 0;  // compared
  bool all = false;             // of the snapshot; else evenly spread stretches of blocks
  Errors errors;
  std::string problem;  // empty: the bound holds, ids and types are the same
};

// Up to this many particles all are compared, above that as many.
inline constexpr std::uint64_t verified_particles = 8000000;

// Ranges of whole blocks, evenly spread over all and about `wanted` particles together; the last ends at `particles`.
std::vector<Range> stretches(std::uint64_t particles, std::uint64_t block_size, std::uint64_t wanted);

// Compares `outcome` of the device with the snapshot; compresses on the device again.
Verification verify(Device &device, const Snapshot &snapshot, double bound, const Outcome &outcome,
                    std::uint64_t wanted = verified_particles);

}  // namespace gpz::bench
