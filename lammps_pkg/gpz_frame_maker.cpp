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
#include <gpz/chunk.hpp>
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

// A chunk that is compressed, with the errors that its values have in the end.
GPZChunk GPZFrameMaker::finished(GPZChunk chunk, const std::vector<gpz::Field> &fields) {
  for (std::size_t f = 0; f < chunk.largest_error.size(); ++f)
    chunk.largest_error[f] = gpz::error_beside(fields[f].bound, fields[f].largest_error, chunk.largest_error[f]);
  return lossless_.counted(std::move(chunk), fields.size());
}

GPZChunk GPZFrameMaker::make(MPI_Comm group, int buffer, bool behind, GPZSummary &summary, std::string &problem) {
  const bool is_on_device = source_.device_atoms() != nullptr;
  const bool in_host = !(is_on_device && backend_.is_on_gpu());
  if (!share_.keeps(in_host)) schedule_.restart();
  describe();  // the other ranks expect as many fields of this one, and what a key frame needs, whatever fails
  GPZRows atoms;
  try {
    atoms = source_.rows(backend_.host_atoms());
    if (is_on_device && in_host) backend_.fetch(atoms, buffer);
    describe();  // with the types that the arrays have; takes no memory
    lossless_.see(atoms, in_host);
  } catch (const std::exception &e) {
    problem = e.what();
  }
  summary.lap(GPZSummary::COMPRESS);
  const bool key = head_.since_key == 0;
  share_.prepare(group, key, source_.particles(), in_host);
  const bool mine = share_.gather(atoms, problem);
  summary.lap(GPZSummary::COMMUNICATE);
  GPZChunk chunk;
  try {
    if (mine) chunk = backend_.compressor().compress(std::move(atoms), head_.box, key, buffer, behind);
    if (chunk.compress) {
      chunk.compress = [this, compress = std::move(chunk.compress), fields = head_.fields](GPZChunk &result) {
        compress(result);
        result = finished(std::move(result), fields);
      };
    } else {
      chunk = finished(std::move(chunk), head_.fields);
    }
  } catch (const std::exception &e) {
    problem = e.what();
  }
  summary.lap(GPZSummary::COMPRESS);
  return chunk;
}
