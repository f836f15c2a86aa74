// SPDX-License-Identifier: BSD-3-Clause
// Some of the columns of a frame.
#pragma once

#include <string>
#include <vector>

#include "gpz/frame.hpp"

namespace gpz::tool {

// Leaves these columns, which become columns 0, 1, ... of the file in this order. Fields that lose some of their
// components keep the others; fields that lose all are gone. Throws Failure (usage) naming `file` for a column that the
// frame does not have, or that is asked for twice.
void keep_columns(Frame &frame, const std::vector<std::string> &names, const std::string &file);

// The fields that have one of the columns. Unknown names are no error here.
std::vector<bool> fields_with(const FrameInfo &info, const std::vector<std::string> &names);

}  // namespace gpz::tool
