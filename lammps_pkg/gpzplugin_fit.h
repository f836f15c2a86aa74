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

#ifndef LMP_GPZPLUGIN_FIT_H
#define LMP_GPZPLUGIN_FIT_H

namespace LAMMPS_NS {

class LAMMPS;

/// Whether the plugin was built for the LAMMPS that loads it: same version, integer sizes and MPI, and every function
/// that the plugin calls is there. If not, it says which LAMMPS the plugin was built for and how to build another: as a
/// LAMMPS error, or, if LAMMPS_PLUGIN_PATH names the plugin's folder, as a warning. LAMMPS then starts without the
/// plugin.
bool gpz_plugin_fits(LAMMPS *lmp);

}  // namespace LAMMPS_NS

#endif
