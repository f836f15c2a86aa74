// SPDX-License-Identifier: BSD-3-Clause
// Lines of numbers and words to the columns of a frame.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "gpz/frame.hpp"
#include "readers/byte_input.hpp"
#include "readers/frame_layout.hpp"

namespace gpz::tool {

// Takes the next word off the front of the line; empty at its end.
std::string_view next_word(std::string_view &line);
// Whether all of the word is a number.
bool parse_number(std::string_view word, double &value);
bool parse_number(std::string_view word, std::int64_t &value);
// Whether the value is an integer, of a size up to which doubles hold all of them.
bool is_integer(double value);

// Numbers for words, in the order of their appearance, from 1.
class WordNumbers {
 public:
  explicit WordNumbers(std::vector<std::string> words = {});

  std::int64_t number(std::string_view word);
  const std::vector<std::string> &words() const { return words_; }

 private:
  std::vector<std::string> words_;
  std::map<std::string, std::int64_t, std::less<>> numbers_;
};

// Words of a foreign file, by how they are shown.
struct Words {
  WordNumbers elements;
  WordNumbers labels;
};

// Reads `rows` lines of the layout's columns into the frame. `where` says where the file ends if it ends early.
void read_rows(ByteInput &input, const FrameLayout &layout, std::size_t rows, Words &words, const std::string &where,
               Frame &frame);

// Where the file has a column of atom types as well, element t - 1 is the name of type t: renumbers the words so.
// Throws Failure if a type has two names.
void number_by_type(const ByteInput &input, const Words &words, Frame &frame, Metadata &metadata);

}  // namespace gpz::tool
