// SPDX-License-Identifier: BSD-3-Clause
#include "readers/byte_input.hpp"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "input_file.hpp"

namespace gpz::tool {
namespace {

constexpr std::size_t initial_buffer = std::size_t{1} << 20;
constexpr std::size_t longest_line = std::size_t{64} << 20;

}  // namespace

ByteInput::ByteInput(const std::string &path) : name_(path), buffer_(initial_buffer) {
  if (path == "-") {
    name_ = "standard input";
    descriptor_ = STDIN_FILENO;
    return;
  }
  descriptor_ = open_for_reading(path);
  struct stat status {};
  if (::fstat(descriptor_, &status) != 0) {
    // Not taken for a pipe, which a .gpz file is refused from.
    const Failure failure = io_failure(name_);
    ::close(descriptor_);
    throw failure;
  }
  if (S_ISREG(status.st_mode)) file_size_ = static_cast<std::uint64_t>(status.st_size);
}

ByteInput::~ByteInput() {
  if (descriptor_ > STDIN_FILENO) ::close(descriptor_);
}

// Reads once into the free end of the buffer, which grows if there is none; false at the end of the file.
bool ByteInput::fill() {
  if (begin_ > 0) {
    std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
    end_ -= begin_;
    begin_ = 0;
  }
  if (end_ == buffer_.size()) buffer_.resize(2 * buffer_.size());
  while (true) {
    const ssize_t got = ::read(descriptor_, buffer_.data() + end_, buffer_.size() - end_);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) throw io_failure(name_);
    end_ += static_cast<std::size_t>(got);
    return got > 0;
  }
}

bool ByteInput::line(std::string_view &line) {
  std::size_t searched = 0;
  while (true) {
    const char *start = buffer_.data() + begin_;
    const auto *newline = static_cast<const char *>(std::memchr(start + searched, '\n', end_ - begin_ - searched));
    if (newline != nullptr) {
      line = {start, static_cast<std::size_t>(newline - start)};
      begin_ += line.size() + 1;
      position_ += line.size() + 1;
      break;
    }
    searched = end_ - begin_;
    if (searched > longest_line) throw no_text();
    if (fill()) continue;
    if (begin_ == end_) return false;
    line = {buffer_.data() + begin_, end_ - begin_};
    position_ += line.size();
    begin_ = end_;
    line_is_cut_ = true;
    break;
  }
  ++line_number_;
  if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
  return true;
}

ByteInput::Lines ByteInput::lines(std::uint64_t most, std::size_t size, std::size_t certain) {
  Lines lines;
  lines.taken_before = line_number_;
  peek(file_size_ > 0 ? size : std::min(size, certain));
  while (buffered().find('\n') == std::string_view::npos) {
    if (buffered().size() > longest_line) throw no_text();
    if (!fill()) break;
  }
  const std::string_view bytes = buffered();
  std::size_t end = 0;
  while (lines.count < most && end < bytes.size()) {
    const std::size_t newline = bytes.find('\n', end);
    // A line without an end is taken alone.
    if (newline == std::string_view::npos && lines.count > 0) break;
    if (lines.count % lines_of_block == 0) lines.block_starts.push_back(end);
    line_is_cut_ = newline == std::string_view::npos;
    end = line_is_cut_ ? bytes.size() : newline + 1;
    ++lines.count;
  }
  lines.text = bytes.substr(0, end);
  begin_ += end;
  position_ += end;
  line_number_ += lines.count;
  return lines;
}

std::size_t ByteInput::read(void *data, std::size_t size) {
  std::size_t done = 0;
  while (done < size) {
    if (begin_ == end_ && !fill()) break;
    const std::size_t piece = std::min(size - done, end_ - begin_);
    std::memcpy(static_cast<char *>(data) + done, buffer_.data() + begin_, piece);
    begin_ += piece;
    done += piece;
  }
  position_ += done;
  return done;
}

std::string_view ByteInput::peek(std::size_t size) {
  while (end_ - begin_ < size && fill()) {
  }
  return {buffer_.data() + begin_, std::min(size, end_ - begin_)};
}

std::string_view ByteInput::peek_line() {
  for (std::size_t size = 256;; size *= 2) {
    const std::string_view bytes = peek(size);
    const std::size_t end = bytes.find('\n');
    if (end == std::string_view::npos && bytes.size() == size && size <= longest_line) continue;
    std::string_view line = bytes.substr(0, end);
    if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
    return line;
  }
}

void ByteInput::skip_byte_order_mark() {
  constexpr std::string_view utf8 = "\xEF\xBB\xBF";
  if (peek(utf8.size()) == utf8) {
    begin_ += utf8.size();
    position_ += utf8.size();
    return;
  }
  const std::string_view start = peek(2);
  if (start == "\xFF\xFE" || start == "\xFE\xFF")
    throw Failure(ExitCode::usage, name_,
                  "begins with the byte order mark of UTF-16: convert it first, by iconv -f UTF-16 -t UTF-8");
}

Failure ByteInput::bad_line(std::uint64_t number, const std::string &reason) const {
  return {ExitCode::corrupt, name_, fmt::format("line {}: {}", number, reason)};
}

Failure ByteInput::no_text() const { return {ExitCode::corrupt, name_, "a line of more than 64 MiB: no text file"}; }

Failure ByteInput::bad_byte(const std::string &reason) const {
  return {ExitCode::corrupt, name_, fmt::format("byte {}: {}", position_, reason)};
}

Failure ByteInput::ends_early(const std::string &where) const {
  return {ExitCode::truncated, name_, "truncated: it ends in " + where};
}

}  // namespace gpz::tool
