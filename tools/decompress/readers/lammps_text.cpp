// SPDX-License-Identifier: BSD-3-Clause
// LAMMPS text dumps: ITEM lines, each with what it announces after it.
#include <fmt/format.h>

#include <algorithm>
#include <initializer_list>
#include <utility>

#include "readers/box_check.hpp"
#include "readers/frame_source.hpp"
#include "readers/row_parser.hpp"
#include "readers/rows.hpp"

namespace gpz::tool {
namespace {

constexpr std::string_view item = "ITEM: ";

// Takes `start` off the front of the text, if it is there.
bool skip(std::string_view &text, std::string_view start) {
  if (text.substr(0, start.size()) != start) return false;
  text.remove_prefix(start.size());
  return true;
}

class LammpsTextSource final : public FrameSource {
 public:
  LammpsTextSource(SourceInput input, const SourceOptions &options)
      : FrameSource(std::move(input)), threads_(options.threads), words_{WordNumbers(options.elements), WordNumbers()} {
    metadata_.elements = options.elements;
  }

  bool next(Frame &frame) override {
    frame.info = FrameInfo();
    seen_.clear();
    for (std::string_view line; input_->line(line);) {
      if (is_blank_line(line)) continue;
      if (!skip(line, item)) throw bad_line("expected 'ITEM: ...'");
      const std::vector<std::string_view> words = words_of(line);
      if (read_item(words, frame.info)) continue;
      if (words.empty() || words[0] != "ATOMS") throw unknown_item(words);
      require("TIMESTEP");
      require("NUMBER OF ATOMS");
      read_atoms(line.substr(line.find(words[0]) + words[0].size()), frame);
      ++frames_;
      return true;
    }
    if (!seen_.empty()) throw input_->ends_early(frame_name());
    return false;
  }

 private:
  // An unreadable line may just be cut off.
  Failure bad_line(const std::string &reason) const {
    return input_->line_is_cut() ? input_->ends_early(frame_name()) : input_->bad_line(reason);
  }

  std::string frame_name() const { return fmt::format("frame {}", frames_); }

  // Reads an item that stands in front of the atoms, and its lines; false for any other item.
  bool read_item(const std::vector<std::string_view> &words, FrameInfo &info) {
    const std::string name = fmt::format("{}", fmt::join(words, " "));
    if (name == "TIMESTEP") {
      note_item(name);
      info.timestep = number<std::int64_t>("the timestep");
    } else if (name == "NUMBER OF ATOMS") {
      note_item(name);
      const auto atoms = number<std::int64_t>("the number of atoms");
      if (atoms < 0) throw bad_line("a negative number of atoms");
      info.particles = static_cast<std::uint64_t>(atoms);
    } else if (name == "UNITS") {
      const std::string units(only_word("the units"));
      if (is_seen(name) && units != metadata_.units)
        throw bad_line(fmt::format("units {} after units {}", units, metadata_.units));
      metadata_.units = units;
      seen_.push_back(name);
    } else if (name == "TIME") {
      note_item(name);
      info.time = number<double>("the time");
    } else if (words.size() >= 2 && words[0] == "BOX" && words[1] == "BOUNDS") {
      note_item("BOX BOUNDS");
      read_box({words.begin() + 2, words.end()}, info.box);
    } else {
      return false;
    }
    return true;
  }

  bool is_seen(const std::string &name) const { return std::find(seen_.begin(), seen_.end(), name) != seen_.end(); }

  // The second of two would take the place of the first: a frame without its atoms is in front.
  void note_item(const std::string &name) {
    if (is_seen(name))
      throw bad_line(fmt::format("{} has two items {}: the atoms of a frame are missing in front", frame_name(), name));
    seen_.push_back(name);
  }

  void require(const std::string &name) const {
    if (!is_seen(name)) throw bad_line(fmt::format("no 'ITEM: {}' before", name));
  }

  Failure unknown_item(const std::vector<std::string_view> &words) const {
    const std::string name = fmt::format("{}", fmt::join(words, " "));
    const char *style = name == "NUMBER OF ENTRIES" || (!words.empty() && words[0] == "ENTRIES") ? "local"
                        : name == "DIMENSION" || (!words.empty() && words[0] == "GRID")          ? "grid"
                                                                                                 : nullptr;
    if (style == nullptr) return bad_line(fmt::format("unknown item '{}'", name));
    return bad_line(fmt::format("unknown item '{}': a dump of style {} has no atoms, and is not read", name, style));
  }

  std::string_view required_line() {
    std::string_view line;
    if (!input_->line(line)) throw input_->ends_early(frame_name());
    return line;
  }

