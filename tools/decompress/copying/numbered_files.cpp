// SPDX-License-Identifier: BSD-3-Clause
#include "copying/numbered_files.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <filesystem>
#include <set>
#include <system_error>

#include "exit_code.hpp"

namespace gpz::tool {
namespace {

namespace fs = std::filesystem;

// The number between the two parts, as LAMMPS writes it: without zeros in front.
bool number_in(const std::string &name, const std::string &before, const std::string &behind, std::uint64_t &number) {
  if (name.size() <= before.size() + behind.size()) return false;
  if (name.compare(0, before.size(), before) != 0) return false;
  if (name.compare(name.size() - behind.size(), behind.size(), behind) != 0) return false;
  const char *const end = name.data() + name.size() - behind.size();
  const auto [rest, error] = std::from_chars(name.data() + before.size(), end, number);
  return error == std::errc() && rest == end && (number == 0 || name[before.size()] != '0');
}

}  // namespace

std::vector<std::string> numbered_files(const std::string &name) {
  const std::size_t percent = name.find('%');
  std::error_code error;
  if (percent == std::string::npos || fs::exists(name, error)) return {name};
  const std::string pattern = fs::path(name).filename();
  const std::size_t at = pattern.find('%');
  if (at == std::string::npos) throw Failure(ExitCode::usage, name, "% stands in the name of a folder");
  const fs::path folder = fs::path(name).parent_path();
  std::set<std::uint64_t> numbers;
  fs::directory_iterator entry(folder.empty() ? fs::path(".") : folder, error);
  for (; !error && entry != fs::directory_iterator(); entry.increment(error)) {
    std::uint64_t number = 0;
    if (number_in(entry->path().filename(), pattern.substr(0, at), pattern.substr(at + 1), number))
      numbers.insert(number);
  }
  if (error) throw Failure(ExitCode::io, name, error.message());
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
