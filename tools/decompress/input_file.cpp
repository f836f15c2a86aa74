// SPDX-License-Identifier: BSD-3-Clause
#include "input_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>

#include "exit_code.hpp"

namespace gpz::tool {

int open_for_reading(const std::string &path) {
  while (true) {
    const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (descriptor >= 0) return descriptor;
    if (errno != EINTR) throw io_failure(path);
  }
}

InputFile::~InputFile() { ::close(descriptor_); }

std::size_t InputFile::read_at(std::uint64_t position, void *data, std::size_t size) const {
  std::size_t done = 0;
  while (done < size) {
    const ssize_t got =
        ::pread(descriptor_, static_cast<char *>(data) + done, size - done, static_cast<off_t>(position + done));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) throw io_failure(name_);
    if (got == 0) break;
    done += static_cast<std::size_t>(got);
  }
  return done;
}

}  // namespace gpz::tool
