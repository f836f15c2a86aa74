// The command line of gpz: all commands and their options.
#pragma once

#include <CLI/CLI.hpp>
#include <memory>

namespace gpz::tool {

// Parsing a line runs its command.
std::unique_ptr<CLI::App> make_app();

}  // namespace gpz::tool
