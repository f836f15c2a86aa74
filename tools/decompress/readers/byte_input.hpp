// SPDX-License-Identifier: BSD-3-Clause
// A file or pipe of a foreign format, read from front to back by lines or by bytes.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "exit_code.hpp"

namespace gpz::tool {

class ByteInput {
 public:
  // "-" is standard input. Throws Failure (io), as do the other functions.
  explicit ByteInput(const std::string &path);
  ~ByteInput();
  ByteInput(const ByteInput &) = delete;
  ByteInput &operator=(const ByteInput &) = delete;

  // The next line without its end; false at the end of the file. Valid until the next call of any function.
  bool line(std::string_view &line);
  // Whether the line last taken is the end of a file without a newline: perhaps a part of a line.
  bool line_is_cut() const { return line_is_cut_; }
  // Whole lines that follow each other: at most `most`, at least one unless the file has ended. A file is read ahead to
  // have `size` bytes of them; a pipe only to have `certain` bytes, which these lines have at least. Only the last line
  // of a file may have no end (line_is_cut()). Valid until the next call of any function.
  struct Lines {
    std::string_view text;
    std::uint64_t count = 0;
    std::uint64_t taken_before = 0;         // lines of the file in front of them
    std::vector<std::size_t> block_starts;  // where lines 0, lines_of_block, 2 lines_of_block, ... begin in the text
  };
  static constexpr std::size_t lines_of_block = 256;
  Lines lines(std::uint64_t most, std::size_t size, std::size_t certain);
  // Up to `size` bytes; fewer only at the end of the file.
  std::size_t read(void *data, std::size_t size);
  // The next bytes, which stay where they are; fewer than `size` only at the end of the file.
  std::string_view peek(std::size_t size);

  // The next line, or what there is of it, which stays where it is.
  std::string_view peek_line();
  // At the start of a text: passes the byte order mark that editors put there. Throws Failure (usage) for UTF-16.
  void skip_byte_order_mark();

  const std::string &name() const { return name_; }
  std::uint64_t position() const { return position_; }    // bytes taken so far
  std::uint64_t file_size() const { return file_size_; }  // 0 for a pipe

  // Failures that name the file and where in it: the line last taken, or the byte.
  Failure bad_line(const std::string &reason) const { return bad_line(line_number_, reason); }
  // Lines are numbered from 1.
  Failure bad_line(std::uint64_t number, const std::string &reason) const;
  Failure bad_byte(const std::string &reason) const;
  Failure ends_early(const std::string &where) const;

 private:
  bool fill();
  std::string_view buffered() const { return {buffer_.data() + begin_, end_ - begin_}; }
  Failure no_text() const;

  std::string name_;
  int descriptor_ = -1;
  std::uint64_t file_size_ = 0;
  std::uint64_t position_ = 0;
  std::uint64_t line_number_ = 0;
  bool line_is_cut_ = false;
  std::vector<char> buffer_;
  std::size_t begin_ = 0;  // the unread bytes of the buffer
  std::size_t end_ = 0;
};

}  // namespace gpz::tool
