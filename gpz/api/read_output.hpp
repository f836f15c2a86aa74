// SPDX-License-Identifier: BSD-3-Clause
// Where the values of a frame go when it is read: columns by name in the caller's arrays, or those of a Frame.
#pragma once

#include <cstddef>
#include <vector>

#include "gpz/codec/target.hpp"
#include "gpz/format/budget.hpp"
#include "gpz/reader.hpp"

namespace gpz::api {

// One target a field. Throws invalid_argument, not_found, limit_exceeded as Reader::read_columns.
std::vector<codec::Target> column_targets(const FrameInfo &info, const std::vector<ColumnOutput> &columns,
                                          std::size_t capacity);

// The elements of a column of the frame.
Array array_of(const Frame &frame, Frame::Column &column);
// For the columns of these fields that are wanted (an empty list: of all). Throws limit_exceeded.
format::Charge charge_for_columns(std::uint64_t particles, const std::vector<Field> &fields,
                                  const std::vector<bool> &wanted);
// Says of the fields of a frame that is decoded what error their values have (Field::origin).
void set_origins(FrameInfo &info);
// Makes `frame` an empty frame with these fields and their origins.
void begin_frame(FrameInfo info, Frame &frame);
// Gives the columns of all wanted fields (an empty list: of all) room for this many particles; one target a field.
std::vector<codec::Target> frame_targets(Frame &frame, const std::vector<bool> &wanted, std::size_t particles);

// The field to sort by, format::no_field if the options do not ask for it. Throws not_found.
std::size_t sort_field(const FrameInfo &info, const ReadOptions &options);

}  // namespace gpz::api
