// SPDX-License-Identifier: BSD-3-Clause
// Points in memory, as an application has them: f32 or f64, one particle after the other or one axis after the other.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "gpz/frame.hpp"

namespace gpz::bench {

enum class Layout { aos, soa };  // x y z x y z ..., or all x, all y, all z

class Cloud {
 public:
  Cloud() = default;
  // All coordinates 0. `type` is float32 or float64, components 2 or 3. Throws std::bad_alloc.
  Cloud(ValueType type, Layout layout, int components, std::size_t particles);

  ValueType type() const { return type_; }
  Layout layout() const { return layout_; }
  int components() const { return components_; }
  std::size_t particles() const { return particles_; }
  std::size_t value_size() const { return type_ == ValueType::float32 ? 4 : 8; }
  std::size_t bytes() const { return particles_ * static_cast<std::size_t>(components_) * value_size(); }

  const void *data() const {
    return type_ == ValueType::float32 ? static_cast<const void *>(narrow_.data()) : wide_.data();
  }
  void *data() { return type_ == ValueType::float32 ? static_cast<void *>(narrow_.data()) : wide_.data(); }

  // Where component d of particle 0 is, and how far it is from there to particle 1, in bytes.
  std::ptrdiff_t offset(int d) const;
  std::ptrdiff_t stride() const;

  double get(std::size_t particle, int d) const {
    const std::size_t at = index(particle, d);
    return type_ == ValueType::float32 ? static_cast<double>(narrow_[at]) : wide_[at];
  }
  // Rounds to f32 where the cloud has that.
  void set(std::size_t particle, int d, double value) {
    const std::size_t at = index(particle, d);
    if (type_ == ValueType::float32)
      narrow_[at] = static_cast<float>(value);
    else
      wide_[at] = value;
  }

  // Largest less smallest value of each component; non-finite ones are ignored.
  std::array<double, 3> extents() const;

  // These points in another type and layout.
  Cloud converted(ValueType type, Layout layout) const;

 private:
  std::size_t index(std::size_t particle, int d) const {
    const auto axis = static_cast<std::size_t>(d);
    return layout_ == Layout::aos ? particle * static_cast<std::size_t>(components_) + axis
                                  : axis * particles_ + particle;
  }

  ValueType type_ = ValueType::float32;
  Layout layout_ = Layout::aos;
  int components_ = 3;
  std::size_t particles_ = 0;
  std::vector<float> narrow_;  // one of the two is used
  std::vector<double> wide_;
};

}  // namespace gpz::bench
