// SPDX-License-Identifier: BSD-3-Clause
// The options with which commands choose frames, atoms and columns.
#pragma once

#include <string>
#include <vector>

#include "command_parser.hpp"
#include "selection/atom_selection.hpp"

namespace gpz::tool {

// --frames
void add_frames_option(Command &command, std::string &frames);
// --ids, --types, --region
void add_atom_options(Command &command, AtomOptions &atoms);
// --columns
void add_columns_option(Command &command, std::vector<std::string> &columns, const std::string &description);

}  // namespace gpz::tool
