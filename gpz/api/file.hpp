// SPDX-License-Identifier: BSD-3-Clause
// A POSIX file: whole reads and writes, interrupted calls repeated, every failure an Error with name, position and
// errno.
#pragma once

#include <sys/stat.h>
#include <sys/types.h>
#include <sys/uio.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "gpz/api/being_read.hpp"
#include "gpz/api/source.hpp"
#include "gpz/sink.hpp"
#include "gpz/write_lock.hpp"

namespace gpz::api {

// System calls of File. Tests override them to simulate failures.
class System {
 public:
  virtual ~System() = default;
  virtual int open(const char *path, int flags, mode_t mode);
  virtual int fstat(int descriptor, struct stat *facts);
  virtual ssize_t read(int descriptor, void *data, std::size_t size);
  virtual ssize_t pread(int descriptor, void *data, std::size_t size, off_t position);
  virtual ssize_t writev(int descriptor, const struct iovec *pieces, int count);
  virtual ssize_t pwrite(int descriptor, const void *data, std::size_t size, off_t position);
  virtual int ftruncate(int descriptor, off_t size);
  virtual off_t lseek(int descriptor, off_t position);
  virtual int fsync(int descriptor);
  virtual int close(int descriptor);

  static System &posix();
};

class File final : public Source, public Sink {
 public:
  enum class Mode {
    read,    // an existing regular file
    create,  // for writing, truncated; invalid_argument if it is being read or written
    update,  // for reading and writing, created if missing; invalid_argument if it is being written
  };

  File(const std::string &path, Mode mode, System &system = System::posix());
  // Reads or writes (create) from the position of the descriptor on. Throws invalid_argument for a file to write that
  // is being written.
  File(int descriptor, const std::string &name, Mode mode, System &system = System::posix());
  ~File() override;

  const std::string &name() const override { return name_; }
  // Size when the file was opened; 0 for pipes and sockets.
  std::uint64_t size() const override { return size_; }
  void read_at(std::uint64_t position, void *data, std::size_t size) const override;

  void allow_replacement() override { being_read_.reset(); }

  // Reads the next bytes; fewer than `size` only at the end.
  std::size_t read(void *data, std::size_t size);

  // Writes at the current position, which starts at 0.
  void write(const std::vector<Span> &pieces) override;
  // Only for files opened here: bytes that a borrowed descriptor has accepted cannot be removed.
  void cut(std::uint64_t size) override;
  // Overwrites in place, so that the file always has a header.
  void replace(const Span &bytes) override;
  void sync() override;
  // Closes; even if this throws, the descriptor is released. Leaves a borrowed one open.
  void close() override;

 private:
  void empty(const struct stat &facts);
  [[noreturn]] void fail(const std::string &what, std::uint64_t position) const;

  System &system_;
  std::string name_;
  int descriptor_ = -1;
  bool owned_ = true;
  std::uint64_t size_ = 0;
  std::uint64_t position_ = 0;             // of sequential reading or writing
  std::unique_ptr<BeingRead> being_read_;  // while the file is open for reading
  std::optional<WriteLock> lock_;          // while it is open for writing
};

}  // namespace gpz::api
