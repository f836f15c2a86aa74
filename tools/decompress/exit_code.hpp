// SPDX-License-Identifier: BSD-3-Clause
// How the command fails: an exit code, and one line on standard error.
#pragma once

#include <exception>
#include <stdexcept>
#include <string>
#include <string_view>

#include "gpz/printable.hpp"

namespace gpz::tool {

enum class ExitCode : int {
  ok = 0,
  other = 1,
  usage = 2,
  io = 3,
  corrupt = 4,  // also: no gpz file, or of a version this program does not know
  truncated = 5,
  limit = 6,
  different = 7,  // verify --against, bench
};

// For --help.
extern const char *const exit_code_help;

// Ends a command; what() is "FILE: REASON", or the reason alone, made printable().
class Failure : public std::runtime_error {
 public:
  Failure(ExitCode code, const std::string &file, const std::string &reason)
      : std::runtime_error(printable(file.empty() ? reason : file + ": " + reason)), code_(code) {}
  ExitCode code() const noexcept { return code_; }

 private:
  ExitCode code_;
};

// "FILE: the operating system's reason" for the current errno.
Failure io_failure(const std::string &file);

// A line of printable() text on standard error. Takes no memory. If it cannot be written, nobody is told: the exit code
// says enough.
void print_note(std::string_view text) noexcept;

// The message for an exception of the library or the standard library; `file` is named where the exception names none.
Failure to_failure(const std::exception &error, const std::string &file = {});

}  // namespace gpz::tool
