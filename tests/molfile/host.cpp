// SPDX-License-Identifier: BSD-3-Clause
// Loads a molfile plugin as VMD does, reads a file with it and prints all that it gets, for test_molfile.py.
//
//   host LIBRARY FILE [EVERY]      EVERY: read every so many frames, skip the others
//
// A plugin without metadata is called as GROMACS does: with a pointer to velocities that leads nowhere.
#include <dlfcn.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "molfile/abi.h"

namespace gpz::molfile {
namespace {

Plugin *found = nullptr;

int print(int urgency, const char *text) { return std::printf("console %d %s", urgency, text); }

int take(void *application, Plugin *plugin) {
  std::printf("plugin %d %s %s %s %d %s\n", plugin->abi_version, plugin->name, plugin->extensions,
              plugin->is_reentrant == thread_safe ? "thread-safe" : "unsafe", application == &found ? 1 : 0,
              plugin->kind);
  if (std::getenv("MOLFILE_CONSOLE") != nullptr) plugin->print = print;
  found = plugin;
  return success;
}

template <class Function>
Function *symbol(void *library, const char *name) {
  void *address = dlsym(library, name);
  if (address == nullptr) std::exit(3);
  return reinterpret_cast<Function *>(address);
}

void print_atoms(void *file, int count) {
  std::vector<Atom> atoms(static_cast<std::size_t>(count));
  int optional = 0;
  if (found->read_structure(file, &optional, atoms.data()) != success) std::exit(4);
  std::printf("structure %#x\n", static_cast<unsigned>(optional));
  for (const Atom &a : atoms)
    std::printf("atom %s %s %d %.17g %.17g %.17g %d %s/%s/%s\n", a.name, a.type, a.residue, static_cast<double>(a.mass),
                static_cast<double>(a.charge), static_cast<double>(a.radius), a.atomic_number, a.residue_name,
                a.segment, a.chain);
}

void print_bonds(void *file) {
  int count = -7;
  int type_count = -7;
  int *from = nullptr;
  int *to = nullptr;
  int *types = nullptr;
  float *orders = nullptr;
  char **names = nullptr;
  if (found->read_bonds(file, &count, &from, &to, &orders, &types, &type_count, &names) != success) std::exit(5);
  if (orders != nullptr || types != nullptr || names != nullptr || type_count != 0) std::exit(5);
  for (int i = 0; i < count; ++i) std::printf("bond %d %d\n", from[i], to[i]);
}

void print_frames(void *file, int count, int every, bool velocities) {
  constexpr std::uintptr_t nowhere = 8;
  const auto size = 3 * static_cast<std::size_t>(count);
  std::vector<float> x(size, 7.F);
  std::vector<float> v(size, 7.F);
  for (int frame = 0;; ++frame) {
    Timestep step{};
    step.coordinates = x.data();
    step.velocities = velocities ? v.data() : nullptr;
    if (found->read_timestep_metadata == nullptr) step.velocities = reinterpret_cast<float *>(nowhere);
    const bool skip = frame % every != 0;
    if (found->read_next_timestep(file, count, skip ? nullptr : &step) != success) break;
    if (skip) continue;
    std::printf("frame %d %.17g", frame, step.time);
    for (const float number : {step.a, step.b, step.c, step.alpha, step.beta, step.gamma})
      std::printf(" %.17g", static_cast<double>(number));
    std::printf("\n");
    for (std::size_t i = 0; i < size; ++i)
      std::printf("%.17g %.17g\n", static_cast<double>(x[i]), velocities ? static_cast<double>(v[i]) : 0);
  }
}

int run(int argc, char **argv) {
  if (argc < 3) return 2;
  void *library = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    std::fprintf(stderr, "%s\n", dlerror());
    return 2;
  }
  if (symbol<int()>(library, "vmdplugin_init")() != success) return 3;
  symbol<int(void *, Register)>(library, "vmdplugin_register")(&found, take);
  if (found == nullptr || found->abi_version != GPZ_MOLFILE_ABI) return 3;

  int count = -7;
  void *file = found->open_file_read(argv[2], "gpz", &count);
  if (file == nullptr) return 1;
  TimestepMetadata metadata{};
  if (found->read_timestep_metadata != nullptr) {
    found->read_timestep_metadata(file, nullptr);
    found->read_timestep_metadata(file, &metadata);
  }
  std::printf("atoms %d\nframes %u velocities %d bytes %u\n", count, metadata.count, metadata.has_velocities,
              metadata.bytes);
  print_atoms(file, count);
  print_bonds(file);
  print_frames(file, count, argc > 3 ? std::atoi(argv[3]) : 1, metadata.has_velocities != 0);
  found->close_file_read(file);
  symbol<int()>(library, "vmdplugin_fini")();
  dlclose(library);
  return 0;
}

}  // namespace
}  // namespace gpz::molfile

int main(int argc, char **argv) { return gpz::molfile::run(argc, argv); }
