// SPDX-License-Identifier: BSD-3-Clause
// Names of atom types: elements and type labels.
#pragma once

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

}  // namespace gpz::tool
