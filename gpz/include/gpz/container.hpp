// The parts of a .gpz file as bytes, for writers that place them themselves (several MPI ranks, one file):
// docs/format.md, sections 1 to 3 and 11. Whoever writes one file from one process uses gpz::Writer instead.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "gpz/export.h"
#include "gpz/frame.hpp"

namespace gpz {

using Bytes = std::vector<std::uint8_t>;

// Section 1: what a file starts with.
GPZ_API Bytes file_header(const Metadata &metadata);

struct ChunkEntry {
  std::uint64_t particles = 0;
  std::uint64_t length = 0;    // bytes, a multiple of 8
  std::uint64_t checksum = 0;  // XXH3
};

// Section 2 and 3: a frame is `prefix`, the chunks in the order of their entries, `trailer`. Write the trailer last.
struct FrameRecord {
  Bytes prefix;
  Bytes trailer;
  std::uint64_t length = 0;    // of the whole record, bytes
  std::uint64_t checksum = 0;  // of the head: the `reference` of the next frame, if that is no key frame
};
GPZ_API FrameRecord frame_record(const FrameInfo &info, const std::vector<ChunkEntry> &chunks);

// Where a frame is.
struct IndexEntry {
  std::uint64_t offset = 0;  // of its record in the file
  std::uint64_t length = 0;  // of its record
  std::int64_t timestep = 0;
  double time = 0;
  std::uint64_t particles = 0;
};

// Section 11: the last record of a closed file.
GPZ_API Bytes index_record(const std::vector<IndexEntry> &frames);

// What is in a file, found by walking its records (or by its index, if `use_index`).
struct FileScan {
  Metadata metadata;
  std::vector<IndexEntry> frames;  // complete frames, in file order
  std::uint64_t frames_end = 0;    // end of the last complete record but the index: an appending writer cuts here
  std::uint64_t file_size = 0;
  bool has_index = false;
  bool torn = false;     // the file ends with bytes that are no complete record
  bool damaged = false;  // unreadable bytes between complete frames were skipped
};

// Throws io_error, not_gpz, unsupported_version, corrupt, truncated (no complete file header).
GPZ_API FileScan scan_file(const std::string &path, bool use_index = true);

}  // namespace gpz
