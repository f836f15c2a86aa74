// SPDX-License-Identifier: BSD-3-Clause
#include "frame_input.hpp"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>

#include "counted.hpp"
#include "gpz/trajectory.hpp"
#include "gpz_file.hpp"
#include "input_file.hpp"

namespace gpz::tool {

FrameInput::FrameInput(const std::string &path, const Limits &limits) : name_(path) {
  if (path == "-") {
    name_ = "standard input";
    stream_.emplace(STDIN_FILENO, name_, limits);
    return;
  }
  if (is_url(path)) {
    reader_.emplace(open_reader(path, limits));
    return;
  }
  struct stat status {};
  const bool pipe = ::stat(path.c_str(), &status) == 0 && (S_ISFIFO(status.st_mode) || S_ISCHR(status.st_mode));
  if (!pipe) {
    reader_.emplace(path, limits);
    return;
  }
  descriptor_ = open_for_reading(path);
  stream_.emplace(descriptor_, name_, limits);
}

FrameInput::~FrameInput() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

Failure truncated_after(const std::string &file, std::uint64_t complete_frames) {
  if (complete_frames == 0) return {ExitCode::truncated, file, "truncated before its first frame is complete"};
  return {ExitCode::truncated, file,
          fmt::format("truncated after frame {} ({} complete)", complete_frames - 1, complete_frames)};
}

Failure damaged_between(const std::string &file) {
  return {ExitCode::corrupt, file, "damaged: unreadable bytes between complete frames were skipped"};
}

namespace {

// Returns how many bytes it has read.
std::size_t read_at(const std::string &path, std::uint64_t position, void *data, std::size_t size) {
  if (!is_url(path)) return InputFile(path).read_at(position, data, size);
  const std::shared_ptr<Source> source = source_of_url(path);
  const std::uint64_t left = source->size() - std::min(source->size(), position);
  const auto got = static_cast<std::size_t>(std::min<std::uint64_t>(size, left));
  source->read_at(position, data, got);
  return got;
}

}  // namespace

// docs/format.md, section 2: a record begins with its marker, type, head length and length.
bool only_index_damaged(const FileScan &scan, const std::string &path) {
  if (!scan.torn || scan.damaged) return false;
  constexpr std::array<unsigned char, 12> index_start = {0xF5, 0x9A, 0x47, 0x50, 0x5A, 0xC3, 0x52, 0x0A, 2, 0, 0, 0};
  constexpr std::size_t length_offset = 16;
  std::array<unsigned char, 24> start{};
  const std::size_t got = read_at(path, scan.frames_end, start.data(), start.size());
  if (got < index_start.size() || !std::equal(index_start.begin(), index_start.end(), start.begin())) return false;
  if (got < start.size()) return true;
  std::uint64_t length = 0;
  for (std::size_t i = 8; i-- > 0;) length = length << 8 | start[length_offset + i];
  // The bytes after an index may be a frame that was being appended.
  return length >= scan.file_size - scan.frames_end;
}

std::string index_damaged(const std::string &file, std::uint64_t frames) {
  return fmt::format("{}: all {} are whole, the index is damaged (gpz repair mends it)", file,
                     counted(frames, "frame"));
}

bool is_in_order_of_memory(const Reader &reader) {
  if (reader.frames() == 0) return false;
  try {
    std::vector<ChunkEntry> chunks;
    const FrameInfo first = reader.info(0, &chunks);
    return !has_identity(first.fields) && !chunks.empty() && reader.chunk_kind(0, 0) == ChunkKind::sequence;
  } catch (const Error &error) {
    if (!concerns_one_frame(error)) throw;
    return false;
  }
}

bool concerns_one_frame(const Error &error) {
  return error.status() == Status::corrupt || error.status() == Status::truncated;
}

}  // namespace gpz::tool
