// SPDX-License-Identifier: BSD-3-Clause
// Another program on the same data: raw values in a file, its command line timed by the wall clock.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "bench/measure.hpp"
#include "bench/process.hpp"
#include "bench/snapshot.hpp"
#include "bench/verify.hpp"

namespace gpz::bench {

// In the commands {in} {out} {decoded} stand for files, {eb} for the absolute bound, {rel} for it as a fraction of the
// longest edge, {n} for particles, {values} for particles times components, {components}, {type} for f32 or f64.
struct Peer {
  std::string name;
  std::string compress;
  std::string decompress;  // empty: not run
};

struct PeerOutcome {
  std::uint64_t bytes = 0;  // of {out}; 0: there was none
  Timing compress;
  std::optional<Timing> decompress;
  std::optional<Errors> errors;  // of {decoded}, if it has the size of the input; in the order of the input
  std::string output;            // of the last command of each kind
};

// Pairs "NAME=COMMAND" of both options; throws Failure (usage) for one without a name or a command, for a name given
// twice, and for a decompressor without a compressor.
std::vector<Peer> parse_peers(const std::vector<std::string> &compress, const std::vector<std::string> &decompress);

// Runs the peers on the positions of one cloud.
class PeerRunner {
 public:
  // Writes the input file. `longest_edge` > 0. `cloud` has to outlive it.
  PeerRunner(const Cloud &cloud, double longest_edge);
  // Throws Failure if a command fails.
  PeerOutcome run(const Peer &peer, double bound, const Repeats &repeats) const;

 private:
  std::string filled_in(std::string command, double bound) const;
  std::optional<Errors> errors_of_decoded() const;

  const Cloud &cloud_;
  double longest_edge_;
  ScratchFolder folder_;
};

}  // namespace gpz::bench
