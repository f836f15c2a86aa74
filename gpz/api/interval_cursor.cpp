// SPDX-License-Identifier: BSD-3-Clause
#include "gpz/api/interval_cursor.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "gpz/api/file.hpp"
#include "gpz/format/fields.hpp"

namespace gpz::api {

void IntervalCursor::Buffer::reserve(std::size_t wanted) {
  if (wanted <= size) return;
  wanted += wanted / 8;  // the next frame may be slightly larger
  bytes.reset();
  size = 0;
  charge = {};
  charge = format::Charge(wanted);
  bytes.reset(new std::uint8_t[wanted]);  // not a vector, which would be zeroed first
  size = wanted;
}

trajectory::IntervalDecoder &IntervalCursor::go_to(const LocatedFrame &frame, std::vector<bool> wanted,
                                                   const How &how) {
  const std::size_t i = frame.i;
  const std::size_t since_key = frame.head.info.since_key;
  // Image flags follow the edges of field 0.
  if (!wanted.empty()) wanted[0] = true;
  const bool lies_between = is_before(i, since_key, how.anew);
  const bool serves = decoder_.serves(how.selection);
  // Callers that alternate between selections get all particles followed.
  if (lies_between && !serves) may_limit_ = false;
  const bool goes_on = lies_between && serves && decoder_.follows(wanted);
  if (!goes_on) {
    // A caller that alternates between fields of the same frames gets both followed, then all fields: otherwise each
    // call would read the frames since the key frame again.
    if (lies_between) wanted = joined_ ? std::vector<bool>() : decoder_.joined(std::move(wanted));
    joined_ = lies_between;
    decoder_.forget();
    if (how.announces && since_key != 0 && since_key <= i) file_->reading(i - since_key, i + 1);
    if (failure_ && !file_->is_distant() && failed_ < i && failed_ + since_key >= i) throw_behind(*failure_, failed_);
    // The frames that it builds on were lost, and the positions before it have other frames.
    if (since_key > i || (since_key != 0 && file_->head(i - since_key).info.since_key != 0))
      throw Error(Status::corrupt, "a frame that it builds on is missing", file_->name(),
                  file_->scan().frames[i].offset);
  } else {
    wanted = decoder_.wanted();
    decoder_.serve(how.selection);
  }
  const bool is_run = how.announces && (!goes_on || last_ + 1 < i);
  for (std::size_t j = goes_on ? last_ + 1 : i - since_key; j <= i; ++j) {
    try {
      if (is_run) file_->reading(j, i + 1);
      if (j == i)
        decode(frame, i, wanted, how);
      else
        decode({*file_, j}, i, wanted, how);
      if (failure_ && failed_ == j) failure_.reset();
    } catch (const trajectory::FieldNotFollowed &missing) {
      // Start again at the key frame, with this field. Each repetition adds a field, so there are fewer than fields.
      decoder_.forget();
      wanted[missing.field] = true;
      j = i - since_key - 1;
    } catch (const trajectory::AllSlotsNeeded &) {
      decoder_.forget();
      may_limit_ = false;
      j = i - since_key - 1;
    } catch (const Error &error) {
      decoder_.forget();
      if (error.status() != Status::corrupt && error.status() != Status::truncated) throw;
      // Not a copy of the exception: copies share their message by a reference count inside the standard library, where
      // thread checkers cannot follow it, and this thread's caller gets the exception.
      failure_.emplace(error.status(), error.cause(), error.file(), error.position(), error.system_error());
      failed_ = j;
      if (j == i) throw;
      throw_behind(error, j);
    }
  }
  return decoder_;
}

void IntervalCursor::decode(const LocatedFrame &frame, std::size_t wanted_frame, const std::vector<bool> &wanted,
                            const How &how) {
  using Next = trajectory::IntervalDecoder::Next;
  file_->reading_frame(frame.i);
  // If this frame has other fields than the wanted frame, the chunks of the wanted frame are independent of it.
  const bool has_these = wanted.size() == frame.head.info.fields.size();
  locating_errors(file_->name(), file_->scan().frames[frame.i].offset, [&] {
    decoder_.begin(frame.head, has_these ? wanted : std::vector<bool>(), how.threads,
                   frame.i < wanted_frame ? Next::difference : Next::unknown, may_limit_ ? how.selection : nullptr);
  });
  read_chunks(frame, how.threads);
  decoder_.end(frame.head);
  last_ = frame.i;
}

void IntervalCursor::read_chunks(const LocatedFrame &frame, int threads) {
  const bool keeps = frame.head.info.since_key == 0;
  std::uint64_t size = 0;
  for (const ChunkEntry &chunk : frame.head.chunks) size = keeps ? size + chunk.length : std::max(size, chunk.length);
  std::uint64_t position = frame.chunks;
  locating_errors(file_->name(), position, [&] { buffer_.reserve(static_cast<std::size_t>(size)); });
  const std::vector<Field> &fields = frame.head.info.fields;
  std::uint8_t *at = buffer_.bytes.get();
  for (std::size_t k = 0; k < frame.head.chunks.size(); ++k) {
    const ChunkEntry &chunk = frame.head.chunks[k];
    const format::OpenedChunk opened = file_->read_chunk(chunk, position, fields.size(), at);
    locating_errors(file_->name(), position,
                    [&] { decoder_.chunk(k, opened, chunk.particles, fields, threads, position); });
    position += chunk.length;
    if (keeps) at += chunk.length;
  }
}

void IntervalCursor::throw_behind(const Error &error, std::size_t frame) const {
  throw Error(error.status(), "it builds on frame " + std::to_string(frame) + ", which is damaged: " + error.cause(),
              file_->name(), error.position());
}

}  // namespace gpz::api
