// SPDX-License-Identifier: BSD-3-Clause
// The gpz command.
#include <fmt/format.h>

#include <algorithm>
#include <csignal>
#include <cstdio>

#include "app.hpp"
#include "exit_code.hpp"

namespace gpz::tool {

namespace {

int fail(const Failure &failure) {
  std::string line = failure.what();
  std::replace(line.begin(), line.end(), '\n', ' ');
  fmt::print(stderr, "gpz: {}\n", line);
  return static_cast<int>(failure.code());
}

}  // namespace
}  // namespace gpz::tool

int main(int argc, char **argv) {
  // A closed pipe is an error of write(), reported like every other.
  std::signal(SIGPIPE, SIG_IGN);
  try {
    gpz::tool::run(argc, argv);
    return static_cast<int>(gpz::tool::ExitCode::ok);
  } catch (const std::exception &error) {
    return gpz::tool::fail(gpz::tool::to_failure(error));
  }
}
