// SPDX-License-Identifier: BSD-3-Clause
#include "gpz/molecule/opened_section.hpp"

#include "gpz/format/corrupt.hpp"

namespace gpz::molecule {

using format::corrupt;

namespace {

constexpr std::size_t start_bytes = 8;
constexpr std::size_t tilted_bytes = 9 * sizeof(std::int64_t);

}  // namespace

void append_tilted(const core::GridBox &axes, const Cell::Tilts &tilts, std::vector<std::uint8_t> &bytes) {
  format::ByteWriter writer(bytes);
  for (const core::GridAxis &axis : axes) {
    writer.i64(axis.lo);
    writer.i64(axis.period);
  }
  for (const std::int64_t tilt : tilts) writer.i64(tilt);
}

Cell read_tilted(format::ByteReader &in, bool is_brick) {
  core::GridBox axes;
  for (core::GridAxis &axis : axes) {
    axis.lo = in.i64();
    axis.period = in.i64();
  }
  Cell::Tilts tilts;
  for (std::int64_t &tilt : tilts) {
    tilt = in.i64();
    if (tilt > core::max_axis_reach || tilt < -core::max_axis_reach) corrupt("tilt of a box", in.position());
  }
  return Cell(axes, tilts, is_brick);
}

void append_start(unsigned flags, const Contexts &contexts, std::vector<std::uint8_t> &bytes) {
  const std::size_t end = bytes.size() + start_bytes;
  format::ByteWriter writer(bytes);
  writer.u8(static_cast<std::uint8_t>(flags));
  writer.u8(static_cast<std::uint8_t>(contexts.base));
  writer.u8(static_cast<std::uint8_t>(contexts.levels));
  bytes.resize(end);
}

std::size_t bytes_to_open(const std::uint8_t *bytes, std::size_t size) {
  static_assert(first_bytes == start_bytes + tilted_bytes + sizeof(std::uint64_t));
  if (size < start_bytes) return size;
  const std::size_t at = start_bytes + ((bytes[0] & tilted) != 0 ? tilted_bytes : 0) + sizeof(std::uint64_t);
  if (size < at) return size;
  const auto count = format::load_little<std::uint64_t>(bytes + at - sizeof(std::uint64_t));
  return count > (size - at) / StoredParticles::size_of_one
             ? size
             : at + static_cast<std::size_t>(count) * StoredParticles::size_of_one;
}

OpenedSection open_section(const std::uint8_t *bytes, std::size_t size, const core::GridBox &axes, std::size_t n) {
  OpenedSection section;
  format::ByteReader in(bytes, size);
  const std::uint8_t flags = in.u8();
  section.contexts.base = in.u8();
  section.contexts.levels = in.u8();
  if (flags > all_flags || ((flags & brick) != 0 && (flags & tilted) == 0))
    corrupt("flags of a section of molecules", 0);
  if (section.contexts.levels < 1 || section.contexts.base + section.contexts.levels > Contexts::most_levels)
    corrupt("contexts of a section of molecules", 1);
  while (in.position() % 8 != 0)
    if (in.u8() != 0) corrupt("padding of a section of molecules", in.position() - 1);
  section.cell = (flags & tilted) != 0 ? read_tilted(in, (flags & brick) != 0) : Cell(axes);
  section.has_tree = (flags & new_tree) != 0;
  section.is_quiet = (flags & quiet) != 0;
  section.stored_at = in.position() + sizeof(std::uint64_t);
  section.stored = StoredParticles(in, n);
  section.stored_count = section.stored.size();
  section.size = in.position();
  return section;
}

void read_levels(format::ByteReader &in, std::vector<ClassRecord> &classes) {
  for (ClassRecord &record : classes) {
    ClassFit::Levels levels;
    for (std::uint8_t *const level : {&levels.length, &levels.along, &levels.bend}) *level = in.u8();
    record.fit.take(levels);
  }
  while (in.position() % 8 != 0)
    if (in.u8() != 0) corrupt("padding of a section of molecules", in.position() - 1);
}

std::vector<ClassRecord> first_classes(const std::vector<double> &lengths, const std::vector<double> &counts) {
  std::vector<ClassRecord> classes(lengths.size());
  for (std::size_t c = 0; c < classes.size(); ++c)
    classes[c].fit = ClassFit::first(counts[c] > 0 ? lengths[c] / counts[c] : 0);
  return classes;
}

}  // namespace gpz::molecule
