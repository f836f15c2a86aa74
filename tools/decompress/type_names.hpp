// SPDX-License-Identifier: BSD-3-Clause
// Names of atom types: elements and type labels.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "gpz/frame.hpp"

namespace gpz::tool {

// Entry t - 1 is the name of type t.
struct TypeNames {
  std::vector<std::string> elements;
  std::vector<std::string> labels;

  const std::vector<std::string> *for_display(Display display) const {
    switch (display) {
      case Display::number:
        return nullptr;
      case Display::element:
        return &elements;
      case Display::type_label:
        return &labels;
    }
    return nullptr;
  }
};

// A name with a blank would break the columns of a text file: then none of them is used.
inline bool usable_as_words(const std::vector<std::string> &names) {
  bool any = false;
  for (const std::string &name : names) {
    if (name.find_first_of(" \t\r\n") != std::string::npos) return false;
    any = any || !name.empty();
  }
  return any;
}

inline std::size_t longest_of(const std::vector<std::string> &names) {
  std::size_t longest = 0;
  for (const std::string &name : names) longest = std::max(longest, name.size());
  return longest;
}

}  // namespace gpz::tool
