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

#include <gpz/version.h>

#include <cstring>
#include <memory>

#include "comm.h"
#include "dump_gpz.h"
#include "error.h"
#include "fix_gpz_step.h"
#include "gpzplugin_fit.h"
#include "info.h"
#include "input.h"
#include "modify.h"
#include "output.h"
#include "rerun_gpz.h"

using namespace LAMMPS_NS;

static Dump *create_dump(LAMMPS *lmp, int narg, char **arg) { return new DumpGPZ(lmp, narg, arg); }

static Fix *create_fix(LAMMPS *lmp, int narg, char **arg) { return new FixGPZStep(lmp, narg, arg); }

// LAMMPS compiles its reader formats in, so the plugin has commands of its own for format gpz (CMakeLists.txt: LAMMPS's
// sources, compiled once more). For other formats it calls the commands that were there before it.
template <class Own>
class ReadCommand : public Command {
 public:
  using Command::Command;

  void command(int narg, char **arg) override {
    const std::unique_ptr<Command> chosen(gpz_reads(narg, arg) ? new Own(lmp) : before_(lmp));
    chosen->command(narg, arg);
  }

  static void replace(Input *input, const char *name) {
    Input::CommandCreator &creator = (*input->command_map)[name];
    if (creator == &create) return;  // not the first call
    before_ = creator;
    creator = &create;
  }

 private:
  static inline Input::CommandCreator before_;

  static Command *create(LAMMPS *lmp) { return new ReadCommand(lmp); }
};

#ifdef GPZ_KOKKOS_VERSION
// The layout and types of KOKKOS's arrays are compiled in as well. A LAMMPS that has one layout only does not name it.
static void check_kokkos(LAMMPS *lmp) {
  if (!lmp->kokkos || !Info::has_accelerator_feature("KOKKOS", "api", "cuda")) return;
  struct {
    const char *title, *built_for, *remedy;
  } const settings[] = {
      {"Kokkos library version: ", GPZ_KOKKOS_VERSION, "Kokkos_DIR=<lib/cmake/Kokkos of the Kokkos of this LAMMPS>"},
      {"KOKKOS package precision: ", GPZ_KOKKOS_PREC, "GPZ_LAMMPS_KOKKOS_PREC=<KOKKOS_PREC of this LAMMPS>"},
      {"KOKKOS package view layout: ", GPZ_KOKKOS_LAYOUT, "GPZ_LAMMPS_KOKKOS_LAYOUT=<KOKKOS_LAYOUT of this LAMMPS>"},
  };
  const std::string info = Info::get_accelerator_info("KOKKOS");
  for (const auto &setting : settings) {
    const std::size_t title = info.find(setting.title);
    if (title == std::string::npos) continue;
    const std::size_t value = title + strlen(setting.title);
    const std::string is = info.substr(value, info.find('\n', value) - value);
    if (is != setting.built_for)
      lmp->error->all(FLERR, std::string("gpzplugin.so was built for another KOKKOS (") + setting.title +
                                 setting.built_for + ", of this LAMMPS: " + is + "): rebuild it with -D " +
                                 setting.remedy);
  }
}
#endif

// LAMMPS has no plugin kind "dump", so this registers the style itself, again on every call: "clear" forgets it.
extern "C" __attribute__((visibility("default"))) void lammpsplugin_init(void *instance, void *, void *) {
  auto *lmp = static_cast<LAMMPS *>(instance);

  if (!gpz_plugin_fits(lmp)) return;

#ifdef GPZ_KOKKOS_VERSION
  check_kokkos(lmp);
#endif

  (*lmp->output->dump_map)["gpz"] = &create_dump;
  (*lmp->modify->fix_map)["GPZ/STEP"] = &create_fix;
  ReadCommand<RerunGPZ>::replace(lmp->input, "rerun");
  ReadCommand<ReadDumpGPZ>::replace(lmp->input, "read_dump");
  if (lmp->comm->me == 0)
    utils::logmesg(lmp, std::string("Loaded dump style and reader format gpz (gpz " GPZ_VERSION_STRING ")\n"));
}
