// SPDX-License-Identifier: BSD-3-Clause
#include "gpz/api/file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <system_error>

namespace gpz::api {

int System::open(const char *path, int flags, mode_t mode) { return ::open(path, flags, mode); }
int System::fstat(int descriptor, struct stat *facts) { return ::fstat(descriptor, facts); }
ssize_t System::read(int descriptor, void *data, std::size_t size) { return ::read(descriptor, data, size); }
ssize_t System::pread(int descriptor, void *data, std::size_t size, off_t position) {
  return ::pread(descriptor, data, size, position);
}
ssize_t System::writev(int descriptor, const struct iovec *pieces, int count) {
  return ::writev(descriptor, pieces, count);
}
ssize_t System::pwrite(int descriptor, const void *data, std::size_t size, off_t position) {
  return ::pwrite(descriptor, data, size, position);
}
int System::ftruncate(int descriptor, off_t size) { return ::ftruncate(descriptor, size); }
off_t System::lseek(int descriptor, off_t position) { return ::lseek(descriptor, position, SEEK_SET); }
int System::fsync(int descriptor) { return ::fsync(descriptor); }
int System::close(int descriptor) { return ::close(descriptor); }

System &System::posix() {
  static System system;
  return system;
}

namespace {

constexpr int max_pieces = 512;                             // in one writev; IOV_MAX is 1024 on common systems
constexpr std::size_t max_transfer = std::size_t{1} << 30;  // bytes in one read

// Repeats a call while signals interrupt it.
template <class F>
auto retry(F &&call) -> decltype(call()) {
  for (;;) {
    const auto result = call();
    if (result >= 0 || errno != EINTR) return result;
  }
}

int open_flags(File::Mode mode) {
  switch (mode) {
    case File::Mode::read:
      return O_RDONLY | O_CLOEXEC;
    case File::Mode::create:
      return O_WRONLY | O_CREAT | O_CLOEXEC;  // truncated later, after the check that no reader has it open
    case File::Mode::update:
      break;
  }
  return O_RDWR | O_CREAT | O_CLOEXEC;
}

}  // namespace

File::File(const std::string &path, Mode mode, System &system) : system_(system), name_(path) {
  descriptor_ = retry([&] { return system_.open(path.c_str(), open_flags(mode), 0666); });
  if (descriptor_ < 0) fail("cannot open", Error::no_position);
  try {
    if (mode != Mode::read) lock_.emplace(descriptor_, name_);
    struct stat facts {};
    if (system_.fstat(descriptor_, &facts) != 0) fail("cannot examine", Error::no_position);
    if (S_ISREG(facts.st_mode)) {
      if (mode == Mode::create) {
        empty(facts);
      } else {
        size_ = static_cast<std::uint64_t>(facts.st_size);
      }
      if (mode == Mode::read) being_read_ = std::make_unique<BeingRead>(facts);
    } else if (mode != Mode::create) {
      errno = S_ISDIR(facts.st_mode) ? EISDIR : ESPIPE;
      fail("not a regular file", Error::no_position);
    }
  } catch (...) {
    system_.close(descriptor_);
    throw;
  }
}

File::File(int descriptor, const std::string &name, Mode mode, System &system)
    : system_(system), name_(name), descriptor_(descriptor), owned_(false) {
  struct stat facts {};
  if (system_.fstat(descriptor_, &facts) != 0) fail("cannot examine", Error::no_position);
  if (mode != Mode::read)
    lock_.emplace(descriptor_, name_);
  else if (S_ISREG(facts.st_mode))
    being_read_ = std::make_unique<BeingRead>(facts);
}

File::~File() {
  if (owned_ && descriptor_ >= 0) system_.close(descriptor_);
}

void File::empty(const struct stat &facts) {
  if (is_being_read(facts))
    throw Error(Status::invalid_argument,
                "is open for reading in this program, and would be emptied: write another file, or close what reads it",
                name_);
  lock_->require_no_reader();
  if (facts.st_size > 0 && retry([&] { return system_.ftruncate(descriptor_, 0); }) != 0)
    fail("cannot empty", Error::no_position);
}

void File::fail(const std::string &what, std::uint64_t position) const {
  const int code = errno;
  throw Error(Status::io_error, what + ": " + std::generic_category().message(code), name_, position, code);
}

void File::read_at(std::uint64_t position, void *data, std::size_t size) const {
  auto *target = static_cast<char *>(data);
  while (size > 0) {
    const ssize_t got = retry(
        [&] { return system_.pread(descriptor_, target, std::min(size, max_transfer), static_cast<off_t>(position)); });
    if (got < 0) fail("cannot read", position);
    if (got == 0) throw Error(Status::truncated, "the file ends too early", name_, position);
    target += got;
    size -= static_cast<std::size_t>(got);
    position += static_cast<std::uint64_t>(got);
  }
}

std::size_t File::read(void *data, std::size_t size) {
  auto *target = static_cast<char *>(data);
  std::size_t total = 0;
  while (total < size) {
    const ssize_t got =
        retry([&] { return system_.read(descriptor_, target + total, std::min(size - total, max_transfer)); });
    if (got < 0) fail("cannot read", position_);
    if (got == 0) break;
    total += static_cast<std::size_t>(got);
    position_ += static_cast<std::uint64_t>(got);
  }
  return total;
}

void File::write(const std::vector<Span> &given) {
  std::vector<Span> pieces = given;
  std::size_t first = 0;  // first piece that is not completely written
  for (;;) {
    while (first < pieces.size() && pieces[first].size == 0) ++first;
    if (first == pieces.size()) return;

    struct iovec vectors[max_pieces];
    int count = 0;
    for (std::size_t i = first; i < pieces.size() && count < max_pieces; ++i, ++count) {
      vectors[count].iov_base = const_cast<void *>(pieces[i].data);
      vectors[count].iov_len = pieces[i].size;
    }
    ssize_t put = retry([&] { return system_.writev(descriptor_, vectors, count); });
    if (put == 0) {
      put = -1;
      errno = EIO;
    }
    if (put < 0) fail("cannot write", position_);

    position_ += static_cast<std::uint64_t>(put);
    for (auto left = static_cast<std::size_t>(put); left > 0;) {
      Span &piece = pieces[first];
      const std::size_t step = std::min(left, piece.size);
      piece.data = static_cast<const char *>(piece.data) + step;
      piece.size -= step;
      left -= step;
      if (piece.size == 0) ++first;
    }
  }
}

void File::cut(std::uint64_t size) {
  if (!owned_ && position_ == size) return;  // no byte of the failed write was accepted
  if (!owned_)
    throw Error(Status::io_error, "it ends with an incomplete frame, which cannot be taken back", name_, position_);
  if (retry([&] { return system_.ftruncate(descriptor_, static_cast<off_t>(size)); }) != 0) fail("cannot cut", size);
  if (system_.lseek(descriptor_, static_cast<off_t>(size)) < 0) fail("cannot seek", size);
  position_ = size;
}

void File::replace(const Span &bytes) {
  const auto *source = static_cast<const char *>(bytes.data);
  for (std::size_t at = 0; at < bytes.size;) {
    const ssize_t put =
        retry([&] { return system_.pwrite(descriptor_, source + at, bytes.size - at, static_cast<off_t>(at)); });
    if (put == 0) errno = EIO;
    if (put <= 0) fail("cannot write", at);
    at += static_cast<std::size_t>(put);
  }
}

void File::sync() {
  // EINVAL: a pipe or socket, which has no disk.
  if (retry([&] { return system_.fsync(descriptor_); }) != 0 && errno != EINVAL)
    fail("cannot sync", Error::no_position);
}

void File::close() {
  being_read_.reset();
  lock_.reset();  // all is written; network file systems send what they keep before they unlock
  if (!owned_ || descriptor_ < 0) return;
  // Not repeated after an interruption: the descriptor is released and may already belong to another thread.
  const int result = system_.close(descriptor_);
  const int code = errno;
  descriptor_ = -1;
  errno = code;
  if (result != 0 && code != EINTR) fail("cannot close", Error::no_position);
}

}  // namespace gpz::api
