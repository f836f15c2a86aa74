// SPDX-License-Identifier: BSD-3-Clause
#include "hdf5/settings.hpp"

#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>

#include "gpz/error.hpp"

namespace gpz::hdf5 {
namespace {

constexpr std::size_t bound_values = 2;
constexpr unsigned values_follow = 1;
enum Position : std::size_t { bound_low, bound_high, effort, follow, value_size, components, particles, frames };

[[noreturn]] void refuse(const std::string &cause) { throw Error(Status::invalid_argument, cause); }

unsigned word(std::uint64_t value, const char *what) {
  if (value > std::numeric_limits<unsigned>::max())
    throw Error(Status::limit_exceeded, std::string("a chunk of too many ") + what);
  return static_cast<unsigned>(value);
}

int order_of_machine() {
  const std::uint16_t one = 1;
  unsigned char first = 0;
  std::memcpy(&first, &one, 1);
  return first == 1 ? order_little : order_big;
}

}  // namespace

bool Dataset::is_supported() const {
  return type_class == class_float && (value_size == 4 || value_size == 8) && byte_order == order_of_machine() &&
         !chunk.empty();
}

FrameArrayShape Dataset::shape() const {
  std::vector<Size> left = chunk;
  FrameArrayShape shape;
  shape.type = value_size == 8 ? ValueType::float64 : ValueType::float32;
  shape.components = 1;
  shape.frames = 1;
  constexpr Size most_components = 3;
  if (left.size() > 1 && left.back() >= 1 && left.back() <= most_components) {
    shape.components = static_cast<unsigned>(left.back());
    left.pop_back();
  }
  shape.particles = left.back();
  left.pop_back();
  for (const Size length : left)
    if (__builtin_mul_overflow(shape.frames, length, &shape.frames))
      throw Error(Status::limit_exceeded, "a chunk of too many frames");
  return shape;
}

FrameArrayOptions options_of(const std::vector<unsigned> &values) {
  if (values.size() < bound_values)
    refuse("the filter gpz needs the error bound: two numbers, the words of a float64, low word first");
  FrameArrayOptions options;
  const std::uint64_t bits = values[bound_low] | std::uint64_t{values[bound_high]} << 32;
  std::memcpy(&options.bound, &bits, sizeof bits);
  if (!(options.bound >= 0) || !std::isfinite(options.bound))
    refuse("the error bound of the filter gpz is negative or not finite: " + std::to_string(options.bound) +
           ". Its low word comes first");
  if (values.size() > effort) {
    if (values[effort] > static_cast<unsigned>(Effort::dense))
      refuse("the effort of the filter gpz is 0 (fast), 1 (standard) or 2 (dense), not " +
             std::to_string(values[effort]));
    options.effort = static_cast<Effort>(values[effort]);
  }
  return options;
}

std::vector<unsigned> values_of(const FrameArrayOptions &options, const Dataset &dataset) {
  std::uint64_t bits = 0;
  std::memcpy(&bits, &options.bound, sizeof bits);
  std::vector<unsigned> values(stored_values);
  values[bound_low] = static_cast<unsigned>(bits);
  values[bound_high] = static_cast<unsigned>(bits >> 32);
  values[effort] = static_cast<unsigned>(options.effort);
  values[follow] = values_follow;
  if (!dataset.is_supported()) return values;
  const FrameArrayShape shape = dataset.shape();
  shape.bytes();  // throws
  values[value_size] = static_cast<unsigned>(dataset.value_size);
  values[components] = shape.components;
  values[particles] = word(shape.particles, "particles");
  values[frames] = word(shape.frames, "frames");
  return values;
}

Settings settings_of(const unsigned *values, std::size_t count) {
  const std::vector<unsigned> all(values, values + count);
  Settings settings;
  settings.options = options_of(all);
  if (count < stored_values || all[follow] != values_follow)
    refuse("the filter gpz of this dataset says nothing of its chunks: HDF5 did not call its functions");
  if (all[value_size] == 0) return settings;
  if (all[value_size] != 4 && all[value_size] != 8) refuse("the filter gpz of this dataset says an unknown type");
  settings.shape = FrameArrayShape{all[value_size] == 8 ? ValueType::float64 : ValueType::float32, all[frames],
                                   all[particles], all[components]};
  return settings;
}

}  // namespace gpz::hdf5
