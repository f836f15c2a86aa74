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
#include "gpz_continued.h"

#include <cerrno>
#include <gpz/continuation.hpp>
#include <gpz/error.hpp>
#include <gpz/reader.hpp>
#include <vector>

#include "gpz_box.h"

using namespace LAMMPS_NS;

namespace {

// Calls what throws gpz::Error without the name of the file.
template <class F>
void in_file(const std::string &path, F &&call) {
  try {
    call();
  } catch (const gpz::Error &e) {
    throw gpz::Error(e.status(), e.cause(), path);
  }
}

std::string text_of(const std::vector<std::string> &columns) {
  std::string text;
  for (const std::string &column : columns) text += (text.empty() ? "" : " ") + column;
  return text;
}

}  // namespace

std::optional<GPZContinued> GPZContinued::find(const std::string &path, const gpz::Metadata &given) {
  GPZContinued found;
  found.path_ = path;
  try {
    found.scan_ = gpz::scan_file(path);
  } catch (const gpz::Error &e) {
    if (e.status() == gpz::Status::truncated || e.system_error() == ENOENT) return std::nullopt;
    throw;
  }

  const gpz::Metadata &in_file_header = found.scan_.metadata;
  gpz::Metadata wanted = given;
  // Every simulation has these, also if nobody has given them: a file of another program may leave them out.
  if (in_file_header.atom_style.empty()) wanted.atom_style.clear();
  // Each frame of a dump has its time, so a run may go on with another timestep, as it may within a dump.
  if (in_file_header.timestep_size == 0 || gpz::all_have_times(found.scan_)) wanted.timestep_size = 0;
  in_file(path, [&] {
    if (in_file_header.columns != wanted.columns)
      throw gpz::Error(gpz::Status::invalid_argument, "cannot append with columns " + text_of(wanted.columns) +
                                                          ": the file has columns " + text_of(in_file_header.columns) +
                                                          "; give the same, or write another file");
    gpz::require_continuation(in_file_header, wanted);
  });

  const std::size_t frames = found.scan_.frames.size();
  if (frames > 0) {
    const gpz::Reader reader(path);
    found.first_edge_ = gpz_longest_edge(reader.info(0).box);
    found.last_ = reader.info(frames - 1);
  }
  return found;
}

std::string GPZContinued::last_frame() const {
  if (!last_) return {};
  gpz::FrameInfo head = *last_;
  head.particles = 0;
  head.since_key = 0;
  const gpz::Bytes file = gpz::file_header({});
  const gpz::FrameRecord record = gpz::frame_record(head, {});
  std::string bytes(file.begin(), file.end());
  bytes.append(record.prefix.begin(), record.prefix.end());
  bytes.append(record.trailer.begin(), record.trailer.end());
  return bytes;
}

gpz::FrameInfo GPZContinued::frame_of(const std::string &last_frame) {
  return gpz::Reader(reinterpret_cast<const std::uint8_t *>(last_frame.data()), last_frame.size()).info(0);
}

void GPZContinued::require_next(const gpz::FrameInfo &next) const {
  if (last_) in_file(path_, [&] { gpz::require_continuation(*last_, next); });
}
