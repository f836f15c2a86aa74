// SPDX-License-Identifier: BSD-3-Clause
// The second line of a frame of XYZ: key=value pairs of extended XYZ, or free text.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gpz::tool {

// key=value. A value is a word, a text in quotes, numbers in quotes or braces, or an array [1, 2] or [[1, 2], [3, 4]].
struct XyzEntry {
  std::string key;                 // as it is written
  std::string folded;              // the key in lower case
  std::string text;                // of the value, without quotes, brackets and escapes; "T" for a key without a value
  bool bare = false;               // a key without a value
  bool enclosed = false;           // in quotes or brackets
  std::vector<std::string> words;  // between blanks and commas; of an array its elements, row by row
  std::array<std::size_t, 2> shape;  // rows and columns of a two-dimensional array; {0, 0} otherwise
  // Lattice, pbc, Origin or Properties. In other letters, and as Origin always, the value has to fit: `lattice=fcc` and
  // `Origin=database` are keys as others.
  bool of_frame = false;
};

struct XyzComment {
  std::vector<XyzEntry> entries;
  // The error in the text after these entries, such as a quote without its end; empty if there is none.
  std::string problem;

  // The entry of one of these keys, in lower case; nullptr if there is none.
  const XyzEntry *find(std::string_view folded) const;
  // The same, if it is `of_frame`.
  const XyzEntry *find_of_frame(std::string_view folded) const;
};

// By the specification of extended XYZ, and as ASE reads it: ' is a quote as well, and a key without a value is T.
XyzComment parse_extended_comment(std::string_view line);
// Whether the line is one of extended XYZ: it says what the columns are, or has a lattice of numbers.
bool is_extended(const XyzComment &comment, std::string_view line);

// The numbers of a value. Empty if one is no number, or an integer that a double does not hold.
std::vector<double> numbers_of(const XyzEntry &entry);

// Values of a frame in free text, where the text is unambiguous.
struct FreeComment {
  std::optional<std::int64_t> step;
  std::optional<double> time;
  // Edge lengths and angles between b and c, a and c, a and b in degrees, as i-PI writes them.
  std::optional<std::array<double, 6>> cell;
};
// Reads "Atoms. Timestep: 40 Time: 0.5", "Step=100, time=50.0, E=-17.1", " i = 5, time = 2.5, E = -17.1",
// "# CELL(abcABC): 10 10 10 90 90 90 Step: 10 ... positions{angstrom} cell{angstrom}". A number with a word after it,
// as in "timestep: 1 fs", and a key with two values say nothing.
FreeComment read_free_comment(std::string_view line);

}  // namespace gpz::tool
