// SPDX-License-Identifier: BSD-3-Clause
#include "gpz/error.hpp"

#include "gpz/printable.hpp"

namespace gpz {

const char *to_string(Status status) noexcept {
  switch (status) {
    case Status::ok:
      return "ok";
    case Status::invalid_argument:
      return "invalid argument";
    case Status::io_error:
      return "input/output error";
    case Status::not_gpz:
      return "not a gpz file";
    case Status::unsupported_version:
      return "unsupported version";
    case Status::corrupt:
      return "corrupt data";
    case Status::truncated:
      return "truncated";
    case Status::out_of_memory:
      return "out of memory";
    case Status::not_found:
      return "not found";
    case Status::limit_exceeded:
      return "limit exceeded";
    case Status::internal:
      return "internal error";
    case Status::unsupported:
      return "not supported here";
  }
  return "unknown status";
}

namespace {

std::string message(const std::string &cause, const std::string &file, std::uint64_t position) {
  std::string text;
  if (!file.empty()) text += file + ": ";
  if (position != Error::no_position) text += "byte " + std::to_string(position) + ": ";
  return text + cause;
}

}  // namespace

Error::Error(Status status, const std::string &cause, const std::string &file, std::uint64_t position, int system_error)
    : std::runtime_error(printable(message(cause, file, position))),
      status_(status),
      cause_(printable(cause)),
      file_(file),
      position_(position),
      system_error_(system_error) {}

Error::~Error() = default;

}  // namespace gpz
