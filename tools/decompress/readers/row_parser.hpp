// SPDX-License-Identifier: BSD-3-Clause
// Numbers and words of a text.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gpz/frame.hpp"
#include "readers/byte_input.hpp"

namespace gpz::tool {

inline bool is_blank(char c) { return c == ' ' || c == '\t'; }
// Takes the next word off the front of the line; empty at its end.
std::string_view next_word(std::string_view &line);
// Whether the line has no word: blanks, and the \r of line ends of Windows.
bool is_blank_line(std::string_view line);
// All words of the line.
std::vector<std::string_view> words_of(std::string_view line);
// Whether all of the word is a number.
bool parse_number(std::string_view word, double &value);
bool parse_number(std::string_view word, std::int64_t &value);
// The value of T, True, true, TRUE, F, False, false, FALSE; nothing for other words.
std::optional<bool> logical_of(std::string_view word);
// Whether the value is an integer, of a size up to which doubles hold all of them.
bool is_integer(double value);

// Numbers for words, in the order of their appearance, from 1.
class WordNumbers {
 public:
  explicit WordNumbers(std::vector<std::string> words = {});

  std::int64_t number(std::string_view word);
  // 0 for a word without a number.
  std::int64_t find(std::string_view word) const;
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

// Where the file has a column of atom types as well, element t - 1 is the name of type t: renumbers the words so.
// Throws Failure if a type has two names.
void number_by_type(const ByteInput &input, const Words &words, Frame &frame, Metadata &metadata);

}  // namespace gpz::tool
