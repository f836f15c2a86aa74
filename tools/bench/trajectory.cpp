// SPDX-License-Identifier: BSD-3-Clause
#include "bench/trajectory.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "exit_code.hpp"
#include "gpz/trajectory.hpp"

namespace gpz::bench {

using tool::ExitCode;
using tool::Failure;

TrajectoryFile open_trajectory(const std::string &path) {
  const Reader reader(path);
  TrajectoryFile file;
  file.path = path;
  file.frames = reader.frames();
  file.bytes = reader.scan().file_size;
  for (const IndexEntry &frame : reader.scan().frames) {
    file.particles += frame.particles;
    file.most = std::max(file.most, frame.particles);
  }
  if (file.particles == 0) throw Failure(ExitCode::usage, path, "there are no particles to measure with");
  const FrameInfo first = reader.info(0);
  if (first.fields.empty() || first.fields[0].type == ValueType::integer)
    throw Failure(ExitCode::usage, path, "its first field is not of floats, as positions are");
  for (const Field::Component &component : first.fields[0].components) file.columns.push_back(component.name);
  file.has_ids = has_identity(first.fields);
  return file;
}

std::vector<ColumnOutput> position_columns(const TrajectoryFile &file, double *base) {
  std::vector<ColumnOutput> columns;
  const auto stride = static_cast<std::ptrdiff_t>(file.columns.size() * sizeof(double));
  for (std::size_t d = 0; d < file.columns.size(); ++d)
    columns.push_back({file.columns[d], {base + d, stride, ConstArray::Type::float64}});
  return columns;
}

HostPositions::HostPositions(const TrajectoryFile &file)
    : values_(static_cast<std::size_t>(file.most) * file.columns.size()),
      columns_(position_columns(file, values_.data())) {}

const std::vector<double> &HostPositions::read(const Reader &reader, std::size_t frame, int threads, bool by_id) {
  last_ = static_cast<std::size_t>(
      reader.read_columns(frame, columns_, values_.size() / columns_.size(), {threads, by_id}).particles);
  return values_;
}

std::vector<TrajectoryRow> read_on_cpu(const TrajectoryFile &file, int threads, const Repeats &repeats) {
  std::vector<TrajectoryRow> rows;
  HostPositions positions(file);
  for (const bool by_id : {false, true}) {
    if (by_id && !file.has_ids) continue;
    const Reader reader(file.path);
    TrajectoryRow row;
    row.device = "cpu";
    row.by_id = by_id;
    row.frames = file.frames;
    row.particles = file.particles;
    row.pass = measure(repeats, [&] {
      for (std::size_t i = 0; i < file.frames; ++i) positions.read(reader, i, threads, by_id);
      return 0;
    });
    rows.push_back(row);
  }
  return rows;
}

}  // namespace gpz::bench
