// SPDX-License-Identifier: BSD-3-Clause
// The exception of the C++ API: every function that fails throws gpz::Error. If memory runs out, it has the status
// out_of_memory; if there is no memory for the message either, the exception is std::bad_alloc.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>

#include "gpz/export.h"

namespace gpz {

// The numbers never change. They are those of gpz_status in the C API (gpz.h).
enum class Status : int {
  ok = 0,
  invalid_argument = 1,     // a bound < 0, a null pointer, fields that do not fit together, ...
  io_error = 2,             // the operating system refused; Error::system_error() has its errno
  not_gpz = 3,              // the magic bytes are missing
  unsupported_version = 4,  // a newer format, or an unknown required feature
  corrupt = 5,              // a checksum is wrong, or the bytes contradict the format
  truncated = 6,            // the file or the memory ends too early
  out_of_memory = 7,
  not_found = 8,  // no such frame, field, column, ...
  limit_exceeded = 9,
  internal = 10,
  unsupported = 11,  // valid, but this function cannot handle it; another one can
};

GPZ_API const char *to_string(Status status) noexcept;

class GPZ_API Error : public std::runtime_error {
 public:
  // `position`: the offset of the error in `file`, in bytes, or no_position. `system_error`: an errno, or 0. what() is
  // "FILE: byte P: CAUSE". `cause` may contain names from files: cause() and what() return printable text
  // (printable.hpp). file() is unchanged.
  static constexpr std::uint64_t no_position = ~std::uint64_t{0};
  Error(Status status, const std::string &cause, const std::string &file = {}, std::uint64_t position = no_position,
        int system_error = 0);

  Error(const Error &) = default;
  Error &operator=(const Error &) = default;
  // Defined in the library, so that all programs that catch the exception share one type_info.
  ~Error() override;

  Status status() const noexcept { return status_; }
  const std::string &cause() const noexcept { return cause_; }
  const std::string &file() const noexcept { return file_; }
  std::uint64_t position() const noexcept { return position_; }
  int system_error() const noexcept { return system_error_; }

 private:
  Status status_;
  std::string cause_;
  std::string file_;
  std::uint64_t position_;
  int system_error_;
};

}  // namespace gpz
