// SPDX-License-Identifier: BSD-3-Clause
#include "copying/carried_records.hpp"

namespace gpz::tool {

void CarriedRecords::before(std::size_t i) {
  while (next_ <= i)
    for (const RecordEntry &entry : reader_.records(next_++)) out_.copy(reader_.stored(entry));
}

}  // namespace gpz::tool
