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

#include "gpz_topology.h"

#include <algorithm>
#include <cstring>
#include <exception>
#include <gpz/chunk.hpp>
#include <gpz/units.hpp>
#include <stdexcept>
#include <utility>

#include "atom.h"
#include "atom_masks.h"
#include "atom_vec.h"
#include "comm.h"
#include "fix.h"
#include "force.h"
#include "gpz_host_needs.h"
#include "gpz_metadata.h"
#include "group.h"
#include "modify.h"
#include "molecule.h"
#include "update.h"

using namespace LAMMPS_NS;

namespace {

// The arrays of bonds, angles, dihedrals or impropers: of class Atom or of a molecule.
struct Lists {
  const int *count = nullptr;
  int *const *type = nullptr;
  tagint *const *atoms[4] = {};
};

// Products that do not wait for each other, mixed at the end.
std::uint64_t hash_of(const std::int64_t *words, std::size_t count) {
  constexpr std::uint64_t factors[] = {0x9E3779B97F4A7C15u, 0xBF58476D1CE4E5B9u, 0x94D049BB133111EBu,
                                       0xD6E8FEB86659FD93u, 0xC2B2AE3D27D4EB4Fu, 0x165667B19E3779F9u};
  std::uint64_t hash = 0x27D4EB2F165667C5u;
  for (std::size_t w = 0; w < count; ++w) hash += static_cast<std::uint64_t>(words[w]) * factors[w];
  hash = (hash ^ (hash >> 32)) * 0xD6E8FEB86659FD93u;
  return hash ^ (hash >> 32);
}

std::int64_t bits_of(double value) {
  std::int64_t bits;
  std::memcpy(&bits, &value, sizeof(bits));
  return bits;
}

double value_of(std::int64_t bits) {
  double value;
  std::memcpy(&value, &bits, sizeof(value));
  return value;
}

// So that no sum over ranks overflows.
constexpr std::uint64_t hash_mask = (std::uint64_t{1} << 40) - 1;
constexpr std::size_t largest_message = std::size_t{1} << 27;  // words

}  // namespace

/* ----------------------------------------------------------------------
   the beginning of a run
------------------------------------------------------------------------- */

void GPZTopology::init(int igroup, const std::vector<std::string> &columns) {
  const auto is_listed = [&](std::initializer_list<const char *> names) {
    return std::any_of(names.begin(), names.end(), [&](const char *name) {
      return std::find(columns.begin(), columns.end(), name) != columns.end();
    });
  };
  group_ = igroup;
  const auto properties_before = has_property_;
  const AtomVec &style = *atom->avec;
  has_[BONDS] = style.bonds_allow;
  has_[ANGLES] = style.angles_allow;
  has_[DIHEDRALS] = style.dihedrals_allow;
  has_[IMPROPERS] = style.impropers_allow;
  has_property_[TYPE] = !is_listed({"type", "element", "typelabel"});
  has_property_[MOLECULE] = atom->molecule_flag && !is_listed({"mol"});
  has_property_[CHARGE] = atom->q_flag && !is_listed({"q"}) && is_constant_charge();
  has_property_[MASS] = atom->rmass_flag && !is_listed({"mass"});
  has_property_[RADIUS] = atom->radius_flag && !is_listed({"radius", "diameter"});
  const bool any = std::find(has_property_.begin(), has_property_.end(), true) != has_property_.end();
  // If nothing is left to say, for instance because fix qeq was added, the table in the file is not valid any longer.
  lists_atoms_ = atom->tag_enable && (any || listed_atoms_);
  if (has_property_ != properties_before) seen_[ATOMS] = -1;  // which no hash is
  has_[ATOMS] = lists_atoms_ || group_ != 0;
  if (!atom->tag_enable) has_ = {};
}

// Fixes that change charges while the simulation goes on.
bool GPZTopology::is_constant_charge() const {
  const auto &fixes = modify->get_fix_list();
  return std::none_of(fixes.begin(), fixes.end(), [](const Fix *fix) {
    return strstr(fix->style, "qeq") || strstr(fix->style, "acks2") || strstr(fix->style, "qtpie") ||
           strstr(fix->style, "electrode") || strstr(fix->style, "polarize") || strstr(fix->style, "charge");
  });
}

void GPZTopology::begin_file() {
  first_ = true;
  listed_atoms_ = false;
  types_ = {};
}

/* ----------------------------------------------------------------------
   what the atoms of this rank have
------------------------------------------------------------------------- */

bool GPZTopology::in_group(int i) const { return atom->mask[i] & group->bitmask[group_]; }

