// SPDX-License-Identifier: BSD-3-Clause
// The descriptions of a command line: each function returns the text of one file.
#pragma once

#include <string>

#include "command_line.hpp"

namespace gpz::manual {

// gpz(1), and gpz-COMMAND(1) of one of its commands: roff, man macros.
std::string program_page(const CommandLine &line);
std::string command_page(const CommandLine &line, const Command &command);

// Completes commands, options, their fixed values, and names of files.
std::string bash_completion(const CommandLine &line);
std::string zsh_completion(const CommandLine &line);
std::string fish_completion(const CommandLine &line);

}  // namespace gpz::manual
