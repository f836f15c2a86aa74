// SPDX-License-Identifier: BSD-3-Clause
// A frame: all particles at one timestep, with their fields and the box (docs/format.md, section 3).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "gpz/export.h"

namespace gpz {

// The type of values in the file. Integers are stored with 64 bits, even if the caller's have 32.
enum class ValueType : std::uint8_t { integer = 1, float32 = 2, float64 = 3 };

// How a text writer shows an integer field.
enum class Display : std::uint8_t { number = 0, element = 2, type_label = 4 };

// The simulation box, in the terms of LAMMPS.
struct Box {
  enum class Kind : std::uint8_t { none = 0, orthogonal = 1, triclinic = 2, general_triclinic = 3 };

  Kind kind = Kind::none;
  std::uint8_t dimension = 3;  // 2 or 3
  // One of p f s m for xlo xhi ylo yhi zlo zhi; '\0' if unknown.
  std::array<char, 6> boundary{};
  // orthogonal, triclinic: xlo xhi ylo yhi zlo zhi xy xz yz 0 0 0, distance units. general_triclinic: a, b, c, origin.
  std::array<double, 12> values{};

  // Lengths of the three edge vectors, distance units.
  GPZ_API std::array<double, 3> edges() const;
  // xlo xhi ylo yhi zlo zhi of the smallest orthogonal box around a triclinic one, with the digits of text dumps of
  // LAMMPS. An orthogonal box is its own. Distance units. Not for Kind::none and general_triclinic.
  GPZ_API std::array<double, 6> bounding() const;
  // The largest error of a Cartesian coordinate, in distance units, per error of 1 in the scaled coordinates (columns
  // xs ys zs). For each axis, the absolute components of the edge vectors are added; the result is the largest of the
  // three sums. 0 without a box.
  GPZ_API double largest_edge_sum() const;
};

// The error of float values that were decoded from a file. A Writer that gets a field with an origin records a bound
// with respect to the original values (Field::origin).
struct Origin {
  double bound = 0;  // of the file, in units of the field; 0: the values are original
  double step = 0;   // of the file; 0: no grid
  double largest_error = 0;
  // The largest change of a value since it was decoded, by a conversion of its type or units; 0: none. A writer rounds
  // values back to their grid if they are this close to it and the grid step is at least four times as large.
  double rounding = 0;
  ValueType type = ValueType::float64;  // of the field in the file
};

// One quantity of every particle, with 1 to 3 components: position (x, y, z), id, vx.
struct Field {
  struct Component {
    std::string name;          // of the dump column: "x", "id", "c_pe", ...; from a file, any bytes (printable.hpp)
    std::uint16_t column = 0;  // its index among all columns of a text dump, from 0
  };

