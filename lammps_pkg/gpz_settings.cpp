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

#include "gpz_settings.h"

#include <array>
#include <cmath>
#include <gpz/choices.hpp>
#include <iterator>
#include <optional>
#include <stdexcept>
#include <string>

#include "error.h"
#include "fmt/format.h"
#include "gpz_columns.h"
#include "lammps.h"
#include "memory.h"
#include "utils.h"

using namespace LAMMPS_NS;

namespace {

// Keywords of other styles, which make no sense here, and what to do instead.
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
    {"types", "list the column typelabel"},
    {"unwrap", "list the columns xu yu zu, or use 'gpz decode --unwrap'"},
};

constexpr std::array<gpz::Named<GPZBackend::Device>, 3> device_names = {
    {{"auto", GPZBackend::Device::AUTO}, {"gpu", GPZBackend::Device::GPU}, {"cpu", GPZBackend::Device::CPU}}};

template <typename T, std::size_t count>
T choose(const std::string &keyword, const std::string &word, const std::array<gpz::Named<T>, count> &names) {
  if (const std::optional<T> value = gpz::value_of(names, word)) return *value;
  throw std::invalid_argument("dump_modify " + keyword + " must be " + gpz::listed(names) + ", not " + word);
}

// `possible`: what the word may be, for the message.
int read_count(const char *word, LAMMPS *lmp, const std::string &possible, bigint largest) {
  const bigint value = utils::bnumeric(FLERR, word, false, lmp);
  if (value < 1 || value > largest)
    throw std::invalid_argument(fmt::format("{} from 1 to {}, not {}", possible, largest, word));
  return static_cast<int>(value);
}

int read_share(const std::string &word, LAMMPS *lmp) {
  if (word == "auto") return GPZShare::default_target;
  if (word == "no") return 0;
  return read_count(word.c_str(), lmp, "dump_modify share must be auto, no or a number", GPZShare::largest_target);
}

// bound COLUMN V, bound COLUMN lossless, bound COLUMN thermal
int read_bound(int narg, char **arg, LAMMPS *lmp, GPZColumns &columns) {
  if (narg < 3) utils::missing_cmd_args(FLERR, "dump_modify bound", lmp->error);
  const std::string keyword = std::string("dump_modify bound ") + arg[1], word = arg[2];
  double bound = 0.0;
  if (word != "lossless" && word != "thermal") {
    bound = read_bound_value(keyword, word, lmp);
    if (!(bound >= 0.0) || !std::isfinite(bound))
      throw std::invalid_argument(keyword + " must be a number >= 0, not " + word);
  }
  try {
    if (word == "thermal")
      columns.set_thermal_bound(arg[1]);
    else
      columns.set_own_bound(arg[1], bound);
  } catch (const std::invalid_argument &e) {
    throw std::invalid_argument(keyword + ": " + e.what());
  }
  return 3;
}

// observables none, observables v_name c_ID[1] c_ID[*] f_ID ...: all words that refer to something. Returns how many,
// with the keyword.
int read_observables(int narg, char **arg, LAMMPS *lmp, std::vector<std::string> &list) {
  int end = 1;
  while (end < narg && utils::strmatch(arg[end], "^[cfv]_")) ++end;
  list.clear();
  if (end == 1) {
    if (narg < 2) utils::missing_cmd_args(FLERR, "dump_modify observables", lmp->error);
    if (std::string(arg[1]) != "none")
      throw std::invalid_argument(
          std::string("dump_modify observables must be none or a list of v_name, c_ID[i] and f_ID[i], not ") + arg[1]);
    return 2;
  }
  char **words = nullptr;
  const int count = utils::expand_args(FLERR, end - 1, arg + 1, 0, words, lmp);
  list.assign(words, words + count);
  if (words != arg + 1) {
    for (int n = 0; n < count; ++n) delete[] words[n];
    lmp->memory->sfree(words);
  }
  return end;
}

}  // namespace

std::string GPZSettings::only_on_cpu(const Frames &frames) const {
  if (order == gpz::Order::id) return "dump_modify order id";
  if (order == gpz::Order::memory) return "dump_modify order memory";
  // Codings of an effort that block chunks and residuals are not enough for.
  if (shares_with_gpu(frames) || (effort && gpz::features_of(*effort, order, frames.have_ids) != 0))
    return std::string("dump_modify effort ") + gpz::name_of(gpz::effort_names, effort.value_or(gpz::default_effort));
  return {};
}

bool GPZSettings::shares_with_gpu(const Frames &frames) const {
  if (!frames.have_ids || (order != gpz::Order::automatic && order != gpz::Order::id)) return false;
  if (device == GPZBackend::Device::GPU) return effort == gpz::Effort::standard;
  return device == GPZBackend::Device::AUTO && frames.are_on_gpu && frames.suit_gpu &&
         effort.value_or(gpz::default_effort) == gpz::Effort::standard;
}

int GPZSettings::read(int narg, char **arg, LAMMPS *lmp, GPZColumns &columns) {
  const std::string keyword = arg[0];
  if (keyword == "eb") return eb.read(narg, arg, lmp);
  if (keyword == "bound") return read_bound(narg, arg, lmp, columns);
  if (keyword == "observables") return read_observables(narg, arg, lmp, observables);

  const auto word = [&] {
    if (narg < 2) utils::missing_cmd_args(FLERR, "dump_modify " + keyword, lmp->error);
    return arg[1];
  };
  if (keyword == "async") {
    async = std::string(word()) == "compress"           ? GPZOutput::Async::compress_and_write
            : utils::logical(FLERR, word(), false, lmp) ? GPZOutput::Async::write
                                                        : GPZOutput::Async::no;
  } else if (keyword == "threads") {
    threads = std::string(word()) == "auto"
                  ? 0
                  : read_count(word(), lmp, "dump_modify threads must be auto or a number", gpz::max_threads);
  } else if (keyword == "direct") {
    direct = utils::logical(FLERR, word(), false, lmp);
  } else if (keyword == "device") {
    device = choose(keyword, word(), device_names);
  } else if (keyword == "effort") {
    effort = choose(keyword, word(), gpz::effort_names);
  } else if (keyword == "order") {
    order = choose(keyword, word(), gpz::order_names);
  } else if (keyword == "key") {
    key = static_cast<unsigned>(
        read_count(word(), lmp, "dump_modify key must be a number", bigint{gpz::max_key_interval}));
  } else if (keyword == "share") {
    share = read_share(word(), lmp);
  } else if (keyword == "provenance") {
    provenance = utils::logical(FLERR, word(), false, lmp);
  } else if (keyword == "topology") {
    topology = utils::logical(FLERR, word(), false, lmp);
  } else if (keyword == "thermo") {
    thermo = utils::logical(FLERR, word(), false, lmp);
  } else if (keyword == "format" && narg > 1 && std::string(arg[1]) == "none") {
    // the default of all styles, which this style cannot change
  } else {
    for (const RefusedKeyword &refused : refused_keywords)
      if (keyword == refused.name)
        throw std::invalid_argument("dump_modify " + keyword + " is not possible: " + refused.advice);
    return 0;
  }
  return 2;
}
