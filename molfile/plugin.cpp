// SPDX-License-Identifier: BSD-3-Clause
// The plugin "gpz" for VMD and other programs that load molfile plugins: what they call, in C.
#include <gpz/version.h>

#include <algorithm>
#include <cstdio>
#include <exception>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

#include "abi.h"
#include "elements.hpp"
#include "trajectory.hpp"

namespace gpz::molfile {
namespace {

Plugin plugin;

// GROMACS does not initialise Timestep::velocities. It calls read_timestep_metadata, if there is one, with a null
// pointer and then reads from it. It takes times for picoseconds.
#ifdef GPZ_MOLFILE_GROMACS
constexpr bool is_for_gromacs = true;
#else
constexpr bool is_for_gromacs = false;
#endif

// Messages go where the application wants them, otherwise to the standard output: so it is agreed.
void say(Urgency urgency, const std::string &text) {
  const std::string line = "gpzplugin) " + text + "\n";
  if (plugin.print != nullptr)
    plugin.print(static_cast<int>(urgency), line.c_str());
  else
    std::fputs(line.c_str(), stdout);
}

// Calls `action`, which may throw, and returns what it returns, or `otherwise`.
template <class Action, class Result>
Result guarded(Action action, Result otherwise) {
  try {
    return action();
  } catch (const std::exception &e) {
    try {
      say(Urgency::error, e.what());
    } catch (const std::exception &) {  // no memory for the message
    }
  }
  return otherwise;
}

struct File {
  explicit File(const char *path) : trajectory(path) {}
  Trajectory trajectory;
  std::size_t next = 0;  // frame
  Bonds bonds;
};

File &file_of(void *handle) { return *static_cast<File *>(handle); }

// A text of a file, as much as there is room for. It may have any bytes.
template <std::size_t size>
void copy_text(const std::string &text, char (&to)[size]) {
  std::fill(to, to + size, '\0');
  for (std::size_t i = 0; i < std::min(text.size(), size - 1); ++i) {
    const auto c = static_cast<unsigned char>(text[i]);
    to[i] = c < ' ' || c == 127 ? '?' : text[i];
  }
}

void *open(const char *path, const char * /*name*/, int *atoms) {
  return guarded(
      [&]() -> void * {
        auto file = std::make_unique<File>(path);
        for (const std::string &warning : file->trajectory.warnings()) say(Urgency::warning, warning);
        *atoms = file->trajectory.atoms();
        return file.release();
      },
      static_cast<void *>(nullptr));
}

int read_structure(void *handle, int *optional, Atom *atoms) {
  return guarded(
      [&] {
        Trajectory &trajectory = file_of(handle).trajectory;
        const auto types = trajectory.types();
        const auto elements = trajectory.elements();
        const auto names = elements.empty() ? trajectory.type_labels() : elements;
        const auto resids = trajectory.integers("resid");
        const auto molecules = resids.empty() ? trajectory.integers("mol") : resids;
        const auto masses = trajectory.masses();
        const auto own_names = trajectory.tables().texts("name");
        const auto residues = trajectory.tables().texts("resname");
        const auto segments = trajectory.tables().texts("segid");
        const auto chains = trajectory.tables().texts("chain");
        const auto charges = trajectory.floats("q");
        const auto radii = trajectory.floats("radius");
        std::vector<int> numbers;
        std::transform(elements.begin(), elements.end(), std::back_inserter(numbers), atomic_number);
        const bool all_known = !types.empty() && !numbers.empty() && std::count(numbers.begin(), numbers.end(), 0) == 0;

        *optional = (masses.empty() ? 0 : has_mass) | (charges.empty() ? 0 : has_charge) |
                    (radii.empty() ? 0 : has_radius) | (all_known ? has_atomic_number : 0);
        for (std::size_t i = 0; i < static_cast<std::size_t>(trajectory.atoms()); ++i) {
          Atom atom{};
          const std::int64_t type = types.empty() ? 1 : types[i];
          const bool named = !types.empty() && type >= 1 && static_cast<std::uint64_t>(type) <= names.size();
          const std::string number = std::to_string(type);  // LAMMPS wants digits in `type`
          copy_text(number, atom.type);
          copy_text(named ? names[static_cast<std::size_t>(type) - 1] : number, atom.name);
          if (!own_names.empty()) copy_text(own_names[i], atom.name);
          if (!residues.empty()) copy_text(residues[i], atom.residue_name);
          if (!segments.empty()) copy_text(segments[i], atom.segment);
          if (!chains.empty()) copy_text(chains[i], atom.chain);
          atom.residue = molecules.empty() ? 1 : static_cast<int>(molecules[i]);
          if (!masses.empty()) atom.mass = static_cast<float>(masses[i]);
          if (!charges.empty()) atom.charge = static_cast<float>(charges[i]);
          if (!radii.empty()) atom.radius = static_cast<float>(radii[i]);
          if (all_known && named) atom.atomic_number = numbers[static_cast<std::size_t>(type) - 1];
          atoms[i] = atom;
        }
        return success;
      },
      failed);
}

// Without bonds, the application guesses them.
int read_bonds(void *handle, int *count, int **from, int **to, float **orders, int **types, int *type_count,
               char ***type_names) {
  *count = 0;
  *from = *to = nullptr;
  *orders = nullptr;
  *types = nullptr;
  *type_count = 0;
  *type_names = nullptr;
  return guarded(
      [&] {
        File &file = file_of(handle);
        file.bonds = file.trajectory.tables().bonds();
        if (file.bonds.from.empty()) return success;
        *count = static_cast<int>(file.bonds.from.size());
        *from = file.bonds.from.data();
        *to = file.bonds.to.data();
        return success;
      },
      failed);
}

// Without a timestep the frame is skipped, and none of it is decoded.
int read_next_timestep(void *handle, int atoms, Timestep *timestep) {
  return guarded(
      [&] {
        File &file = file_of(handle);
        if (file.next >= file.trajectory.frames()) return failed;
        const std::size_t frame = file.next++;
        if (timestep == nullptr) return success;
        if (atoms != file.trajectory.atoms()) throw Failure("the application expects another number of atoms");
        float *const velocities = is_for_gromacs ? nullptr : timestep->velocities;
        const Cell cell = file.trajectory.read(frame, timestep->coordinates, velocities);
        const auto value = [](double number) { return static_cast<float>(number); };
        timestep->a = value(cell.lengths[0]);
        timestep->b = value(cell.lengths[1]);
        timestep->c = value(cell.lengths[2]);
        timestep->alpha = value(cell.angles[0]);
        timestep->beta = value(cell.angles[1]);
        timestep->gamma = value(cell.angles[2]);
        timestep->time = file.trajectory.time(frame) * (is_for_gromacs ? file.trajectory.picoseconds() : 1);
        return success;
      },
      failed);
}

int read_timestep_metadata(void *handle, TimestepMetadata *metadata) {
  if (metadata == nullptr) return success;
  const Trajectory &trajectory = file_of(handle).trajectory;
  metadata->count = static_cast<unsigned int>(trajectory.frames());
  metadata->bytes = static_cast<unsigned int>(trajectory.bytes() / trajectory.frames());
  metadata->has_velocities = trajectory.has_velocities() ? 1 : 0;
  return success;
}

void close(void *handle) { delete static_cast<File *>(handle); }

}  // namespace

// Their names are the interface's, outside of any namespace.
extern "C" {

__attribute__((visibility("default"))) int vmdplugin_init() {
  plugin = {};
  plugin.abi_version = GPZ_MOLFILE_ABI;
  plugin.kind = "mol file reader";
  plugin.name = "gpz";
  plugin.pretty_name = "gpz compressed trajectory";
  plugin.author = "the developers of gpz";
  plugin.major_version = GPZ_VERSION_MAJOR;
  plugin.minor_version = GPZ_VERSION_MINOR;
  plugin.is_reentrant = thread_safe;
  plugin.extensions = "gpz";
  plugin.open_file_read = open;
  plugin.read_structure = read_structure;
  plugin.read_bonds = read_bonds;
  plugin.read_next_timestep = read_next_timestep;
  plugin.close_file_read = close;
  plugin.read_timestep_metadata = is_for_gromacs ? nullptr : read_timestep_metadata;
  return success;
}

__attribute__((visibility("default"))) int vmdplugin_register(void *application, Register add) {
  return add(application, &plugin);
}

__attribute__((visibility("default"))) int vmdplugin_fini() { return success; }
}

}  // namespace gpz::molfile
