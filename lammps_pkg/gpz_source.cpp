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

#include "gpz_source.h"

#include <algorithm>
#include <cstring>
#include <gpz/error.hpp>
#include <type_traits>

#include "atom.h"
#include "compute.h"
#include "domain.h"
#include "error.h"
#include "fix.h"
#include "gpz_box.h"
#include "gpz_gpu.h"
#include "gpz_wrapped.h"
#include "memory.h"
#include "update.h"

using namespace LAMMPS_NS;

GPZSource::GPZSource(LAMMPS *lammps, int narg, char **arg) : DumpCustom(lammps, narg, arg), log_(lammps, id) {
  columns_ = std::make_unique<GPZColumns>(column_list(), domain->dimension);
}

// As DumpCustom has read it; only the constructor can do so, because the names belong to the input script.
std::vector<GPZColumns::Column> GPZSource::column_list() const {
  using Kind = GPZColumns::Kind;
  std::vector<GPZColumns::Column> list;
  for (int n = 0; n < nfield; ++n) {
    const std::string name = earg[n];
    const auto pack = pack_choice[n];
    const bool array = pack == &GPZSource::pack_compute || pack == &GPZSource::pack_fix ||
                       pack == &GPZSource::pack_variable || pack == &GPZSource::pack_custom;
    if (vtype[n] == DOUBLE) {
      list.push_back({name, Kind::real, array});
    } else if (vtype[n] == INT || vtype[n] == BIGINT) {
      list.push_back({name, Kind::integer, array});
    } else if (name == "element") {
      list.push_back({name, Kind::element});
    } else if (name == "typelabel") {
      list.push_back({name, Kind::type_label});
    } else {
      log_.fail("column " + name + " is text, which it cannot hold");
    }
  }
  return list;
}

