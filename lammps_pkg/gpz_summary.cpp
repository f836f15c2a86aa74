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

#include "fmt/format.h"

using namespace LAMMPS_NS;

namespace {

std::string plural(std::uint64_t count, const char *noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

// "x y z 0.000499 of 0.0005" for every bounded field.
std::string errors(const std::vector<gpz::FieldInput> &fields, const std::vector<double> &largest_error) {
  std::string text;
  for (std::size_t f = 0; f < fields.size(); ++f) {
    const gpz::Field &field = fields[f].field;
    if (field.bound == 0) continue;
    if (!text.empty()) text += ", ";
    for (const gpz::Field::Component &component : field.components) text += component.name + " ";
    text += fmt::format("{:.6g} of {:.6g}", largest_error[f], field.bound);
  }
  return text.empty() ? "none, all columns are lossless" : text;
}

}  // namespace

void GPZSummary::begin_frame(bool in_loop) {
  in_loop_ = in_loop;
  last_ = MPI_Wtime();
}

void GPZSummary::lap(Phase phase) {
  const double now = MPI_Wtime();
  seconds_[phase] += now - last_;
  if (in_loop_) seconds_[nphases] += now - last_;
  last_ = now;
}

void GPZSummary::end_frame(std::uint64_t bytes, std::uint64_t local_atoms, std::size_t columns,
                           const std::vector<double> &largest_error) {
  ++frames_;
  totals_[0] += static_cast<double>(bytes);
  totals_[1] += static_cast<double>(local_atoms * columns);
  totals_[2] += static_cast<double>(local_atoms);
  largest_error_.resize(largest_error.size());
  for (std::size_t f = 0; f < largest_error.size(); ++f)
    largest_error_[f] = std::max(largest_error_[f], largest_error[f]);
}

std::string GPZSummary::report(MPI_Comm world, const std::string &title, const std::vector<gpz::FieldInput> &fields,
                               double loop_seconds) const {
  auto my_seconds = seconds_, seconds = seconds_;
  auto my_totals = totals_, totals = totals_;
  std::vector<double> my_errors = largest_error_;
  my_errors.resize(fields.size());
  std::vector<double> largest_error = my_errors;
  MPI_Allreduce(my_seconds.data(), seconds.data(), nphases + 1, MPI_DOUBLE, MPI_MAX, world);
  MPI_Allreduce(my_totals.data(), totals.data(), 3, MPI_DOUBLE, MPI_SUM, world);
  MPI_Allreduce(my_errors.data(), largest_error.data(), static_cast<int>(fields.size()), MPI_DOUBLE, MPI_MAX, world);
  const double bytes = totals[0], values = totals[1], atoms = totals[2];

  std::string text = fmt::format("{}: {}, {:.0f} bytes", title, plural(frames_, "frame"), bytes);
  if (atoms > 0)
    text +=
        fmt::format(", {:.4g} bits/atom, ratio {:.4g} (to 8 bytes a value)", 8.0 * bytes / atoms, 8.0 * values / bytes);
  text += "\n";
  if (skipped_) text += fmt::format("  not written again, because the file had them: {}\n", plural(skipped_, "frame"));
  if (frames_) text += fmt::format("  largest error: {}\n", errors(fields, largest_error));
  text += fmt::format("  seconds: gather {:.4g}, compress {:.4g}, communicate {:.4g}, write {:.4g}", seconds[GATHER],
                      seconds[COMPRESS], seconds[COMMUNICATE], seconds[WRITE]);
  if (loop_seconds > 0) text += fmt::format("; {:.3g} % of the loop", 100.0 * seconds[nphases] / loop_seconds);
  return text + "\n";
}
