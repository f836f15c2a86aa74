// SPDX-License-Identifier: BSD-3-Clause
// gpz_manual FOLDER: writes the manual pages of gpz and its completions for shells into the folder.
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <stdexcept>

#include "app.hpp"
#include "pages.hpp"

namespace {

namespace fs = std::filesystem;

void write(const fs::path &path, const std::string &text) {
  fs::create_directories(path.parent_path());
  std::ofstream out(path, std::ios::binary);
  out << text;
  out.close();
  if (!out) throw std::runtime_error("cannot write " + path.string());
}

void write_all(const fs::path &folder) {
  namespace manual = gpz::manual;
  const manual::CommandLine line = manual::describe(gpz::tool::make_parser()->app());
  write(folder / "man" / "gpz.1", manual::program_page(line));
  for (const manual::Command &command : line.commands)
    write(folder / "man" / ("gpz-" + command.name + ".1"), manual::command_page(line, command));
  write(folder / "bash" / "gpz", manual::bash_completion(line));
  write(folder / "zsh" / "_gpz", manual::zsh_completion(line));
  write(folder / "fish" / "gpz.fish", manual::fish_completion(line));
}

}  // namespace

int main(int argc, char **argv) {
  if (argc != 2) {
    std::fputs("usage: gpz_manual FOLDER\n", stderr);
    return 2;
  }
  try {
    write_all(argv[1]);
    return 0;
  } catch (const std::exception &error) {
    std::fprintf(stderr, "gpz_manual: %s\n", error.what());
    return 1;
  }
}