// Words of a row.
std::size_t GPZTopology::width(Kind kind) const {
  constexpr std::size_t widths[] = {3, 4, 5, 5, 1 + NPROPERTIES};
  return widths[kind];
}

template <class Use>
void GPZTopology::for_each_atom(Use &&use) const {
  for (int i = 0; i < atom->nlocal; ++i) {
    if (!in_group(i)) continue;
    Row row{atom->tag[i]};
    if (has_property_[TYPE]) row[1 + TYPE] = atom->type[i];
    if (has_property_[MOLECULE]) row[1 + MOLECULE] = atom->molecule[i];
    if (has_property_[CHARGE]) row[1 + CHARGE] = bits_of(atom->q[i]);
    if (has_property_[MASS]) row[1 + MASS] = bits_of(atom->rmass[i]);
    if (has_property_[RADIUS]) row[1 + RADIUS] = bits_of(atom->radius[i]);
    use(row);
  }
}

// Each once: without Newton's third law for bonds, every atom of a bond has it. A negative type is one that is not
// computed, for instance because fix shake keeps the bond's length; type 0 is a bond that broke. As AtomVec does for
// the command write_data.
template <class Use>
void GPZTopology::for_each_of_molecules(Kind kind, Use &&use) const {
  const auto lists_of = [kind](const auto &owner) -> Lists {
    switch (kind) {
      case BONDS:
        return {owner.num_bond, owner.bond_type, {nullptr, owner.bond_atom}};
      case ANGLES:
        return {owner.num_angle, owner.angle_type, {owner.angle_atom1, owner.angle_atom2, owner.angle_atom3}};
      case DIHEDRALS:
        return {owner.num_dihedral,
                owner.dihedral_type,
                {owner.dihedral_atom1, owner.dihedral_atom2, owner.dihedral_atom3, owner.dihedral_atom4}};
      default:
        return {owner.num_improper,
                owner.improper_type,
                {owner.improper_atom1, owner.improper_atom2, owner.improper_atom3, owner.improper_atom4}};
    }
  };
  const int natoms = static_cast<int>(width(kind)) - 1;
  const bool once = force->newton_bond, is_template = atom->molecular == Atom::TEMPLATE;
  Lists lists = is_template ? Lists() : lists_of(*atom);
  for (int i = 0; i < atom->nlocal; ++i) {
    int at = i;
    const tagint me = atom->tag[i];
    tagint before = 0;  // the number of the atom in front of the molecule
    if (is_template) {
      if (atom->molindex[i] < 0) continue;
      lists = lists_of(*atom->avec->onemols[atom->molindex[i]]);
      at = atom->molatom[i];
      before = me - at - 1;
      if (!lists.count) continue;
    }
    for (int n = 0; n < lists.count[at]; ++n) {
      const int type = lists.type[at][n];
      if (type == 0) continue;
      Row row{};
      for (int a = 0; a < natoms; ++a) row[a] = lists.atoms[a] ? lists.atoms[a][at][n] + before : me;
      if (!once && (kind == BONDS ? me > row[1] : me != row[1])) continue;
      row[natoms] = std::abs(type);
      use(row);
    }
  }
}

template <class Use>
void GPZTopology::for_each(Kind kind, Use &&use) const {
  if (kind == ATOMS)
    for_each_atom(use);
  else
    for_each_of_molecules(kind, use);
}

// Sums over all rows of all ranks, whoever has them. A charge is not among what has to stay, because what changes it
// cannot be known; see is_constant_charge().
std::array<std::int64_t, GPZTopology::NKINDS> GPZTopology::hashes() const {
  std::array<long long, NKINDS> mine{}, all{};
  for (int k = 0; k < NKINDS; ++k) {
    const auto kind = static_cast<Kind>(k);
    if (!has_[kind]) continue;
    std::uint64_t sum = 0;
    const std::size_t words = width(kind);
    for_each(kind, [&](Row &row) {
      if (kind == ATOMS) row[1 + CHARGE] = 0;
      sum += hash_of(row.data(), words);
    });
    mine[k] = static_cast<long long>(sum & hash_mask);
  }
  MPI_Allreduce(mine.data(), all.data(), NKINDS, MPI_LONG_LONG, MPI_SUM, world);
  std::array<std::int64_t, NKINDS> result{};
  for (int k = 0; k < NKINDS; ++k) result[k] = all[k] & static_cast<std::int64_t>(hash_mask);
  return result;
}

/* ----------------------------------------------------------------------
   tables
------------------------------------------------------------------------- */

