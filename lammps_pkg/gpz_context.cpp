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

#include "gpz_context.h"

#include <algorithm>
#include <utility>

#include "comm.h"
#include "gpz_provenance.h"
#include "gpz_settings.h"
#include "lammps.h"
#include "update.h"

using namespace LAMMPS_NS;

namespace {

bool same_names(const std::vector<gpz::Observable> &a, const std::vector<gpz::Observable> &b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const gpz::Observable &x, const gpz::Observable &y) {
    return x.name == y.name && x.unit == y.unit;
  });
}

}  // namespace

GPZContext::GPZContext(LAMMPS *lammps, const GPZLog &log)
    : lmp_(lammps), observables_(lammps, log), topology_(lammps) {}

void GPZContext::init(const GPZSettings &settings, bigint every, bool is_part, int igroup,
                      const std::vector<std::string> &columns) {
  observables_.init(settings.thermo, settings.observables, every, is_part);
  if (settings.topology && !has_topology_) topology_.begin_file();
  has_topology_ = settings.topology;
  has_provenance_ = settings.provenance;
  topology_.init(igroup, columns);
}

void GPZContext::begin_file() {
  named_.clear();
  provenance_written_ = false;
  topology_.begin_file();
}

// A fix may have its values on the first rank of all only, which prints them elsewhere.
std::vector<gpz::Observable> GPZContext::observables_of_first_rank(MPI_Comm group) const {
  std::vector<gpz::Observable> all = observables_.values();
  int size = 1;
  MPI_Comm_size(group, &size);
  if (all.empty() || size == lmp_->comm->nprocs) return all;
  std::vector<double> values;
  values.reserve(all.size());
  for (const gpz::Observable &observable : all) values.push_back(observable.value);
  MPI_Bcast(values.data(), static_cast<int>(values.size()), MPI_DOUBLE, 0, lmp_->world);
  for (std::size_t n = 0; n < all.size(); ++n) all[n].value = values[n];
  return all;
}

GPZRecords GPZContext::records(MPI_Comm group) {
  int group_me = 0;
  MPI_Comm_rank(group, &group_me);

  const std::vector<gpz::Observable> values = observables_of_first_rank(group);
  std::vector<gpz::Table> tables;
  if (has_provenance_ && !provenance_written_) tables.push_back(gpz_provenance(lmp_));
  provenance_written_ = provenance_written_ || has_provenance_;
  // The last to communicate, because it may fail on one rank.
  if (has_topology_)
    for (gpz::Table &table : topology_.changed()) tables.push_back(std::move(table));
  if (!same_names(values, named_)) {
    tables.push_back(gpz::observables_table(values));
    named_ = values;
  }

  std::vector<gpz::StoredRecord> records;
  if (group_me != 0) return {};
  if (!tables.empty()) records.push_back(gpz::tables_record(tables));
  if (!values.empty()) records.push_back(gpz::observables_record(lmp_->update->ntimestep, values));
  return GPZRecords(std::move(records));
}

void GPZContext::add_needs(GPZHostNeeds &needs) const {
  observables_.add_needs(needs);
  if (has_topology_) topology_.add_needs(needs);
}
