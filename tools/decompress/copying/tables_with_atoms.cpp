// SPDX-License-Identifier: BSD-3-Clause
#include "copying/tables_with_atoms.hpp"

#include <vector>

#include "gpz/error.hpp"

namespace gpz::tool {

StoredRecord tables_with_atoms(const StoredRecord &record, const NumberRanges &ids, const Limits &limits) {
  std::vector<Table> tables;
  try {
    tables = tables_of(record, limits);
  } catch (const Error &error) {
    if (error.status() != Status::corrupt) throw;
    return record;
  }
  keep_particles(tables, ids);
  return tables_record(tables);
}

}  // namespace gpz::tool
