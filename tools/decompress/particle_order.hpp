// SPDX-License-Identifier: BSD-3-Clause
// The order particles are written in.
#pragma once

#include <string>
#include <vector>

#include "gpz/frame.hpp"

namespace gpz::tool {

// Row numbers of the frame by ascending value of the column; particles of equal value keep their order, NaN comes last.
// Throws Failure (usage) naming `file` if there is no such column.
std::vector<std::size_t> sorted_rows(const Frame &frame, const std::string &column, const std::string &file);

}  // namespace gpz::tool
