// SPDX-License-Identifier: BSD-3-Clause
// The numbers that HDF5 stores with a dataset for its filter (client data), and what they say.
//
//   0, 1  the bound as the bits of a float64, low word first   the user gives these,
//   2     effort: 0 fast, 1 standard (default), 2 dense        and this one if they want
//   3     1: the following ones are there                      the plugin adds these when a dataset is created
//   4     type of the values: 0 not compressed, 4 float32, 8 float64
//   5     components
//   6     particles of a chunk
//   7     frames of a chunk
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "gpz/frame_array.hpp"
#include "hdf5/abi.hpp"

namespace gpz::hdf5 {

constexpr std::size_t given_values = 3;
constexpr std::size_t stored_values = 8;

struct Settings {
  FrameArrayOptions options;
  // The frames of a chunk; nothing if it is not compressed, because its values are no floats of this machine.
  std::optional<FrameArrayShape> shape;
};

// A dataset that is created: its type and the lengths of its chunks.
struct Dataset {
  int type_class = 0;
  std::size_t value_size = 0;  // bytes
  int byte_order = 0;
  std::vector<Size> chunk;

  // Whether its values are float32 or float64 of this machine.
  bool is_supported() const;
  // The last dimension holds components if it is at most 3 and there are others; the one before it, or the last one, the
  // particles; all others together the frames.
  FrameArrayShape shape() const;
};

// Reads what the user gave. Throws invalid_argument.
FrameArrayOptions options_of(const std::vector<unsigned> &values);
// What is stored for the dataset. Throws invalid_argument, limit_exceeded.
std::vector<unsigned> values_of(const FrameArrayOptions &options, const Dataset &dataset);
// Reads what values_of() made. Throws invalid_argument.
Settings settings_of(const unsigned *values, std::size_t count);

}  // namespace gpz::hdf5
