// SPDX-License-Identifier: BSD-3-Clause
#include "gpz/lanes/constants.hpp"

#include <algorithm>
#include <cmath>
#include <type_traits>

#include "gpz/codec/functions.hpp"
#include "gpz/lanes/stream.hpp"

namespace gpz::lanes {

namespace {

constexpr std::size_t alignment = 64;

}  // namespace

float power_of(unsigned eighths, int exponent) {
  // 2^(i / 8), rounded to floats.
  constexpr std::array<std::uint32_t, 8> bits{0x3F800000, 0x3F8B95C2, 0x3F9837F0, 0x3FA5FED7,
                                              0x3FB504F3, 0x3FC5672A, 0x3FD744FD, 0x3FEAC0C7};
  const auto power = static_cast<std::uint32_t>(static_cast<int>(eighths / 8) + exponent);
  return core::bit_cast<float>(bits[eighths % 8] + (power << 23));
}

unsigned eighths_of(double value, int exponent) {
  const double eighths = 8 * (codec::log2_of(std::clamp(value, 1e-300, 1e300)) - exponent);
  return static_cast<unsigned>(std::lround(std::clamp(eighths, 0.0, static_cast<double>(most_power))));
}

Constants constants_of(const ClassConstants &stored, core::StepKind kind, const Heading *key) {
  using C = ClassConstants;
  const auto weight = [&](C::Weight w) { return static_cast<float>(stored.weight[w]) / 16.0F; };
  const float length = static_cast<float>(stored.length) / 16.0F, along = static_cast<float>(stored.along) / 16.0F;
  const float length_variance = power_of(stored.length_variance, least_variance_exponent);
  const float along_variance = power_of(stored.along_variance, least_variance_exponent);
  const float bend = power_of(stored.bend, least_bend_exponent), bend2 = power_of(stored.bend2, least_bend_exponent);
  Constants k{};
  if (key != nullptr) {
    k[core::length_of_class] = length;
    k[core::along_of_class] = along;
    k[core::class_towards] = key->towards;
    k[core::class_aside] = key->aside;
  } else {
    k[core::carried] = weight(C::carried);
    k[core::length_of_last] =
        1.0F - weight(C::length_to_class) - weight(C::length_to_carried) - weight(C::length_to_mean);
    k[core::length_of_carried] = weight(C::length_to_carried);
    k[core::length_of_class] = weight(C::length_to_class) * length;
    k[core::length_of_mean] = weight(C::length_to_mean);
    k[core::along_of_last] = 1.0F - weight(C::along_to_class) - weight(C::along_to_carried) - weight(C::along_to_mean);
    k[core::along_of_carried] = weight(C::along_to_carried);
    k[core::along_of_class] = weight(C::along_to_class) * along;
    k[core::along_of_mean] = weight(C::along_to_mean);
    k[core::headed] = weight(C::heading_to_mean);
    k[core::turned] = weight(C::turned);
  }
  k[core::length_variance] = length_variance;
  k[core::along_variance] = along_variance;
  k[core::over_length_variance] = 1.0F / length_variance;
  k[core::over_along_variance] = 1.0F / along_variance;
  k[core::across_part] = bend2;
  k[core::towards_part] = std::max(2.0F * bend - bend * bend - bend2, 0.0F);
  k[core::shrinkage] = std::max(1.0F - bend, 0.0F);
  k[core::limit] = kind == core::StepKind::sphere ? std::sqrt(length_variance)
                                                  : 4.0F * std::sqrt(std::max(length_variance, along_variance));
  return k;
}

Constants constants_of(const ClassConstants &stored, bool have_bonds, core::StepKind kind, const Heading *key) {
  if (have_bonds) return constants_of(stored, kind, key);
  using C = ClassConstants;
  const auto weight = [&](C::Weight w) { return static_cast<float>(stored.weight[w]) / 256.0F; };
  Constants k{};
  k[core::of_last_displacement] = weight(C::of_last_displacement);
  k[core::of_displacement_before] = weight(C::of_displacement_before);
  k[core::of_offset_to_mean] = weight(C::of_offset_to_mean);
  k[core::variance_x] = power_of(stored.length_variance, least_variance_exponent);
  k[core::variance_y] = power_of(stored.along_variance, least_variance_exponent);
  k[core::variance_z] = power_of(stored.bend, least_variance_exponent);
  return k;
}

void ConstantColumns::fill(const Layout &layout, const std::vector<ClassConstants> &classes, bool have_bonds,
                           const std::vector<Heading> *key) {
  const std::size_t columns = layout.columns().size() / core::step_lanes;
  memory_.resize(columns * core::step_constants * core::step_lanes + alignment / sizeof(float));
  aligned_ = memory_.data();
  while (reinterpret_cast<std::uintptr_t>(aligned_) % alignment != 0) ++aligned_;
  std::vector<Constants> bound(classes.size()), sphere(classes.size());
  for (std::size_t c = 0; c < classes.size(); ++c) {
    const Heading *const heading = key != nullptr ? &(*key)[c] : nullptr;
    bound[c] = constants_of(classes[c], have_bonds, core::StepKind::narrow, heading);
    sphere[c] = constants_of(classes[c], core::StepKind::sphere, heading);
  }
  std::vector<char> is_filled(columns);
  for (const codec::Step &step : layout.steps()) {
    if (is_filled[step.constants] != 0) continue;
    is_filled[step.constants] = 1;
    const std::vector<Constants> &of = step.kind == core::StepKind::sphere ? sphere : bound;
    float *const to = aligned_ + std::size_t{step.constants} * core::step_constants * core::step_lanes;
    for (std::size_t l = 0; l < core::step_lanes; ++l) {
      const Constants &k = of[layout.columns()[std::size_t{step.constants} * core::step_lanes + l]];
      for (std::size_t c = 0; c < core::step_constants; ++c) to[c * core::step_lanes + l] = k[c];
    }
  }
}

namespace {

// Numbers of a class, in the order of their class_numbers, with the limits of each.
constexpr unsigned class_numbers = ClassConstants::weights + 6;
struct Stored {
  std::int32_t least, most;
};
constexpr Stored limits_of(unsigned context) {
  return context < ClassConstants::weights        ? Stored{INT16_MIN, INT16_MAX}
         : context == ClassConstants::weights     ? Stored{0, most_steps}
         : context == ClassConstants::weights + 1 ? Stored{-most_steps, most_steps}
                                                  : Stored{0, static_cast<std::int32_t>(most_power)};
}

template <typename Class, typename Use>
void each_number(Class &c, const Use &use) {
  unsigned context = 0;
  for (auto &weight : c.weight) use(context++, weight);
  use(context++, c.length);
  use(context++, c.along);
  for (auto *power : {&c.length_variance, &c.along_variance, &c.bend, &c.bend2}) use(context++, *power);
}

}  // namespace

void append_constants(const std::vector<ClassConstants> &classes, const std::vector<ClassConstants> *before,
                      std::vector<std::uint8_t> &bytes) {
  NumberWriter numbers(class_numbers);
  const ClassConstants none;
  for (std::size_t c = 0; c < classes.size(); ++c) {
    std::array<std::int32_t, class_numbers> last{};
    each_number(before != nullptr ? (*before)[c] : none, [&](unsigned context, std::int32_t x) { last[context] = x; });
    each_number(classes[c], [&](unsigned context, std::int32_t x) { numbers.put_signed(context, x - last[context]); });
  }
  numbers.append(bytes);
}

std::size_t read_constants(const std::uint8_t *bytes, std::size_t size, std::vector<ClassConstants> &classes) {
  NumberReader numbers(bytes, size, class_numbers);
  for (ClassConstants &c : classes)
    each_number(c, [&](unsigned context, auto &x) {
      const Stored limits = limits_of(context);
      const auto last = static_cast<std::int32_t>(x);
      x = static_cast<std::remove_reference_t<decltype(x)>>(
          last + numbers.get_signed(context, limits.least - last, limits.most - last));
    });
  return numbers.end();
}

}  // namespace gpz::lanes
