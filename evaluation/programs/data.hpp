// SPDX-License-Identifier: BSD-3-Clause
// Files of raw float32 values: `components` arrays of as many values each, one after the other, little-endian.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace evaluation {

// A file mapped into memory. Throws std::runtime_error if it cannot be, or is not of whole particles.
class Data {
 public:
  Data(const std::string &path, int components);
  ~Data();
  Data(const Data &) = delete;
  Data &operator=(const Data &) = delete;

  const std::string &name() const { return name_; }  // that of the file, without folder and ending
  const float *values() const { return values_; }
  std::uint64_t particles() const { return particles_; }
  int components() const { return components_; }

 private:
  std::string name_;
  int components_;
  const float *values_ = nullptr;
  std::size_t bytes_ = 0;
  std::uint64_t particles_ = 0;
};

// Writes such a file, or 32-bit numbers.
template <typename Value>
void write_values(const std::string &path, const std::vector<Value> &values);

}  // namespace evaluation
