// SPDX-License-Identifier: BSD-3-Clause
// Fuzz target: a file read as a stream, and scanned as one is before it is repaired.
#include <algorithm>
#include <cstring>

#include "gpz/container.hpp"
#include "gpz/reader.hpp"
#include "memory_file.hpp"
#include "support.hpp"

namespace {

using gpz::Status;
using gpz::fuzz::require;
using gpz::fuzz::status_of;

constexpr std::size_t most_frames = 16;

// Frames lie in the file, in order, without overlap.
void check_places(const gpz::FileScan &scan, std::size_t size) {
  require(scan.file_size == size && scan.frames_end <= size, "a scan has another size than the file");
  std::uint64_t end = 0;
  for (const gpz::IndexEntry &frame : scan.frames) {
    require(frame.offset >= end && frame.offset <= size && frame.length <= size - frame.offset, "frames overlap");
    end = frame.offset + frame.length;
  }
}

// What the record by record scan finds, found again in the bytes up to `frames_end`: what a writer that appends keeps.
void check_kept(const std::uint8_t *bytes, const gpz::FileScan &scan) {
  const gpz::Reader kept(bytes, static_cast<std::size_t>(scan.frames_end), "kept", gpz::fuzz::limits);
  require(!kept.scan().torn && kept.frames() == scan.frames.size(), "a writer that appends would lose frames");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *bytes, std::size_t size) {
  static gpz::fuzz::MemoryFile file;
  file.fill(bytes, size);
  gpz::FileScan walked;
  const Status scanned = status_of([&] {
    walked = gpz::scan_file(file.path(), false, gpz::fuzz::limits);
    check_places(walked, size);
    check_kept(bytes, walked);
  });
  const Status indexed = status_of([&] { check_places(gpz::scan_file(file.path(), true, gpz::fuzz::limits), size); });
  require(scanned == indexed || scanned != Status::ok, "an index makes a file unreadable");

  status_of([&] {
    const bool sort_by_id = gpz::chunk_checksum(bytes, size) % 4 == 0;
    gpz::StreamReader stream(file.descriptor(), "stream", gpz::fuzz::limits);
    const gpz::Reader reader(bytes, size, "memory", gpz::fuzz::limits);
    const bool comparable = scanned == Status::ok && !walked.damaged && reader.frames() == walked.frames.size();
    gpz::Frame frame;
    for (std::size_t i = 0; i < most_frames && stream.next(frame, {1, sort_by_id}); ++i) {
      if (!comparable) continue;
      require(i < reader.frames(), "a stream has more frames than the file");
      const auto outcome = gpz::fuzz::outcome_of([&] { return reader.read(i, {1, sort_by_id}); });
      require(outcome.status != Status::ok || outcome.digest == gpz::fuzz::digest(frame),
              "a stream has other values than the file");
    }
  });
  return 0;
}
