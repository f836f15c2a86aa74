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

#include "gpz_summary.h"

#include <algorithm>
#include <functional>
#include <numeric>

#include "fmt/format.h"

using namespace LAMMPS_NS;

namespace {

std::string plural(std::uint64_t count, const char *noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

// "x y z 0.000499 of 0.0005" for every bounded field.
std::string errors(const std::vector<gpz::FieldInput> &fields, const std::vector<double> &largest_error,
                   const std::vector<double> &largest_bound) {
  std::string text;
  for (std::size_t f = 0; f < fields.size(); ++f) {
    if (largest_bound[f] == 0) continue;
    if (!text.empty()) text += ", ";
    for (const gpz::Field::Component &component : fields[f].field.components) text += component.name + " ";
    text += fmt::format("{:.6g} of {:.6g}", largest_error[f], largest_bound[f]);
  }
  return text.empty() ? "none, all columns are lossless" : text;
}

// On all ranks, the largest that one of them has.
std::vector<double> maximum(MPI_Comm world, std::vector<double> mine, std::size_t size) {
  mine.resize(size);  // empty if this rank has skipped all frames
  std::vector<double> all = mine;
  MPI_Allreduce(mine.data(), all.data(), static_cast<int>(size), MPI_DOUBLE, MPI_MAX, world);
  return all;
}

template <std::size_t size>
std::array<double, size> sum(MPI_Comm world, std::array<double, size> mine) {
  std::array<double, size> all = mine;
  MPI_Allreduce(mine.data(), all.data(), static_cast<int>(size), MPI_DOUBLE, MPI_SUM, world);
  return all;
}

template <std::size_t size>
double total(const std::array<double, size> &values) {
  return std::accumulate(values.begin(), values.end(), 0.0);
}

}  // namespace

void GPZSummary::begin(Part part) {
  part_ = part;
  last_ = MPI_Wtime();
}

void GPZSummary::lap(Phase phase) {
  const double now = MPI_Wtime();
  seconds_[part_][phase] += now - last_;
  last_ = now;
}

void GPZSummary::end_frame(std::uint64_t local_atoms, std::size_t columns) {
  ++frames_;
  totals_[1] += static_cast<double>(local_atoms * columns);
  totals_[2] += static_cast<double>(local_atoms);
}

void GPZSummary::placed(std::uint64_t bytes, const std::vector<gpz::Field> &fields) {
  totals_[0] += static_cast<double>(bytes);
  largest_error_.resize(fields.size());
  largest_bound_.resize(fields.size());
  for (std::size_t f = 0; f < fields.size(); ++f) {
    largest_error_[f] = std::max(largest_error_[f], fields[f].largest_error);
    largest_bound_[f] = std::max(largest_bound_[f], fields[f].bound);
  }
}

std::string GPZSummary::report(MPI_Comm world, const std::string &title, const std::string &chunks,
                               const std::vector<gpz::FieldInput> &fields, double loop_seconds) const {
  const std::vector<double> largest_error = maximum(world, largest_error_, fields.size());
  const std::vector<double> largest_bound = maximum(world, largest_bound_, fields.size());
  const auto totals = sum(world, totals_);
  const double bytes = totals[0], values = totals[1], atoms = totals[2];

  std::string text = fmt::format("{}: {}, {:.0f} bytes", title, plural(frames_, "frame"), bytes);
  if (atoms > 0)
    text +=
        fmt::format(", {:.4g} bits/atom, ratio {:.4g} (to 8 bytes a value)", 8.0 * bytes / atoms, 8.0 * values / bytes);
  text += "\n";
  if (skipped_)
    text += fmt::format("  not written, because the file goes beyond them: {}\n", plural(skipped_, "frame"));
  if (frames_) text += fmt::format("  largest error: {}\n", errors(fields, largest_error, largest_bound));
  if (frames_ && !chunks.empty()) text += "  " + chunks + "\n";
  text += time(world, loop_seconds);
  if (copies_) {
    int nranks = 1;
    MPI_Comm_size(world, &nranks);
    const double seconds = sum(world, std::array<double, 1>{copy_seconds_})[0] / nranks;
    text += fmt::format("  KOKKOS copied {} to the host for {}: {:.3f} ms each\n", copied_, plural(copies_, "frame"),
                        1e3 * seconds / static_cast<double>(copies_));
  }
  return text;
}

// Means over the ranks, as in the timing breakdown of LAMMPS, so that they add up.
std::string GPZSummary::time(MPI_Comm world, double loop_seconds) const {
  int nranks = 1;
  MPI_Comm_size(world, &nranks);
  std::array<Seconds, nparts> parts{};
  for (int part = 0; part < nparts; ++part) {
    parts[part] = sum(world, seconds_[part]);
    for (double &seconds : parts[part]) seconds /= nranks;
  }
  const double background = sum(world, std::array<double, 1>{background_seconds_})[0] / nranks;
  const double behind = sum(world, std::array<double, 1>{behind_seconds_})[0] / nranks;

  const bool in_loop = loop_seconds > 0 && total(parts[INSIDE]) > 0;
  Seconds seconds = parts[INSIDE];
  if (!in_loop)
    std::transform(parts[BEFORE].begin(), parts[BEFORE].end(), parts[AFTER].begin(), seconds.begin(), std::plus<>());
  const auto entry = [&](const char *name, double value) {
    const std::string share = in_loop ? fmt::format(" ({:.1f} %)", 100.0 * value / loop_seconds) : "";
    return fmt::format("{} {:.3f} s{}", name, value, share);
  };
  std::string text = in_loop ? "  time in the loop: " : "  time: ";
  text += entry("gather", seconds[GATHER]) + ", " +
          (seconds[COPY] > 0 ? entry("copy", seconds[COPY]) + ", " : std::string()) +
          entry("compress", seconds[COMPRESS]) + ", " + entry("communicate", seconds[COMMUNICATE]) + ", " +
          (background_ ? entry("wait", seconds[WAIT]) : entry("write", seconds[WRITE])) + ", " +
          entry("sum", total(seconds));
  if (in_loop) text += fmt::format("; before it {:.3f} s", total(parts[BEFORE]));
  if (in_loop && background_) text += fmt::format(", after it {:.3f} s", total(parts[AFTER]));
  if (background_) text += fmt::format("; written in the background in {:.3f} s", background);
  if (behind_) text += fmt::format(", compressed there in {:.3f} s", behind);
  return text + "\n";
}
