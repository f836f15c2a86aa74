// SPDX-License-Identifier: BSD-3-Clause
// Locks of files. gpz::Writer takes a WriteLock itself: a file has one writer at a time. The classes are for programs
// that write a .gpz file in other ways, or replace one, or read one for which nobody may substitute another.
#pragma once

#include <memory>
#include <string>

#include "gpz/export.h"

namespace gpz {

// Holds a regular file for writing until it is destroyed. The constructors throw invalid_argument if a Writer or
// WriteLock of this program holds the file, under any name, or one of another program. They never wait, and change no
// byte. Readers are not affected. Where the system cannot lock the file (some network file systems), only writers of
// this program exclude each other. A process that was forked does not hold the locks of its parent.
class GPZ_API WriteLock {
 public:
  // Locks the file `path`. What does not exist or is no regular file is not locked. Throws io_error if the file cannot
  // be opened for writing.
  explicit WriteLock(const std::string &path);
  // Locks the file of this descriptor, which the lock does not keep. Error messages call the file `name`.
  WriteLock(int descriptor, const std::string &name);
  ~WriteLock();
  WriteLock(WriteLock &&) noexcept;
  WriteLock &operator=(WriteLock &&) noexcept;

  // Call this before the file is emptied. Throws invalid_argument if another program holds a ReadLock on it.
  void require_no_reader() const;

 private:
  friend class ReadLock;
  struct GPZ_LOCAL State;
  std::unique_ptr<State> state_;
};

// Keeps Writers of other programs from emptying a file while it is read; they may append to it. A file may have many of
// these locks. Where the system cannot lock the file, or it cannot be opened, the lock has no effect. Within a program,
// open Readers have the same effect.
class GPZ_API ReadLock {
 public:
  explicit ReadLock(const std::string &path);
  ~ReadLock();
  ReadLock(ReadLock &&) noexcept;
  ReadLock &operator=(ReadLock &&) noexcept;

 private:
  std::unique_ptr<WriteLock::State> state_;
};

}  // namespace gpz
