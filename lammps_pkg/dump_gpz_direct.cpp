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

// VerletKokkos copies all arrays of atoms to the host before it calls Output::write. Where nothing but the atoms on the
// GPU is wanted, fix GPZ/STEP calls before that, and the books of Output are kept as Output::write does: class DumpGPZ,
// continued from dump_gpz.cpp.

#include <algorithm>
#include <cstring>

#include "comm.h"
#include "dump_gpz.h"
#include "fix.h"
#include "modify.h"
#include "output.h"
#include "update.h"

using namespace LAMMPS_NS;

// Among the dumps that Output calls; -1 if it does not, because this is of the command write_dump.
int DumpGPZ::place_in_output() const {
  for (int place = 0; place < output->ndump; ++place)
    if (output->dump[place] == this) return place;
  return -1;
}

void DumpGPZ::choose_direct() {
  const int place = place_in_output();
  const bool possible = place >= 0 && backend_.device_atoms();
  const std::string obstacle = possible ? why_not_direct(place) : "";
  direct_ = possible && obstacle.empty();

  std::string text = fmt::format("Dump {} gpz: {}", id, backend_.text());
  if (direct_)
    text += ", before KOKKOS copies them for other output";
  else if (possible)
    text += ", at the time of other output, because " + obstacle;
  text += "\n";
  if (comm->me == 0 && text != backend_printed_) utils::logmesg(lmp, text);
  backend_printed_ = text;
}

// What stands against it; empty: nothing.
std::string DumpGPZ::why_not_direct(int place) {
  if (!direct_wanted_) return "of dump_modify direct no";
  if (update->whichflag != 1) return "only a run has steps";
  if (strcmp(update->integrate_style, "verlet/kk") != 0) return std::string("of run_style ") + update->integrate_style;
  if (output->mode_dump[place] || output->var_dump[place]) return "its steps are not a fixed number apart";
  if (pbcflag) return "of dump_modify pbc yes";
  if (skipflag || refreshflag) return "of dump_modify skip or refresh";
  const auto stored = columns_->stored();
  if (!stored_only() || !backend_.device_atoms()->has(stored))
    return "columns, a region or a threshold need data in host memory";
  for (int n = 0; n < modify->nfix; ++n)
    if (modify->fmask[n] & FixConst::END_OF_STEP)
      return std::string("fix ") + modify->fix[n]->id + " acts at the end of steps";
  const bool velocities = std::find(stored.begin(), stored.end(), GPZProperty::v) != stored.end();
  for (int n = modify->nfix - 1; n >= 0 && modify->fix[n]->id != fix_id_; --n) {
    const Fix *later = modify->fix[n];
    if (!(modify->fmask[n] & FixConst::FINAL_INTEGRATE) || strcmp(later->style, "GPZ/STEP") == 0) continue;
    if (velocities) return std::string("fix ") + later->id + ", which was defined later, changes velocities";
    // fix drude/transform/inverse gives atoms their positions back; who integrates has moved them already
    if (!later->time_integrate)
      return std::string("fix ") + later->id + ", which was defined later, may change positions";
  }
  return {};
}

void DumpGPZ::positions_are_final() {
  if (!direct_) return;
  const int place = place_in_output();
  const bigint step = update->ntimestep;
  if (place < 0 || output->next_dump[place] != step) return;
  if (!why_not_direct(place).empty()) return;  // dump_modify before "run pre no"
  write();
  output->last_dump[place] = step;
  output->next_dump[place] += output->every_dump[place];
  output->next_dump_any = *std::min_element(output->next_dump, output->next_dump + output->ndump);
  output->next = std::min({output->next_dump_any, output->next_restart, output->next_thermo});
}
