// SPDX-License-Identifier: BSD-3-Clause
// The columns of a foreign file as the fields of a frame.
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "gpz/frame.hpp"

namespace gpz::tool {

struct FileColumn {
  std::string name;
  ValueType type = ValueType::float64;
  Display display = Display::number;  // other than number: the file has words
  bool logical = false;               // integers 1 and 0, which the file may write as T and F
  bool left_out = false;              // has no place in frames

  bool operator==(const FileColumn &other) const {
    return name == other.name && type == other.type && display == other.display && logical == other.logical &&
           left_out == other.left_out;
  }
};

// By its name, as `dump custom` writes it: id, type, i_... are integers, element and typelabel words, all others
// floats.
FileColumn lammps_column(std::string_view name);

// Most columns of a file: Field::Component::column has 16 bits.
inline constexpr std::size_t most_columns = std::size_t{1} << 16;

// The error if two columns have one name, or if there are too many columns; empty if there is none.
std::string problem_of_columns(const std::vector<FileColumn> &columns);

class FrameLayout {
 public:
  FrameLayout() = default;
  explicit FrameLayout(std::vector<FileColumn> columns);

  const std::vector<FileColumn> &columns() const { return columns_; }
  // The names of the columns that are not left out.
  std::vector<std::string> names() const;
  // Where column c of the file is in Frame::columns. Not for columns that are left out.
  std::size_t index_of(std::size_t c) const { return indices_[c]; }
  // Gives the frame its fields and empty columns; what else it has stays.
  void apply(Frame &frame) const;

 private:
  std::vector<FileColumn> columns_;
  std::vector<std::size_t> indices_;
  std::vector<Field> fields_;
};

// A triclinic box from the bounding box that LAMMPS writes; xlo xhi ylo yhi zlo zhi xy xz yz in place.
void bounding_box_to_box(std::array<double, 12> &values);

// Makes room for `rows` rows.
void resize_columns(Frame &frame, std::size_t rows);

// Frames say how many particles they have, and may lie: room for the first rows is made at once, the rest as they come.
std::size_t next_capacity(std::size_t rows_so_far, std::size_t rows_promised, std::size_t columns);

}  // namespace gpz::tool
