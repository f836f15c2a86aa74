// What a frame is: particles at one timestep, in a box, with fields (docs/format.md, section 3).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "gpz/export.h"

namespace gpz {

// How values are stored. Integers are 64 bit in the file, whatever the caller's array has.
enum class ValueType : std::uint8_t { integer = 1, float32 = 2, float64 = 3 };

// How a text writer shows an integer field.
enum class Display : std::uint8_t { number = 0, element = 2, type_label = 4 };

// The simulation box as LAMMPS has it.
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
  // What an error of 1 in each fraction of the edges (columns xs ys zs) makes of a Cartesian coordinate at most,
  // distance units: per axis the sum of the edge vectors' absolute components, of which this is the largest. 0 without
  // a box.
  GPZ_API double largest_edge_sum() const;
};

// A quantity per particle with 1 to 3 components, e.g. position (x, y, z), id, or vx.
struct Field {
  struct Component {
    std::string name;          // the name of the dump column: "x", "id", "c_pe", ...
    std::uint16_t column = 0;  // its place among all columns, from 0
  };

  ValueType type = ValueType::float64;
  Display display = Display::number;
  // The codec may reorder particles by the leading field (positions); only the first field of a frame may be it.
  bool leading = false;
  // Absolute error bound of every value, in units of the field; 0 is lossless. Integers are always lossless.
  double bound = 0;
  // Spacing of the grid values are rounded to. 0: the encoder takes grid_step(bound, type), the widest that keeps it.
  double step = 0;
  // Set by the encoder: the largest absolute error in this frame.
  double largest_error = 0;
  std::vector<Component> components;
};

struct FrameInfo {
  std::uint64_t particles = 0;
  std::int64_t timestep = 0;
  double time = std::numeric_limits<double>::quiet_NaN();  // time units of the file; NaN: unknown
  Box box;
  std::vector<Field> fields;
  // Frames since the key frame: 0 for a key frame, which stands alone. Others build on the frame before them in the
  // file, whose head checksum is `reference`; the writer of the file sets that.
  std::uint16_t since_key = 0;
  std::uint64_t reference = 0;
};

// Facts about a whole file; all optional.
struct Metadata {
  std::string generator;   // program and version
  std::string units;       // LAMMPS name: lj, real, metal, ...
  std::string atom_style;  // LAMMPS name
  std::string command;     // the command that made the file
  std::vector<std::string> columns;
  std::vector<std::string> elements;     // [t - 1] for atom type t
  std::vector<std::string> type_labels;  // [t - 1] for atom type t
  double timestep_size = 0;              // time units; 0: unknown
};

// One component of a field in the caller's memory: element i is at data + i * stride bytes.
struct ConstArray {
  enum class Type : std::uint8_t { int32, int64, float32, float64 };

  const void *data = nullptr;
  std::ptrdiff_t stride = 0;  // bytes
  Type type = Type::float64;
};

// One component of a field in the caller's memory, to be written: element i goes to data + i * stride bytes, which need
// not be aligned.
struct Array {
  void *data = nullptr;
  std::ptrdiff_t stride = 0;  // bytes
  ConstArray::Type type = ConstArray::Type::float64;
};

// One array per component of the field; for integers int32 or int64, for floats the type of the field.
struct FieldInput {
  Field field;
  std::array<ConstArray, 3> components{};
};

// A decoded frame: one column per component, in the order of the fields; all columns are in step.
struct Frame {
  struct Column {
    std::size_t field = 0;               // index into info.fields
    std::size_t component = 0;           // index into info.fields[field].components
    std::vector<double> floats;          // float fields (f32 values widened, which makes a signalling NaN quiet)
    std::vector<std::int64_t> integers;  // integer fields
  };

  FrameInfo info;
  std::vector<Column> columns;

  // The column of that name, or nullptr.
  GPZ_API const Column *find(const std::string &name) const;
  const std::string &name(const Column &column) const {
    return info.fields[column.field].components[column.component].name;
  }
};

}  // namespace gpz
