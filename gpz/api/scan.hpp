// SPDX-License-Identifier: BSD-3-Clause
// Finds the records of a file (docs/format.md, sections 2, 11 and 12).
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "gpz/api/source.hpp"
#include "gpz/container.hpp"
#include "gpz/format/container_parse.hpp"

namespace gpz::api {

FileScan scan(const Source &source, bool use_index);

// Reads the complete record at `position` that ends at or before `end`, which is within the file; nothing if there is
// none. `prefix` receives its start, head and head checksum, or stays empty if the head was not read. Throws
// unsupported_version for a record of an unknown type that must not be skipped.
std::optional<format::RecordStart> complete_record_at(const Source &source, std::uint64_t position, std::uint64_t end,
                                                      Bytes &prefix);

// Appends the records between `begin` and `end`. Returns false if these bytes are not a sequence of records, or if a
// record is a frame or an index. Throws as complete_record_at.
bool take_other_records(const Source &source, std::uint64_t begin, std::uint64_t end,
                        std::vector<RecordEntry> &records);

}  // namespace gpz::api
