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

#ifndef LMP_GPZ_SETTINGS_H
#define LMP_GPZ_SETTINGS_H

#include <gpz/trajectory.hpp>
#include <optional>
#include <string>
#include <vector>

#include "gpz_backend.h"
#include "gpz_output.h"
#include "gpz_position_bound.h"
#include "gpz_share.h"

namespace LAMMPS_NS {
class GPZColumns;
class LAMMPS;

// The settings of dump_modify for this style, by keyword.
struct GPZSettings {
  explicit GPZSettings(const char *unit_style) : eb(unit_style) {}

  std::optional<GPZOutput::Async> async;  // without: that of the device
  bool direct = true;
  int threads = 0;  // that compress on a CPU; 0: as many as LAMMPS has, or of idle cores
  GPZBackend::Device device = GPZBackend::Device::AUTO;
  std::optional<gpz::Effort> effort;  // without: that of the device
  gpz::Order order = gpz::default_order;
  unsigned key = gpz::default_key_interval;
  int share = GPZShare::default_target;  // atoms of a chunk; 0: no
  GPZPositionBound eb;
  bool thermo = false;                   // the columns of thermodynamic output are observables of the frames
  std::vector<std::string> observables;  // others: v_name, c_ID[1] and the like
  bool provenance = false;               // a table of how the simulation is made
  bool topology = false;                 // tables of bonds, atom types and the like

  // The setting on such a device: GPUs have order place, and effort fast unless it was set.
  gpz::Effort effort_on(bool gpu) const { return effort.value_or(gpu ? gpz::Effort::fast : gpz::default_effort); }
  gpz::Order order_on(bool gpu) const { return gpu ? gpz::Order::place : order; }
  // Where KOKKOS keeps the atoms on a GPU (`kokkos_gpu`), cores are idle that may compress.
  GPZOutput::Async async_on(bool kokkos_gpu, bool gpu) const {
    return async.value_or(kokkos_gpu && !gpu ? GPZOutput::Async::compress_and_write : GPZOutput::Async::write);
  }
  // The frames of a dump.
  struct Frames {
    bool have_ids;
    bool are_on_gpu;  // KOKKOS keeps the atoms there
    // Positions with a bound, and integers, in a box that is not general triclinic: a GPU has effort standard for them.
    bool suit_gpu;
  };
  // Why the setting is not one of a GPU alone; empty: it is one.
  std::string only_on_cpu(const Frames &frames) const;
  // Whether a GPU encodes what it can of effort standard, and the CPU all else.
  bool shares_with_gpu(const Frames &frames) const;

  // Reads the keyword arg[0], and returns the number of words with those that follow it; 0: not a keyword of this
  // style. The keyword `bound` sets bounds of `columns`. Throws std::invalid_argument if the value is not possible, or
  // if the keyword makes no sense for this style; a LAMMPS error if a word is missing or no number.
  int read(int narg, char **arg, LAMMPS *lmp, GPZColumns &columns);
};

}  // namespace LAMMPS_NS

#endif
