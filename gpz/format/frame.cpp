#include "gpz/frame.hpp"

#include <cmath>

namespace gpz {

std::array<double, 3> Box::edges() const {
  const auto &v = values;
  switch (kind) {
    case Kind::none:
      break;
    case Kind::orthogonal:
    case Kind::triclinic:
      return {v[1] - v[0], std::hypot(v[3] - v[2], v[6]), std::hypot(v[5] - v[4], v[7], v[8])};
    case Kind::general_triclinic:
      return {std::hypot(v[0], v[1], v[2]), std::hypot(v[3], v[4], v[5]), std::hypot(v[6], v[7], v[8])};
  }
  return {0, 0, 0};
}

const Frame::Column *Frame::find(const std::string &wanted) const {
  for (const Column &column : columns) {
    if (name(column) == wanted) return &column;
  }
  return nullptr;
}

}  // namespace gpz
