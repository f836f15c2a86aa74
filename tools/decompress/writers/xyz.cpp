// SPDX-License-Identifier: BSD-3-Clause
// XYZ: number of particles, a comment, then name x y z. Extended XYZ: the comment has the box, names the columns, and
// has numbers of the whole frame.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <utility>

#include "exit_code.hpp"
#include "gpz/printable.hpp"
#include "positions.hpp"
#include "quantities.hpp"
#include "writers/frame_writer.hpp"
#include "writers/word.hpp"

namespace gpz::tool {
namespace {

// Columns that the names of particles can come from.
constexpr const char *element_column = "element";
constexpr const char *type_column = "type";
// ASE's column of particles that may move, T or F.
constexpr const char *mask_column = "move_mask";

std::string box_attributes(const Box &box, const std::string &file) {
  if (box.kind == Box::Kind::none) return "";
  const BoxVectors v = box_vectors(box, file);
  std::string text = fmt::format("Lattice=\"{} {} {} {} {} {} {} {} {}\" Origin=\"{} {} {}\" ", v.a[0], v.a[1], v.a[2],
                                 v.b[0], v.b[1], v.b[2], v.c[0], v.c[1], v.c[2], v.origin[0], v.origin[1], v.origin[2]);
  if (box.boundary[0] == '\0') return text;
  const auto periodic = [&](std::size_t axis) { return box.boundary[2 * axis] == 'p' ? 'T' : 'F'; };
  return text + fmt::format("pbc=\"{} {} {}\" ", periodic(0), periodic(1), periodic(2));
}

// Characters that would end the name, or the list of all properties, are replaced.
std::string property_name(const std::string &name) {
  std::string word = as_word(name);
  for (const char ending : {':', '=', '"'}) std::replace(word.begin(), word.end(), ending, '_');
  return word;
}

// As the specification of extended XYZ has texts: in quotes unless it is a word without special characters.
std::string quoted(const std::string &text) {
  std::string shown = printable(text);
  constexpr const char *special = " \t=\"',[]{}\\";
  if (!shown.empty() && shown.find_first_of(special) == std::string::npos) return shown;
  std::string result = "\"";
  for (const char c : shown) {
    if (c == '"' || c == '\\') result += '\\';
    result += c;
  }
  return result + '"';
}

// Whether the key has another meaning in the comment.
bool is_taken(std::string key) {
  for (char &c : key) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  constexpr std::array<const char *, 7> taken = {"timestep", "step", "time", "lattice", "pbc", "origin", "properties"};
  return std::any_of(taken.begin(), taken.end(), [&](const char *name) { return key == name; });
}

std::string attribute(const FrameValue &value) {
  const std::string key = quoted(is_taken(value.name) ? value.name + "_" : value.name);
  if (value.columns == 0 && value.numbers.size() == 1) return fmt::format(" {}={}", key, value.numbers[0]);
  if (value.columns == 0) return fmt::format(" {}=\"{}\"", key, fmt::join(value.numbers, " "));
  std::string rows;
  for (std::size_t k = 0; k < value.numbers.size(); ++k)
    rows += fmt::format("{}{}", k == 0 ? "" : k % value.columns == 0 ? "], [" : ", ", value.numbers[k]);
  return fmt::format(" {}=\"_JSON [[{}]]\"", key, rows);
}

// Columns of a frame that are one property of extended XYZ.
struct Property {
  std::string name;
  std::vector<const Frame::Column *> columns;
};

class XyzWriter final : public FrameWriter {
 public:
  XyzWriter(OutputFile &out, TextOptions options, bool extended)
      : FrameWriter(out, std::move(options)), extended_(extended) {}

  bool prints_observables() const override { return extended_; }

 private:
  bool prints_all() const override { return extended_; }
  bool needs(const std::string &name) const override {
    return is_position(name) || name == element_column || name == type_column;
  }

  void prepare(Frame &frame) const override {
    const Frame::Column *types = frame.find(type_column);
    if (types != nullptr && frame.find(element_column) == nullptr) check_elements(frame, *types);
    to_cartesian(frame, options().input);
    if (extended_) number_mask(frame);
  }

  std::string header(const Frame &frame, const std::vector<Observable> &observables) override {
    if (!extended_) {
      std::string text = fmt::format("{}\nAtoms. Timestep: {}", frame.info.particles, frame.info.timestep);
      if (options().with_time && !std::isnan(frame.info.time)) text += fmt::format(" Time: {}", frame.info.time);
      return text + "\n";
    }
    std::string text = fmt::format("{}\n{}Properties=species:S:1:pos:R:3", frame.info.particles,
                                   box_attributes(frame.info.box, options().input));
    for (const Property &property : properties(frame)) {
      const Frame::Column &first = *property.columns[0];
      const char type = is_mask(frame, first) ? 'L' : is_integer(frame, first) ? 'I' : 'R';
      text += fmt::format(":{}:{}:{}", property_name(property.name), type, property.columns.size());
    }
    text += fmt::format(" Timestep={}", frame.info.timestep);
    if (!std::isnan(frame.info.time)) text += fmt::format(" Time={}", frame.info.time);
    for (const FrameValue &value : frame_values(observables, options().units)) text += attribute(value);
    return text + "\n";
  }

