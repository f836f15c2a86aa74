// SPDX-License-Identifier: BSD-3-Clause
// XYZ: number of particles, a comment, then name x y z. Extended XYZ: key=value pairs in the comment, of which
// Properties names the columns and Lattice is the box.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <optional>
#include <utility>

#include "gpz/tables.hpp"
#include "readers/box_check.hpp"
#include "readers/frame_source.hpp"
#include "readers/row_parser.hpp"
#include "readers/rows.hpp"

namespace gpz::tool {
namespace {

struct Attribute {
  std::string key;   // in lower case
  std::string name;  // as it is written
  std::string value;
};
using Attributes = std::vector<Attribute>;

// key=value and key="value with blanks"; other words are left out, but "Key: value" counts.
Attributes parse_comment(std::string_view text) {
  Attributes attributes;
  std::size_t i = 0;
  while (i < text.size()) {
    const std::size_t stop = std::min(text.find_first_of("=: \t", i), text.size());
    std::string key(text.substr(i, stop - i));
    i = stop + 1;
    if (stop == text.size() || key.empty() || (text[stop] != '=' && text[stop] != ':')) continue;
    if (text[stop] == ':')
      while (i < text.size() && text[i] == ' ') ++i;
    std::size_t end = 0;
    if (i < text.size() && text[i] == '"') {
      ++i;
      end = std::min(text.find('"', i), text.size());
    } else {
      end = std::min(text.find_first_of(" \t", i), text.size());
    }
    const std::string name = key;
    for (char &c : key) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    attributes.push_back({std::move(key), name, std::string(text.substr(i, end - i))});
    i = end + 1;
  }
  return attributes;
}

const std::string *find(const Attributes &attributes, std::initializer_list<std::string_view> keys) {
  for (const Attribute &attribute : attributes)
    if (std::find(keys.begin(), keys.end(), attribute.key) != keys.end()) return &attribute.value;
  return nullptr;
}

std::vector<double> parse_numbers(const std::string &text) {
  std::vector<double> numbers;
  std::string_view rest = text;
  for (std::string_view word = next_word(rest); !word.empty(); word = next_word(rest)) {
    double value = 0;
    if (!parse_number(word, value)) return {};
    numbers.push_back(value);
  }
  return numbers;
}

// Numbers of extended XYZ that belong to the whole frame, such as energy=-1.5 or stress="1 2 3 4 5 6 7 8 9": of several
// numbers each by itself, as name[1], name[2], ...
std::vector<Observable> observables_of(const Attributes &attributes) {
  static constexpr std::array<std::string_view, 7> others = {"timestep", "step",   "time",      "lattice",
                                                             "pbc",      "origin", "properties"};
  constexpr std::size_t longest_name = 200;
  constexpr std::size_t most_numbers = 9;
  std::vector<Observable> observables;
  for (const Attribute &attribute : attributes) {
    if (attribute.name.size() > longest_name || std::find(others.begin(), others.end(), attribute.key) != others.end())
      continue;
    const std::vector<double> numbers = parse_numbers(attribute.value);
    if (numbers.size() > most_numbers) continue;
    for (std::size_t k = 0; k < numbers.size(); ++k)
      observables.push_back(
          {numbers.size() == 1 ? attribute.name : fmt::format("{}[{}]", attribute.name, k + 1), "", numbers[k]});
  }
  return observables;
}

// Three vectors and an origin in LAMMPS's simplest form.
Box box_of(const std::vector<double> &lattice, const std::array<double, 3> &origin) {
  Box box;
  const bool restricted =
      lattice[1] == 0 && lattice[2] == 0 && lattice[5] == 0 && lattice[0] > 0 && lattice[4] > 0 && lattice[8] > 0;
  if (!restricted) {
    box.kind = Box::Kind::general_triclinic;
    std::copy(lattice.begin(), lattice.end(), box.values.begin());
    std::copy(origin.begin(), origin.end(), box.values.begin() + 9);
    return box;
  }
  for (std::size_t axis = 0; axis < 3; ++axis) {
    box.values[2 * axis] = origin[axis];
    box.values[2 * axis + 1] = origin[axis] + lattice[4 * axis];
  }
  box.values[6] = lattice[3];
  box.values[7] = lattice[6];
  box.values[8] = lattice[7];
  const bool tilted = box.values[6] != 0 || box.values[7] != 0 || box.values[8] != 0;
  box.kind = tilted ? Box::Kind::triclinic : Box::Kind::orthogonal;
  return box;
}

class XyzSource final : public FrameSource {
 public:
  XyzSource(SourceInput input, const SourceOptions &options)
      : FrameSource(std::move(input)), threads_(options.threads), words_{WordNumbers(options.elements), WordNumbers()} {
    metadata_.elements = options.elements;
  }

