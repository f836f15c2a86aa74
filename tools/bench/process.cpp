// SPDX-License-Identifier: BSD-3-Clause
#include "bench/process.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "exit_code.hpp"

namespace gpz::bench {
namespace {

using tool::ExitCode;
using tool::Failure;

volatile std::sig_atomic_t asked_by = 0;     // the signal
volatile std::sig_atomic_t child_group = 0;  // 0: no command runs

// The second time the command is not asked any more.
void note_signal(int signal) {
  if (child_group != 0) ::kill(-child_group, asked_by != 0 ? SIGKILL : SIGTERM);
  asked_by = signal;
}

// What posix_spawn() needs, given back in any case.
class SpawnPlan {
 public:
  explicit SpawnPlan(const std::string &log) {
    ::posix_spawn_file_actions_init(&files_);
    ::posix_spawnattr_init(&attributes_);
    ::posix_spawn_file_actions_addopen(&files_, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    ::posix_spawn_file_actions_addopen(&files_, STDOUT_FILENO, log.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
    ::posix_spawn_file_actions_adddup2(&files_, STDOUT_FILENO, STDERR_FILENO);
    // A group of its own, to end all of it; and SIGPIPE, which this program ignores, as programs expect it.
    sigset_t defaults;
    ::sigemptyset(&defaults);
    ::sigaddset(&defaults, SIGPIPE);
    ::posix_spawnattr_setsigdefault(&attributes_, &defaults);
    ::posix_spawnattr_setpgroup(&attributes_, 0);
    ::posix_spawnattr_setflags(&attributes_, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF);
  }
  ~SpawnPlan() {
    ::posix_spawn_file_actions_destroy(&files_);
    ::posix_spawnattr_destroy(&attributes_);
  }
  SpawnPlan(const SpawnPlan &) = delete;
  SpawnPlan &operator=(const SpawnPlan &) = delete;

  // 0 or an error number.
  int spawn(const std::string &command, pid_t &child) const {
    std::string shell = "sh";
    std::string option = "-c";
    std::string text = command;
    const std::array<char *, 4> arguments = {shell.data(), option.data(), text.data(), nullptr};
    return ::posix_spawn(&child, "/bin/sh", &files_, &attributes_, arguments.data(), environ);
  }

 private:
  posix_spawn_file_actions_t files_{};
  posix_spawnattr_t attributes_{};
};

std::string last_line(const std::string &log) {
  std::ifstream file(log);
  std::string last;
  for (std::string line; std::getline(file, line);)
    if (line.find_first_not_of(" \t\r") != std::string::npos) last = line;
  return last.empty() ? "" : ": " + last.substr(0, 200);
}

// Waits for the child; a signal to this process ends the child's group.
int wait_for(pid_t child) {
  child_group = child;
  if (asked_by != 0) ::kill(-child, SIGTERM);  // it came before the line above
  int status = 0;
  while (::waitpid(child, &status, 0) != child) {
    if (errno == EINTR) continue;
    child_group = 0;
    throw tool::io_failure("waitpid");
  }
  child_group = 0;
  return status;
}

}  // namespace

ScratchFolder::ScratchFolder() {
  std::error_code none;
  std::string pattern = std::filesystem::temp_directory_path(none).string();
  if (none) pattern = "/tmp";
  pattern += "/gpz-bench-XXXXXX";
  if (::mkdtemp(pattern.data()) == nullptr) throw tool::io_failure(pattern);
  path_ = pattern;
  asked_by = 0;
  struct sigaction action {};
  action.sa_handler = note_signal;
  for (const int signal : {SIGHUP, SIGINT, SIGTERM}) {
    struct sigaction before {};
    ::sigaction(signal, nullptr, &before);
    if (before.sa_handler == SIG_IGN) continue;  // as nohup wants it
    ::sigaction(signal, &action, nullptr);
    before_.emplace_back(signal, before);
  }
}

ScratchFolder::~ScratchFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
  for (const auto &[signal, before] : before_) ::sigaction(signal, &before, nullptr);
}

void stop_if_asked() {
  if (asked_by != 0) throw Failure(ExitCode::other, "", fmt::format("ended by signal {}", static_cast<int>(asked_by)));
}

double run_shell(const std::string &name, const std::string &command, const std::string &log) {
  using Clock = std::chrono::steady_clock;
  stop_if_asked();
  const SpawnPlan plan(log);
  pid_t child = -1;
  const auto start = Clock::now();
  if (const int error = plan.spawn(command, child); error != 0)
    throw Failure(ExitCode::io, name, fmt::format("cannot be started: {}", std::strerror(error)));
  const int status = wait_for(child);
  const double seconds = std::chrono::duration<double>(Clock::now() - start).count();
  stop_if_asked();
  if (WIFSIGNALED(status))
    throw Failure(ExitCode::other, name, fmt::format("ended by signal {}{}", WTERMSIG(status), last_line(log)));
  if (WEXITSTATUS(status) != 0)
    throw Failure(ExitCode::other, name, fmt::format("ended with status {}{}", WEXITSTATUS(status), last_line(log)));
  return seconds;
}

}  // namespace gpz::bench