  std::vector<ColumnText> columns(const Frame &frame) const override {
    std::vector<ColumnText> texts = {species(frame)};
    const auto positions = find_positions(frame);
    for (const auto &column : positions->columns)
      texts.push_back(column ? frame_column(frame, frame.columns[*column], options().names, options().exact)
                             : constant_column("0"));
    if (extended_)
      for (const Property &property : properties(frame))
        for (const Frame::Column *column : property.columns) {
          texts.push_back(frame_column(frame, *column, options().names, options().exact));
          // An integer column of extended XYZ holds integers.
          if (texts.back().kind == ColumnText::Kind::named_integer) texts.back().kind = ColumnText::Kind::integer;
          if (!is_mask(frame, *column)) continue;
          static const std::vector<std::string> logical = {"F", "T"};
          texts.back().kind = ColumnText::Kind::named_integer;
          texts.back().names = &logical;
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

  static bool is_integer(const Frame &frame, const Frame::Column &column) {
    return frame.info.fields[column.field].type == ValueType::integer;
  }

  // Whether the column is one of 1 and 2, for F and T: see number_mask().
  static bool is_mask(const Frame &frame, const Frame::Column &column) {
    const std::string &name = frame.name(column);
    return is_integer(frame, column) && name.compare(0, std::string(mask_column).size(), mask_column) == 0 &&
           std::all_of(column.integers.begin(), column.integers.end(), [](std::int64_t v) { return v == 1 || v == 2; });
  }
  // Makes 0 and 1 numbers of words.
  static void number_mask(Frame &frame) {
    for (Frame::Column &column : frame.columns)
      if (is_integer(frame, column) &&
          frame.name(column).compare(0, std::string(mask_column).size(), mask_column) == 0 &&
          std::all_of(column.integers.begin(), column.integers.end(), [](std::int64_t v) { return v == 0 || v == 1; }))
        for (std::int64_t &value : column.integers) ++value;
  }

  // Components of vectors and columns name[1] to name[k] together, as programs look for them. Where forces are not in
  // eV/Angstrom, they keep LAMMPS's names, which no program takes for forces of ASE.
  std::vector<Property> properties(const Frame &frame) const {
    const std::vector<const Frame::Column *> others = other_columns(frame);
    const auto find = [&](std::string_view name) {
      const auto found =
          std::find_if(others.begin(), others.end(), [&](const Frame::Column *c) { return frame.name(*c) == name; });
      return found == others.end() ? nullptr : *found;
    };
    const auto type = [&](const Frame::Column *column) { return frame.info.fields[column->field].type; };
    std::vector<Property> properties;
    std::vector<const Frame::Column *> used;
    const auto add = [&](std::string name, std::vector<const Frame::Column *> columns) {
      used.insert(used.end(), columns.begin(), columns.end());
      properties.push_back({std::move(name), std::move(columns)});
    };
    for (const Frame::Column *column : others) {
      if (std::find(used.begin(), used.end(), column) != used.end()) continue;
      const std::string &name = frame.name(*column);
      std::vector<const Frame::Column *> group;
      std::string property;
      for (const VectorQuantity &quantity : vector_quantities()) {
        if (std::find(quantity.columns.begin(), quantity.columns.end(), name) == quantity.columns.end()) continue;
        property = quantity.properties[0];
        if (property == "forces" && !in_electronvolts(options().units)) continue;
        for (const std::string_view component : quantity.columns) group.push_back(find(component));
      }
      const std::size_t opening = name.size() > 3 && name.back() == ']' ? name.rfind('[') : std::string::npos;
      if (group.empty() && opening != std::string::npos && opening > 0) {
        property = name.substr(0, opening);
        constexpr std::size_t most = 1024;
        while (group.size() < most) {
          const Frame::Column *next = find(fmt::format("{}[{}]", property, group.size() + 1));
          if (next == nullptr) break;
          group.push_back(next);
        }
        if (std::find(group.begin(), group.end(), column) == group.end()) group.clear();
      }
      const bool together = group.size() > 1 && std::all_of(group.begin(), group.end(), [&](const Frame::Column *c) {
                              return c != nullptr &&
                                     (type(c) == ValueType::integer) == (type(column) == ValueType::integer) &&
                                     std::find(used.begin(), used.end(), c) == used.end();
                            });
      if (together)
        add(property, group);
      else
        add(name, {column});
    }
    return properties;
  }

  bool extended_;
};

}  // namespace

std::unique_ptr<FrameWriter> make_xyz_writer(OutputFile &out, TextOptions options, bool extended) {
  return std::make_unique<XyzWriter>(out, std::move(options), extended);
}

}  // namespace gpz::tool