  bool next(Frame &frame) override {
    frame = Frame();
    std::string_view line;
    do {
      if (!input_->line(line)) {
        records_.clear();
        return false;
      }
    } while (line.find_first_not_of(" \t") == std::string_view::npos);
    std::int64_t particles = 0;
    if (!parse_number(next_word(line), particles) || particles < 0 || !next_word(line).empty())
      throw bad_line("expected the number of particles");
    if (!input_->line(line)) throw input_->ends_early(place());

    frame.info.particles = static_cast<std::uint64_t>(particles);
    frame.info.timestep = static_cast<std::int64_t>(frames_);
    has_rows_ = particles > 0;
    const Attributes attributes = parse_comment(line);
    read_attributes(attributes, frame.info);
    take_observables(attributes, frame.info.timestep);
    std::vector<FileColumn> listed = columns(attributes);
    const std::string problem = repeated_column(listed);
    if (!problem.empty()) throw bad_line("Properties: " + problem);
    const FrameLayout layout(std::move(listed));
    if (metadata_.columns.empty())
      for (const FileColumn &column : layout.columns()) metadata_.columns.push_back(column.name);
    layout.apply(frame);
    read_rows(*input_, layout, frame.info.particles, threads_, words_, place(), frame);
    number_by_type(*input_, words_, frame, metadata_);
    ++frames_;
    return true;
  }

  bool is_xyz() const override { return true; }
  std::vector<StoredRecord> records() const override { return records_; }

 private:
  std::string place() const { return fmt::format("frame {}", frames_); }

  // What cannot be read may just be cut off.
  Failure bad_line(const std::string &reason) const {
    return input_->line_is_cut() ? input_->ends_early(place()) : input_->bad_line(reason);
  }

  // The comment of plain XYZ is for people.
  void take_observables(const Attributes &attributes, std::int64_t timestep) {
    records_.clear();
    if (find(attributes, {"properties"}) == nullptr) return;
    const std::vector<Observable> observables = observables_of(attributes);
    if (observables.empty()) return;
    const StoredRecord names = tables_record({observables_table(observables)});
    if (names.body != names_) records_.push_back(names);
    names_ = names.body;
    records_.push_back(observables_record(timestep, observables));
  }

  void read_lattice(const Attributes &attributes, const std::string &text, Box &box) const {
    const std::vector<double> lattice = parse_numbers(text);
    if (lattice.size() != 9) throw bad_line("Lattice is not 9 numbers");
    // What some programs write of molecules in free space.
    if (std::all_of(lattice.begin(), lattice.end(), [](double value) { return value == 0; })) return;
    std::array<double, 3> origin{};
    if (const std::string *at = find(attributes, {"origin"})) {
      const std::vector<double> numbers = parse_numbers(*at);
      if (numbers.size() != 3) throw bad_line("Origin is not 3 numbers");
      std::copy(numbers.begin(), numbers.end(), origin.begin());
    }
    box = box_of(lattice, origin);
  }

