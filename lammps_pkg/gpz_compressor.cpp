// SPDX-License-Identifier: GPL-2.0-only
/* ----------------------------------------------------------------------
   LAMMPS - Large-scale Atomic/Molecular Massively Parallel Simulator
   https://www.lammps.org/, Sandia National Laboratories
   LAMMPS development team: developers@lammps.org

   Copyright (2003) Sandia Corporation.  Under the terms of Contract
   DE-AC04-94AL85000 with Sandia Corporation, the U.S. Government retains
   certain rights in this software.  This software is distributed under
   the GNU General Public License.

   See the README file in the top-level LAMMPS directory.
------------------------------------------------------------------------- */

#include "gpz_compressor.h"

#include <algorithm>

using namespace LAMMPS_NS;

namespace {

class CPUCompressor : public GPZCompressor {
 public:
  explicit CPUCompressor(int threads) : encoder_(threads), chunks_(GPZBackground::nbuffers) {}

  GPZChunk compress(std::vector<gpz::FieldInput> fields, std::uint64_t, std::uint64_t particles, const int *rows,
                    const gpz::Box &box, bool key, int buffer) override {
    gpz::EncodedChunk &chunk = chunks_[buffer];
    encoder_.encode(fields, static_cast<std::size_t>(particles), rows, box, key, chunk);
    return {chunk.particles, chunk.bytes.size(), chunk.largest_error, [&chunk] { return chunk.bytes.data(); }};
  }

  void set(gpz::Order order, gpz::Effort effort, std::uint32_t features) override {
    encoder_.set_order(order);
    encoder_.set_effort(effort, features);
  }

  double memory_usage() const override {
    // LAMMPS asks when the first frame has filled one buffer.
    std::size_t largest = 0;
    for (const gpz::EncodedChunk &chunk : chunks_) largest = std::max(largest, chunk.bytes.capacity());
    return static_cast<double>(GPZBackground::nbuffers * largest + encoder_.memory_usage());
  }

 private:
  gpz::TrajectoryEncoder encoder_;
  std::vector<gpz::EncodedChunk> chunks_;
};

}  // namespace

std::unique_ptr<GPZCompressor> LAMMPS_NS::make_cpu_compressor(int threads) {
  return std::make_unique<CPUCompressor>(threads);
}
