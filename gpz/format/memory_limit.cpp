// SPDX-License-Identifier: BSD-3-Clause
// Memory that the process may use.
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>

#include "gpz/limits.hpp"

namespace gpz {
namespace {

std::uint64_t physical_memory() {
  const long pages = sysconf(_SC_PHYS_PAGES);
  const long size = sysconf(_SC_PAGE_SIZE);
  if (pages <= 0 || size <= 0) return Limits::unlimited;
  return static_cast<std::uint64_t>(pages) * static_cast<std::uint64_t>(size);
}

// Reads a number from a file. "max" and any other text mean unlimited.
std::uint64_t number_in(const std::filesystem::path &path) {
  std::ifstream file(path);
  std::uint64_t number = 0;
  return file >> number ? number : Limits::unlimited;
}

// Smallest limit of a control group and its parents. `path`: path of the group below `root`.
std::uint64_t least_of(const std::string &root, const std::string &path, const std::string &name) {
  const std::filesystem::path top(root);
  std::filesystem::path group = top / std::filesystem::path(path).relative_path();
  std::uint64_t least = number_in(top / name);
  for (; group != top && group.has_relative_path(); group = group.parent_path())
    least = std::min(least, number_in(group / name));
  return least;
}

// Lines of /proc/self/cgroup are NUMBER:CONTROLLERS:PATH. Version 2 has number 0 and no controllers.
std::uint64_t allowed_by_groups() {
  std::uint64_t least = Limits::unlimited;
  std::ifstream groups("/proc/self/cgroup");
  for (std::string line; std::getline(groups, line);) {
    const std::size_t first = line.find(':');
    const std::size_t second = first == std::string::npos ? first : line.find(':', first + 1);
    if (second == std::string::npos || second + 1 >= line.size() || line[second + 1] != '/') continue;
    const std::string controllers = "," + line.substr(first + 1, second - first - 1) + ",";
    const std::string path = line.substr(second + 1);
    if (controllers == ",,")
      least = std::min(least, least_of("/sys/fs/cgroup", path, "memory.max"));
    else if (controllers.find(",memory,") != std::string::npos)
      least = std::min(least, least_of("/sys/fs/cgroup/memory", path, "memory.limit_in_bytes"));
  }
  return least;
}

}  // namespace

std::uint64_t default_memory_limit() {
  static const std::uint64_t limit = [] {
    const std::uint64_t memory = std::min(physical_memory(), allowed_by_groups());
    return memory == Limits::unlimited ? memory : memory / 2;
  }();
  return limit;
}

}  // namespace gpz
