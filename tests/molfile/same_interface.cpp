// SPDX-License-Identifier: BSD-3-Clause
// molfile/abi.h says what the header of the molfile plugins says, of which LAMMPS has a copy.
#include <cstddef>

#include "molfile/abi.h"
// In this order: the interface's header takes its version from the other one.
#include <vmdplugin.h>
#undef vmdplugin_ABIVERSION
#define vmdplugin_ABIVERSION GPZ_MOLFILE_ABI
#include <molfile_plugin.h>

namespace gpz::molfile {

#define SAME(ours, my_member, theirs, their_member)                            \
  static_assert(offsetof(ours, my_member) == offsetof(theirs, their_member) && \
                    sizeof(ours::my_member) == sizeof(theirs::their_member),   \
                #my_member)

static_assert(sizeof(Atom) == sizeof(molfile_atom_t));
SAME(Atom, name, molfile_atom_t, name);
SAME(Atom, type, molfile_atom_t, type);
SAME(Atom, residue_name, molfile_atom_t, resname);
SAME(Atom, residue, molfile_atom_t, resid);
SAME(Atom, segment, molfile_atom_t, segid);
SAME(Atom, chain, molfile_atom_t, chain);
SAME(Atom, alternate_location, molfile_atom_t, altloc);
SAME(Atom, insertion, molfile_atom_t, insertion);
SAME(Atom, occupancy, molfile_atom_t, occupancy);
SAME(Atom, b_factor, molfile_atom_t, bfactor);
SAME(Atom, mass, molfile_atom_t, mass);
SAME(Atom, charge, molfile_atom_t, charge);
SAME(Atom, radius, molfile_atom_t, radius);
SAME(Atom, atomic_number, molfile_atom_t, atomicnumber);

static_assert(sizeof(Timestep) == sizeof(molfile_timestep_t));
SAME(Timestep, coordinates, molfile_timestep_t, coords);
SAME(Timestep, velocities, molfile_timestep_t, velocities);
SAME(Timestep, a, molfile_timestep_t, A);
SAME(Timestep, c, molfile_timestep_t, C);
SAME(Timestep, alpha, molfile_timestep_t, alpha);
SAME(Timestep, gamma, molfile_timestep_t, gamma);
SAME(Timestep, time, molfile_timestep_t, physical_time);

static_assert(sizeof(TimestepMetadata) == sizeof(molfile_timestep_metadata_t));
SAME(TimestepMetadata, count, molfile_timestep_metadata_t, count);
SAME(TimestepMetadata, bytes, molfile_timestep_metadata_t, avg_bytes_per_timestep);
SAME(TimestepMetadata, has_velocities, molfile_timestep_metadata_t, has_velocities);

static_assert(sizeof(Plugin) == sizeof(molfile_plugin_t));
SAME(Plugin, abi_version, molfile_plugin_t, abiversion);
SAME(Plugin, kind, molfile_plugin_t, type);
SAME(Plugin, name, molfile_plugin_t, name);
SAME(Plugin, pretty_name, molfile_plugin_t, prettyname);
SAME(Plugin, author, molfile_plugin_t, author);
SAME(Plugin, major_version, molfile_plugin_t, majorv);
SAME(Plugin, minor_version, molfile_plugin_t, minorv);
SAME(Plugin, is_reentrant, molfile_plugin_t, is_reentrant);
SAME(Plugin, extensions, molfile_plugin_t, filename_extension);
SAME(Plugin, open_file_read, molfile_plugin_t, open_file_read);
SAME(Plugin, read_structure, molfile_plugin_t, read_structure);
SAME(Plugin, read_bonds, molfile_plugin_t, read_bonds);
SAME(Plugin, read_next_timestep, molfile_plugin_t, read_next_timestep);
SAME(Plugin, close_file_read, molfile_plugin_t, close_file_read);
SAME(Plugin, read_timestep_metadata, molfile_plugin_t, read_timestep_metadata);
SAME(Plugin, print, molfile_plugin_t, cons_fputs);

static_assert(has_mass == MOLFILE_MASS && has_charge == MOLFILE_CHARGE && has_radius == MOLFILE_RADIUS &&
              has_atomic_number == MOLFILE_ATOMICNUMBER);
static_assert(success == MOLFILE_SUCCESS && failed == MOLFILE_ERROR && thread_safe == VMDPLUGIN_THREADSAFE);
static_assert(failed == MOLFILE_EOF, "the end and an error have one number");
static_assert(success == VMDPLUGIN_SUCCESS);

}  // namespace gpz::molfile