  ValueType type = ValueType::float64;
  Display display = Display::number;
  // The codec may sort particles by the leading field (positions). Only the first field of a frame may be leading.
  bool leading = false;
  // Absolute error bound of every value, in units of the field; 0: lossless. Integers are always lossless.
  double bound = 0;
  // Distance between adjacent values of the grid, in units of the field. 0: the encoder uses grid_step(bound, type),
  // the largest step that keeps the bound.
  double step = 0;
  // Set by the encoder: an upper limit of the absolute errors in this frame, in units of the field. It is reached by a
  // block, or would be if the block's values were not smaller as exact values.
  double largest_error = 0;
  std::vector<Component> components;
  // Set by Reader::read, Reader::read_columns and StreamReader::next: bound, step and largest error of the values.
  // Effect on Writer::write:
  // - `bound` and `step` are those of the origin: every value keeps its bits, and the field its bound.
  // - `bound` is larger and `step` is 0: values are quantised within the difference between both bounds.
  //   If the difference is not above the origin's bound, the file would not be smaller: values keep their bits, and
  //   the field keeps the origin's bound.
  // - `bound` is smaller than that of the origin: invalid_argument.
  // Clear it before you write values that were not read from the file.
  Origin origin;
};

struct FrameInfo {
  std::uint64_t particles = 0;
  std::int64_t timestep = 0;
  double time = std::numeric_limits<double>::quiet_NaN();  // time units of the file; NaN: unknown
  Box box;
  std::vector<Field> fields;
  // Frames since the last key frame: 0 for a key frame. A difference frame needs the previous frame of the file; the
  // file's writer sets `reference` to the checksum of the previous frame's head.
  std::uint16_t since_key = 0;
  std::uint64_t reference = 0;
};

// Required features of a file, bits of Metadata::features (docs/format.md, section 13). Each names something that a
// reader must know to decode the file. Readers refuse a file with an unknown bit.
namespace feature {
constexpr std::uint32_t modelled_sections = 1u << 0;
constexpr std::uint32_t cell_chunks = 1u << 1;
constexpr std::uint32_t sequence_chunks = 1u << 2;
constexpr std::uint32_t classed_sections = 1u << 3;
// Bit 4 is that of frame arrays (gpz/frame_array.hpp), which are no files.
// Bits 5 to 7 left the format before version 1 was frozen.
constexpr std::uint32_t steps = 1u << 8;

struct Name {
  std::uint32_t bit;
  const char *name;
};
inline constexpr Name names[] = {{modelled_sections, "modelled sections"},
                                 {cell_chunks, "cell chunks"},
                                 {sequence_chunks, "sequence chunks"},
                                 {classed_sections, "classed sections"},
                                 {steps, "steps"}};

constexpr std::uint32_t all_named() {
  std::uint32_t bits = 0;
  for (const Name &name : names) bits |= name.bit;
  return bits;
}
constexpr std::uint32_t known = all_named();
}  // namespace feature

// Metadata of a file. Every member is optional. Texts from a file may contain any characters (printable.hpp).
struct Metadata {
  std::string generator;   // program and version
  std::string units;       // LAMMPS name: lj, real, metal, ...
  std::string atom_style;  // LAMMPS name
  std::string command;     // the command that made the file
  std::vector<std::string> columns;
  std::vector<std::string> elements;     // [t - 1] for atom type t
  std::vector<std::string> type_labels;  // [t - 1] for atom type t
  double timestep_size = 0;              // time units; 0: unknown
  // Description of the original values, for example "values of LAMMPS in memory". Bounds and largest errors are
  // distances from these.
  std::string reference;
  // Spacing of the original positions, in distance units, from their number of decimal places: 0.01 for XTC. 0:
  // unknown, or too fine to matter for bounds.
  double reference_grid = 0;
  // Bits of gpz::feature. A file that is read has them in its header. For a file that is written, they are features
  // that its frames may need; a Writer adds the features of its effort while the header can still change
  // (Writer::set_effort).
  std::uint32_t features = 0;
};

// One component of a field in the caller's memory: element i is at data + i * stride bytes.
struct ConstArray {
  enum class Type : std::uint8_t { int32, int64, float32, float64 };

  const void *data = nullptr;
  std::ptrdiff_t stride = 0;  // bytes
  Type type = Type::float64;
};

// Memory of the caller for one component of a field: element i goes to data + i * stride bytes, unaligned if need be.
struct Array {
  void *data = nullptr;
  std::ptrdiff_t stride = 0;  // bytes
  ConstArray::Type type = ConstArray::Type::float64;
};

// Bytes of an element.
constexpr std::size_t element_size(ConstArray::Type type) {
  return type == ConstArray::Type::int32 || type == ConstArray::Type::float32 ? 4 : 8;
}
constexpr bool is_integer(ConstArray::Type type) {
  return type == ConstArray::Type::int32 || type == ConstArray::Type::int64;
}

// A field and its values: one array per component. Values are int32 or int64 for integers, and have the field's type
// for floats.
struct FieldInput {
  Field field;
  std::array<ConstArray, 3> components{};
  // The values were read from a file with this bound and step. All keep their bits: values outside the grid are stored
  // exactly, as in that file. field.largest_error is the error of the values, and field.origin is ignored. Not
  // supported on GPUs.
  bool decoded = false;
  // field.bound was computed from the values of this frame, so it differs between frames. It may differ from the bound
  // of the previous frame of a continued file.
  bool relative_bound = false;
};

// A decoded frame: one column per component, in the order of the fields. Element i of every column belongs to the same
// particle.
struct Frame {
  struct Column {
    std::size_t field = 0;               // index into info.fields
    std::size_t component = 0;           // index into info.fields[field].components
    std::vector<double> floats;          // float fields; f32 values are widened, which makes signalling NaNs quiet
    std::vector<std::int64_t> integers;  // integer fields
  };

  FrameInfo info;
  std::vector<Column> columns;

  // The column with this name, or nullptr.
  GPZ_API const Column *find(const std::string &name) const;
  const std::string &name(const Column &column) const {
    return info.fields[column.field].components[column.component].name;
  }
};

}  // namespace gpz
