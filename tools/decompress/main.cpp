// SPDX-License-Identifier: BSD-3-Clause
// The gpz command.
#include <csignal>
#include <new>

#include "app.hpp"
#include "exit_code.hpp"
#include "out_of_memory.hpp"

namespace gpz::tool {

namespace {

int fail(const std::exception &error) {
  try {
    const Failure failure = to_failure(error);
    print_note(failure.what());
    return static_cast<int>(failure.code());
  } catch (const std::bad_alloc &) {
    return fail_without_memory();
  }
}

}  // namespace
}  // namespace gpz::tool

int main(int argc, char **argv) {
  // A closed pipe is an error of write(), reported like every other.
  std::signal(SIGPIPE, SIG_IGN);
  try {
    gpz::tool::run(argc, argv);
    return static_cast<int>(gpz::tool::ExitCode::ok);
  } catch (const std::bad_alloc &) {
    return gpz::tool::fail_without_memory();
  } catch (const std::exception &error) {
    return gpz::tool::fail(error);
  }
}