  // The only word of the next line; empty if there is none.
  std::string_view only_word(const char *what) {
    std::string_view line = required_line();
    const std::string_view word = next_word(line);
    const std::string_view left = next_word(line);
    if (!left.empty()) throw bad_line(fmt::format("'{}' after {}", left, what));
    return word;
  }

  template <typename T>
  T number(const char *what) {
    const std::string_view word = only_word(what);
    T value{};
    if (!parse_number(word, value)) throw bad_line(fmt::format("'{}' where {} is expected", word, what));
    return value;
  }

  void read_numbers(double *values, const std::vector<std::size_t> &indices) {
    std::string_view line = required_line();
    for (const std::size_t index : indices) {
      const std::string_view word = next_word(line);
      if (!parse_number(word, values[index]))
        throw bad_line(word.empty() ? fmt::format("{} numbers of the box are expected", indices.size())
                                    : fmt::format("'{}' where a number of the box is expected", word));
    }
    const std::string_view left = next_word(line);
    if (left.empty()) return;
    throw bad_line(
        fmt::format("'{}' after {} numbers of the box{}", left, indices.size(),
                    indices.size() == 2 ? ": the line ITEM: BOX BOUNDS names no tilt factors (xy xz yz)" : ""));
  }

  // The words after BOX BOUNDS: three boundary flags or none; in front of them or after them what the third numbers
  // of the lines are.
  void read_box(std::vector<std::string_view> words, Box &box) {
    box.kind = Box::Kind::orthogonal;
    const auto take = [&](std::initializer_list<std::string_view> names, Box::Kind kind) {
      const auto at = std::search(words.begin(), words.end(), names.begin(), names.end());
      if (at == words.end()) return;
      if (box.kind != Box::Kind::orthogonal) throw bad_line("the box is of two kinds: xy xz yz, and abc origin");
      words.erase(at, at + static_cast<std::ptrdiff_t>(names.size()));
      box.kind = kind;
    };
    take({"xy", "xz", "yz"}, Box::Kind::triclinic);
    take({"abc", "origin"}, Box::Kind::general_triclinic);
    for (const std::string_view flag : words)
      if (flag.size() != 2 || flag.find_first_not_of("pfsm") != std::string_view::npos)
        throw bad_line(fmt::format("'{}' is no boundary flag", flag));
    if (!words.empty() && words.size() != 3)
      throw bad_line(fmt::format("{} where three boundary flags are expected", words.size()));
    for (std::size_t axis = 0; axis < words.size(); ++axis) {
      box.boundary[2 * axis] = words[axis][0];
      box.boundary[2 * axis + 1] = words[axis][1];
    }

    double *values = box.values.data();
    for (std::size_t axis = 0; axis < 3; ++axis) {
      if (box.kind == Box::Kind::general_triclinic)
        read_numbers(values, {3 * axis, 3 * axis + 1, 3 * axis + 2, 9 + axis});
      else if (box.kind == Box::Kind::triclinic)
        read_numbers(values, {2 * axis, 2 * axis + 1, 6 + axis});
      else
        read_numbers(values, {2 * axis, 2 * axis + 1});
    }
    if (box.kind == Box::Kind::triclinic) bounding_box_to_box(box.values);
    const std::string problem = box_problem(box);
    if (!problem.empty()) throw bad_line(fmt::format("{}: {}", frame_name(), problem));
  }

  void read_atoms(std::string_view names, Frame &frame) {
    if (names != layout_names_ || layout_.columns().empty()) {
      layout_names_ = names;
      std::vector<FileColumn> columns;
      for (std::string_view name = next_word(names); !name.empty(); name = next_word(names))
        columns.push_back(lammps_column(name));
      if (columns.empty()) throw bad_line("no column names after 'ITEM: ATOMS'");
      const std::string problem = problem_of_columns(columns);
      if (!problem.empty()) throw bad_line(problem);
      layout_ = FrameLayout(std::move(columns));
    }
    if (metadata_.columns.empty())
      for (const FileColumn &column : layout_.columns()) metadata_.columns.push_back(column.name);
    layout_.apply(frame);
    read_rows(*input_, layout_, frame.info.particles, threads_, words_, frame_name(), frame);
    // LAMMPS ends every line. Without a row, the line that has lost its end is the one with the names of the columns.
    if (input_->line_is_cut()) throw input_->ends_early(frame_name() + ", whose last line has no line break");
    number_by_type(*input_, words_, frame, metadata_);
  }

  int threads_;
  Words words_;
  std::vector<std::string> seen_;  // items of the frame that is read
  std::string layout_names_;
  FrameLayout layout_;
  std::uint64_t frames_ = 0;
};

}  // namespace

std::unique_ptr<FrameSource> make_lammps_text_source(SourceInput input, const SourceOptions &options) {
  return std::make_unique<LammpsTextSource>(std::move(input), options);
}

}  // namespace gpz::tool
