// SPDX-License-Identifier: BSD-3-Clause
// The command line of gpz: all commands and their options.
#pragma once

#include <memory>

#include "command_parser.hpp"

namespace gpz::tool {

// Parsing a line runs its command.
std::unique_ptr<CommandParser> make_parser();

// Runs what the command line of the program says. Failures are thrown, those of the command line as Failure.
void run(int argc, char **argv);

}  // namespace gpz::tool