int GPZSource::modify_param(int narg, char **arg) {
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

bool GPZSource::has_column(const char *name) const {
  const std::vector<std::string> names = columns_->names();
  return std::find(names.begin(), names.end(), name) != names.end();
}

std::vector<std::string> GPZSource::elements() const {
  if (!elements_given_ && !columns_->has(GPZColumns::Kind::element)) return {};
  return {typenames + 1, typenames + 1 + ntypes};
}

// --- which atoms ---

void GPZSource::choose_sources(GPZDeviceAtoms *resident) {
  resident_ = resident;
  columns_->choose_sources(triclinic_general, device_atoms());
}

// Must DumpCustom choose the atoms? It also invokes computes and evaluates variables, and packs the atoms of its list.
bool GPZSource::chosen_by_custom() const {
  return idregion || nthresh || ncompute || nvariable || !columns_->packed().empty();
}

int GPZSource::count() {
  rows_ = nullptr;
  if (GPZDeviceAtoms *resident = device_atoms()) {
    try {
      resident->sync(columns_->stored(), ncustom > 0);
      if (!chosen_by_custom() && igroup != 0) {
        const GPZDeviceAtoms::Rows rows = resident->select(groupbit);
        rows_ = rows.data;
        return static_cast<int>(rows.count);
      }
    } catch (const gpz::Error &e) {
      log_.fail_alone(std::string("cannot select atoms: ") + e.what());
    }
  }
  if (!chosen_by_custom() && igroup == 0) return atom->nlocal;
  const int chosen = DumpCustom::count();
  if (chosen < atom->nlocal) rows_ = clist;
  return chosen;
}

std::vector<int> GPZSource::chosen_atoms() const {
  if (chosen_by_custom()) return {clist, clist + nchoose};
  std::vector<int> chosen;
  for (int i = 0; i < atom->nlocal; ++i)
    if (atom->mask[i] & groupbit) chosen.push_back(i);
  return chosen;
}

std::unique_ptr<GPZWrapped> GPZSource::wrapped() {
  if (!pbcflag) return nullptr;
  if (atom->nlocal > maxpbc) pbc_allocate();
  return std::make_unique<GPZWrapped>(lmp, xpbc, vpbc, imagepbc);
}

// --- where the values of a column are ---

// Fills buf: row i is local atom i, as it is for the columns that are read in place.
void GPZSource::pack(tagint *) {
  const std::vector<int> &packed = columns_->packed();
  if (packed.empty()) return;

  const std::int64_t size = static_cast<std::int64_t>(atom->nlocal) * size_one;
  if (size > MAXSMALLINT) error->one(FLERR, "Too much per-proc info for dump");
  if (size > maxbuf) {
    maxbuf = static_cast<int>(size);
    memory->destroy(buf);
    memory->create(buf, maxbuf, "dump:buf");
  }
  for (const int n : packed) (this->*pack_choice[n])(n);

  // DumpCustom packs the chosen atoms without gaps; clist ascends, so from the end no value is overwritten before it is
  // moved
  for (int i = nchoose - 1; i >= 0 && clist[i] != i; --i)
    for (const int n : packed) buf[clist[i] * size_one + n] = buf[i * size_one + n];
}

// The array of a column that has one of its own: element i is local atom i. LAMMPS allocates arrays with several
// components as one piece.
gpz::ConstArray GPZSource::array_of(int column) const {
  const int which = field2index[column], part = argindex[column];
  const auto vector = [](const auto *values) {
    using T = std::remove_cv_t<std::remove_pointer_t<decltype(values)>>;
    return gpz::ConstArray{values, sizeof(T), gpz_type_of<T>()};
  };
  const auto component = [&](const auto *const *rows) {
    using T = std::remove_cv_t<std::remove_pointer_t<std::remove_pointer_t<decltype(rows)>>>;
    const std::ptrdiff_t pitch = atom->nlocal > 1 ? rows[1] - rows[0] : part;
    return gpz::ConstArray{rows ? rows[0] + part - 1 : nullptr, pitch * static_cast<std::ptrdiff_t>(sizeof(T)),
                           gpz_type_of<T>()};
  };
  const auto pack = pack_choice[column];
  if (pack == &GPZSource::pack_compute)
    return part ? component(compute[which]->array_atom) : vector(compute[which]->vector_atom);
  if (pack == &GPZSource::pack_fix)
    return part ? component(this->fix[which]->array_atom) : vector(this->fix[which]->vector_atom);
  if (pack == &GPZSource::pack_variable) return vector(vbuf[which]);
  const int number = custom[which];
  if (vtype[column] == INT) return part ? component(atom->iarray[number]) : vector(atom->ivector[number]);
  return part ? component(atom->darray[number]) : vector(atom->dvector[number]);
}

// KOKKOS's own copy of a column of fix property/atom; data nullptr: it has none, or the column is another one.
gpz::ConstArray GPZSource::custom_on_device(int column) const {
  const bool vector = pack_choice[column] == &GPZSource::pack_custom && argindex[column] == 0;
  const GPZDeviceAtoms *const resident = device_atoms();
  return vector && resident ? resident->find_custom(array_of(column).data) : gpz::ConstArray{};
}

std::vector<gpz::ConstArray> GPZSource::find_arrays() const {
  std::vector<gpz::ConstArray> arrays;
  for (const int column : columns_->arrays()) {
    const gpz::ConstArray resident = custom_on_device(column);
    arrays.push_back(resident.data ? resident : array_of(column));
  }
  return arrays;
}

GPZRows GPZSource::rows(GPZAtoms &host) {
  GPZDeviceAtoms *const resident = device_atoms();
  columns_->bind(resident ? *resident : host, find_arrays(), buf, atom->nlocal);
  return {columns_->fields(), static_cast<std::uint64_t>(atom->nlocal), particles(), rows_};
}

// --- what describes the frame ---

gpz::Box GPZSource::box() const { return gpz_box(*domain, triclinic_general); }

void GPZSource::describe(gpz::FrameInfo &info) {
  info.timestep = update->ntimestep;
  info.time = compute_time();
  info.box = box();
  const std::vector<gpz::FieldInput> &inputs = columns_->fields();
  info.fields.resize(inputs.size());
  for (std::size_t f = 0; f < inputs.size(); ++f) {
    info.fields[f] = inputs[f].field;
    gpz::fill_step(info.fields[f]);
  }
}

// --- what has to be in host memory ---

GPZHostNeeds GPZSource::host_needs(const char *step_variable) const {
  GPZHostNeeds needs(lmp);
  const GPZDeviceAtoms *const resident = device_atoms();
  const std::vector<std::string> names = columns_->names();
  for (int n = 0; n < static_cast<int>(names.size()); ++n) {
    const GPZProperty *stored = columns_->property(n);
    const bool on_device = stored ? resident && resident->has(*stored) : custom_on_device(n).data != nullptr;
    if (!on_device) needs.add_attribute(names[n]);
  }
  for (const std::string &name : thresh_names_) needs.add_attribute(name);
  if (idregion) needs.add_region(idregion);
  if (igroup != 0 && (chosen_by_custom() || !resident)) needs.add_group();
  if (pbcflag) needs.add_wrapping();
  if (skipflag) needs.add_variable(skipvar, "dump_modify skip");
  if (refreshflag) needs.add_refresh();
  if (step_variable) needs.add_variable(step_variable, "dump_modify every");
  return needs;
}

bool GPZSource::reads_stored_arrays_only(const char *step_variable) const {
  for (int n = 0; n < static_cast<int>(columns_->names().size()); ++n)
    if (!columns_->property(n) && pack_choice[n] != &GPZSource::pack_custom) return false;
  return thresh_names_.empty() && !idregion && !pbcflag && !skipflag && !refreshflag && !step_variable;
}
