// SPDX-License-Identifier: BSD-3-Clause
// A .gpz file in parts that can be changed, and put together again with lengths and checksums that hold.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "gpz/container.hpp"
#include "gpz/frame.hpp"

namespace gpz::fuzz {

struct Chunk {
  std::uint64_t particles = 0;
  Bytes bytes;
};

// A chunk in parts (docs/format.md, sections 4, 8 and 10).
struct ChunkParts {
  Bytes start;  // up to the lengths of the sections
  Bytes leaving;
  std::vector<Bytes> sections;
  Bytes arrivals;
};
// None if the lengths of the chunk contradict each other.
std::optional<ChunkParts> split(const Bytes &chunk, std::size_t fields);
// With the lengths that the parts have, each filled up to a multiple of 8.
Bytes join(ChunkParts parts);

struct Frame {
  FrameInfo info;  // `reference` is found again when the file is put together
  std::vector<Chunk> chunks;
};

struct Record {
  std::uint32_t type = 0;
  // A frame whose head can be read; of every other record `head` and `body`.
  std::optional<Frame> frame;
  Bytes head;
  Bytes body;
};

struct File {
  std::string metadata;        // JSON, or what is in its place
  std::uint32_t features = 0;  // required ones
  std::vector<Record> records;
  bool has_index = false;
  Bytes rest;  // behind the last record

  std::vector<Frame *> frames();
};

// Checksums are not looked at, bytes between records are left out. Never throws.
File take_apart(const std::uint8_t *bytes, std::size_t size);
Bytes put_together(const File &file);

// The head of a frame as bytes, with the checksums of its chunks; none if it breaks a rule of the format.
std::optional<Bytes> head_of(const Frame &frame);
Bytes body_of(const Frame &frame);

}  // namespace gpz::fuzz
