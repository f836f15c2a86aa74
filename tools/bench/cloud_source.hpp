// SPDX-License-Identifier: BSD-3-Clause
// The positions that a benchmark compresses: a raw array, or a frame of a .gpz file.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "bench/cloud.hpp"

namespace gpz::bench {

struct SourceOptions {
  std::string file;
  std::optional<ValueType> file_type;  // of a raw file, which needs it: x y z of one particle after the other
  int file_components = 3;             // of a raw file
  std::size_t frame = 0;               // of a .gpz file
  std::optional<ValueType> type;       // in memory; else the file's
  Layout layout = Layout::aos;         // in memory
};

struct Source {
  Cloud cloud;
  std::string description;  // what it is, for the reader of the figures
};

// Throws Failure (usage, io, corrupt), gpz::Error, std::bad_alloc.
Source open_source(const SourceOptions &options);

}  // namespace gpz::bench
