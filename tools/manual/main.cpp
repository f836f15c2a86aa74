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
  using namespace gpz::manual;
  const CommandLine line = describe(*gpz::tool::make_app());
  write(folder / "man" / "gpz.1", program_page(line));
  for (const Command &command : line.commands)
    write(folder / "man" / ("gpz-" + command.name + ".1"), command_page(line, command));
  write(folder / "bash" / "gpz", bash_completion(line));
  write(folder / "zsh" / "_gpz", zsh_completion(line));
  write(folder / "fish" / "gpz.fish", fish_completion(line));
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
