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

#include <algorithm>
#include <cmath>
#include <cstring>
#include <gpz/chunk.hpp>
#include <gpz/units.hpp>
#include <utility>

#include "fmt/format.h"

using namespace LAMMPS_NS;

namespace {

constexpr double worth_naming = 0.25;  // of the file

bool is_lossless(const gpz::Field &field) { return field.type != gpz::ValueType::integer && field.bound == 0; }

double value_at(const gpz::ConstArray &array, std::size_t row) {
  const auto *const place = static_cast<const char *>(array.data) + static_cast<std::ptrdiff_t>(row) * array.stride;
  if (array.type == gpz::ConstArray::Type::float32) {
    float value;
    std::memcpy(&value, place, sizeof value);
    return static_cast<double>(value);
  }
  double value;
  std::memcpy(&value, place, sizeof value);
  return value;
}

std::vector<double> sum(MPI_Comm world, std::vector<double> mine, std::size_t size) {
  mine.resize(size);
  std::vector<double> all(size);
  MPI_Allreduce(mine.data(), all.data(), static_cast<int>(size), MPI_DOUBLE, MPI_SUM, world);
  return all;
}

}  // namespace

void GPZLossless::see(const GPZRows &atoms, bool in_host) {
  if (has_seen_ || !in_host) return;
  has_seen_ = true;
  squares_.assign(atoms.fields.size(), 0.0);
  values_.assign(atoms.fields.size(), 0.0);
  for (std::size_t f = 0; f < atoms.fields.size(); ++f) {
    const gpz::FieldInput &input = atoms.fields[f];
    if (!is_lossless(input.field)) continue;
    for (std::size_t c = 0; c < input.field.components.size(); ++c)
      for (std::size_t i = 0; i < atoms.particles; ++i) {
        const double value = value_at(input.components[c], atoms.rows ? static_cast<std::size_t>(atoms.rows[i]) : i);
        if (!std::isfinite(value)) continue;
        squares_[f] += value * value;
        values_[f] += 1.0;
      }
  }
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
  counts = sum(world, counts, fields.size() + 1);
  const std::vector<double> squares = sum(world, squares_, fields.size()), values = sum(world, values_, fields.size());
  const double all = counts.back();
  double lossless = 0;
  std::string names, bounds;
  for (std::size_t f = 0; f < fields.size(); ++f) {
    if (!is_lossless(fields[f].field)) continue;
    lossless += counts[f];
    const double usual = values[f] > 0 ? gpz::usual_bound(std::sqrt(squares[f] / values[f])) : 0.0;
    for (const gpz::Field::Component &component : fields[f].field.components) {
      names += (names.empty() ? "" : " ") + component.name;
      if (usual > 0) bounds += fmt::format(" bound {} {:g}", component.name, usual);
    }
  }
  if (!(lossless > worth_naming * all)) return {};
  std::string text = fmt::format("  lossless: {}, {:.0f} % of the file", names, 100.0 * lossless / all);
  if (!bounds.empty()) text += fmt::format("; a thousandth of their root mean square: dump_modify {}{}", id, bounds);
  return text + "\n";
}
