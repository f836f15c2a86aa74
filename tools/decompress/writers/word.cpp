// SPDX-License-Identifier: BSD-3-Clause
#include "writers/word.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include "gpz/printable.hpp"

namespace gpz::tool {
namespace {

constexpr std::array<std::string_view, 17> blanks = {" ",      "\u00a0", "\u1680", "\u2000", "\u2001", "\u2002",
                                                     "\u2003", "\u2004", "\u2005", "\u2006", "\u2007", "\u2008",
                                                     "\u2009", "\u200a", "\u202f", "\u205f", "\u3000"};

}  // namespace

std::string as_word(const std::string &name) {
  const std::string text = printable(name);
  std::string word;
  for (std::size_t at = 0; at < text.size();) {
    const auto *const blank = std::find_if(blanks.begin(), blanks.end(), [&](std::string_view candidate) {
      return text.compare(at, candidate.size(), candidate) == 0;
    });
    word += blank == blanks.end() ? text[at] : '_';
    at += blank == blanks.end() ? 1 : blank->size();
  }
  return word;
}

std::vector<std::string> words_or_none(std::vector<std::string> names) {
  const bool usable = std::all_of(names.begin(), names.end(), [](const std::string &name) {
    return name.size() <= longest_word && as_word(name) == name;
  });
  const bool any = std::any_of(names.begin(), names.end(), [](const std::string &name) { return !name.empty(); });
  if (!usable || !any) names.clear();
  return names;
}

}  // namespace gpz::tool
