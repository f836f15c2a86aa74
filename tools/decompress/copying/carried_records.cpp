// SPDX-License-Identifier: BSD-3-Clause
#include "copying/carried_records.hpp"

namespace gpz::tool {

void CarriedRecords::before(std::size_t i) {
  while (next_ <= i) {
    const std::size_t frame = next_++;
    for (const RecordEntry &entry : reader_.records(frame)) {
      // Those of a frame that is left out.
      if (entry.type == observables_record_type && frame != i) continue;
      out_.copy(reader_.stored(entry));
    }
  }
}

}  // namespace gpz::tool
