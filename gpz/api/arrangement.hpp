// SPDX-License-Identifier: BSD-3-Clause
// The order of rows that the options of a read ask for, and the particles that have a row.
#pragma once

#include <vector>

#include "gpz/reader.hpp"
#include "gpz/trajectory/interval_decoder.hpp"

namespace gpz::api {

// The order and the particles that the options ask for. Throws not_found.
trajectory::Arrangement arrangement_of(const FrameInfo &info, const ReadOptions &options);
// `wanted` with the fields that decide about the arrangement, unless it is empty (all fields).
std::vector<bool> with_fields_of(const trajectory::Arrangement &arrangement, const FrameInfo &info,
                                 std::vector<bool> wanted);

}  // namespace gpz::api
