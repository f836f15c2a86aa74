// SPDX-License-Identifier: BSD-3-Clause
// Fuzz target: the chunks of a file, each decoded by itself. Record and chunk checksums are not looked at.
#include "gpz/chunk.hpp"

#include <vector>

#include "gpz_file.hpp"
#include "support.hpp"

namespace {

using gpz::Status;
using gpz::fuzz::require;
using gpz::fuzz::status_of;

gpz::Frame empty_frame(const std::vector<gpz::Field> &fields) {
  gpz::Frame frame;
  frame.info.fields = fields;
  for (std::size_t f = 0; f < fields.size(); ++f)
    for (std::size_t c = 0; c < fields[f].components.size(); ++c) frame.columns.push_back({f, c, {}, {}});
  return frame;
}

Status decode(const gpz::fuzz::Chunk &chunk, gpz::Frame &frame, const std::vector<bool> &wanted, int threads) {
  return status_of([&] {
    gpz::decode_chunk(chunk.bytes.data(), chunk.bytes.size(), chunk.particles, frame, wanted, threads,
                      gpz::fuzz::limits);
  });
}

// One field of the frame, and no more.
std::uint64_t digest_of_field(const gpz::Frame &frame, std::size_t field) {
  gpz::Frame part;
  for (const gpz::Frame::Column &column : frame.columns)
    if (column.field == field) part.columns.push_back(column);
  return gpz::fuzz::digest(part);
}

void decode_in_two_ways(const gpz::fuzz::Chunk &chunk, const std::vector<gpz::Field> &fields) {
  gpz::Frame whole = empty_frame(fields);
  const Status status = decode(chunk, whole, {}, 1);
  if (status != Status::ok) {
    for (const gpz::Frame::Column &column : whole.columns)
      require(column.floats.empty() && column.integers.empty(), "values of a chunk that was refused");
    return;
  }
  const std::uint64_t way = gpz::chunk_checksum(chunk.bytes.data(), chunk.bytes.size());
  if (way % 4 == 0 || fields.empty()) {
    gpz::Frame again = empty_frame(fields);
    require(decode(chunk, again, {}, 2) == Status::ok && gpz::fuzz::digest(again) == gpz::fuzz::digest(whole),
            "the number of threads decides what is decoded");
    return;
  }
  const std::size_t field = way / 4 % fields.size();
  std::vector<bool> wanted(fields.size());
  wanted[field] = true;
  gpz::Frame alone = empty_frame(fields);
  require(decode(chunk, alone, wanted, 1) == Status::ok, "a field of a sound chunk is refused");
  require(digest_of_field(alone, field) == digest_of_field(whole, field), "a field alone has other values");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *bytes, std::size_t size) {
  gpz::fuzz::File file = gpz::fuzz::take_apart(bytes, size);
  for (const gpz::fuzz::Frame *frame : file.frames())
    for (const gpz::fuzz::Chunk &chunk : frame->chunks) decode_in_two_ways(chunk, frame->info.fields);
  return 0;
}