// The rows of all ranks in their order, on the first one. Throws on all ranks if one of them lacks memory.
std::vector<GPZTopology::Row> GPZTopology::gather(Kind kind) const {
  const std::size_t words = width(kind);
  std::vector<long long> mine, counts;
  std::vector<Row> rows;
  long long count = -1;  // this rank lacks memory
  try {
    for_each(kind, [&](const Row &row) { mine.insert(mine.end(), row.begin(), row.begin() + words); });
    count = static_cast<long long>(mine.size());
  } catch (const std::bad_alloc &) {
  }
  int good = 1;
  if (comm->me == 0) counts.resize(static_cast<std::size_t>(comm->nprocs));
  MPI_Gather(&count, 1, MPI_LONG_LONG, counts.data(), 1, MPI_LONG_LONG, 0, world);
  std::vector<long long> other;
  if (comm->me == 0) {
    try {
      std::size_t total = 0, largest = 0;
      for (const long long words_of_rank : counts) {
        if (words_of_rank < 0) throw std::bad_alloc();
        total += static_cast<std::size_t>(words_of_rank);
        largest = std::max(largest, static_cast<std::size_t>(words_of_rank));
      }
      other.resize(comm->nprocs > 1 ? largest : 0);
      rows.reserve(total / words);
    } catch (const std::exception &) {
      good = 0;
    }
  }
  MPI_Bcast(&good, 1, MPI_INT, 0, world);
  if (!good) throw std::runtime_error("not enough memory for the tables of dump_modify topology");

  // All of a rank's words.
  const auto in_pieces = [](std::size_t size, const auto &move) {
    for (std::size_t at = 0; at < size; at += largest_message)
      move(at, static_cast<int>(std::min(size - at, largest_message)));
  };
  if (comm->me != 0) {
    in_pieces(mine.size(), [&](std::size_t at, int size) { MPI_Send(&mine[at], size, MPI_LONG_LONG, 0, 0, world); });
    return rows;
  }
  for (int rank = 0; rank < comm->nprocs; ++rank) {
    const auto size = static_cast<std::size_t>(counts[rank]);
    if (rank > 0)
      in_pieces(size, [&](std::size_t at, int piece) {
        MPI_Recv(&other[at], piece, MPI_LONG_LONG, rank, 0, world, MPI_STATUS_IGNORE);
      });
    const std::vector<long long> &from = rank > 0 ? other : mine;
    for (std::size_t at = 0; at < size; at += words) {
      Row row{};
      std::copy_n(&from[at], words, row.begin());
      rows.push_back(row);
    }
  }
  return rows;
}

// Only rows all of whose atoms are in the group.
void GPZTopology::keep_group(Kind kind, const std::vector<Row> &atoms, std::vector<Row> &rows) const {
  const auto is_outside = [&](std::int64_t id) {
    const auto at = std::lower_bound(atoms.begin(), atoms.end(), id,
                                     [](const Row &row, std::int64_t searched) { return row[0] < searched; });
    return at == atoms.end() || (*at)[0] != id;
  };
  const std::size_t natoms = width(kind) - 1;
  rows.erase(std::remove_if(rows.begin(), rows.end(),
                            [&](const Row &row) { return std::any_of(&row[0], &row[natoms], is_outside); }),
             rows.end());
}

gpz::Table GPZTopology::table(Kind kind, const std::vector<Row> &rows) const {
  const auto column = [&](const char *name, const char *unit, std::size_t word, bool real) {
    gpz::TableColumn result{name, unit, {}};
    if (real) {
      std::vector<double> values;
      values.reserve(rows.size());
      for (const Row &row : rows) values.push_back(value_of(row[word]));
      result.values = std::move(values);
    } else {
      std::vector<std::int64_t> values;
      values.reserve(rows.size());
      for (const Row &row : rows) values.push_back(row[word]);
      result.values = std::move(values);
    }
    return result;
  };
  const char *const names[] = {"bonds", "angles", "dihedrals", "impropers", "atoms"};
  gpz::Table result{names[kind], {}};
  if (kind == ATOMS) {
    const gpz::QuantityUnits &units = gpz::quantity_units(update->unit_style);
    const struct {
      const char *name, *unit;
      bool real;
    } properties[] = {{"type", "", false},
                      {"mol", "", false},
                      {"q", units.charge, true},
                      {"mass", units.mass, true},
                      {"radius", units.length, true}};
    result.columns.push_back(column("id", "", 0, false));
    for (std::size_t p = 0; p < NPROPERTIES; ++p)
      if (has_property_[p])
        result.columns.push_back(column(properties[p].name, properties[p].unit, 1 + p, properties[p].real));
    return result;
  }
  const std::size_t natoms = width(kind) - 1;
  result.columns.push_back(column("type", "", natoms, false));
  const char *const atoms[] = {"atom1", "atom2", "atom3", "atom4"};
  for (std::size_t a = 0; a < natoms; ++a) result.columns.push_back(column(atoms[a], "", a, false));
  return result;
}

