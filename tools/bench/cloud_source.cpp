// SPDX-License-Identifier: BSD-3-Clause
#include "bench/cloud_source.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <filesystem>
#include <memory>

#include "bench/generators.hpp"
#include "exit_code.hpp"
#include "gpz/reader.hpp"
#include "positions.hpp"

namespace gpz::bench {
namespace {

using tool::ExitCode;
using tool::Failure;
using File = std::unique_ptr<std::FILE, int (*)(std::FILE *)>;

const char *name_of(ValueType type) { return type == ValueType::float32 ? "f32" : "f64"; }
const char *name_of(Layout layout) { return layout == Layout::aos ? "aos" : "soa"; }

File open(const std::string &path) {
  if (std::filesystem::is_directory(path)) throw Failure(ExitCode::io, path, "is a folder");
  File file(std::fopen(path.c_str(), "rb"), std::fclose);
  if (file == nullptr) throw tool::io_failure(path);
  return file;
}

bool is_gpz(const std::string &path) {
  constexpr std::array<unsigned char, 8> magic = {0x89, 'G', 'P', 'Z', '\r', '\n', 0x1a, '\n'};
  const File file = open(path);
  std::array<unsigned char, 8> start{};
  return std::fread(start.data(), 1, start.size(), file.get()) == start.size() && start == magic;
}

Cloud read_raw(const SourceOptions &options) {
  if (!options.file_type)
    throw Failure(ExitCode::usage, options.file, "is no .gpz file; for a raw array give --type f32 or f64");
  const File file = open(options.file);
  const Layout layout = options.file_layout.value_or(options.layout);
  const std::size_t of_particle =
      static_cast<std::size_t>(options.file_components) * (*options.file_type == ValueType::float32 ? 4 : 8);
  const std::uintmax_t size = std::filesystem::file_size(options.file);
  if (size % of_particle != 0)
    throw Failure(ExitCode::corrupt, options.file,
                  fmt::format("{} bytes are no whole number of particles of {} bytes", size, of_particle));
  Cloud cloud(*options.file_type, layout, options.file_components, size / of_particle);
  if (std::fread(cloud.data(), 1, cloud.bytes(), file.get()) != cloud.bytes())
    throw Failure(ExitCode::io, options.file, "cannot be read to its end");
  return cloud;
}

struct FramePoints {
  Cloud cloud;
  std::optional<std::array<double, 3>> box;
};

FramePoints read_frame(const SourceOptions &options) {
  const Reader reader(options.file);
  Frame frame = reader.read(options.frame, 0);
  auto positions = tool::find_positions(frame);
  if (!positions) throw Failure(ExitCode::usage, options.file, "no positions in it");
  if (positions->scaled()) {
    tool::to_cartesian(frame, options.file);
    positions = tool::find_positions(frame);
  }
  const int components = positions->columns[2] ? 3 : 2;
  const Frame::Column &x = frame.columns[*positions->columns[0]];
  FramePoints points;
  points.cloud = Cloud(frame.info.fields[x.field].type, options.layout, components, frame.info.particles);
  for (int d = 0; d < components; ++d) {
    const auto &values = frame.columns[*positions->columns[static_cast<std::size_t>(d)]].floats;
    for (std::size_t i = 0; i < values.size(); ++i) points.cloud.set(i, d, values[i]);
  }
  if (frame.info.box.kind == Box::Kind::orthogonal) points.box = frame.info.box.edges();
  return points;
}

Source from_file(const SourceOptions &options) {
  Source source;
  source.order = "that of the file";
  std::optional<std::array<double, 3>> box = options.box;
  if (is_gpz(options.file)) {
    FramePoints points = read_frame(options);
    source.cloud = std::move(points.cloud);
    source.description = fmt::format("{}, frame {}", options.file, options.frame);
    if (!box) box = points.box;
  } else {
    source.cloud = read_raw(options);
    source.description =
        fmt::format("{} ({}, {})", options.file, name_of(source.cloud.type()), name_of(source.cloud.layout()));
  }
  const auto &tiles = options.tiles;
  if (tiles == std::array<std::size_t, 3>{1, 1, 1}) return source;
  if (!box) throw Failure(ExitCode::usage, options.file, "--tile needs the edges of the box: --box LX,LY,LZ");
  if (source.cloud.components() == 2 && tiles[2] != 1)
    throw Failure(ExitCode::usage, options.file, "--tile: two components are not tiled along z");
  source.cloud = tiled(source.cloud, tiles, *box);
  source.description +=
      fmt::format(", tiled {}x{}x{} at {} {} {}", tiles[0], tiles[1], tiles[2], (*box)[0], (*box)[1], (*box)[2]);
  source.order += ", tile after tile";
  return source;
}

Source from_generator(const SourceOptions &options) {
  const auto &all = generators();
  const auto found = std::find_if(all.begin(), all.end(),
                                  [&](const Generator &generator) { return generator.name == options.generator; });
  if (found == all.end()) throw Failure(ExitCode::usage, "", "--generate: no generator " + options.generator);
  const CloudShape shape = {options.particles, options.type.value_or(ValueType::float32), options.layout};
  return {found->generate(shape, options.seed),
          fmt::format("{} ({}), seed {}", found->name, found->description, options.seed), found->order};
}

}  // namespace

Cloud tiled(const Cloud &cloud, const std::array<std::size_t, 3> &tiles, const std::array<double, 3> &box) {
  const std::size_t particles = cloud.particles();
  Cloud out(cloud.type(), cloud.layout(), cloud.components(), particles * tiles[0] * tiles[1] * tiles[2]);
  std::size_t to = 0;
  for (std::size_t k = 0; k < tiles[2]; ++k)
    for (std::size_t j = 0; j < tiles[1]; ++j)
      for (std::size_t i = 0; i < tiles[0]; ++i) {
        const double shift[3] = {static_cast<double>(i) * box[0], static_cast<double>(j) * box[1],
                                 static_cast<double>(k) * box[2]};
        for (std::size_t from = 0; from < particles; ++from, ++to)
          for (int d = 0; d < cloud.components(); ++d) out.set(to, d, cloud.get(from, d) + shift[d]);
      }
  return out;
}

Source open_source(const SourceOptions &options) {
  Source source = options.file.empty() ? from_generator(options) : from_file(options);
  const ValueType type = options.type.value_or(source.cloud.type());
  if (type != source.cloud.type() || options.layout != source.cloud.layout())
    source.cloud = source.cloud.converted(type, options.layout);
  if (source.cloud.particles() == 0)
    throw Failure(ExitCode::usage, options.file, "there are no particles to measure with");
  return source;
}

}  // namespace gpz::bench