  void read_attributes(const Attributes &attributes, FrameInfo &info) const {
    if (const std::string *text = find(attributes, {"timestep", "step"}))
      if (!parse_number(std::string_view(*text), info.timestep)) throw bad_line("Timestep is no integer");
    if (const std::string *text = find(attributes, {"time"}))
      if (!parse_number(std::string_view(*text), info.time)) throw bad_line("Time is no number");
    if (const std::string *text = find(attributes, {"lattice"})) read_lattice(attributes, *text, info.box);
    if (const std::string *text = find(attributes, {"pbc"})) {
      std::string_view rest = *text;
      for (std::size_t axis = 0; axis < 3; ++axis) {
        const std::string_view word = next_word(rest);
        if (word.empty()) throw bad_line("pbc is not 3 flags");
        const bool periodic = word[0] == 'T' || word[0] == 't' || word[0] == '1';
        info.box.boundary[2 * axis] = info.box.boundary[2 * axis + 1] = periodic ? 'p' : 'f';
      }
    }
    const std::string problem = box_problem(info.box);
    if (!problem.empty()) throw bad_line(fmt::format("{}: {}", place(), problem));
  }

  // Particles are named by elements, or by numbers of types (what LAMMPS writes if it knows no elements): the first
  // particle of the file tells. Names beside a column of types are those of the types. `before`: the number of columns
  // before the name.
  FileColumn species(std::size_t before) {
    if (!named_by_number_ && has_rows_) {
      std::string_view row = input_->peek_line();
      for (std::size_t c = 0; c < before; ++c) next_word(row);
      std::int64_t number = 0;
      named_by_number_ = parse_number(next_word(row), number);
    }
    return named_by_number_.value_or(false) && !has_types_
               ? FileColumn{"type", ValueType::integer, Display::number}
               : FileColumn{"element", ValueType::integer, Display::element};
  }

  std::vector<FileColumn> columns(const Attributes &attributes) {
    const std::string *properties = find(attributes, {"properties"});
    if (properties == nullptr) {
      has_types_ = false;
      std::vector<FileColumn> columns = {species(0)};
      for (const char *axis : {"x", "y", "z"}) columns.push_back({axis, ValueType::float64, Display::number});
      return columns;
    }
    std::vector<std::string> parts(1);
    for (const char c : *properties)
      if (c == ':')
        parts.emplace_back();
      else
        parts.back() += c;
    if (parts.size() % 3 != 0) throw bad_line("Properties is no list of name:type:count");
    has_types_ = false;
    for (std::size_t i = 0; i < parts.size(); i += 3) has_types_ = has_types_ || parts[i] == "type";
    std::vector<FileColumn> columns;
    for (std::size_t i = 0; i < parts.size(); i += 3) add_property(parts[i], parts[i + 1], parts[i + 2], columns);
    return columns;
  }

  void add_property(const std::string &name, const std::string &type, const std::string &count,
                    std::vector<FileColumn> &columns) {
    std::int64_t components = 0;
    constexpr std::int64_t most_components = 1024;
    if (!parse_number(std::string_view(count), components) || components < 1 || components > most_components)
      throw bad_line(fmt::format("Properties: '{}' is no number of columns", count));
    if (name == "species" && type == "S" && components == 1) {
      columns.push_back(species(columns.size()));
      return;
    }
    if (type != "R" && type != "I")
      throw bad_line(fmt::format("Properties: {} has values of type {}; only R and I are read", name, type));
    for (std::int64_t c = 0; c < components; ++c)
      columns.push_back({component_name(name, c, components), type == "R" ? ValueType::float64 : ValueType::integer,
                         Display::number});
  }

  // The names of LAMMPS where it has the quantity.
  static std::string component_name(const std::string &property, std::int64_t component, std::int64_t components) {
    if (components == 1) return property;
    if (components == 3) {
      std::string axis(1, "xyz"[component]);
      if (property == "pos") return axis;
      if (property == "velo" || property == "vel" || property == "velocities") return "v" + axis;
      if (property == "force" || property == "forces") return "f" + axis;
    }
    return fmt::format("{}[{}]", property, component + 1);
  }

  int threads_;
  Words words_;
  std::optional<bool> named_by_number_;
  bool has_rows_ = false;   // these two: the frame that is read
  bool has_types_ = false;  // a column called type
  std::uint64_t frames_ = 0;
  std::vector<StoredRecord> records_;  // in front of the frame that is read
  Bytes names_;                        // of the observables of the frame before, as the body of a record
};

}  // namespace

std::unique_ptr<FrameSource> make_xyz_source(SourceInput input, const SourceOptions &options) {
  return std::make_unique<XyzSource>(std::move(input), options);
}

}  // namespace gpz::tool
