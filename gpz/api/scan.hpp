// SPDX-License-Identifier: BSD-3-Clause
// Finding the records of a file (docs/format.md, sections 2, 11 and 12).
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "gpz/api/source.hpp"
#include "gpz/container.hpp"
#include "gpz/format/container_parse.hpp"

namespace gpz::api {

FileScan scan(const Source &source, bool use_index);

// The complete record at `position` that ends at `end`, which is in the file, or before; or none. `prefix` receives its
// start, head and head checksum; it stays empty if the head was not looked at. Throws unsupported_version if there is a
// record of an unknown type that must not be skipped.
std::optional<format::RecordStart> complete_record_at(const Source &source, std::uint64_t position, std::uint64_t end,
                                                      Bytes &prefix);

// Appends the records that fill the bytes from `begin` to `end`. False if these are no records, or some are frames or
// an index. Throws as complete_record_at.
bool take_other_records(const Source &source, std::uint64_t begin, std::uint64_t end,
                        std::vector<RecordEntry> &records);

}  // namespace gpz::api
