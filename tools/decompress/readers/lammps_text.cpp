// SPDX-License-Identifier: BSD-3-Clause
// LAMMPS text dumps: ITEM lines, each with what it announces behind it.
#include <fmt/format.h>

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
    frame = Frame();
    bool has_atoms = false;
    bool any = false;
    for (std::string_view line; input_->line(line);) {
      if (line.empty() && !any) continue;
      any = true;
      if (!skip(line, item)) throw bad_line("expected 'ITEM: ...'");
      if (line == "TIMESTEP") {
        frame.info.timestep = number<std::int64_t>("the timestep");
      } else if (line == "NUMBER OF ATOMS") {
        const auto atoms = number<std::int64_t>("the number of atoms");
        if (atoms < 0) throw bad_line("a negative number of atoms");
        frame.info.particles = static_cast<std::uint64_t>(atoms);
        has_atoms = true;
      } else if (line == "UNITS") {
        metadata_.units = required_line();
      } else if (line == "TIME") {
        frame.info.time = number<double>("the time");
      } else if (skip(line, "BOX BOUNDS")) {
        read_box(line, frame.info.box);
      } else if (skip(line, "ATOMS")) {
        if (!has_atoms) throw bad_line("no 'ITEM: NUMBER OF ATOMS' before");
        read_atoms(line, frame);
        ++frames_;
        return true;
      } else {
        throw bad_line(fmt::format("unknown item '{}'", line));
      }
    }
    if (any) throw input_->ends_early(place());
    return false;
  }

 private:
  // What cannot be read may just be cut off.
  Failure bad_line(const std::string &reason) const {
    return input_->line_is_cut() ? input_->ends_early(place()) : input_->bad_line(reason);
  }

  std::string place() const { return fmt::format("frame {}", frames_); }

  std::string_view required_line() {
    std::string_view line;
    if (!input_->line(line)) throw input_->ends_early(place());
    return line;
  }

  template <typename T>
  T number(const char *what) {
    std::string_view line = required_line();
    const std::string_view word = next_word(line);
    T value{};
    if (!parse_number(word, value)) throw bad_line(fmt::format("'{}' where {} is expected", word, what));
    return value;
  }

  void read_numbers(double *values, const std::vector<std::size_t> &places) {
    std::string_view line = required_line();
    for (const std::size_t place : places)
      if (!parse_number(next_word(line), values[place])) throw bad_line("expected the numbers of the box");
  }

  void read_box(std::string_view line, Box &box) {
    std::string_view flags = line;
    std::string_view first = next_word(flags);
    box.kind = Box::Kind::orthogonal;
    if (first == "abc") {
      box.kind = Box::Kind::general_triclinic;
      next_word(flags);
    } else if (first == "xy") {
      box.kind = Box::Kind::triclinic;
      next_word(flags);
      next_word(flags);
    } else {
      flags = line;
    }
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const std::string_view flag = next_word(flags);
      if (flag.empty()) break;
      if (flag.size() != 2 || flag.find_first_not_of("pfsm") != std::string_view::npos)
        throw bad_line(fmt::format("'{}' is no boundary flag", flag));
      box.boundary[2 * axis] = flag[0];
      box.boundary[2 * axis + 1] = flag[1];
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
    if (!problem.empty()) throw bad_line(fmt::format("{}: {}", place(), problem));
  }

  void read_atoms(std::string_view names, Frame &frame) {
    if (names != layout_names_ || layout_.columns().empty()) {
      layout_names_ = names;
      std::vector<FileColumn> columns;
      for (std::string_view name = next_word(names); !name.empty(); name = next_word(names))
        columns.push_back(lammps_column(name));
      if (columns.empty()) throw bad_line("no column names behind 'ITEM: ATOMS'");
      const std::string problem = repeated_column(columns);
      if (!problem.empty()) throw bad_line(problem);
      layout_ = FrameLayout(std::move(columns));
    }
    if (metadata_.columns.empty())
      for (const FileColumn &column : layout_.columns()) metadata_.columns.push_back(column.name);
    layout_.apply(frame);
    read_rows(*input_, layout_, frame.info.particles, threads_, words_, place(), frame);
    // LAMMPS ends every line. Without a row, the line that has lost its end is the one with the names of the columns.
    if (input_->line_is_cut()) throw input_->ends_early(place() + ", whose last line has no line break");
    number_by_type(*input_, words_, frame, metadata_);
  }

  int threads_;
  Words words_;
  std::string layout_names_;
  FrameLayout layout_;
  std::uint64_t frames_ = 0;
};

}  // namespace

std::unique_ptr<FrameSource> make_lammps_text_source(SourceInput input, const SourceOptions &options) {
  return std::make_unique<LammpsTextSource>(std::move(input), options);
}

}  // namespace gpz::tool
