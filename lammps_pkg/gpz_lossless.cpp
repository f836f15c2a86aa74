// SPDX-License-Identifier: GPL-2.0-only
/* ----------------------------------------------------------------------
   LAMMPS - Large-scale Atomic/Molecular Massively Parallel Simulator
   https://www.lammps.org/, Sandia National Laboratories
   LAMMPS development team: developers@lammps.org

   Copyright (2003) Sandia Corporation.  Under the terms of Contract
   DE-AC04-94AL85000 with Sandia Corporation, the U.S. Government retains
   certain rights in this software.  This software is distributed under
   the GNU General Public License.

   See the README file in the top-level LAMMPS directory.
------------------------------------------------------------------------- */
#include "gpz_lossless.h"

#include <cstring>
#include <gpz/chunk.hpp>
#include <optional>
#include <utility>

using namespace LAMMPS_NS;

namespace {

double value_at(const gpz::ConstArray &array, std::size_t row) {
  const auto *const source = static_cast<const char *>(array.data) + static_cast<std::ptrdiff_t>(row) * array.stride;
  if (array.type == gpz::ConstArray::Type::float32) {
    float value;
    std::memcpy(&value, source, sizeof value);
    return static_cast<double>(value);
  }
  double value;
  std::memcpy(&value, source, sizeof value);
  return value;
}

std::vector<double> sum(MPI_Comm world, std::vector<double> mine) {
  std::vector<double> all(mine.size());
  MPI_Allreduce(mine.data(), all.data(), static_cast<int>(mine.size()), MPI_DOUBLE, MPI_SUM, world);
  return all;
}

}  // namespace

void GPZLossless::see(const GPZRows &atoms, bool in_host) {
  if (!in_host) return;
  const std::optional<std::size_t> sample = gpz::LosslessAdvice::sample(frames_++);
  if (!sample) return;
  std::vector<Squares> squares(atoms.fields.size());
  for (std::size_t f = 0; f < atoms.fields.size(); ++f) {
    const gpz::FieldInput &input = atoms.fields[f];
    if (!gpz::is_lossless(input.field)) continue;
    for (std::size_t i = 0; i < atoms.particles; ++i)
      squares[f].add(value_at(input.components[0], atoms.rows ? static_cast<std::size_t>(atoms.rows[i]) : i));
  }
  samples_.push_back(std::move(squares));
}

GPZChunk GPZLossless::counted(GPZChunk chunk, std::size_t fields) {
  if (chunk.size == 0) return chunk;
  chunk.bytes = [inner = std::move(chunk.bytes), size = chunk.size, fields, bytes = bytes_] {
    const std::uint8_t *const data = inner();
    const std::lock_guard<std::mutex> lock(bytes->mutex);
    bytes->of_fields.resize(fields);
    gpz::add_field_sizes(data, size, bytes->of_fields);
    bytes->all += size;
    return data;
  };
  return chunk;
}

std::string GPZLossless::report(MPI_Comm world, const std::vector<gpz::FieldInput> &fields, const std::string &id) {
  std::vector<double> counts;
  {
    const std::lock_guard<std::mutex> lock(bytes_->mutex);
    counts.assign(bytes_->of_fields.begin(), bytes_->of_fields.end());
    counts.resize(fields.size());
    counts.push_back(static_cast<double>(bytes_->all));
    bytes_->of_fields.assign(fields.size(), 0);
    bytes_->all = 0;
  }
  counts = sum(world, counts);
  // A rank whose atoms could not be read has fewer samples.
  int mine = static_cast<int>(samples_.size()), samples = 0;
  MPI_Allreduce(&mine, &samples, 1, MPI_INT, MPI_MAX, world);
  samples_.resize(samples);
  std::vector<double> squares;
  for (std::vector<Squares> &sample : samples_) {
    sample.resize(fields.size());
    for (const Squares &of_field : sample) squares.insert(squares.end(), {of_field.sum, of_field.count});
  }
  squares = sum(world, squares);

  gpz::LosslessAdvice advice;
  double lossless = 0;
  for (std::size_t f = 0; f < fields.size(); ++f) {
    if (!gpz::is_lossless(fields[f].field)) continue;
    lossless += counts[f];
    for (std::size_t s = 0; s < samples_.size(); ++s) {
      const double *const of_field = &squares[2 * (s * fields.size() + f)];
      advice.add(fields[f].field.components[0].name, s, {of_field[0], of_field[1]});
    }
  }
  const auto option = [](const std::vector<std::string> &columns, const std::string &bound) {
    if (bound == "thermal") return std::string("bound v* thermal");
    std::string options;
    for (const std::string &column : columns)
      options.append(options.empty() ? "bound " : " bound ").append(column).append(" ").append(bound);
    return options;
  };
  const std::string text = advice.text(lossless, counts.back(), "dump_modify " + id + " ", option);
  return text.empty() ? text : "  " + text + "\n";
}
