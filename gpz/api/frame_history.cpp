#include "gpz/api/frame_history.hpp"

#include "gpz/chunk.hpp"
#include "gpz/error.hpp"
#include "gpz/format/difference_chunk.hpp"

namespace gpz::api {

bool FrameHistory::can_follow(const format::FrameHead &head) const {
  if (head.info.since_key == 0) return true;
  return complete_ && head.info.since_key == since_key_ + 1 && head.info.reference == checksum_ &&
         head.chunks.size() == chunks_.size();
}

void FrameHistory::begin(const format::FrameHead &head, const std::vector<bool> &wanted) {
  if (!can_follow(head)) throw Error(Status::corrupt, "the frame that it builds on is missing");
  complete_ = false;
  if (head.info.since_key == 0) chunks_.assign(head.chunks.size(), {});
  wanted_ = wanted;
}

void FrameHistory::chunk(std::size_t k, const ChunkEntry &entry, const std::uint8_t *bytes, Frame &frame, int threads) {
  const auto size = static_cast<std::size_t>(entry.length);
  if (format::chunk_kind(bytes, size) == format::difference_chunk) {
    chunks_[k].next(bytes, size, entry.particles, frame, threads);
    return;
  }
  std::size_t first = 0;
  for (const Frame::Column &column : frame.columns)
    first = std::max(first, column.floats.size() + column.integers.size());
  decode_chunk(bytes, size, entry.particles, frame, wanted_, threads);
  chunks_[k].start(frame, first, entry.particles, wanted_);
}

void FrameHistory::end(const format::FrameHead &head) {
  complete_ = true;
  since_key_ = head.info.since_key;
  checksum_ = head.checksum;
}

}  // namespace gpz::api
