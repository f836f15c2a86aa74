// SPDX-License-Identifier: BSD-3-Clause
// XYZ: number of particles, a comment, then name x y z. Extended XYZ: the comment has the box and names the columns.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "exit_code.hpp"
#include "positions.hpp"
#include "writers/frame_writer.hpp"
#include "writers/word.hpp"

namespace gpz::tool {
namespace {

// Columns that the names of particles can come from.
constexpr const char *element_column = "element";
constexpr const char *type_column = "type";

std::string box_attributes(const Box &box, const std::string &file) {
  if (box.kind == Box::Kind::none) return "";
  const BoxVectors v = box_vectors(box, file);
  std::string text = fmt::format("Lattice=\"{} {} {} {} {} {} {} {} {}\" Origin=\"{} {} {}\" ", v.a[0], v.a[1], v.a[2],
                                 v.b[0], v.b[1], v.b[2], v.c[0], v.c[1], v.c[2], v.origin[0], v.origin[1], v.origin[2]);
  if (box.boundary[0] == '\0') return text;
  const auto periodic = [&](std::size_t axis) { return box.boundary[2 * axis] == 'p' ? 'T' : 'F'; };
  return text + fmt::format("pbc=\"{} {} {}\" ", periodic(0), periodic(1), periodic(2));
}

// What would end the name, or the list of all properties, is replaced.
std::string property_name(const std::string &name) {
  std::string word = as_word(name);
  for (const char ending : {':', '=', '"'}) std::replace(word.begin(), word.end(), ending, '_');
  return word;
}

class XyzWriter final : public FrameWriter {
 public:
  XyzWriter(OutputFile &out, TextOptions options, bool extended)
      : FrameWriter(out, std::move(options)), extended_(extended) {}

 private:
  bool prints_all() const override { return extended_; }
  bool needs(const std::string &name) const override {
    return is_position(name) || name == element_column || name == type_column;
  }

  void prepare(Frame &frame) const override {
    const Frame::Column *types = frame.find(type_column);
    if (types != nullptr && frame.find(element_column) == nullptr) check_elements(frame, *types);
    to_cartesian(frame, options().input);
  }

  std::string header(const Frame &frame) override {
    if (!extended_) {
      std::string text = fmt::format("{}\nAtoms. Timestep: {}", frame.info.particles, frame.info.timestep);
      if (options().with_time && !std::isnan(frame.info.time)) text += fmt::format(" Time: {}", frame.info.time);
      return text + "\n";
    }
    std::string text = fmt::format("{}\n{}Properties=species:S:1:pos:R:3", frame.info.particles,
                                   box_attributes(frame.info.box, options().input));
    for (const Frame::Column *column : other_columns(frame)) {
      const bool integer = frame.info.fields[column->field].type == ValueType::integer;
      text += fmt::format(":{}:{}:1", property_name(frame.name(*column)), integer ? 'I' : 'R');
    }
    text += fmt::format(" Timestep={}", frame.info.timestep);
    if (!std::isnan(frame.info.time)) text += fmt::format(" Time={}", frame.info.time);
    return text + "\n";
  }

  std::vector<ColumnText> columns(const Frame &frame) const override {
    std::vector<ColumnText> texts = {species(frame)};
    const auto positions = find_positions(frame);
    for (const auto &column : positions->columns)
      texts.push_back(column ? frame_column(frame, frame.columns[*column], options().names, options().exact)
                             : constant_column("0"));
    if (extended_)
      for (const Frame::Column *column : other_columns(frame)) {
        texts.push_back(frame_column(frame, *column, options().names, options().exact));
        // An integer column of extended XYZ holds integers.
        if (texts.back().kind == ColumnText::Kind::named_integer) texts.back().kind = ColumnText::Kind::integer;
      }
    return texts;
  }

  // Element, else type label, else number of the type.
  ColumnText species(const Frame &frame) const {
    const TypeNames &names = options().names;
    const Frame::Column *column = frame.find(element_column);
    if (column == nullptr) column = frame.find(type_column);
    if (column == nullptr || frame.info.fields[column->field].type != ValueType::integer) return constant_column("X");
    ColumnText text = frame_column(frame, *column, names, false);
    text.names = !names.elements.empty() ? &names.elements : !names.labels.empty() ? &names.labels : nullptr;
    text.kind = text.names != nullptr ? ColumnText::Kind::named_integer : ColumnText::Kind::integer;
    return text;
  }

  static std::vector<const Frame::Column *> other_columns(const Frame &frame) {
    const auto positions = find_positions(frame);
    std::vector<const Frame::Column *> others;
    for (const Frame::Column &column : frame.columns) {
      const auto index = static_cast<std::size_t>(&column - frame.columns.data());
      bool printed = frame.name(column) == element_column;
      for (const auto &position : positions->columns) printed = printed || position == index;
      if (!printed) others.push_back(&column);
    }
    return others;
  }

  bool extended_;
};

}  // namespace

std::unique_ptr<FrameWriter> make_xyz_writer(OutputFile &out, TextOptions options, bool extended) {
  return std::make_unique<XyzWriter>(out, std::move(options), extended);
}

}  // namespace gpz::tool
