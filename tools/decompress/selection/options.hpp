// SPDX-License-Identifier: BSD-3-Clause
// The options with which commands choose frames, atoms and columns.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "selection/atom_selection.hpp"

namespace gpz::tool {

// --frames
void add_frames_option(CLI::App &command, std::string &frames);
// --ids, --types, --region
void add_atom_options(CLI::App &command, AtomOptions &atoms);
// --columns
void add_columns_option(CLI::App &command, std::vector<std::string> &columns, const std::string &description);

}  // namespace gpz::tool
