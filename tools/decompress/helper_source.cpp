// SPDX-License-Identifier: BSD-3-Clause
#include "helper_source.hpp"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <system_error>

#include "exit_code.hpp"
#include "external.hpp"
#include "gpz/error.hpp"
#include "gpz_file.hpp"

extern char **environ;  // NOLINT(readability-redundant-declaration): not in every <unistd.h>

namespace gpz::tool {
namespace {

enum MessageKind : std::uint32_t { opened = 0, failure = 1, bytes = 2 };

constexpr std::uint32_t most_text = std::uint32_t{1} << 20;  // bytes

void add_number(std::uint64_t number, int size, std::vector<std::uint8_t> &to) {
  for (int i = 0; i < size; ++i) to.push_back(static_cast<std::uint8_t>(number >> (8 * i)));
}

void close(int &descriptor) {
  if (descriptor >= 0) ::close(descriptor);
  descriptor = -1;
}

// The descriptor, or one in its place that is not that of a standard stream, which the caller may have closed: output
// must not go into the pipe. -1 if there is none.
int beyond_standard(int descriptor) {
  if (descriptor > STDERR_FILENO) return descriptor;
  const int other = ::fcntl(descriptor, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
  ::close(descriptor);
  return other;
}

// Both ends are closed in programs that are started later.
struct Pipe {
  int read = -1, write = -1;

  Pipe() {
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) throw io_failure("pipe");
    read = beyond_standard(ends[0]);
    write = beyond_standard(ends[1]);
    if (read < 0 || write < 0) {
      const Failure failure = io_failure("pipe");
      close(read);
      close(write);
      throw failure;
    }
  }
  ~Pipe() {
    close(read);
    close(write);
  }
  Pipe(const Pipe &) = delete;
  Pipe &operator=(const Pipe &) = delete;
};

}  // namespace

HelperSource::HelperSource(const std::string &url) : name_(shown_url(url)) {
  const std::string program = find_program("source");
  if (program.empty())
    throw Failure(ExitCode::usage, name_,
                  "remote files are read by the Python package: pip install \".[remote]\" in the sources of gpz");
  start(program, url);
  try {
    take_opened();
  } catch (...) {
    end();
    throw;
  }
}

HelperSource::~HelperSource() { end(); }

void HelperSource::start(const std::string &program, const std::string &url) {
  Pipe requests, answers;
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawnattr_init(&attributes);
  ::posix_spawn_file_actions_adddup2(&actions, requests.read, STDIN_FILENO);
  ::posix_spawn_file_actions_adddup2(&actions, answers.write, STDOUT_FILENO);
  // This program ignores SIGPIPE, and the other would inherit that.
  sigset_t signals;
  ::sigemptyset(&signals);
  ::sigaddset(&signals, SIGPIPE);
  ::posix_spawnattr_setsigdefault(&attributes, &signals);
  ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);
  std::array<char *, 4> arguments = {const_cast<char *>(program.c_str()), const_cast<char *>("--"),
                                     const_cast<char *>(url.c_str()), nullptr};
  const int code = ::posix_spawn(&process_, program.c_str(), &actions, &attributes, arguments.data(), environ);
  ::posix_spawnattr_destroy(&attributes);
  ::posix_spawn_file_actions_destroy(&actions);
  if (code != 0) {
    process_ = -1;
    throw Error(Status::io_error, "cannot start " + program + ": " + std::generic_category().message(code), name_,
                Error::no_position, code);
  }
  std::swap(requests_, requests.write);
  std::swap(answers_, answers.read);
}

void HelperSource::end() {
  close(requests_);
  close(answers_);
  if (process_ < 0) return;
  // It ends with its input. A request that is under way would keep it, and it has nothing to bring in order.
  ::kill(process_, SIGKILL);
  while (::waitpid(process_, nullptr, 0) < 0 && errno == EINTR) {
  }
  process_ = -1;
}

void HelperSource::take_opened() {
  const std::uint32_t kind = take_kind();
  if (kind == MessageKind::failure) take_failure();
  if (kind != MessageKind::opened) fail("gpz-source sent another answer than was expected");
  std::array<std::uint8_t, 8> number{};
  take(number.data(), number.size());
  for (std::size_t i = 0; i < number.size(); ++i) size_ |= std::uint64_t{number[i]} << (8 * i);
  const std::string name = take_text();  // as messages show it
  if (!name.empty()) name_ = name;
}

void HelperSource::read_pieces(const std::vector<Piece> &pieces) const {
  constexpr std::size_t most_pieces = std::size_t{1} << 16;
  const std::lock_guard<std::mutex> lock(mutex_);
  for (std::size_t first = 0; first < pieces.size(); first += most_pieces) {
    const std::size_t last = std::min(pieces.size(), first + most_pieces);
    if (!failure_.empty()) fail(failure_);
    std::vector<std::uint8_t> request;
    add_number(last - first, 4, request);
    for (std::size_t k = first; k < last; ++k) {
      add_number(pieces[k].position, 8, request);
      add_number(pieces[k].size, 8, request);
    }
    send(request);
    const std::uint32_t kind = take_kind();
    if (kind == MessageKind::failure) take_failure();
    if (kind != MessageKind::bytes) fail("gpz-source sent another answer than was expected");
    for (std::size_t k = first; k < last; ++k) take(pieces[k].data, pieces[k].size);
  }
}

void HelperSource::send(const std::vector<std::uint8_t> &message) const {
  for (std::size_t done = 0; done < message.size();) {
    const ssize_t put = ::write(requests_, message.data() + done, message.size() - done);
    if (put < 0 && errno == EINTR) continue;
    if (put < 0) fail("gpz-source has ended");
    done += static_cast<std::size_t>(put);
  }
}

void HelperSource::take(void *data, std::size_t size) const {
  for (std::size_t done = 0; done < size;) {
    const ssize_t got = ::read(answers_, static_cast<char *>(data) + done, size - done);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) fail("gpz-source has ended");
    done += static_cast<std::size_t>(got);
  }
}

std::uint32_t HelperSource::take_kind() const { return take_u32(); }

std::uint32_t HelperSource::take_u32() const {
  std::array<std::uint8_t, 4> number{};
  take(number.data(), number.size());
  std::uint32_t value = 0;
  for (std::size_t i = 0; i < number.size(); ++i) value |= std::uint32_t{number[i]} << (8 * i);
  return value;
}

std::string HelperSource::take_text() const {
  const std::uint32_t size = take_u32();
  if (size > most_text) fail("gpz-source sent another answer than was expected");
  std::string text(size, '\0');
  take(text.data(), text.size());
  return text;
}

void HelperSource::take_failure() const {
  const std::uint32_t status = take_u32();
  const std::uint32_t system_error = take_u32();
  const std::string cause = take_text();
  const bool is_known =
      status > static_cast<std::uint32_t>(Status::ok) && status <= static_cast<std::uint32_t>(Status::unsupported);
  throw Error(is_known ? static_cast<Status>(status) : Status::io_error, cause, name_, Error::no_position,
              static_cast<int>(system_error));
}

void HelperSource::fail(const std::string &cause) const {
  if (failure_.empty()) failure_ = cause;
  throw Error(Status::io_error, failure_, name_);
}

}  // namespace gpz::tool
