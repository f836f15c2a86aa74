// SPDX-License-Identifier: BSD-3-Clause
// How the command ends where there is no memory, not even for a message.
#pragma once

#include <new>
#include <string>

namespace gpz::tool {

// Names what is worked on from here on: the file that fail_without_memory() names.
void work_on(const std::string &file) noexcept;

// Says on standard error what there was no memory for, and returns the exit code of that. Takes no memory.
int fail_without_memory() noexcept;

// While it lives, a failed allocation ends the program in this way instead of throwing. For code that does not survive
// the exception: trees of nlohmann::json, which take memory to be destroyed. No file may be unfinished.
class EndsWithoutMemory {
 public:
  EndsWithoutMemory() noexcept;
  ~EndsWithoutMemory() { std::set_new_handler(before_); }
  EndsWithoutMemory(const EndsWithoutMemory &) = delete;
  EndsWithoutMemory &operator=(const EndsWithoutMemory &) = delete;

 private:
  std::new_handler before_;
};

}  // namespace gpz::tool
