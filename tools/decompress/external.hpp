// SPDX-License-Identifier: BSD-3-Clause
// Commands that are programs of their own: gpz NAME runs gpz-NAME.
#pragma once

#include <string>

#include "command_parser.hpp"

namespace gpz::tool {

// Lists the external commands of the project, for --help, manual pages and completions.
void add_external_commands(CommandParser &parser);
// Whether gpz-NAME runs the command: it is one of those, or none of this program.
bool is_external(const CommandParser &parser, const std::string &name);

// The path of gpz-NAME, in the folder of this program or in PATH; empty if there is none.
std::string find_program(const std::string &name);

// Becomes gpz-NAME, with the arguments after NAME (argv[1]). Throws Failure: usage if there is none, io if it
// cannot be run.
[[noreturn]] void run_external(const std::string &name, char **argv);

}  // namespace gpz::tool
