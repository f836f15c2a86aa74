// SPDX-License-Identifier: BSD-3-Clause
// Finding the records of a file (docs/format.md, sections 2, 8 and 9).
#pragma once

#include <cstdint>
#include <optional>

#include "gpz/api/source.hpp"
#include "gpz/container.hpp"
#include "gpz/format/container_parse.hpp"

namespace gpz::api {

FileScan scan(const Source &source, bool use_index);

// The complete record at `position`, or none. `prefix` receives its start, head and head checksum. Throws
// unsupported_version if there is a record of an unknown type that must not be skipped.
std::optional<format::RecordStart> complete_record_at(const Source &source, std::uint64_t position, Bytes &prefix);

}  // namespace gpz::api
