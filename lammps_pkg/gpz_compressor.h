// SPDX-License-Identifier: GPL-2.0-only
/* -*- c++ -*- ----------------------------------------------------------
   LAMMPS - Large-scale Atomic/Molecular Massively Parallel Simulator
   https://www.lammps.org/, Sandia National Laboratories
   LAMMPS development team: developers@lammps.org

   Copyright (2003) Sandia Corporation.  Under the terms of Contract
   DE-AC04-94AL85000 with Sandia Corporation, the U.S. Government retains
   certain rights in this software.  This software is distributed under
   the GNU General Public License.

   See the README file in the top-level LAMMPS directory.
------------------------------------------------------------------------- */

#ifndef LMP_GPZ_COMPRESSOR_H
#define LMP_GPZ_COMPRESSOR_H

#include <gpz/frame.hpp>
#include <gpz/trajectory.hpp>
#include <memory>

#include "gpz_chunk.h"
#include "gpz_rows.h"

namespace LAMMPS_NS {

// Makes chunks of a rank's atoms, on a CPU or a GPU, the same bytes. Throws gpz::Error.
class GPZCompressor {
 public:
  virtual ~GPZCompressor() = default;

  // The chunk of these atoms. `frame` is as in gpz::IntervalEncoder::encode. The chunk stays in buffer number `buffer`,
  // of GPZBackground::nbuffers, until that is used again. Arrays and rows may change when the call has returned.
  // `behind`: the chunk is to be compressed in the background (GPZChunk::compress), if this compressor can; the next
  // call may come before that has ended.
  virtual GPZChunk compress(GPZRows atoms, const gpz::FrameInfo &frame, int buffer, bool behind) = 0;

  // From the next chunk on. GPUs have order place, and no codings that need features (GPZSettings::only_on_cpu).
  virtual void set(const gpz::Encoding & /*encoding*/) {}

  // Bytes of host memory.
  virtual double memory_usage() const = 0;
};

// Encodes the atoms of frames in host memory, in one thread at a time. Throws gpz::Error.
class GPZRowEncoder {
 public:
  virtual ~GPZRowEncoder() = default;
  // Sets all of `result` but what says how to compress. The bytes stay until `buffer` is used again.
  virtual void encode(const GPZRows &atoms, const gpz::FrameInfo &frame, const gpz::Encoding &encoding, int buffer,
                      GPZChunk &result) = 0;
  // Bytes of host memory. Any thread may ask.
  virtual std::size_t memory_usage() const = 0;
};

std::unique_ptr<GPZRowEncoder> make_cpu_encoder(int threads);
// Copies atoms on the CPU, on these threads, for an encoder.
std::unique_ptr<GPZCompressor> make_cpu_compressor(int threads, std::unique_ptr<GPZRowEncoder> encoder);

}  // namespace LAMMPS_NS

#endif
