// SPDX-License-Identifier: BSD-3-Clause
#include "output_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <filesystem>

#include "exit_code.hpp"
#include "gpz/write_lock.hpp"

namespace gpz::tool {
namespace {

// The unfinished file, for the signal handler; a command writes one at a time.
char unfinished[4096] = "";

void remove_unfinished(int signal) {
  if (unfinished[0] != '\0') ::unlink(unfinished);
  std::signal(signal, SIG_DFL);
  std::raise(signal);
}

void remove_on_signals(const std::string &path) {
  if (path.size() >= sizeof unfinished) return;
  std::memcpy(unfinished, path.c_str(), path.size() + 1);
  for (const int signal : {SIGHUP, SIGINT, SIGTERM})
    if (std::signal(signal, remove_unfinished) == SIG_IGN) std::signal(signal, SIG_IGN);
}

// Lets signals wait: none comes between the creation of a file and the handler that removes it.
class SignalsHeld {
 public:
  SignalsHeld() {
    sigset_t all;
    ::sigfillset(&all);
    ::pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  ~SignalsHeld() { ::pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  SignalsHeld(const SignalsHeld &) = delete;
  SignalsHeld &operator=(const SignalsHeld &) = delete;

 private:
  sigset_t before_{};
};

// Creates a file of a name that nothing has yet, in the folder of `target`, and returns its name; empty with
// `descriptor` < 0 on failure. Unlike with mkstemp() the file gets the permissions of any other new file.
std::string create_beside(const std::string &target, int &descriptor) {
  for (long number = ::getpid();; ++number) {
    std::string name = target + "." + std::to_string(number) + ".part";
    descriptor = ::open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (descriptor >= 0) return name;
    if (errno != EEXIST && errno != EINTR) return "";
  }
}

// False if nothing has the name. "-" is `standard`. Throws Failure (io) if it cannot be found out.
bool exists(const std::string &path, int standard, struct stat &status) {
  if (path == "-") return ::fstat(standard, &status) == 0 && S_ISREG(status.st_mode);  // not a terminal, which is both
  if (::stat(path.c_str(), &status) == 0) return true;
  if (errno != ENOENT && errno != ENOTDIR) throw io_failure(path);
  return false;
}

bool are_one_file(const struct stat &a, const struct stat &b) { return a.st_dev == b.st_dev && a.st_ino == b.st_ino; }

}  // namespace

OutputFile::OutputFile(const std::string &path) : name_(path) {
  if (path == "-") {
    descriptor_ = STDOUT_FILENO;
    name_ = "standard output";
    return;
  }
  std::error_code error;
  const auto resolved = std::filesystem::canonical(path, error);
  const bool is_new = error == std::errc::no_such_file_or_directory;
  errno = error.value();
  if (error && !is_new) throw io_failure(name_);
  struct stat status {};
  if (!is_new && ::stat(resolved.c_str(), &status) != 0) throw io_failure(name_);
  if (!is_new && !S_ISREG(status.st_mode)) {
    descriptor_ = ::open(resolved.c_str(), O_WRONLY | O_CLOEXEC);
    if (descriptor_ < 0) throw io_failure(name_);
    return;
  }
  target_ = is_new ? path : resolved.string();
  const WriteLock not_being_written(path);  // also checks that it may be written
  const SignalsHeld held;
  temporary_ = create_beside(target_, descriptor_);
  if (descriptor_ < 0) throw io_failure(name_);
  remove_on_signals(temporary_);
}

OutputFile::~OutputFile() {
  if (descriptor_ >= 0 && descriptor_ != STDOUT_FILENO) ::close(descriptor_);
  if (temporary_.empty()) return;
  ::unlink(temporary_.c_str());
  unfinished[0] = '\0';
}

void OutputFile::write(const void *data, std::size_t size) {
  // One write() takes less than 2 GiB on Linux.
  constexpr std::size_t largest_write = std::size_t{1} << 30;
  const char *position = static_cast<const char *>(data);
  while (size > 0) {
    const ssize_t written = ::write(descriptor_, position, std::min(size, largest_write));
    if (written < 0) {
      if (errno == EINTR) continue;
      throw io_failure(name_);
    }
    position += written;
    size -= static_cast<std::size_t>(written);
    bytes_ += static_cast<std::uint64_t>(written);
  }
}

void OutputFile::commit() {
  if (!temporary_.empty()) {
    const WriteLock not_being_written(name_);
  }
  const int descriptor = descriptor_;
  descriptor_ = -1;
  if (::close(descriptor) != 0 && errno != EINTR) throw io_failure(name_);
  if (temporary_.empty()) return;
  if (std::rename(temporary_.c_str(), target_.c_str()) != 0) throw io_failure(name_);
  temporary_.clear();
  unfinished[0] = '\0';
}

bool same_file(const std::string &a, const std::string &b) {
  struct stat of_a {};
  struct stat of_b {};
  return exists(a, STDIN_FILENO, of_a) && exists(b, STDIN_FILENO, of_b) && are_one_file(of_a, of_b);
}

void require_other_file(const std::string &output, const std::vector<std::string> &inputs) {
  struct stat of_output {};
  if (!exists(output, STDOUT_FILENO, of_output)) return;
  for (const std::string &input : inputs) {
    struct stat of_input {};
    if (input.empty() || !exists(input, STDIN_FILENO, of_input) || !are_one_file(of_input, of_output)) continue;
    throw Failure(ExitCode::usage, output == "-" ? "standard output" : output,
                  (input == output ? "is an input as well as the output"
                                   : "is the same file as the input " + (input == "-" ? "standard input" : input)) +
                      std::string(": write another file"));
  }
}

}  // namespace gpz::tool