gpz::Table GPZTopology::types() const {
  std::vector<std::int64_t> numbers;
  std::vector<double> masses;
  bool has_masses = atom->mass != nullptr;
  for (int type = 1; type <= atom->ntypes; ++type) {
    numbers.push_back(type);
    has_masses = has_masses && atom->mass_setflag[type];
    masses.push_back(has_masses ? atom->mass[type] : 0.0);
  }
  gpz::Table result{"types", {{"type", "", std::move(numbers)}}};
  if (has_masses) result.columns.push_back({"mass", gpz::quantity_units(update->unit_style).mass, std::move(masses)});
  std::vector<std::string> labels = gpz_metadata(lmp).type_labels;
  if (labels.size() == static_cast<std::size_t>(atom->ntypes))
    result.columns.push_back({"label", "", std::move(labels)});
  return result;
}

std::vector<gpz::Table> GPZTopology::changed() {
  const std::array<std::int64_t, NKINDS> now = hashes();
  const auto is_new = [&](int kind) { return first_ || now[kind] != seen_[kind]; };
  bool any_is_new = false;
  for (int kind = 0; kind < NKINDS; ++kind) any_is_new = any_is_new || (has_[kind] && is_new(kind));
  const bool is_part = group_ != 0;
  std::vector<gpz::Table> result;
  std::vector<Row> atoms;
  std::exception_ptr failed;  // on the first rank; the others still gather
  for (const Kind kind : {ATOMS, BONDS, ANGLES, DIHEDRALS, IMPROPERS}) {
    // The rows of a part of the atoms change with the part.
    if (!has_[kind] || !(is_new(kind) || (is_part && (kind == ATOMS ? any_is_new : is_new(ATOMS))))) continue;
    std::vector<Row> rows = gather(kind);
    if (comm->me != 0 || failed) continue;
    try {
      if (is_part && kind != ATOMS) keep_group(kind, atoms, rows);
      std::sort(rows.begin(), rows.end());
      const std::uint64_t checksum = gpz::chunk_checksum(rows.data(), rows.size() * sizeof(Row));
      if ((first_ || checksum != written_[kind]) && (kind != ATOMS || lists_atoms_))
        result.push_back(table(kind, rows));
      written_[kind] = checksum;
      if (kind == ATOMS) atoms = std::move(rows);
    } catch (const std::exception &) {
      failed = std::current_exception();
    }
  }
  // Set alike on all ranks, also if the first one fails: otherwise they would not gather the same tables next time.
  first_ = false;
  listed_atoms_ = listed_atoms_ || lists_atoms_;
  seen_ = now;
  if (failed) std::rethrow_exception(failed);
  if (comm->me == 0) {
    gpz::Table types_now = types();
    const auto same = [](const gpz::TableColumn &a, const gpz::TableColumn &b) {
      return a.name == b.name && a.values == b.values;
    };
    if (!std::equal(types_now.columns.begin(), types_now.columns.end(), types_.columns.begin(), types_.columns.end(),
                    same)) {
      if (types_now.columns.size() > 1) result.push_back(types_now);
      types_ = std::move(types_now);
    }
  }
  return result;
}

/* ----------------------------------------------------------------------
   KOKKOS
------------------------------------------------------------------------- */

void GPZTopology::add_needs(GPZHostNeeds &needs) const {
  std::uint64_t mask = 0;
  const auto add = [&](bool condition, std::uint64_t arrays) {
    if (condition) mask |= arrays;
  };
  add(has_[BONDS], TAG_MASK | BOND_MASK);
  add(has_[ANGLES], TAG_MASK | ANGLE_MASK);
  add(has_[DIHEDRALS], TAG_MASK | DIHEDRAL_MASK);
  add(has_[IMPROPERS], TAG_MASK | IMPROPER_MASK);
  add(has_[ATOMS], TAG_MASK | MASK_MASK);
  add(has_property_[TYPE], TYPE_MASK);
  add(has_property_[MOLECULE], MOLECULE_MASK);
  add(has_property_[CHARGE], Q_MASK);
  add(has_property_[MASS], RMASS_MASK);
  add(has_property_[RADIUS], RADIUS_MASK);
  needs.add(mask, "dump_modify topology");
}
