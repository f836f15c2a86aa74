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

#include "gpz_provenance.h"

#include <fcntl.h>
#include <gpz/version.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <utility>
#include <vector>

#include "atom.h"
#include "comm.h"
#include "gpz_metadata.h"
#include "lammps.h"
#include "update.h"

using namespace LAMMPS_NS;

namespace {

using Rows = std::vector<std::pair<std::string, std::string>>;

constexpr long long longest_script = 1 << 24;  // bytes

std::string last_part(const std::string &path) {
  const std::size_t end = path.find_last_not_of('/');
  if (end == std::string::npos) return {};
  const std::size_t slash = path.rfind('/', end);
  return path.substr(slash == std::string::npos ? 0 : slash + 1,
                     end - (slash == std::string::npos ? 0 : slash + 1) + 1);
}

// "/home/me/x" is one if there is a folder /home: "/v_y/v_z" in a formula is none.
bool is_absolute(const std::string &word) {
  const std::size_t first = word.find_first_not_of('/');
  const std::size_t second = first == std::string::npos ? first : word.find('/', first);
  if (second == std::string::npos) return false;
  if (word[0] == '~') return true;
  std::error_code unknown;
  return first > 0 && std::filesystem::is_directory("/" + word.substr(first, second - first), unknown);
}

bool is_relative(const std::string &word) {
  std::error_code unknown;
  return word.find('/') != std::string::npos && std::filesystem::exists(word, unknown);
}

// A regular file that is open, whose file position stays the same. Empty if it is something else or too long.
std::string content(int descriptor) {
  struct stat facts;
  if (fstat(descriptor, &facts) != 0 || !S_ISREG(facts.st_mode) || facts.st_size > longest_script) return {};
  std::string text(static_cast<std::size_t>(facts.st_size), '\0');
  std::size_t done = 0;
  while (done < text.size()) {
    const ssize_t size = pread(descriptor, &text[done], text.size() - done, static_cast<off_t>(done));
    if (size <= 0) break;
    done += static_cast<std::size_t>(size);
  }
  text.resize(done);
  return text;
}

std::vector<std::string> command_line() {
  std::ifstream file("/proc/self/cmdline", std::ios::binary);
  const std::string all((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  std::vector<std::string> words;
  for (std::size_t at = 0; at < all.size(); at += words.back().size() + 1) words.emplace_back(&all[at]);
  return words;
}

// The script that the command line names, and the one that is being read: another one, if the first includes it.
void add_scripts(const LAMMPS &lmp, const std::vector<std::string> &command, Rows &rows) {
  std::string main_script;
  const bool is_program = !command.empty() && lmp.exename && command[0] == lmp.exename;
  for (std::size_t n = 1; is_program && n + 1 < command.size(); ++n) {
    if (command[n] != "-in" && command[n] != "-i") continue;
    const int descriptor = open(command[n + 1].c_str(), O_RDONLY | O_CLOEXEC);
    if (descriptor < 0) continue;
    main_script = content(descriptor);
    ::close(descriptor);
  }
  const std::string current = lmp.infile ? content(fileno(lmp.infile)) : std::string();
  if (!main_script.empty()) rows.emplace_back("input", gpz_without_folders(main_script, false));
  if (!current.empty() && current != main_script) rows.emplace_back("input", gpz_without_folders(current, false));
}

Rows rows_of_first_rank(LAMMPS *lmp) {
  Rows rows;
  rows.emplace_back("program", std::string("LAMMPS ") + lmp->version);
  std::string packages;
  for (const char **name = LAMMPS::installed_packages; *name; ++name)
    packages += (packages.empty() ? "" : " ") + std::string(*name);
  rows.emplace_back("packages", packages);
  const gpz::Metadata facts = gpz_metadata(lmp);
  rows.emplace_back("units", facts.units);
  rows.emplace_back("atom_style", facts.atom_style);
  if (lmp->suffix_enable && lmp->suffix) rows.emplace_back("suffix", lmp->suffix);

  const std::vector<std::string> command = command_line();
  std::string words;
  for (const std::string &word : command) words += (words.empty() ? "" : " ") + gpz_without_folders(word, true);
  if (!words.empty()) rows.emplace_back("command", words);
  rows.emplace_back("ranks", std::to_string(lmp->comm->nprocs));
  if (lmp->comm->nthreads > 1) rows.emplace_back("threads", std::to_string(lmp->comm->nthreads));
  const std::time_t now = std::time(nullptr);
  std::tm utc;
  char date[32] = "";
  if (gmtime_r(&now, &utc)) std::strftime(date, sizeof(date), "%Y-%m-%dT%H:%M:%SZ", &utc);
  rows.emplace_back("date", date);
  add_scripts(*lmp, command, rows);
  return rows;
}

}  // namespace

std::string LAMMPS_NS::gpz_without_folders(const std::string &text, bool relative) {
  static const char *const ends = " \t\r\n\"'`=:,;()[]{}<>|&";
  std::string result;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.size(), text.find_first_of(ends, at));
    const std::string word = text.substr(at, end - at);
    result += is_absolute(word) || (relative && is_relative(word)) ? last_part(word) : word;
    at = end;
    if (at < text.size()) result += text[at++];
  }
  return result;
}

gpz::Table LAMMPS_NS::gpz_provenance(LAMMPS *lmp) {
  std::string all;  // names and values, each with a zero after it
  if (lmp->comm->me == 0)
    for (const auto &[name, value] : rows_of_first_rank(lmp)) {
      all.append(name.c_str(), name.size() + 1);
      all.append(value.c_str(), std::strlen(value.c_str()) + 1);
    }
  int size = static_cast<int>(all.size());
  MPI_Bcast(&size, 1, MPI_INT, 0, lmp->world);
  all.resize(static_cast<std::size_t>(size));
  MPI_Bcast(&all[0], size, MPI_CHAR, 0, lmp->world);
  std::vector<std::string> columns[2];
  for (std::size_t at = 0, n = 0; at < all.size(); at += columns[n++ % 2].back().size() + 1)
    columns[n % 2].emplace_back(&all[at]);
  return {"provenance", {{"name", "", std::move(columns[0])}, {"value", "", std::move(columns[1])}}};
}
