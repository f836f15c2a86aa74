// SPDX-License-Identifier: BSD-3-Clause
// LAMMPS text dumps: what `dump custom` would print.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "column_order.hpp"
#include "positions.hpp"
#include "writers/frame_writer.hpp"
#include "writers/word.hpp"

namespace gpz::tool {
namespace {

std::string boundary_text(const std::array<char, 6> &boundary) {
  std::string text;
  for (std::size_t side = 0; side < 6; ++side) {
    if (boundary[side] == '\0') return "";  // as LAMMPS wrote it when dumps had no boundary flags
    if (side % 2 == 0) text += ' ';
    text += boundary[side];
  }
  return text;
}

// A file without a box gets the box that shrink-wrapped boundaries would have.
Box shrink_wrapped(const Frame &frame) {
  Box box;
  box.kind = Box::Kind::orthogonal;
  box.boundary.fill('s');
  const auto positions = find_positions(frame);
  for (std::size_t axis = 0; positions && axis < 3; ++axis) {
    if (!positions->columns[axis]) continue;
    double lowest = std::numeric_limits<double>::infinity();
    double highest = -lowest;
    for (const double x : frame.columns[*positions->columns[axis]].floats) {
      if (!std::isfinite(x)) continue;
      lowest = std::min(lowest, x);
      highest = std::max(highest, x);
    }
    if (lowest <= highest) {
      box.values[2 * axis] = lowest;
      box.values[2 * axis + 1] = highest;
    }
  }
  return box;
}

std::string box_text(const Box &box) {
  const auto &v = box.values;
  const std::string boundary = boundary_text(box.boundary);
  if (box.kind == Box::Kind::general_triclinic)
    return fmt::format(
        "ITEM: BOX BOUNDS abc origin{}\n"
        "{:.16e} {:.16e} {:.16e} {:.16e}\n{:.16e} {:.16e} {:.16e} {:.16e}\n{:.16e} {:.16e} {:.16e} {:.16e}\n",
        boundary, v[0], v[1], v[2], v[9], v[3], v[4], v[5], v[10], v[6], v[7], v[8], v[11]);
  if (box.kind != Box::Kind::triclinic)
    return fmt::format("ITEM: BOX BOUNDS{}\n{:.16e} {:.16e}\n{:.16e} {:.16e}\n{:.16e} {:.16e}\n", boundary, v[0], v[1],
                       v[2], v[3], v[4], v[5]);
  const std::array<double, 6> around = box.bounding();
  return fmt::format(
      "ITEM: BOX BOUNDS xy xz yz{}\n{:.16e} {:.16e} {:.16e}\n{:.16e} {:.16e} {:.16e}\n{:.16e} {:.16e} {:.16e}\n",
      boundary, around[0], around[1], v[6], around[2], around[3], v[7], around[4], around[5], v[8]);
}

class LammpsWriter final : public FrameWriter {
 public:
  using FrameWriter::FrameWriter;

 private:
  bool prints_all() const override { return true; }

  std::string header(const Frame &frame, const std::vector<Observable> &) override {
    std::string text;
    if (options().with_units && !std::exchange(units_written_, true) && !options().units.empty())
      text += fmt::format("ITEM: UNITS\n{}\n", as_word(options().units));
    if (options().with_time && !std::isnan(frame.info.time))
      text += fmt::format("ITEM: TIME\n{:.16}\n", frame.info.time);
    text += fmt::format("ITEM: TIMESTEP\n{}\nITEM: NUMBER OF ATOMS\n{}\n", frame.info.timestep, frame.info.particles);
    text += box_text(frame.info.box.kind == Box::Kind::none ? shrink_wrapped(frame) : frame.info.box);
    text += "ITEM: ATOMS";
    for (const Frame::Column *column : columns_in_file_order(frame)) text += " " + as_word(frame.name(*column));
    return text + "\n";
  }

  std::vector<ColumnText> columns(const Frame &frame) const override {
    std::vector<ColumnText> texts;
    for (const Frame::Column *column : columns_in_file_order(frame))
      texts.push_back(frame_column(frame, *column, options().names, options().exact));
    return texts;
  }

  bool units_written_ = false;
};

}  // namespace

std::unique_ptr<FrameWriter> make_lammps_writer(OutputFile &out, TextOptions options) {
  return std::make_unique<LammpsWriter>(out, std::move(options));
}

}  // namespace gpz::tool
