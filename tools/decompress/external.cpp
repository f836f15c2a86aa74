// SPDX-License-Identifier: BSD-3-Clause
#include "external.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <sstream>
#include <system_error>
#include <vector>

#include "exit_code.hpp"

namespace gpz::tool {
namespace {

namespace fs = std::filesystem;

struct ExternalCommand {
  const char *name;
  const char *description;
};

// In the Python package. The name is that of the extra requirements, too.
constexpr std::array<ExternalCommand, 5> python_commands = {
    {{"archive", "Make .gpz files of many trajectories, compared with their inputs (Python package)"},
     {"convert", "Convert to and from DCD, XTC, TRR, AMBER NetCDF and H5MD (Python package)"},
     {"plot", "Plot sizes, errors and g(r) of a .gpz file (Python package)"},
     {"record", "Record the frames of a running simulation, sent by IMD (Python package)"},
     {"view", "Show a .gpz file in the browser (Python package)"}}};

bool is_python_command(const std::string &name) {
  return std::any_of(python_commands.begin(), python_commands.end(),
                     [&](const ExternalCommand &command) { return name == command.name; });
}

bool is_program(const fs::path &path) {
  std::error_code error;
  return fs::is_regular_file(path, error) && ::access(path.c_str(), X_OK) == 0;
}

std::vector<fs::path> search_folders() {
  std::vector<fs::path> folders;
  std::error_code error;
  const fs::path self = fs::read_symlink("/proc/self/exe", error);
  if (!error) folders.push_back(self.parent_path());
  const char *const path = std::getenv("PATH");
  std::istringstream names(path == nullptr ? "" : path);
  for (std::string name; std::getline(names, name, ':');) folders.emplace_back(name.empty() ? "." : name);
  return folders;
}

// A part of the name of a file, and nothing else.
bool is_name(const std::string &name) {
  return !name.empty() && name.find('/') == std::string::npos && name.find('\0') == std::string::npos;
}

}  // namespace

void add_external_commands(CommandParser &parser) {
  for (const ExternalCommand &command : python_commands) {
    Command added = parser.command(command.name, command.description);
    added.no_help();
    added.footer(
        fmt::format("Runs gpz-{0}, which comes with pip install \".[{0}]\" in the sources of gpz", command.name));
  }
}

bool is_external(const CommandParser &parser, const std::string &name) {
  return is_python_command(name) || !parser.has_command(name);
}

std::string find_program(const std::string &name) {
  if (!is_name(name)) return "";
  for (const fs::path &folder : search_folders()) {
    const fs::path path = folder / ("gpz-" + name);
    if (is_program(path)) return path.string();
  }
  return "";
}

void run_external(const std::string &name, char **argv) {
  const std::string path = find_program(name);
  if (!path.empty()) {
    std::vector<char *> arguments = {const_cast<char *>(path.c_str())};
    for (char **argument = argv + 2; *argument != nullptr; ++argument) arguments.push_back(*argument);
    arguments.push_back(nullptr);
    std::signal(SIGPIPE, SIG_DFL);  // this program ignores it, and the other would inherit that
    ::execv(path.c_str(), arguments.data());
    throw io_failure(path);
  }
  if (is_python_command(name))
    throw Failure(
        ExitCode::usage, "",
        fmt::format("gpz {0} is part of the Python package: pip install \".[{0}]\" in the sources of gpz", name));
  throw Failure(ExitCode::usage, "", fmt::format("no command '{}' (gpz --help lists them)", name));
}

}  // namespace gpz::tool
