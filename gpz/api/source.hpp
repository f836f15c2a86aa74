// SPDX-License-Identifier: BSD-3-Clause
// Memory as a source of bytes (gpz/source.hpp), and functions that add file and position to errors. file.hpp has the
// source for files.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <utility>

#include "gpz/error.hpp"
#include "gpz/format/allocation.hpp"
#include "gpz/source.hpp"

namespace gpz::api {

using gpz::Source;

class MemorySource : public Source {
 public:
  MemorySource(const std::uint8_t *bytes, std::size_t size, std::string name)
      : bytes_(bytes), size_(size), name_(std::move(name)) {}
  const std::string &name() const override { return name_; }
  std::uint64_t size() const override { return size_; }
  void read_at(std::uint64_t position, void *data, std::size_t size) const override {
    if (position > size_ || size > size_ - position) {
      throw Error(Status::truncated, "the data end too early", name_, size_);
    }
    if (size > 0) std::memcpy(data, bytes_ + position, size);
  }

 private:
  const std::uint8_t *bytes_;
  std::size_t size_;
  std::string name_;
};

// Calls f(). Adds file and position to errors of lower layers, whose positions are relative to `base`. If `base` is
// Error::no_position, errors get no position. Turns failed allocations into out_of_memory.
template <class F>
auto locating_errors(const std::string &file, std::uint64_t base, F &&f) -> decltype(f()) {
  try {
    return format::in_memory(f, [&] { return Error(Status::out_of_memory, "out of memory", file, base); });
  } catch (const Error &error) {
    if (!error.file().empty()) throw;
    const bool is_relative = base != Error::no_position && error.position() != Error::no_position;
    const std::uint64_t position = is_relative ? base + error.position() : base;
    throw Error(error.status(), error.cause(), file, position, error.system_error());
  }
}

// Calls f(), whose errors have positions in the file or none. Adds the file's name to them, and turns failed
// allocations into out_of_memory.
template <class F>
auto in_file(const std::string &file, F &&f) -> decltype(f()) {
  try {
    return format::in_memory(f, [&] { return Error(Status::out_of_memory, "out of memory", file); });
  } catch (const Error &error) {
    if (!error.file().empty()) throw;
    throw Error(error.status(), error.cause(), file, error.position(), error.system_error());
  }
}

// Calls f(), which decodes a frame of `particles` particles whose chunks begin at `position`. If memory runs out, the
// message of out_of_memory states the number of particles.
template <class F>
auto decoding(const std::string &file, std::uint64_t position, std::uint64_t particles, F &&f) -> decltype(f()) {
  const auto no_memory = [&] {
    const Error error = format::no_memory("decompress", particles);
    return Error(error.status(), error.cause(), file, position);
  };
  try {
    return format::in_memory(f, no_memory);
  } catch (const Error &error) {
    if (error.status() != Status::out_of_memory) throw;
    throw no_memory();
  }
}

}  // namespace gpz::api
