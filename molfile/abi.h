// SPDX-License-Identifier: BSD-3-Clause
// The binary interface of molfile plugins, as VMD, LAMMPS and others call it: what a plugin that reads trajectories
// needs of it. Written from the interface, whose order and types of members are all that counts. GPZ_MOLFILE_ABI is its
// version: 17 (VMD 1.9.3) or 18 (VMD 1.9.4, LAMMPS).
#pragma once

#if GPZ_MOLFILE_ABI != 17 && GPZ_MOLFILE_ABI != 18
#error "GPZ_MOLFILE_ABI must be 17 or 18"
#endif

namespace gpz::molfile {

constexpr int success = 0;
constexpr int failed = -1;  // also: no more frames
constexpr int thread_safe = 1;

// Urgency of a message to the console.
enum class Urgency : int { info = 1, warning = 2, error = 3 };

// Which of the optional members of Atom are set.
enum : int { has_mass = 0x8, has_charge = 0x10, has_radius = 0x20, has_atomic_number = 0x80 };

struct Atom {
  char name[16];
  char type[16];
  char residue_name[8];
  int residue;
  char segment[8];
  char chain[2];
  char alternate_location[2];
  char insertion[2];
  float occupancy;
  float b_factor;
  float mass;
  float charge;
  float radius;
  int atomic_number;
};

struct Timestep {
  float *coordinates;        // x y z of every atom
  float *velocities;         // as coordinates; nullptr: not wanted
  float a, b, c;             // lengths of the cell's edges
  float alpha, beta, gamma;  // degrees
  double time;
};

struct TimestepMetadata {
  unsigned int count;  // of frames
  unsigned int bytes;  // of a frame, on average
  int has_velocities;
};

// Functions that this plugin does not have, and members of an application that it does not use.
using Absent = void (*)();

struct Plugin {
  int abi_version;
  const char *kind;  // of plugin
  const char *name;  // of the format
  const char *pretty_name;
  const char *author;
  int major_version;
  int minor_version;
  int is_reentrant;
  const char *extensions;  // of file names, separated by commas
  void *(*open_file_read)(const char *path, const char *name, int *atoms);
  int (*read_structure)(void *file, int *optional, Atom *atoms);
  // Atoms are counted from 1. The arrays belong to the plugin until the file is closed; orders, types and their names
  // may be null pointers.
  int (*read_bonds)(void *file, int *count, int **from, int **to, float **orders, int **types, int *type_count,
                    char ***type_names);
  int (*read_next_timestep)(void *file, int atoms, Timestep *timestep);
  void (*close_file_read)(void *file);
  Absent open_file_write;
  Absent write_structure;
  Absent write_timestep;
  Absent close_file_write;
  Absent read_volumetric_metadata;
  Absent read_volumetric_data;
  Absent read_volumetric_data_ex;
  Absent read_rawgraphics;
  Absent read_molecule_metadata;
  Absent write_bonds;
  Absent write_volumetric_data;
  Absent write_volumetric_data_ex;
  Absent read_angles;
  Absent write_angles;
  Absent read_qm_metadata;
  Absent read_qm_rundata;
#if GPZ_MOLFILE_ABI > 17
  Absent read_timestep_pagealign_size;
#endif
  Absent read_timestep;
  int (*read_timestep_metadata)(void *file, TimestepMetadata *metadata);
  Absent read_qm_timestep_metadata;
  int (*print)(int urgency, const char *text);  // of the application, which may not have it
};

using Register = int (*)(void *application, Plugin *plugin);

}  // namespace gpz::molfile
