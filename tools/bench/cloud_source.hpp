// SPDX-License-Identifier: BSD-3-Clause
// Where the points of a benchmark come from: a generator, a raw file, or a frame of a .gpz file; tiled if wanted.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>

#include "bench/cloud.hpp"

namespace gpz::bench {

struct SourceOptions {
  std::string generator;  // empty: a file
  std::string file;
  std::size_t particles = 1000000;  // of a generated cloud
  std::uint64_t seed = 1;
  std::optional<ValueType> file_type;  // of a raw file; needed there
  std::optional<Layout> file_layout;   // of a raw file; else `layout`
  int file_components = 3;
  std::size_t frame = 0;                         // of a .gpz file
  std::array<std::size_t, 3> tiles = {1, 1, 1};  // copies along each axis
  std::optional<std::array<double, 3>> box;      // edges that the copies are shifted by; a .gpz file has its own
  std::optional<ValueType> type;                 // in memory; else the file's, f32 for a generated cloud
  Layout layout = Layout::aos;                   // in memory
};

struct Source {
  Cloud cloud;
  std::string description;  // what it is, for the reader of the figures
  std::string order;        // in memory
};

// Throws Failure (usage, io, corrupt), gpz::Error, std::bad_alloc.
Source open_source(const SourceOptions &options);

// Copies of a cloud, x fastest, each in the order of the original and shifted by multiples of the box edges.
Cloud tiled(const Cloud &cloud, const std::array<std::size_t, 3> &tiles, const std::array<double, 3> &box);

}  // namespace gpz::bench
