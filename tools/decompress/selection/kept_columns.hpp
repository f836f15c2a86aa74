// SPDX-License-Identifier: BSD-3-Clause
// Some of the columns of a frame.
#pragma once

#include <string>
#include <vector>

#include "gpz/container.hpp"
#include "gpz/frame.hpp"

namespace gpz::tool {

// Leaves these columns, which become columns 0, 1, ... of the file in this order. Fields that lose some of their
// components keep the others; fields that lose all are gone. Throws Failure (usage) naming `file` for a column that the
// frame does not have, or that is asked for twice.
void keep_columns(Frame &frame, const std::vector<std::string> &names, const std::string &file);

// keep_columns() without decoding: leaves these fields of a frame. Returns false, and leaves the frame as it was, where
// that is not possible: for a part of a field, for fields that others need (gpz::keep_fields), and for names that
// keep_columns() refuses.
bool keep_stored_columns(StoredFrame &frame, const std::vector<std::string> &names);

// The fields that have one of the columns. Unknown names are no error here.
std::vector<bool> fields_with(const FrameInfo &info, const std::vector<std::string> &names);

}  // namespace gpz::tool
