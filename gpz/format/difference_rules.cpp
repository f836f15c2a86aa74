// SPDX-License-Identifier: BSD-3-Clause
#include "gpz/format/difference_rules.hpp"

#include <string>

#include "gpz/format/grid_box.hpp"

namespace gpz::format {

Crossed crossed_by(const Field &positions, const Field &images, const Box &box) {
  Crossed crossed{};
  if (images.type != ValueType::integer) return crossed;
  const auto edges = grid_box(box, positions);
  for (std::size_t d = 0; d < images.components.size(); ++d) {
    const std::string &name = images.components[d].name;
    for (std::size_t axis = 0; axis < positions.components.size() && name.size() == 2 && name[0] == 'i'; ++axis)
      if (edges[axis].period != 0 && positions.components[axis].name[0] == name[1])
        crossed[d] = static_cast<std::uint8_t>(axis + 1);
  }
  return crossed;
}

}  // namespace gpz::format
