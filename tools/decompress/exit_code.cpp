// SPDX-License-Identifier: BSD-3-Clause
#include "exit_code.hpp"

#include <sys/uio.h>
#include <unistd.h>

#include <cerrno>
#include <new>
#include <system_error>

#include "gpz/error.hpp"

namespace gpz::tool {
namespace {

ExitCode code_of(Status status) {
  switch (status) {
    case Status::ok:
      return ExitCode::ok;
    case Status::invalid_argument:
      return ExitCode::usage;
    case Status::io_error:
      return ExitCode::io;
    case Status::not_gpz:
    case Status::unsupported_version:
    case Status::corrupt:
      return ExitCode::corrupt;
    case Status::truncated:
      return ExitCode::truncated;
    case Status::out_of_memory:
    case Status::limit_exceeded:
    case Status::unsupported:
      return ExitCode::limit;
    case Status::not_found:
    case Status::internal:
      return ExitCode::other;
  }
  return ExitCode::other;
}

}  // namespace

const char *const exit_code_help =
    "Exit codes: 0 success; 1 internal error; 2 usage; 3 input or output; 4 corrupt, no gpz file, or of a newer "
    "format;\n"
    "5 truncated (complete frames were written); 6 out of memory, over a limit, or not supported; 7 a comparison "
    "failed\n"
    "(verify --against, bench). Errors are one line on standard error.";

Failure io_failure(const std::string &file) {
  const int code = errno;
  return {code == ENOMEM ? ExitCode::limit : ExitCode::io, file, std::generic_category().message(code)};
}

void print_note(std::string_view text) noexcept {
  constexpr std::string_view start = "gpz: ";
  constexpr std::string_view end = "\n";
  const auto piece = [](std::string_view from) { return iovec{const_cast<char *>(from.data()), from.size()}; };
  const iovec line[] = {piece(start), piece(text), piece(end)};
  // The attribute of writev() asks for a look at its result.
  if (::writev(STDERR_FILENO, line, 3) < 0) return;
}

Failure to_failure(const std::exception &error, const std::string &file) {
  if (const auto *failure = dynamic_cast<const Failure *>(&error)) return *failure;
  if (const auto *library = dynamic_cast<const Error *>(&error))
    return {code_of(library->status()), "", library->what()};
  if (dynamic_cast<const std::bad_alloc *>(&error) != nullptr) return {ExitCode::limit, file, "out of memory"};
  return {ExitCode::other, file, error.what()};
}

}  // namespace gpz::tool
