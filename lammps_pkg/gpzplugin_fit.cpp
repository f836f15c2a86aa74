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

// The classes of another LAMMPS have other layouts: reading their members would crash or, worse, write nonsense. So
// this file asks LAMMPS by functions of its C library, and reads of its classes only LAMMPS::error, the second member
// in every release. All symbols of LAMMPS and MPI are weak in the plugin (CMakeLists.txt), so that another LAMMPS loads
// it and reaches this file.
#include "gpzplugin_fit.h"

#include <cxxabi.h>
#include <dlfcn.h>
#include <link.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "error.h"
#include "lammps.h"
#include "platform.h"
#include "version.h"

// Functions of LAMMPS's C library, which a statically linked LAMMPS may lack.
extern "C" {
__attribute__((weak)) int lammps_extract_setting(void *, const char *);
__attribute__((weak)) void *lammps_extract_global(void *, const char *);
}

namespace LAMMPS_NS {
namespace {

const char not_known[] = "";  // equals whatever it is compared with

/// The settings that the layout of LAMMPS's classes depends on.
struct Build {
  std::string version, sizes, mpi;

  bool operator==(const Build &other) const {
    const auto same = [](const std::string &a, const std::string &b) {
      return a == b || a == not_known || b == not_known;
    };
    return same(version, other.version) && same(sizes, other.sizes) && same(mpi, other.mpi);
  }

  std::string text() const {
    std::string options;
    for (const std::string &option : {sizes, mpi})
      if (option != not_known) options += (options.empty() ? " (" : ", ") + option;
    return "LAMMPS " + version + (options.empty() ? "" : options + ")");
  }
};

std::string name_of_sizes(std::size_t tagint_bytes, std::size_t bigint_bytes) {
  if (tagint_bytes == 8) return "bigbig";
  return bigint_bytes == 8 ? "smallbig" : "smallsmall";
}

Build built_for() {
  // In the order in which LAMMPS's platform::mpi_vendor() tells them apart.
#if defined(MPI_STUBS)
  const char mpi[] = "no MPI";
#elif defined(OPEN_MPI)
  const char mpi[] = "Open MPI";
#elif defined(MPICH_NAME)
  const char mpi[] = "MPICH";
#else
  const char *const mpi = not_known;
#endif
  return {LAMMPS_VERSION, name_of_sizes(sizeof(tagint), sizeof(bigint)), mpi};
}

/// The symbols of LAMMPS and MPI that the plugin uses and this process lacks. Those of KOKKOS are not among them: a
/// plugin for KOKKOS works in a LAMMPS without it.
std::vector<std::string> missing_symbols() {
  Dl_info file;
  link_map *map = nullptr;
  if (!dladdr1(reinterpret_cast<void *>(&gpz_plugin_fits), &file, reinterpret_cast<void **>(&map), RTLD_DL_LINKMAP))
    return {};
  const ElfW(Sym) *symbols = nullptr;
  const char *names = nullptr;
  const Elf32_Word *hash = nullptr;
  for (const ElfW(Dyn) *entry = map->l_ld; entry->d_tag != DT_NULL; ++entry) {
    // The address is an integer; as a distance from the table itself it becomes a pointer.
    const auto *address =
        reinterpret_cast<const char *>(map->l_ld) + (entry->d_un.d_ptr - reinterpret_cast<ElfW(Addr)>(map->l_ld));
    if (entry->d_tag == DT_SYMTAB) symbols = reinterpret_cast<const ElfW(Sym) *>(address);
    if (entry->d_tag == DT_STRTAB) names = address;
    if (entry->d_tag == DT_GNU_HASH) hash = reinterpret_cast<const Elf32_Word *>(address);
  }
  if (!symbols || !names || !hash) return {};
  const Elf32_Word first_defined = hash[1];  // the table is of defined symbols; those before them are undefined

  std::vector<std::string> missing;
  for (Elf32_Word i = 1; i < first_defined; i++) {
    const std::string name = names + symbols[i].st_name;
    const auto has = [&](const char *part) { return name.find(part) != std::string::npos; };
    const bool hosts = has("LAMMPS_NS") || has("_lmp") || has("MPI_") || name.rfind("ompi_", 0) == 0;
    if (hosts && !has("Kokkos") && !dlsym(RTLD_DEFAULT, name.c_str())) missing.push_back(name);
  }
  return missing;
}

bool is_among(const std::vector<std::string> &symbols, const char *part) {
  return std::any_of(symbols.begin(), symbols.end(),
                     [&](const std::string &name) { return name.find(part) != std::string::npos; });
}

Build loaded_into(LAMMPS *lmp, const std::vector<std::string> &missing) {
  Build build{not_known, not_known, not_known};
  build.version =
      lammps_extract_global ? static_cast<const char *>(lammps_extract_global(lmp, "lammps_version")) : lmp->version;
  if (lammps_extract_setting)
    build.sizes = name_of_sizes(static_cast<std::size_t>(lammps_extract_setting(lmp, "tagint")),
                                static_cast<std::size_t>(lammps_extract_setting(lmp, "bigint")));
  if (!is_among(missing, "mpi_vendor")) build.mpi = platform::mpi_vendor();
  if (build.mpi == "MPI STUBS") build.mpi = "no MPI";
  return build;
}

std::string readable(const std::string &symbol) {
  int failed;
  const std::unique_ptr<char, decltype(&std::free)> name(abi::__cxa_demangle(symbol.c_str(), nullptr, nullptr, &failed),
                                                         &std::free);
  return name ? name.get() : symbol;
}

/// Whether LAMMPS loads the plugin by itself when it starts.
bool is_loaded_automatically() {
  Dl_info file;
  const char *folders = std::getenv("LAMMPS_PLUGIN_PATH");
  if (!folders || !dladdr(reinterpret_cast<void *>(&gpz_plugin_fits), &file)) return false;
  const auto own = std::filesystem::path(file.dli_fname).parent_path();
  std::istringstream list(folders);
  for (std::string folder; std::getline(list, folder, ':');) {
    std::error_code failed;
    if (std::filesystem::equivalent(folder, own.empty() ? "." : own, failed)) return true;
  }
  return false;
}

}  // namespace

bool gpz_plugin_fits(LAMMPS *lmp) {
  const auto missing = missing_symbols();
  const Build own = built_for(), host = loaded_into(lmp, missing);
  const bool same = own == host;
  if (same && missing.empty()) return true;

  std::string message = "gpzplugin.so was built for " + own.text() + " and cannot work in " +
                        (same ? "this LAMMPS, which lacks " + readable(missing.front()) : host.text()) +
                        ". To build another, in a clone of gpz: scripts/plugin.sh <source tree of LAMMPS " +
                        host.version + "> --lammps <its lmp>";
  if (is_loaded_automatically()) {
    message += ". LAMMPS starts without dump gpz";
    if (lammps_extract_setting && lammps_extract_setting(lmp, "world_rank") != 0) return false;
    if (is_among(missing, "5Error7warning"))
      std::fprintf(stderr, "WARNING: %s\n", message.c_str());
    else
      lmp->error->warning(FLERR, message);
    return false;
  }
  if (is_among(missing, "5Error3all")) throw std::runtime_error(message);
  lmp->error->all(FLERR, message);
  return false;  // not reached
}

}  // namespace LAMMPS_NS
