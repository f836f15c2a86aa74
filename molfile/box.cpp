// SPDX-License-Identifier: BSD-3-Clause
#include "box.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace gpz::molfile {

Box::Box(const gpz_frame &frame) : exists_(frame.box_kind != GPZ_BOX_NONE) {
  const double *v = frame.box;
  if (frame.box_kind == GPZ_BOX_GENERAL) {
    for (std::size_t i = 0; i < 9; ++i) edges_[i / 3][i % 3] = v[i];
    origin_ = {v[9], v[10], v[11]};
  } else {
    edges_ = {{{v[1] - v[0], 0, 0}, {v[6], v[3] - v[2], 0}, {v[7], v[8], v[5] - v[4]}}};
    origin_ = {v[0], v[2], v[4]};
  }
}

Cell Box::cell() const {
  Cell cell;
  if (!exists_) return cell;
  for (std::size_t i = 0; i < 3; ++i) cell.lengths[i] = std::hypot(edges_[i][0], edges_[i][1], edges_[i][2]);
  for (std::size_t i = 0; i < 3; ++i) {
    const std::size_t j = (i + 1) % 3;
    const std::size_t k = (i + 2) % 3;
    const double product = edges_[j][0] * edges_[k][0] + edges_[j][1] * edges_[k][1] + edges_[j][2] * edges_[k][2];
    const double lengths = cell.lengths[j] * cell.lengths[k];
    if (product == 0 || lengths == 0) continue;  // exactly a right angle
    constexpr double degrees = 57.29577951308232;
    cell.angles[i] = std::acos(std::clamp(product / lengths, -1.0, 1.0)) * degrees;
  }
  return cell;
}

PointsInBox Box::points(const std::array<bool, 3> &scaled) const {
  return {{edges_[0], edges_[1], edges_[2], origin_}, scaled};
}

}  // namespace gpz::molfile
