// SPDX-License-Identifier: BSD-3-Clause
// Names from files as words of a text file, whose columns and lines end at white space.
#pragma once

#include <string>
#include <vector>

namespace gpz::tool {

// No longer than the name of a column: what a file prints for each particle stays in proportion to it.
inline constexpr std::size_t longest_word = 255;

// The name as one word: printable(), with _ for each blank, those of Unicode too, which Python splits lines at.
std::string as_word(const std::string &name);

// The names if each is a word of at most longest_word bytes and one is not empty; otherwise none, and numbers are
// printed in their place.
std::vector<std::string> words_or_none(std::vector<std::string> names);

}  // namespace gpz::tool
