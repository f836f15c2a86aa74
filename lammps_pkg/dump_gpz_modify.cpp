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

// What dump_modify sets: class DumpGPZ, continued from dump_gpz.cpp.

#include <algorithm>
#include <cmath>
#include <cstring>
#include <stdexcept>

#include "dump_gpz.h"
#include "error.h"

using namespace LAMMPS_NS;

namespace {

// dump_modify keywords of other styles, which make no sense here, and what to do instead.
struct RefusedKeyword {
  const char *name, *advice;
};
const RefusedKeyword refused_keywords[] = {
    {"at", "frames are never overwritten; write to another file"},
    {"format", "set the precision with 'eb' and 'bound'; text is formatted by 'gpz decode'"},
    {"image", "list the columns ix iy iz"},
    {"label", "columns have their own names"},
    {"precision", "set it with 'eb' and 'bound'"},
    {"scale", "list the columns xs ys zs"},
    {"sfactor", "convert units after decoding"},
    {"tfactor", "convert units after decoding"},
    {"thermo", "thermo output is in the log"},
    {"types", "list the column typelabel"},
    {"unwrap", "list the columns xu yu zu, or use 'gpz decode --unwrap'"},
};

}  // namespace

/* ----------------------------------------------------------------------
   dump_modify
------------------------------------------------------------------------- */

int DumpGPZ::modify_param(int narg, char **arg) {
  if (strcmp(arg[0], "eb") == 0) return modify_eb(narg, arg);
  if (strcmp(arg[0], "bound") == 0) return modify_bound(narg, arg);
  if (strcmp(arg[0], "async") == 0) return modify_switch(narg, arg, async_);
  if (strcmp(arg[0], "direct") == 0) return modify_switch(narg, arg, direct_wanted_);
  if (strcmp(arg[0], "device") == 0) return modify_device(narg, arg);
  if (strcmp(arg[0], "key") == 0) return modify_key(narg, arg);
  if (strcmp(arg[0], "order") == 0) return modify_order(narg, arg);
  if (strcmp(arg[0], "effort") == 0) return modify_effort(narg, arg);
  if (strcmp(arg[0], "share") == 0) return modify_share(narg, arg);
  if (strcmp(arg[0], "format") == 0 && narg > 1 && strcmp(arg[1], "none") == 0) return 2;
  for (const RefusedKeyword &keyword : refused_keywords)
    if (strcmp(arg[0], keyword.name) == 0)
      fail(std::string("dump_modify ") + keyword.name + " is not possible: " + keyword.advice);

  const int used = DumpCustom::modify_param(narg, arg);
  if (used && strcmp(arg[0], "element") == 0) elements_given_ = true;
  if (used && strcmp(arg[0], "thresh") == 0) {
    if (strcmp(arg[1], "none") == 0)
      thresh_names_.clear();
    else
      thresh_names_.emplace_back(arg[1]);
  }
  return used;
}

int DumpGPZ::modify_eb(int narg, char **arg) {
  try {
    const int used = bound_.read(narg, arg, lmp);
    bound_printed_ = false;
    return used;
  } catch (const std::invalid_argument &e) {
    fail(e.what());
  }
}

int DumpGPZ::modify_switch(int narg, char **arg, bool &value) {
  if (narg < 2) utils::missing_cmd_args(FLERR, std::string("dump_modify ") + arg[0], error);
  value = utils::logical(FLERR, arg[1], false, lmp);
  return 2;
}

int DumpGPZ::modify_device(int narg, char **arg) {
  using Device = GPZBackend::Device;
  if (narg < 2) utils::missing_cmd_args(FLERR, "dump_modify device", error);
  const std::string name = arg[1];
  if (name != "auto" && name != "gpu" && name != "cpu")
    fail("dump_modify device must be auto, gpu or cpu, not " + name);
  backend_.set_device(name == "auto" ? Device::AUTO : name == "gpu" ? Device::GPU : Device::CPU);
  return 2;
}

