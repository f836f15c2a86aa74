// SPDX-License-Identifier: BSD-3-Clause
// Destinations of a frame's values: the caller's arrays by column name, or the columns of a Frame.
#pragma once

#include <cstddef>
#include <vector>

#include "gpz/codec/target.hpp"
#include "gpz/format/budget.hpp"
#include "gpz/reader.hpp"

namespace gpz::api {

// One target for each field. Throws invalid_argument, not_found as Reader::read_columns.
std::vector<codec::Target> column_targets(const FrameInfo &info, const std::vector<ColumnOutput> &columns);
// Throws limit_exceeded if arrays for `capacity` particles are too small for these.
void require_room(std::uint64_t particles, std::size_t capacity);

// The elements of a column of the frame, as an array.
Array array_of(const Frame &frame, Frame::Column &column);
// Charges columns of `rows` rows for the wanted fields (an empty list: all) to the budget. Throws limit_exceeded.
format::Charge charge_for_columns(std::uint64_t rows, const std::vector<Field> &fields,
                                  const std::vector<bool> &wanted);
// Sets Field::origin, the error of decoded values, for all fields of a frame.
void set_origins(FrameInfo &info);
// Resets `frame` to an empty frame with these fields and their origins.
void begin_frame(FrameInfo info, Frame &frame);
// Resizes the columns of all wanted fields (an empty list: all) to this many rows. Returns one target per field.
std::vector<codec::Target> frame_targets(Frame &frame, const std::vector<bool> &wanted, std::size_t rows);

// Field to sort by; format::no_field if the options do not require sorting. Throws not_found.
std::size_t sort_field(const FrameInfo &info, const ReadOptions &options);

}  // namespace gpz::api
