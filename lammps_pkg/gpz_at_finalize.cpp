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

#include "gpz_at_finalize.h"

#include <mpi.h>

#include <algorithm>
#include <cstdlib>
#include <exception>
#include <utility>
#include <vector>

using namespace LAMMPS_NS;

namespace {

using Actions = std::vector<const std::function<void()> *>;

void run(Actions &actions) {
  for (const auto *action : Actions(std::move(actions))) {
    try {
      (*action)();
    } catch (const std::exception &) {  // nobody is left to be told
    }
  }
  actions.clear();
}

#ifndef MPI_STUBS
// MPI deletes the attributes of MPI_COMM_SELF first of all, while everything still works.
extern "C" int gpz_run_at_finalize(MPI_Comm, int, void *actions, void *) {
  run(*static_cast<Actions *>(actions));
  return MPI_SUCCESS;
}

void arrange(Actions &actions) {
  int key = MPI_KEYVAL_INVALID;
  MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, &gpz_run_at_finalize, &key, nullptr);
  MPI_Comm_set_attr(MPI_COMM_SELF, key, &actions);
  MPI_Comm_free_keyval(&key);  // the attribute keeps it
}
#else
Actions *at_exit = nullptr;

void arrange(Actions &actions) {
  at_exit = &actions;
  std::atexit([] { run(*at_exit); });
}
#endif

// The actions of all objects. The list is never destroyed, because it is used while the program ends.
Actions &all_actions() {
  static Actions *const actions = [] {
    auto *const made = new Actions;
    arrange(*made);
    return made;
  }();
  return *actions;
}

}  // namespace

GPZAtFinalize::GPZAtFinalize(std::function<void()> action) : action_(std::move(action)) {
  all_actions().push_back(&action_);
}

GPZAtFinalize::~GPZAtFinalize() {
  Actions &actions = all_actions();
  actions.erase(std::remove(actions.begin(), actions.end(), &action_), actions.end());
}
