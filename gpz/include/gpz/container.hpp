// SPDX-License-Identifier: BSD-3-Clause
// The parts of a .gpz file as bytes (docs/format.md, sections 1 to 3 and 11). They are for programs in which several
// processes write one file, such as MPI ranks. To write a file from one process, use gpz::Writer.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "gpz/export.h"
#include "gpz/frame.hpp"
#include "gpz/limits.hpp"

namespace gpz {

using Bytes = std::vector<std::uint8_t>;

// Section 1: what a file starts with. Throws invalid_argument (features that are none of gpz::feature), limit_exceeded.
GPZ_API Bytes file_header(const Metadata &metadata);

struct ChunkEntry {
  std::uint64_t particles = 0;
  std::uint64_t length = 0;    // bytes, a multiple of 8
  std::uint64_t checksum = 0;  // XXH3
};

// Sections 2 and 3: the bytes of a frame are `prefix`, the chunks in the order of their entries, and `trailer`. Write
// the trailer last: a record without a trailer is incomplete, and readers see that.
struct FrameRecord {
  Bytes prefix;
  Bytes trailer;
  std::uint64_t length = 0;    // of the whole record, bytes
  std::uint64_t checksum = 0;  // of the head: FrameInfo::reference of the next frame, if that is a difference frame
};
GPZ_API FrameRecord frame_record(const FrameInfo &info, const std::vector<ChunkEntry> &chunks);

// Location and key data of a frame's record in a file.
struct IndexEntry {
  std::uint64_t offset = 0;  // of the record, bytes
  std::uint64_t length = 0;  // of the record, bytes
  std::int64_t timestep = 0;
  double time = 0;
  std::uint64_t particles = 0;
};

// A record that is neither a frame nor an index, and that programs may skip which do not know its type (section 2).
struct StoredRecord {
  std::uint32_t type = 0;  // bit 31 is set
  Bytes head;              // has a checksum in the file; as the body a multiple of 8 bytes
  Bytes body;              // has none
};

// Section 2: the bytes of such a record. Throws invalid_argument (a type without bit 31, a length that is no multiple
// of 8), limit_exceeded.
GPZ_API Bytes record_bytes(const StoredRecord &record);

// Location of such a record in a file.
struct RecordEntry {
  std::uint32_t type = 0;
  std::uint64_t offset = 0;  // bytes
  std::uint64_t length = 0;  // of the whole record, bytes
};

// Section 11: the last record of a closed file. `frames` are all frames of the file, in file order; other records may
// lie between them.
GPZ_API Bytes index_record(const std::vector<IndexEntry> &frames);

// A frame as it stands in a file: its head and the bytes of its chunks, not decoded. Reader::stored reads it,
// Writer::write writes it to another file.
struct StoredFrame {
  FrameInfo info;
  std::uint64_t checksum = 0;  // of its head: FrameInfo::reference of a difference frame that builds on this one
  std::vector<ChunkEntry> chunks;
  Bytes bytes;  // of the chunks, one after the other
};

// Leaves these fields of the frame: kept[f] is true for those, and for at least one. Their bytes stay, nothing is
// decoded. Throws unsupported, and leaves the frame as it was, if other fields need one that is left out: differences
// need the first field, chunks in the order of ids need the ids. Throws invalid_argument, corrupt, truncated.
GPZ_API void keep_fields(StoredFrame &frame, const std::vector<bool> &kept);

// Contents of a file, found by scan_file.
struct FileScan {
  Metadata metadata;
  std::vector<IndexEntry> frames;  // complete frames, in file order
  std::uint64_t frames_begin = 0;  // end of the file header, bytes
  std::uint64_t frames_end = 0;    // end of the complete records before the index, bytes: an appending writer cuts here
  std::uint64_t file_size = 0;
  bool has_index = false;
  bool torn = false;     // the file ends with bytes that are no complete record
  bool damaged = false;  // unreadable bytes between complete frames were skipped
  // The frames come from the index. Records between frames were not all looked at: `records` is empty, and `damaged`
  // says nothing of the bytes between frames.
  bool from_index = false;
  std::vector<RecordEntry> records;  // that are neither frames nor indices, in file order
};

// Finds the frames of a file: from its index if `use_index` and it has one, otherwise from record to record. With an
// index that takes the same time whether or not other records lie between the frames. Throws
// io_error, not_gpz, unsupported_version, corrupt, truncated (no complete file header), limit_exceeded (heads of
// records that are too large).
GPZ_API FileScan scan_file(const std::string &path, bool use_index = true, const Limits &limits = {});

}  // namespace gpz
