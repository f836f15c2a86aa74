// SPDX-License-Identifier: BSD-3-Clause
// Bytes of a file at any position.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace gpz::tool {

// A descriptor of the file, for ::close(). Throws Failure (io).
int open_for_reading(const std::string &path);

class InputFile {
 public:
  // Throws Failure (io), as read_at() does.
  explicit InputFile(const std::string &path) : name_(path), descriptor_(open_for_reading(path)) {}
  ~InputFile();
  InputFile(const InputFile &) = delete;
  InputFile &operator=(const InputFile &) = delete;

  const std::string &name() const { return name_; }
  // Returns how many bytes it has read: fewer than `size` only at the end of the file.
  std::size_t read_at(std::uint64_t position, void *data, std::size_t size) const;

 private:
  std::string name_;
  int descriptor_;
};

}  // namespace gpz::tool
