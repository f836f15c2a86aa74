// SPDX-License-Identifier: BSD-3-Clause
// A file that a command writes.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace gpz::tool {

// A regular file is written under a name of its own, PATH.NUMBER.part, and gets the name PATH in commit(): a file
// called PATH is always whole, also when several processes write it at once. Without commit() it is removed. Anything
// else (a pipe, a device, "-" for standard output) is written directly.
class OutputFile {
 public:
  // Throws Failure (io), as do the other functions, and gpz::Error (invalid_argument, io_error) for a file that is
  // being written (WriteLock).
  explicit OutputFile(const std::string &path);
  ~OutputFile();
  OutputFile(const OutputFile &) = delete;
  OutputFile &operator=(const OutputFile &) = delete;

  void write(const void *data, std::size_t size);
  void write(std::string_view text) { write(text.data(), text.size()); }
  // Closes the file: from here on the operating system has accepted all of it. Throws as the constructor.
  void commit();

  const std::string &name() const { return name_; }
  std::uint64_t bytes() const { return bytes_; }

 private:
  std::string name_;
  std::string target_;     // where commit() puts the file; empty: nowhere, it is there
  std::string temporary_;  // removed unless committed; empty: nothing to remove
  int descriptor_ = -1;
  std::uint64_t bytes_ = 0;
};

// Whether both names of inputs lead to one existing file. Throws Failure (io) if that cannot be found out.
bool same_file(const std::string &a, const std::string &b);

// Each command calls this for every file that it writes, before it opens the file. Throws Failure: usage if the output
// is one of the files that the command reads, whatever their names; io if that cannot be found out. "-" is standard
// input or output, which a shell may have made of a file. Empty names of inputs are options that were not given.
void require_other_file(const std::string &output, const std::vector<std::string> &inputs);

}  // namespace gpz::tool
