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

#ifndef LMP_GPZ_CHUNK_H
#define LMP_GPZ_CHUNK_H

#include <cstddef>
#include <cstdint>
#include <functional>
#include <gpz/container.hpp>
#include <utility>
#include <vector>

namespace LAMMPS_NS {

// Records that are no frames, one after the other.
class GPZRecords {
 public:
  GPZRecords() = default;
  explicit GPZRecords(std::vector<gpz::StoredRecord> list) : list_(std::move(list)), length_(bytes().size()) {}

  const std::vector<gpz::StoredRecord> &list() const { return list_; }
  std::uint64_t length() const { return length_; }  // bytes
  gpz::Bytes bytes() const {
    gpz::Bytes all;
    for (const gpz::StoredRecord &record : list_) {
      const gpz::Bytes bytes = gpz::record_bytes(record);
      all.insert(all.end(), bytes.begin(), bytes.end());
    }
    return all;
  }

 private:
  std::vector<gpz::StoredRecord> list_;
  std::uint64_t length_ = 0;
};

// A frame's chunk of this rank, until it is in the file.
struct GPZChunk {
  std::uint64_t particles = 0;
  std::size_t size = 0;               // bytes; 0: this rank has none
  std::vector<double> largest_error;  // per field
  // The bytes, once they are in host memory: waits for a copy from a GPU. Called once, in whatever thread writes.
  std::function<const std::uint8_t *()> bytes;
  // If the chunk is compressed in the background: compresses it and sets the members above. Called once, in the thread
  // that compresses, in the order of frames. Empty: they are set.
  std::function<void(GPZChunk &)> compress;
  // On the group's first rank: what stands in front of the frame, such as its observables.
  GPZRecords records;
};

}  // namespace LAMMPS_NS

#endif
