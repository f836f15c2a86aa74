// SPDX-License-Identifier: BSD-3-Clause
#include "bench/cloud_source.hpp"

#include <fmt/format.h>

#include <array>
#include <cstdio>
#include <filesystem>
#include <memory>

#include "exit_code.hpp"
#include "gpz/reader.hpp"
#include "positions.hpp"

namespace gpz::bench {
namespace {

using tool::ExitCode;
using tool::Failure;
using File = std::unique_ptr<std::FILE, int (*)(std::FILE *)>;

const char *name_of(ValueType type) { return type == ValueType::float32 ? "f32" : "f64"; }

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
  const std::size_t of_particle =
      static_cast<std::size_t>(options.file_components) * (*options.file_type == ValueType::float32 ? 4 : 8);
  const std::uintmax_t size = std::filesystem::file_size(options.file);
  if (size % of_particle != 0)
    throw Failure(ExitCode::corrupt, options.file,
                  fmt::format("{} bytes are no whole number of particles of {} bytes", size, of_particle));
  Cloud cloud(*options.file_type, Layout::aos, options.file_components, size / of_particle);
  if (std::fread(cloud.data(), 1, cloud.bytes(), file.get()) != cloud.bytes())
    throw Failure(ExitCode::io, options.file, "cannot be read to its end");
  return cloud;
}

Cloud read_frame(const SourceOptions &options) {
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
  Cloud cloud(frame.info.fields[x.field].type, options.layout, components, frame.info.particles);
  for (int d = 0; d < components; ++d) {
    const auto &values = frame.columns[*positions->columns[static_cast<std::size_t>(d)]].floats;
    for (std::size_t i = 0; i < values.size(); ++i) cloud.set(i, d, values[i]);
  }
  return cloud;
}

}  // namespace

Source open_source(const SourceOptions &options) {
  Source source;
  if (is_gpz(options.file)) {
    source.cloud = read_frame(options);
    source.description = fmt::format("{}, frame {}", options.file, options.frame);
  } else {
    source.cloud = read_raw(options);
    source.description = fmt::format("{} ({})", options.file, name_of(source.cloud.type()));
  }
  const ValueType type = options.type.value_or(source.cloud.type());
  if (type != source.cloud.type() || options.layout != source.cloud.layout())
    source.cloud = source.cloud.converted(type, options.layout);
  if (source.cloud.particles() == 0)
    throw Failure(ExitCode::usage, options.file, "there are no particles to measure with");
  return source;
}

}  // namespace gpz::bench
