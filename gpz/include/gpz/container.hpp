// SPDX-License-Identifier: BSD-3-Clause
// The parts of a .gpz file as bytes (docs/format.md, sections 1 to 3 and 11). For programs in which several processes
// (MPI ranks) write one file. A single process uses gpz::Writer.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "gpz/export.h"
#include "gpz/frame.hpp"
#include "gpz/limits.hpp"

namespace gpz {

using Bytes = std::vector<std::uint8_t>;

// Section 1: the first bytes of a file. Throws invalid_argument (a feature that is not in gpz::feature),
// limit_exceeded.
GPZ_API Bytes file_header(const Metadata &metadata);

struct ChunkEntry {
  std::uint64_t particles = 0;
  std::uint64_t length = 0;    // bytes, a multiple of 8
  std::uint64_t checksum = 0;  // XXH3
};

// Sections 2 and 3: a frame consists of `prefix`, the chunks in the order of their entries, and `trailer`. Write the
// trailer last: readers recognise a record without a trailer as incomplete.
struct FrameRecord {
  Bytes prefix;
  Bytes trailer;
  std::uint64_t length = 0;    // of the whole record, bytes
  std::uint64_t checksum = 0;  // of the head: FrameInfo::reference of the next frame, if that is a difference frame
};
GPZ_API FrameRecord frame_record(const FrameInfo &info, const std::vector<ChunkEntry> &chunks);

// Location and key data of a frame in a file.
struct IndexEntry {
  std::uint64_t offset = 0;  // of the record, bytes
  std::uint64_t length = 0;  // of the record, bytes
  std::int64_t timestep = 0;
  double time = 0;
  std::uint64_t particles = 0;
};

// A record that is neither a frame nor an index (section 2). Programs that do not know its type may skip it.
struct StoredRecord {
  std::uint32_t type = 0;  // bit 31 is set
  Bytes head;              // checksummed in the file; length a multiple of 8 bytes
  Bytes body;              // not checksummed; length a multiple of 8 bytes
};

// Section 2: the bytes of a record. Throws invalid_argument (a type without bit 31, a length that is no multiple of 8),
// limit_exceeded.
GPZ_API Bytes record_bytes(const StoredRecord &record);

// Location of a StoredRecord in a file.
struct RecordEntry {
  std::uint32_t type = 0;
  std::uint64_t offset = 0;  // bytes
  std::uint64_t length = 0;  // of the whole record, bytes
};

// Section 11: the last record of a closed file. `frames` lists all frames in file order; other records may lie between
// them.
GPZ_API Bytes index_record(const std::vector<IndexEntry> &frames);

// A frame as stored in a file: its head and its chunks, not decoded. Reader::stored reads it, Writer::write writes it
// to another file.
struct StoredFrame {
  FrameInfo info;
  std::uint64_t checksum = 0;  // of the head: FrameInfo::reference of a difference frame that follows
  std::vector<ChunkEntry> chunks;
  Bytes bytes;  // of the chunks, one after the other
};

// Keeps the fields f with kept[f], at least one, and removes the others. Nothing is decoded. Throws unsupported, and
// leaves the frame unchanged, if a kept field needs a removed one: differences need the first field, chunks in the
// order of ids need the ids. Throws invalid_argument, corrupt, truncated.
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
  // The frames come from the index. Bytes between frames were not read: `records` is empty, and `damaged` covers only
  // the frames.
  bool from_index = false;
  std::vector<RecordEntry> records;  // that are neither frames nor indices, in file order
};

// Finds the frames of a file: from its index if `use_index` is true and an index exists, otherwise from record to
// record. Records between frames do not slow down the use of an index. Throws io_error, not_gpz, unsupported_version,
// corrupt, truncated (no complete file header), limit_exceeded (heads of records that are too large).
GPZ_API FileScan scan_file(const std::string &path, bool use_index = true, const Limits &limits = {});

}  // namespace gpz
