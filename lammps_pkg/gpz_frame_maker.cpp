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

#include "gpz_frame_maker.h"

#include <exception>
#include <utility>

#include "gpz_backend.h"
#include "gpz_source.h"
#include "gpz_summary.h"

using namespace LAMMPS_NS;

void GPZFrameMaker::set_key_interval(unsigned frames) { schedule_.set_interval(frames); }

void GPZFrameMaker::set_share(int atoms) {
  share_.set_target(atoms);
  schedule_.restart();
}

void GPZFrameMaker::restart() {
  schedule_.restart();
  share_.restart();
}

void GPZFrameMaker::describe() {
  source_.describe(head_);
  head_.since_key = schedule_.next(head_.fields);
}

GPZChunk GPZFrameMaker::make(MPI_Comm group, int buffer, bool behind, GPZSummary &summary, std::string &problem) {
  const bool is_on_device = source_.device_atoms() != nullptr;
  const bool in_host = !(is_on_device && backend_.keeps_on_gpu());
  if (!share_.keeps(in_host)) schedule_.restart();
  describe();  // the other ranks expect as many fields of this one, and what a key frame needs, whatever fails
  GPZRows atoms;
  try {
    atoms = source_.rows(backend_.host_atoms());
    if (is_on_device) backend_.fetch(atoms, buffer);
    describe();  // with the types that the arrays have; takes no memory
    lossless_.see(atoms, in_host);
  } catch (const std::exception &e) {
    problem = e.what();
  }
  summary.lap(GPZSummary::COMPRESS);
  share_.prepare(group, head_.since_key == 0, source_.particles(), in_host);
  const bool mine = share_.gather(atoms, problem);
  summary.lap(GPZSummary::COMMUNICATE);
  GPZChunk chunk;
  try {
    gpz::FrameInfo part;  // of this rank
    part.particles = atoms.particles;
    part.since_key = head_.since_key;
    part.box = head_.box;
    if (mine) chunk = backend_.compressor().compress(std::move(atoms), part, buffer, behind);
    if (chunk.compress) {
      chunk.compress = [this, compress = std::move(chunk.compress), fields = head_.fields.size()](GPZChunk &result) {
        compress(result);
        result = lossless_.counted(std::move(result), fields);
      };
    } else {
      chunk = lossless_.counted(std::move(chunk), head_.fields.size());
    }
  } catch (const std::exception &e) {
    problem = e.what();
  }
  summary.lap(GPZSummary::COMPRESS);
  return chunk;
}
