// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <utility>

#include "gpz/api/source.hpp"
#include "gpz/chunk.hpp"
#include "gpz/container.hpp"
#include "gpz/error.hpp"
#include "gpz/trajectory/kept_sections.hpp"

namespace gpz {
namespace {

void check(const StoredFrame &frame, const std::vector<bool> &kept) {
  if (kept.size() != frame.info.fields.size())
    throw Error(Status::invalid_argument, "`kept` does not have one entry for each field");
  if (std::find(kept.begin(), kept.end(), true) == kept.end())
    throw Error(Status::invalid_argument, "no field is kept");
  std::uint64_t left = frame.bytes.size();
  for (const ChunkEntry &chunk : frame.chunks) {
    if (chunk.length > left) throw Error(Status::invalid_argument, "a stored frame with fewer bytes than its chunks");
    left -= chunk.length;
  }
}

}  // namespace

void keep_fields(StoredFrame &frame, const std::vector<bool> &kept) {
  api::in_file({}, [&] {
    check(frame, kept);
    std::vector<ChunkEntry> chunks;
    Bytes bytes;
    const std::uint8_t *at = frame.bytes.data();
    for (const ChunkEntry &chunk : frame.chunks) {
      const format::OpenedChunk opened =
          format::open_chunk(at, static_cast<std::size_t>(chunk.length), frame.info.fields.size());
      const Bytes part = trajectory::kept_sections(opened, chunk.particles, kept);
      chunks.push_back({chunk.particles, part.size(), chunk_checksum(part.data(), part.size())});
      bytes.insert(bytes.end(), part.begin(), part.end());
      at += chunk.length;
    }
    std::vector<Field> fields;
    for (std::size_t f = 0; f < kept.size(); ++f)
      if (kept[f]) fields.push_back(frame.info.fields[f]);
    frame.info.fields = std::move(fields);
    frame.chunks = std::move(chunks);
    frame.bytes = std::move(bytes);
  });
}

}  // namespace gpz
