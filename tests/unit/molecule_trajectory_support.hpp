// SPDX-License-Identifier: BSD-3-Clause
// Shared by the tests of trajectories of molecules: molecules in a periodic box, files of them, and how many frames
// have sections of molecules.
#pragma once

#include <cstring>

#include "gpz/format/opened_chunk.hpp"
#include "gpz/format/section_head.hpp"
#include "gpz/trajectory.hpp"
#include "molecule_support.hpp"
#include "trajectory_support.hpp"

namespace gpz::test {

using molecule::alkane;
using molecule::chain;
using molecule::Molecules;

// In units of 1000 grid steps for a bond of 1.
inline constexpr double unit = 1000;

struct Liquid {
  Molecules molecules;
  Box box;
  double size;

  Liquid(const molecule::Shape &shape, std::size_t particles, std::uint64_t seed)
      : molecules(shape, particles / shape.size(), unit, unit * std::cbrt(8.0 * static_cast<double>(particles)), seed),
        size(std::cbrt(8.0 * static_cast<double>(particles))) {
    box.kind = Box::Kind::orthogonal;
    box.boundary = {'p', 'p', 'p', 'p', 'p', 'p'};
    box.values = {0, size, 0, size, 0, size};
  }
  // Molecules with angles and torsions, which key frames gain from.
  void make_helices(std::size_t length) { molecules.take_shape(molecule::helix(length)); }
  void tilt() {
    box.kind = Box::Kind::triclinic;
    box.values[6] = 0.4 * size;
    box.values[7] = -0.2 * size;
    box.values[8] = 0.3 * size;
  }

  Snapshot snapshot(int frame, double bound, bool exchanged) const {
    Snapshot out;
    out.info.timestep = frame;
    out.info.box = box;
    Quantity position;
    position.field.type = ValueType::float64;
    position.field.bound = bound;
    position.field.leading = true;
    position.field.components = {{"x", 0}, {"y", 1}, {"z", 2}};
    Quantity id;
    id.field.type = ValueType::integer;
    id.field.components = {{"id", 3}};
    const auto &b = box.values;
    for (std::size_t i = 0; i < molecules.position.size(); ++i) {
      if (exchanged && (7 * i + static_cast<std::size_t>(frame / 3)) % 41 == 0) continue;
      std::array<double, 3> x;
      for (std::size_t d = 0; d < 3; ++d) x[d] = molecules.position[i][d] / unit;
      const double z = std::floor(x[2] / size);
      x[0] -= z * b[7], x[1] -= z * b[8], x[2] -= z * size;
      const double y = std::floor((x[1] - b[8] * x[2] / size) / size);
      x[0] -= y * b[6], x[1] -= y * size;
      x[0] -= size * std::floor((x[0] - b[7] * x[2] / size - b[6] * (x[1] - b[8] * x[2] / size) / size) / size);
      for (const double value : x) position.add(value);
      id.integer.push_back(static_cast<std::int64_t>(i) + 1);
    }
    out.info.particles = id.integer.size();
    out.quantities = {position, id};
    return out;
  }
  std::vector<Snapshot> run(int frames, double sigma, double bound, bool exchanged = false) {
    std::vector<Snapshot> out;
    for (int f = 0; f < frames; ++f) {
      if (f > 0) molecules.move(sigma * unit);
      out.push_back(snapshot(f, bound, exchanged));
    }
    return out;
  }
};

// How many of the frames of a chunk each have sections of steps with bonds, and how many have them without.
struct FramesOfSteps {
  std::size_t with_bonds = 0, without_bonds = 0;
};
inline FramesOfSteps frames_of_steps(const Bytes &bytes) {
  constexpr std::size_t exact_count = format::field_coding_size + 3 * 16, exact_size = 16, box_size = 9 * 8;
  constexpr std::uint64_t new_plan = 1, tilted = 16;
  const Reader reader = reader_of(bytes);
  FramesOfSteps count;
  bool have_bonds = true;
  for (std::size_t i = 0; i < reader.frames(); ++i) {
    const auto chunk = reader.stored(i).bytes;
    if ((format::needed_features(format::read_from(chunk.data()), chunk.size(), 2) & feature::steps) == 0) continue;
    const std::uint8_t *at = format::open_chunk(chunk.data(), chunk.size(), 2).section(0) + exact_count;
    const auto take = [&](auto &number) {
      std::memcpy(&number, at, sizeof number);
      at += sizeof number;
    };
    std::uint64_t exact = 0, flags = 0;
    take(exact);
    at += exact_size * exact;
    take(flags);
    if ((flags & tilted) != 0) at += box_size;
    if ((flags & new_plan) != 0) {
      std::uint64_t length = 0;
      std::uint32_t of_block = 0, is_unbound = 0;
      take(length);
      take(of_block);
      take(is_unbound);
      have_bonds = is_unbound == 0;
    }
    ++(have_bonds ? count.with_bonds : count.without_bonds);
  }
  return count;
}
// How many of the frames have molecules.
inline std::size_t frames_of_molecules(const Bytes &bytes) { return frames_of_steps(bytes).with_bonds; }

inline Bytes file_by(const std::vector<Snapshot> &snapshots, Effort effort, Order order, int threads = 1,
                     unsigned key_interval = 8) {
  const TemporaryFile file;
  Writer writer(file.path(), small_metadata(), Writer::Mode::create, threads);
  writer.set_key_interval(key_interval);
  writer.set_order(order);
  writer.set_effort(effort);
  write_all(writer, snapshots);
  writer.close();
  return file.bytes();
}

}  // namespace gpz::test
