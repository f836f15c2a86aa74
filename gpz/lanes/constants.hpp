// SPDX-License-Identifier: BSD-3-Clause
// Constants of classes of particles, as they are stored and as the formulas need them (docs/format.md, section 9d).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "gpz/core/steps.hpp"
#include "gpz/format/budget.hpp"
#include "gpz/lanes/layout.hpp"

namespace gpz::lanes {

struct ClassConstants {
  // In 16ths; of particles without bonds, the first three are those of their motion, in 256ths.
  enum Weight : unsigned {
    carried,
    length_to_class,
    length_to_carried,
    length_to_mean,
    along_to_class,
    along_to_carried,
    along_to_mean,
    heading_to_mean,
    turned,
    weights,
    of_last_displacement = carried,
    of_displacement_before = length_to_class,
    of_offset_to_mean = length_to_carried
  };
  std::array<std::int16_t, weights> weight{};
  // Mean length, and mean component along the axis, in 16ths of a grid step.
  std::int32_t length = 0;
  std::int32_t along = 0;
  // As powers of two, in eighths of an exponent: variances in squared grid steps from 2^-8 on; means of 1 - cos and of
  // 1 - cos^2 of the angle to the expected direction from 2^-20 on. Of roots, `length_variance` is that of a component.
  // Of particles without bonds, the first three are variances of x, y and z.
  std::uint16_t length_variance = 0;
  std::uint16_t along_variance = 0;
  std::uint16_t bend = 0;
  std::uint16_t bend2 = 0;
};
inline constexpr int least_variance_exponent = -8;
inline constexpr int least_bend_exponent = -20;
inline constexpr unsigned most_power = 8 * 50;
inline constexpr std::int32_t most_steps = (1 << 24) - 1;  // of length and along, in 16ths: floats hold them

// 2^(eighths / 8 + exponent), and the nearest number of eighths for a positive value.
float power_of(unsigned eighths, int exponent);
unsigned eighths_of(double value, int exponent);

// Mean heading of the particles of a class around the axis, towards the second reference and aside, in 64ths.
struct Heading {
  std::int8_t towards = 0, aside = 0;
};

using Constants = std::array<float, core::step_constants>;
// `key`: the heading of the class in a key frame, where nothing is known of a frame before; nullptr in others.
Constants constants_of(const ClassConstants &stored, core::StepKind kind, const Heading *key = nullptr);
// The same of particles that may have no bonds.
Constants constants_of(const ClassConstants &stored, bool have_bonds, core::StepKind kind, const Heading *key);

// Columns of constants for the kernels.
class ConstantColumns {
 public:
  ConstantColumns() = default;
  ConstantColumns(ConstantColumns &&) = default;
  ConstantColumns &operator=(ConstantColumns &&) = default;
  // A copy would point into the memory of the original.
  ConstantColumns(const ConstantColumns &) = delete;
  ConstantColumns &operator=(const ConstantColumns &) = delete;
  ~ConstantColumns() = default;

  // `key`: as above, of each class.
  void fill(const Layout &layout, const std::vector<ClassConstants> &classes, bool have_bonds,
            const std::vector<Heading> *key);
  const float *data() const { return aligned_; }
  std::size_t memory_usage() const { return memory_.capacity() * sizeof(float); }

 private:
  format::Column<float> memory_;
  float *aligned_ = nullptr;
};

// As differences to those `before`, if it is not null.
void append_constants(const std::vector<ClassConstants> &classes, const std::vector<ClassConstants> *before,
                      std::vector<std::uint8_t> &bytes);
// `classes` are those before. Throws corrupt.
std::size_t read_constants(const std::uint8_t *bytes, std::size_t size, std::vector<ClassConstants> &classes);

}  // namespace gpz::lanes
