// SPDX-License-Identifier: BSD-3-Clause
#include "trajectory.hpp"

#include <algorithm>
#include <cmath>
#include <gpz/limits.hpp>
#include <gpz/positions.hpp>
#include <limits>

namespace gpz::molfile {

void Trajectory::require(gpz_status status) const {
  if (status == GPZ_OK) return;
  const std::string message = gpz_last_error();
  throw Failure(message.find(path_) == std::string::npos ? path_ + ": " + message : message);
}

Trajectory::Trajectory(const std::string &path) : path_(path) {
  gpz_reader *reader = nullptr;
  require(gpz_reader_open(path.c_str(), 1, &reader));
  reader_.reset(reader);
  require(gpz_reader_metadata(reader, &metadata_));

  const std::size_t frames = gpz_reader_frames(reader);
  gpz_scan scan = gpz_new_scan();
  require(gpz_reader_scan(reader, &scan));
  bytes_ = scan.file_size;
  if (frames == 0) throw Failure(path + ": has no complete frame");
  if (scan.torn != 0)
    warnings_.push_back(path + ": the last frame is incomplete and is left out, " + std::to_string(frames) +
                        " frame(s) are complete");
  if (scan.damaged != 0) warnings_.push_back(path + ": a part of the file is damaged and its frames are left out");

  timesteps_.resize(frames);
  times_.resize(frames);
  std::vector<std::uint64_t> particles(frames);
  require(gpz_reader_index(reader, timesteps_.data(), times_.data(), particles.data(), frames));
  check_atoms(particles);

  std::size_t columns = 0;
  require(gpz_reader_column_count(reader, 0, &columns));
  columns_.resize(columns, gpz_new_column_info());
  for (std::size_t i = 0; i < columns; ++i) require(gpz_reader_column(reader, 0, i, &columns_[i]));

  gpz_frame head = gpz_new_frame(0, 0);
  require(gpz_reader_frame(reader, 0, &head));
  choose_positions(head.dimension);
  if (any_scaled_ && head.box_kind == GPZ_BOX_NONE)
    throw Failure(path + ": has scaled positions (" + positions_ + "), but no box");
  if (head.box_kind == GPZ_BOX_GENERAL)
    warnings_.push_back(
        path +
        ": has a general triclinic box. The edge vectors of a cell are expected in another orientation, "
        "so periodic images will be drawn in wrong places");
  has_velocities_ = has_floats("vx") && has_floats("vy") && (has_floats("vz") || head.dimension == 2);

  const gpz_column_info *ids = find("id");
  has_ids_ = ids != nullptr && ids->type == GPZ_INT64;
  if (has_ids_) {
    ids_ = integers("id");
    gpz_tables *tables = nullptr;
    if (gpz_reader_tables(reader, 0, &tables) == GPZ_OK)
      tables_ = Tables(tables, ids_);
    else
      warnings_.push_back(path + ": has tables that cannot be read: " + gpz_last_error());
  } else if (frames > 1) {
    warnings_.push_back(path + ": atoms have no ids, so they come in another order in every frame");
  }
}

void Trajectory::check_atoms(const std::vector<std::uint64_t> &particles) {
  const auto [least, most] = std::minmax_element(particles.begin(), particles.end());
  if (*least != *most)
    throw Failure(path_ + ": the number of atoms changes (" + std::to_string(*least) + " to " + std::to_string(*most) +
                  "), but molfile plugins need the same atoms in every frame: use OVITO or ASE, or gpz decode");
  if (*most == 0) throw Failure(path_ + ": has no atoms");
  if (*most > static_cast<std::uint64_t>(std::numeric_limits<int>::max()))
    throw Failure(path_ + ": " + std::to_string(*most) + " atoms are more than molfile plugins can have");
  if (*most > default_memory_limit() / sizeof(std::int64_t))
    throw Failure(path_ + ": " + std::to_string(*most) + " atoms are more than fit into memory");
  atoms_ = static_cast<int>(*most);
}

const gpz_column_info *Trajectory::find(const std::string &name) const {
  for (const gpz_column_info &column : columns_)
    if (name == column.name) return &column;
  return nullptr;
}

bool Trajectory::has_floats(const std::string &name) const {
  const gpz_column_info *column = find(name);
  return column != nullptr && column->type != GPZ_INT64;
}

void Trajectory::choose_positions(int dimension) {
  std::vector<std::string> floats;
  for (const gpz_column_info &column : columns_)
    if (column.type != GPZ_INT64) floats.emplace_back(column.name);
  const std::vector<std::string> names = position_columns(floats);
  if (names.empty() || (names.size() == 2 && dimension != 2))
    throw Failure(path_ + ": has no positions (x y z, xu yu zu, xs ys zs or xsu ysu zsu)");
  for (std::size_t axis = 0; axis < names.size(); ++axis) {
    positions_ += (axis == 0 ? "" : " ") + names[axis];
    scaled_[axis] = is_scaled_position(names[axis]);
    any_scaled_ = any_scaled_ || scaled_[axis];
  }
}

void Trajectory::read_outputs(std::size_t frame, const std::vector<gpz_output> &outputs) {
  require(gpz_reader_read(reader_.get(), frame, outputs.data(), outputs.size(), static_cast<std::size_t>(atoms_),
                          has_ids_ ? GPZ_SORT_BY_ID : 0));
}

std::vector<std::int64_t> Trajectory::integers(const std::string &name) {
  const gpz_column_info *column = find(name);
  if (column == nullptr || column->type != GPZ_INT64) return tables_.integers(name.c_str());
  std::vector<std::int64_t> values(static_cast<std::size_t>(atoms_));
  read_outputs(0, {gpz_into_column(name.c_str(), GPZ_INT64, values.data())});
  return values;
}

std::vector<double> Trajectory::floats(const std::string &name) {
  if (!has_floats(name)) return tables_.floats(name.c_str());
  std::vector<double> values(static_cast<std::size_t>(atoms_));
  read_outputs(0, {gpz_into_column(name.c_str(), GPZ_FLOAT64, values.data())});
  return values;
}

std::vector<double> Trajectory::masses() {
  std::vector<double> values = floats("mass");
  return values.empty() ? tables_.masses(types()) : values;
}

std::vector<std::int64_t> Trajectory::types() {
  for (const char *name : {"type", "element", "typelabel"}) {
    std::vector<std::int64_t> values = integers(name);
    if (!values.empty()) return values;
  }
  return {};
}

std::vector<std::string> Trajectory::elements() const {
  return {metadata_.elements, metadata_.elements + metadata_.element_count};
}

std::vector<std::string> Trajectory::type_labels() const {
  return {metadata_.type_labels, metadata_.type_labels + metadata_.type_label_count};
}

Cell Trajectory::read(std::size_t frame, float *positions, float *velocities) {
  const auto atoms = static_cast<std::size_t>(atoms_);
  gpz_frame head = gpz_new_frame(0, 0);
  require(gpz_reader_frame(reader_.get(), frame, &head));
  const auto at = path_ + ": timestep " + std::to_string(head.timestep) + ": ";
  const Box box(head);

  // x y z of each atom follow each other, also where the file has no third column
  const bool flat = gpz_count_names(positions_.c_str()) == 2;
  std::vector<gpz_output> outputs;
  const auto into = [&](const char *names, gpz_type type, void *values) {
    gpz_output output = gpz_into_interleaved(names, type, values);
    output.stride = static_cast<std::ptrdiff_t>(3 * gpz_size_of(type));
    outputs.push_back(output);
  };
  if (any_scaled_) {
    if (!box) throw Failure(at + "has scaled positions (" + positions_ + "), but no box");
    fractions_.assign(3 * atoms, 0);
    into(positions_.c_str(), GPZ_FLOAT64, fractions_.data());
  } else {
    if (flat) std::fill(positions, positions + 3 * atoms, 0.F);
    into(positions_.c_str(), GPZ_FLOAT32, positions);
  }
  if (velocities != nullptr) {
    const bool all = has_floats("vz");
    if (!all || !has_velocities_) std::fill(velocities, velocities + 3 * atoms, 0.F);
    if (has_velocities_) into(all ? "vx vy vz" : "vx vy", GPZ_FLOAT32, velocities);
  }
  if (has_ids_) {
    found_.resize(atoms);
    outputs.push_back(gpz_into_column("id", GPZ_INT64, found_.data()));
  }
  read_outputs(frame, outputs);
  if (found_ != ids_)
    throw Failure(
        at +
        "has other atoms than the first frame, but molfile plugins need the same in every frame: use OVITO or "
        "ASE, or gpz decode");

  if (any_scaled_) {
    const PointsInBox points = box.points(scaled_);
    for (std::size_t i = 0; i < 3 * atoms; i += 3) {
      const auto point = points.cartesian({fractions_[i], fractions_[i + 1], fractions_[i + 2]});
      for (std::size_t axis = 0; axis < 3; ++axis) positions[i + axis] = static_cast<float>(point[axis]);
    }
  }
  return box.cell();
}

double Trajectory::time(std::size_t frame) const {
  if (!std::isnan(times_[frame])) return times_[frame];
  const auto timestep = static_cast<double>(timesteps_[frame]);
  return metadata_.timestep_size > 0 ? timestep * metadata_.timestep_size : timestep;
}

double Trajectory::picoseconds() const {
  const std::string units = metadata_.units == nullptr ? "" : metadata_.units;
  return units == "real" || units == "electron" ? 1e-3 : 1;
}

}  // namespace gpz::molfile
