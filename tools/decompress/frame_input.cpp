#include "frame_input.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

namespace gpz::tool {

FrameInput::FrameInput(const std::string &path) : name_(path) {
  if (path == "-") {
    name_ = "standard input";
    stream_.emplace(STDIN_FILENO, name_);
    return;
  }
  struct stat status {};
  const bool pipe = ::stat(path.c_str(), &status) == 0 && (S_ISFIFO(status.st_mode) || S_ISCHR(status.st_mode));
  if (!pipe) {
    reader_.emplace(path);
    return;
  }
  descriptor_ = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor_ < 0) throw io_failure(name_);
  stream_.emplace(descriptor_, name_);
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

bool concerns_one_frame(const Error &error) {
  return error.status() == Status::corrupt || error.status() == Status::truncated;
}

}  // namespace gpz::tool
