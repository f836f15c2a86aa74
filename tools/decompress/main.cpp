// SPDX-License-Identifier: BSD-3-Clause
// The gpz command.
#include <poll.h>
#include <unistd.h>

#include <csignal>
#include <new>

#include "app.hpp"
#include "exit_code.hpp"
#include "out_of_memory.hpp"

namespace gpz::tool {

namespace {

bool reader_of_output_is_gone() {
  pollfd output{STDOUT_FILENO, POLLOUT, 0};
  return ::poll(&output, 1, 0) == 1 && (output.revents & POLLERR) != 0;
}

int fail(const std::exception &error) {
  try {
    const Failure failure = to_failure(error);
    // As in `gpz decode ... | head`: the reader has what it wanted. Other programs end by this signal.
    if (failure.code() == ExitCode::io && reader_of_output_is_gone()) {
      std::signal(SIGPIPE, SIG_DFL);
      std::raise(SIGPIPE);
    }
    print_note(failure.what());
    return static_cast<int>(failure.code());
  } catch (const std::bad_alloc &) {
    return fail_without_memory();
  }
}

}  // namespace
}  // namespace gpz::tool

int main(int argc, char **argv) {
  // A closed pipe is an error of write(), so that unfinished files are removed.
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
