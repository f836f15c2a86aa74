// SPDX-License-Identifier: BSD-3-Clause
#include "copying/carried_records.hpp"

#include "copying/tables_with_atoms.hpp"

namespace gpz::tool {

void CarriedRecords::before(std::size_t i) {
  while (next_ <= i) {
    const std::size_t frame = next_++;
    for (const RecordEntry &entry : reader_.records(frame)) {
      // Those of a frame that is left out.
      if (entry.type == observables_record_type && frame != i) continue;
      const StoredRecord record = reader_.stored(entry);
      out_.copy(ids_ != nullptr && entry.type == tables_record_type ? tables_with_atoms(record, *ids_, limits_)
                                                                    : record);
    }
  }
}

}  // namespace gpz::tool
