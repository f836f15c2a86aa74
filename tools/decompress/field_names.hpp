// SPDX-License-Identifier: BSD-3-Clause
// A field in words.
#pragma once

#include <string>

#include "gpz/frame.hpp"

namespace gpz::tool {

// The columns of the field: "x y z".
inline std::string names_of(const Field &field) {
  std::string names;
  for (const Field::Component &component : field.components) names += (names.empty() ? "" : " ") + component.name;
  return names;
}

}  // namespace gpz::tool