int DumpGPZ::modify_key(int narg, char **arg) {
  if (narg < 2) utils::missing_cmd_args(FLERR, "dump_modify key", error);
  const bigint interval = utils::bnumeric(FLERR, arg[1], false, lmp);
  if (interval < 1 || interval > static_cast<bigint>(gpz::max_key_interval))
    fail(fmt::format("dump_modify key must be a number from 1 to {}, not {}", gpz::max_key_interval, arg[1]));
  schedule_.set_interval(static_cast<unsigned>(interval));
  return 2;
}

int DumpGPZ::modify_order(int narg, char **arg) {
  if (narg < 2) utils::missing_cmd_args(FLERR, "dump_modify order", error);
  const std::string name = arg[1];
  if (name != "place" && name != "id") fail("dump_modify order must be place or id, not " + name);
  order_ = name == "id" ? gpz::Order::id : gpz::Order::place;
  return 2;
}

int DumpGPZ::modify_effort(int narg, char **arg) {
  using gpz::Effort;
  if (narg < 2) utils::missing_cmd_args(FLERR, "dump_modify effort", error);
  const std::string name = arg[1];
  if (name != "fast" && name != "default" && name != "dense")
    fail("dump_modify effort must be fast, default or dense, not " + name);
  effort_ = name == "fast" ? Effort::fast : name == "dense" ? Effort::dense : Effort::standard;
  return 2;
}

// share auto, share no, share N
int DumpGPZ::modify_share(int narg, char **arg) {
  if (narg < 2) utils::missing_cmd_args(FLERR, "dump_modify share", error);
  bigint target = 0;
  if (strcmp(arg[1], "auto") == 0) {
    target = GPZShare::default_target;
  } else if (strcmp(arg[1], "no") != 0) {
    target = utils::bnumeric(FLERR, arg[1], false, lmp);
    if (target < 1 || target > GPZShare::largest_target)
      fail(fmt::format("dump_modify share must be auto, no or a number from 1 to {}, not {}", GPZShare::largest_target,
                       arg[1]));
  }
  share_.set_target(static_cast<int>(target));
  schedule_.restart();
  return 2;
}

// bound COLUMN V, bound COLUMN lossless
int DumpGPZ::modify_bound(int narg, char **arg) {
  if (narg < 3) utils::missing_cmd_args(FLERR, "dump_modify bound", error);
  double bound = 0.0;
  if (strcmp(arg[2], "lossless") != 0) {
    bound = utils::numeric(FLERR, arg[2], false, lmp);
    if (!(bound >= 0.0) || !std::isfinite(bound))
      fail(std::string("dump_modify bound ") + arg[1] + " must be a number >= 0, not " + arg[2]);
  }
  try {
    columns_->set_own_bound(arg[1], bound);
  } catch (const std::invalid_argument &e) {
    fail(std::string("dump_modify bound ") + arg[1] + ": " + e.what());
  }
  return 3;
}

/* ----------------------------------------------------------------------
   settings that Dump::modify_params stores without asking the style
------------------------------------------------------------------------- */

void DumpGPZ::refuse_keywords() const {
  const bool colname =
      std::any_of(keyword_user.begin(), keyword_user.end(), [](const std::string &s) { return !s.empty(); });
  if (sort_flag) fail("dump_modify sort is not possible: sort when decoding, with 'gpz decode --sort id'");
  if (balance_flag) fail("dump_modify balance is not possible: every rank writes its own atoms");
  if (!write_header_flag) fail("dump_modify header no is not possible: a file without its header cannot be read");
  if (format_line_user) fail("dump_modify format is not possible: set the precision with 'eb' and 'bound'");
  if (colname) fail("dump_modify colname is not possible: readers know the columns by their names");
  if (binary)
    fail(std::string("the file name ") + filename +
         " stands for a binary dump of style custom: choose a name like traj.gpz");
  if (compressed)
    fail(std::string("the file name ") + filename +
         " stands for compression by another program, but the file is compressed already: choose a name like traj.gpz");
}
