// SPDX-License-Identifier: BSD-3-Clause
#include "copying/numbered_files.hpp"

#include <dirent.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstdint>
#include <set>

#include "exit_code.hpp"

namespace gpz::tool {
namespace {

// The number between the two parts, as LAMMPS writes it: without zeros in front.
bool number_in(const std::string &name, const std::string &before, const std::string &behind, std::uint64_t &number) {
  if (name.size() <= before.size() + behind.size()) return false;
  if (name.compare(0, before.size(), before) != 0) return false;
  if (name.compare(name.size() - behind.size(), behind.size(), behind) != 0) return false;
  const char *const end = name.data() + name.size() - behind.size();
  const auto [rest, error] = std::from_chars(name.data() + before.size(), end, number);
  return error == std::errc() && rest == end && (number == 0 || name[before.size()] != '0');
}

// The names in a folder. Not by std::filesystem, which ends the program where there is no memory.
class Folder {
 public:
  // Throws Failure (io) naming `asked`.
  Folder(const std::string &path, const std::string &asked) : asked_(asked), entries_(::opendir(path.c_str())) {
    if (entries_ == nullptr) throw io_failure(asked_);
  }
  ~Folder() { ::closedir(entries_); }
  Folder(const Folder &) = delete;
  Folder &operator=(const Folder &) = delete;

  // nullptr after the last one. Throws as the constructor.
  const char *next() {
    errno = 0;
    const struct dirent *const entry = ::readdir(entries_);
    if (entry == nullptr && errno != 0) throw io_failure(asked_);
    return entry == nullptr ? nullptr : entry->d_name;
  }

 private:
  std::string asked_;
  DIR *entries_;
};

}  // namespace

std::vector<std::string> numbered_files(const std::string &name) {
  const std::size_t percent = name.find('%');
  if (percent == std::string::npos || ::access(name.c_str(), F_OK) == 0) return {name};
  const std::size_t start = name.rfind('/') + 1;  // of the name after the folder
  if (percent < start) throw Failure(ExitCode::usage, name, "% stands in the name of a folder");
  const std::string before = name.substr(start, percent - start);
  const std::string behind = name.substr(percent + 1);
  std::set<std::uint64_t> numbers;
  Folder folder(start == 0 ? "." : name.substr(0, start), name);
  while (const char *const found = folder.next()) {
    std::uint64_t number = 0;
    if (number_in(found, before, behind, number)) numbers.insert(number);
  }
  if (numbers.empty()) throw Failure(ExitCode::io, name, "no file of that name with a number in the place of %");
  const auto with_number = [&](std::uint64_t number) {
    return name.substr(0, percent) + std::to_string(number) + name.substr(percent + 1);
  };
  std::vector<std::string> files;
  for (const std::uint64_t number : numbers) {
    if (number != files.size())
      throw Failure(ExitCode::usage, name,
                    fmt::format("there is {}, but not {}", with_number(number), with_number(files.size())));
    files.push_back(with_number(number));
  }
  return files;
}

}  // namespace gpz::tool
