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

// The type of values in the file. Integers have 64 bits there, also if the caller's have 32.
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
  // xlo xhi ylo yhi zlo zhi of the smallest orthogonal box around a triclinic one, which is what text dumps of LAMMPS
  // have, with its digits; of an orthogonal box its own. Distance units. Not for Kind::none and general_triclinic.
  GPZ_API std::array<double, 6> bounding() const;
  // The largest error of a Cartesian coordinate, in distance units, if each scaled coordinate (columns xs ys zs) has an
  // error of 1. That is: for each axis the sum of the absolute components of the edge vectors, and the largest of the
  // three sums. 0 without a box.
  GPZ_API double largest_edge_sum() const;
};

// The error of float values that were decoded from a file: how far they may be from the original values. A Writer that
// gets a field with an origin records a bound that holds for the original values too (Field::origin).
struct Origin {
  double bound = 0;  // of the file, in units of the field; 0: the values are the original ones
  double step = 0;   // of the file; 0: the values are on no grid
  double largest_error = 0;
  // The largest change of a value since it was decoded, by a conversion of its type or its units; 0: none. A writer
  // takes values back to the grid that they came from if they are so close to it, and the grid is four times as wide.
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
  // The codec may sort particles by the leading field (positions). Only the first field of a frame may be the leading
  // one.
  bool leading = false;
  // Absolute error bound of every value, in units of the field; 0 is lossless. Integers are always lossless.
  double bound = 0;
  // Distance between two values that the field can store, in its units. 0: the encoder uses grid_step(bound, type), the
  // largest step that keeps the bound.
  double step = 0;
  // Set by the encoder: no absolute error in this frame is larger, in units of the field. Some block has it, or would
  // have it if it were not smaller as exact values.
  double largest_error = 0;
  std::vector<Component> components;
  // Set by Reader::read, Reader::read_columns and StreamReader::next: the bound, the step and the largest error that
  // the values have. Writer::write takes it into account:
  // - `bound` and `step` are those of the origin: every value keeps its bits, and the field its bound.
  // - `bound` is another one and `step` is 0: values are quantised with what the bound leaves beside that of the
  // origin.
  //   If that is no more than the origin's own bound, the file would not be smaller: values keep their bits, and the
  //   field the origin's bound.
  // - `bound` is smaller than that of the origin: invalid_argument.
  // Clear it before you write other values than those that were read.
  Origin origin;
};

struct FrameInfo {
  std::uint64_t particles = 0;
  std::int64_t timestep = 0;
  double time = std::numeric_limits<double>::quiet_NaN();  // time units of the file; NaN: unknown
  Box box;
  std::vector<Field> fields;
  // Frames since the last key frame: 0 for a key frame. A difference frame needs the previous frame of the file;
  // `reference` is the checksum of that frame's head, and is set by the writer of the file.
  std::uint16_t since_key = 0;
  std::uint64_t reference = 0;
};

// Required features of a file, bits of Metadata::features (docs/format.md, section 13): what may be in it that a reader
// has to know. Readers refuse a file with a bit that they do not know.
namespace feature {
constexpr std::uint32_t modelled_sections = 1u << 0;
constexpr std::uint32_t cell_chunks = 1u << 1;
constexpr std::uint32_t sequence_chunks = 1u << 2;
constexpr std::uint32_t classed_sections = 1u << 3;

struct Name {
  std::uint32_t bit;
  const char *name;
};
inline constexpr Name names[] = {{modelled_sections, "modelled sections"},
                                 {cell_chunks, "cell chunks"},
                                 {sequence_chunks, "sequence chunks"},
                                 {classed_sections, "classed sections"}};

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
  // The decimal places that positions had there, as the distance of two of their values in distance units: 0.01 for
  // XTC. 0: unknown, or more than bounds are worth.
  double reference_grid = 0;
  // Bits of gpz::feature: those of a file that is read. A file that is written may have frames that need them; a
  // Writer adds what its effort needs, while it still can (Writer::set_effort).
  std::uint32_t features = 0;
};

// One component of a field in the caller's memory: element i is at data + i * stride bytes.
struct ConstArray {
  enum class Type : std::uint8_t { int32, int64, float32, float64 };

  const void *data = nullptr;
  std::ptrdiff_t stride = 0;  // bytes
  Type type = Type::float64;
};

// Memory of the caller for one component of a field: element i goes to data + i * stride bytes, which need not be
// aligned.
struct Array {
  void *data = nullptr;
  std::ptrdiff_t stride = 0;  // bytes
  ConstArray::Type type = ConstArray::Type::float64;
};

constexpr bool is_integer(ConstArray::Type type) {
  return type == ConstArray::Type::int32 || type == ConstArray::Type::int64;
}

// A field and its values: one array for each component. Their type is int32 or int64 for integers, that of the field
// for floats.
struct FieldInput {
  Field field;
  std::array<ConstArray, 3> components{};
  // The values were read from a file with this bound and step. Every one of them keeps its bits: what is no value of
  // the grid is stored exactly, as it was there. field.largest_error is that of the values, and field.origin is
  // ignored. Not on a GPU.
  bool decoded = false;
  // field.bound was computed from the values of this frame, so that each frame has another one: it need not be that of
  // the frame before in a file that is continued.
  bool relative_bound = false;
};

// A decoded frame: one column for each component, in the order of the fields. Element i of every column belongs to the
// same particle.
struct Frame {
  struct Column {
    std::size_t field = 0;               // index into info.fields
    std::size_t component = 0;           // index into info.fields[field].components
    std::vector<double> floats;          // float fields (f32 values widened, which makes a signalling NaN quiet)
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
