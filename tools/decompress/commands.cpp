// SPDX-License-Identifier: BSD-3-Clause
#include "commands.hpp"

#include <algorithm>
#include <thread>

#include "gpz/version.h"

namespace gpz::tool {

const char *const program_version = "gpz " GPZ_VERSION_STRING;

void add_threads_option(CLI::App &command, int &threads) {
  threads = 0;
  command.add_option("--threads", threads, "threads to use; 0: one a core")->check(CLI::Range(0, 4096));
}

int thread_count(int threads) {
  if (threads > 0) return threads;
  return static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
}

}  // namespace gpz::tool
