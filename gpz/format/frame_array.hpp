// SPDX-License-Identifier: BSD-3-Clause
// Frame arrays as bytes (docs/format.md, section 16): a short head, and chunks whose own heads are packed. A frame of
// 3,000 particles has heads of 60 bytes, where a file takes 400.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "gpz/container.hpp"
#include "gpz/format/budget.hpp"
#include "gpz/frame_array.hpp"

namespace gpz::format {

// How the chunk of a frame is stored.
enum class ArrayChunk : std::uint8_t {
  whole = 0,       // as in a file, with two fields: the values, and the ids 1, 2, ...
  ordered = 1,     // the section of the values in an ordered chunk whose ids are 1, 2, ...
  difference = 2,  // the same of a difference chunk, in which all particles stay
};

struct ArrayFrame {
  ArrayChunk form = ArrayChunk::whole;
  bool is_key = false;       // can be decoded without earlier frames
  double step = 0;           // of the grid; 0 without a bound
  std::size_t offset = 0;    // of the stored bytes, in the frame array
  std::size_t length = 0;    // of the stored bytes
};

struct ArrayHead {
  FrameArrayInfo info;
  std::uint32_t features = 0;  // required ones of the chunks
  std::vector<ArrayFrame> frames;
};

// The fields of the chunks: the values, which lead, and the ids.
std::vector<Field> array_fields(const FrameArrayInfo &info, double step);

// One frame, appended to `bytes` in its shortest form. Sets form, step, is_key and length. `chunk` has the fields of
// array_fields().
ArrayFrame append_array_frame(const Bytes &chunk, const FrameArrayInfo &info, double step, Bytes &bytes);
// The head, the frames' bytes, and the checksum of both.
Bytes frame_array_bytes(const ArrayHead &head, const std::vector<Bytes> &frames);

// Verifies the checksum. Throws not_gpz, unsupported_version, corrupt, truncated, limit_exceeded.
ArrayHead parse_frame_array(const std::uint8_t *bytes, std::size_t size);

// The whole chunk of a frame. `ids`: the section of the ids 1, 2, ... in an ordered chunk. Throws corrupt.
void unpack_array_chunk(const std::uint8_t *bytes, const ArrayFrame &frame, const FrameArrayInfo &info,
                        const Bytes &ids, Column<std::uint8_t> &chunk);

}  // namespace gpz::format
