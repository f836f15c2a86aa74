// SPDX-License-Identifier: BSD-3-Clause
#include "bench/cloud.hpp"

#include <algorithm>
#include <cmath>

namespace gpz::bench {

Cloud::Cloud(ValueType type, Layout layout, int components, std::size_t particles)
    : type_(type), layout_(layout), components_(components), particles_(particles) {
  const std::size_t values = particles * static_cast<std::size_t>(components);
  if (type == ValueType::float32)
    narrow_.resize(values);
  else
    wide_.resize(values);
}

std::ptrdiff_t Cloud::offset(int d) const { return static_cast<std::ptrdiff_t>(index(0, d) * value_size()); }

std::ptrdiff_t Cloud::stride() const {
  return static_cast<std::ptrdiff_t>(value_size()) * (layout_ == Layout::aos ? components_ : 1);
}

std::array<double, 3> Cloud::extents() const {
  std::array<double, 3> extents{};
  for (int d = 0; d < components_; ++d) {
    double low = HUGE_VAL;
    double high = -HUGE_VAL;
    for (std::size_t i = 0; i < particles_; ++i) {
      const double value = get(i, d);
      if (!std::isfinite(value)) continue;
      low = std::min(low, value);
      high = std::max(high, value);
    }
    if (high > low) extents[static_cast<std::size_t>(d)] = high - low;
  }
  return extents;
}

Cloud Cloud::converted(ValueType type, Layout layout) const {
  Cloud out(type, layout, components_, particles_);
  for (std::size_t i = 0; i < particles_; ++i)
    for (int d = 0; d < components_; ++d) out.set(i, d, get(i, d));
  return out;
}

}  // namespace gpz::bench
