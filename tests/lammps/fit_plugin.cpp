// SPDX-License-Identifier: BSD-3-Clause
// A plugin that says whether it fits the LAMMPS that loads it, and does nothing else. Built as if for other kinds of
// LAMMPS as well.
#include <string>

#include "gpzplugin_fit.h"
#include "lammps.h"
#include "utils.h"

namespace LAMMPS_NS {

void in_no_release_of_lammps();

}  // namespace LAMMPS_NS

extern "C" __attribute__((visibility("default"))) void lammpsplugin_init(void *instance, void *, void *) {
  auto *lmp = static_cast<LAMMPS_NS::LAMMPS *>(instance);
  if (!LAMMPS_NS::gpz_plugin_fits(lmp)) return;
#ifdef GPZ_TEST_MISSING_FUNCTION
  LAMMPS_NS::in_no_release_of_lammps();
#endif
  LAMMPS_NS::utils::logmesg(lmp, std::string("The plugin fits\n"));
}
