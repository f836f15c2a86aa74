// SPDX-License-Identifier: BSD-3-Clause
// LAMMPS binary dumps (dump custom and atom to a file named *.bin), format revision 2: the one that names its columns.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "readers/box_check.hpp"
#include "readers/frame_layout.hpp"
#include "readers/frame_source.hpp"
#include "readers/row_parser.hpp"

namespace gpz::tool {
namespace {

constexpr std::int32_t native_endian = 1;
constexpr std::int32_t newest_revision = 2;
constexpr std::int32_t longest_text = 1 << 20;
constexpr std::size_t values_of_block = std::size_t{1} << 16;

class LammpsBinarySource final : public FrameSource {
 public:
  LammpsBinarySource(SourceInput input, const SourceOptions &options) : FrameSource(std::move(input)) {
    metadata_.elements = options.elements;
  }

  bool next(Frame &frame) override {
    if (input_->peek(1).empty()) return false;
    frame.info = FrameInfo();
    read_format();
    frame.info.timestep = take<std::int64_t>();
    const auto atoms = take<std::int64_t>();
    if (atoms < 0) throw input_->bad_byte("a negative number of atoms");
    frame.info.particles = static_cast<std::uint64_t>(atoms);
    read_box(frame.info.box);
    const auto columns = take<std::int32_t>();
    const std::string units = take_text();
    if (!units.empty()) metadata_.units = units;
    const char has_time = take<char>();
    if (has_time != 0 && has_time != 1) throw input_->bad_byte("neither a time nor none");
    if (has_time == 1) frame.info.time = take<double>();
    read_columns(columns, take_text());
    layout_.apply(frame);
    read_atoms(frame);
    ++frames_;
    return true;
  }

 private:
  void take_bytes(void *data, std::size_t size) {
    if (input_->read(data, size) != size) throw input_->ends_early(fmt::format("frame {}", frames_));
  }

  template <typename T>
  T take() {
    T value;
    take_bytes(&value, sizeof value);
    return value;
  }

  std::string take_text() {
    const auto length = take<std::int32_t>();
    if (length < 0 || length > longest_text) throw input_->bad_byte("a text of impossible length");
    std::string text(static_cast<std::size_t>(length), '\0');
    take_bytes(text.data(), text.size());
    return text;
  }

  void read_format() {
    // Older formats begin with the timestep; here it is the negative length of the magic word.
    const auto magic_length = take<std::int64_t>();
    if (magic_length >= 0 || magic_length < -64)
      throw input_->bad_byte("a binary dump without column names: only format revision 2 is read");
    std::string magic(static_cast<std::size_t>(-magic_length), '\0');
    take_bytes(magic.data(), magic.size());
    if (magic != "DUMPCUSTOM" && magic != "DUMPATOM") throw input_->bad_byte("no binary dump of style custom or atom");
    if (take<std::int32_t>() != native_endian) throw input_->bad_byte("written on a machine of other byte order");
    const auto revision = take<std::int32_t>();
    if (revision != newest_revision)
      throw input_->bad_byte(fmt::format("format revision {}: only revision 2 is read", revision));
  }

  void read_box(Box &box) {
    const auto kind = take<std::int32_t>();
    if (kind < 0 || kind > 2) throw input_->bad_byte("an unknown kind of box");
    box.kind = static_cast<Box::Kind>(kind + 1);
    for (char &flag : box.boundary) {
      const auto number = take<std::int32_t>();
      if (number < 0 || number > 3) throw input_->bad_byte("an unknown boundary flag");
      flag = "pfsm"[number];
    }
    const std::size_t count = box.kind == Box::Kind::orthogonal ? 6 : box.kind == Box::Kind::triclinic ? 9 : 12;
    take_bytes(box.values.data(), count * sizeof(double));
    if (box.kind == Box::Kind::triclinic) bounding_box_to_box(box.values);
    const std::string problem = box_problem(box);
    if (!problem.empty()) throw input_->bad_byte(fmt::format("frame {}: {}", frames_, problem));
  }

  void read_columns(std::int32_t count, const std::string &names) {
    if (names == layout_names_ && !layout_.columns().empty()) return;
    layout_names_ = names;
    std::vector<FileColumn> columns;
    std::string_view rest = names;
    for (std::string_view name = next_word(rest); !name.empty(); name = next_word(rest)) {
      columns.push_back(lammps_column(name));
      // The file has numbers of types where a text dump has their names.
      if (metadata_.elements.empty() || columns.back().display == Display::type_label)
        columns.back().display = Display::number;
    }
    if (columns.empty() || count < 0 || columns.size() != static_cast<std::size_t>(count))
      throw input_->bad_byte(fmt::format("{} values an atom, but {} column names", count, columns.size()));
    const std::string problem = problem_of_columns(columns);
    if (!problem.empty()) throw input_->bad_byte(problem);
    if (metadata_.columns.empty())
      for (const FileColumn &column : columns) metadata_.columns.push_back(column.name);
    layout_ = FrameLayout(std::move(columns));
  }

  void read_atoms(Frame &frame) {
    const std::size_t width = layout_.columns().size();
    std::size_t row = 0;
    const auto chunks = take<std::int32_t>();  // one a writing process
    if (chunks < 0) throw input_->bad_byte("a negative number of chunks");
    for (std::int32_t chunk = 0; chunk < chunks; ++chunk) {
      const auto values = take<std::int32_t>();
      if (values < 0 || static_cast<std::size_t>(values) % width != 0) throw input_->bad_byte("a chunk of broken rows");
      std::size_t left = static_cast<std::size_t>(values) / width;
      if (left > frame.info.particles - row) throw input_->bad_byte("more atoms than the frame promises");
      while (left > 0) {
        const std::size_t rows = std::min(left, std::max<std::size_t>(1, values_of_block / width));
        buffer_.resize(rows * width);
        take_bytes(buffer_.data(), buffer_.size() * sizeof(double));
        resize_columns(frame, row + rows);
        for (std::size_t c = 0; c < width; ++c) store(frame.columns[layout_.index_of(c)], c, row, rows);
        row += rows;
        left -= rows;
      }
    }
    if (row != frame.info.particles) throw input_->bad_byte("fewer atoms than the frame promises");
  }

  void store(Frame::Column &column, std::size_t c, std::size_t row, std::size_t rows) {
    const std::size_t width = layout_.columns().size();
    if (layout_.columns()[c].type != ValueType::integer) {
      for (std::size_t i = 0; i < rows; ++i) column.floats[row + i] = buffer_[i * width + c];
      return;
    }
    for (std::size_t i = 0; i < rows; ++i) {
      const double value = buffer_[i * width + c];
      if (!is_integer(value))
        throw input_->bad_byte(fmt::format("column {}: {} is no integer", layout_.columns()[c].name, value));
      column.integers[row + i] = static_cast<std::int64_t>(value);
    }
  }

  std::string layout_names_;
  FrameLayout layout_;
  std::vector<double> buffer_;
  std::uint64_t frames_ = 0;
};

}  // namespace

std::unique_ptr<FrameSource> make_lammps_binary_source(SourceInput input, const SourceOptions &options) {
  return std::make_unique<LammpsBinarySource>(std::move(input), options);
}

}  // namespace gpz::tool
