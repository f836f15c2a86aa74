// SPDX-License-Identifier: BSD-3-Clause
#include "gpz/api/follower.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "gpz/api/file.hpp"
#include "gpz/format/fields.hpp"

namespace gpz::api {

std::vector<bool> with_field(std::vector<bool> wanted, std::size_t field) {
  if (!wanted.empty() && field != format::no_field) wanted[field] = true;
  return wanted;
}

void read_frame(const FrameFile &file, const format::FrameHead &head, std::uint64_t position, bool keeps, int threads,
                FrameMemory &memory, trajectory::FrameHistory &frame) {
  std::uint64_t size = 0;
  for (const ChunkEntry &chunk : head.chunks) size = keeps ? size + chunk.length : std::max(size, chunk.length);
  locating_errors(file.name(), position, [&] { memory.reserve(static_cast<std::size_t>(size)); });
  const std::vector<Field> &fields = head.info.fields;
  std::uint8_t *at = memory.bytes.get();
  for (std::size_t k = 0; k < head.chunks.size(); ++k) {
    const ChunkEntry &chunk = head.chunks[k];
    const format::OpenedChunk opened = file.read_chunk(chunk, position, fields.size(), at);
    locating_errors(file.name(), position, [&] { frame.chunk(k, opened, chunk.particles, fields, threads, position); });
    position += chunk.length;
    if (keeps) at += chunk.length;
  }
}

bool Follower::lies_before(std::size_t i, std::size_t since_key, bool anew) const {
  return history_.complete() && last_ < i + (anew ? 0 : 1) && last_ + since_key >= i;
}

trajectory::FrameHistory &Follower::go_to(std::size_t i, const format::FrameHead &head, std::vector<bool> wanted,
                                          const How &how, SpareMemory &spare) {
  const std::size_t since_key = head.info.since_key;
  // Image flags follow the edges of field 0.
  wanted = with_field(std::move(wanted), head.info.fields.empty() ? format::no_field : 0);
  const bool lies_between = lies_before(i, since_key, how.anew);
  const bool serves = history_.serves(how.selection);
  // Callers that alternate between selections get all particles followed.
  if (lies_between && !serves) may_limit_ = false;
  const bool goes_on = lies_between && serves && history_.follows(wanted);
  if (!goes_on) {
    // A caller that alternates between fields of the same frames gets both followed, then all fields: otherwise each
    // call would read the frames since the key frame again.
    if (lies_between) wanted = joined_ ? std::vector<bool>() : history_.joined(std::move(wanted));
    joined_ = lies_between;
    history_.forget();
    if (how.announces && since_key <= i) file_->reading(i - since_key, i + 1);
    if (failure_ && !file_->is_distant() && failed_ < i && failed_ + since_key >= i) throw_behind(*failure_, failed_);
    // The frames that it builds on were lost, and the positions before it have other frames.
    if (since_key > i || file_->head(i - since_key).info.since_key != 0)
      throw Error(Status::corrupt, "a frame that it builds on is missing", file_->name(),
                  file_->scan().frames[i].offset);
  } else {
    wanted = history_.wanted();
    history_.serve(how.selection);
  }
  const bool is_run = how.announces && (!goes_on || last_ + 1 < i);
  for (std::size_t j = goes_on ? last_ + 1 : i - since_key; j <= i; ++j) {
    try {
      if (is_run) file_->reading(j, i + 1);
      follow(j, wanted, how, spare);
      if (failure_ && failed_ == j) failure_.reset();
    } catch (const trajectory::FieldNotFollowed &missing) {
      // Start again at the key frame, with this field. Each repetition adds a field, so there are fewer than fields.
      history_.forget();
      wanted[missing.field] = true;
      j = i - since_key - 1;
    } catch (const trajectory::AllSlotsNeeded &) {
      history_.forget();
      may_limit_ = false;
      j = i - since_key - 1;
    } catch (const Error &error) {
      history_.forget();
      if (error.status() != Status::corrupt && error.status() != Status::truncated) throw;
      // Not a copy of the exception: copies share their message by a reference count inside the standard library, where
      // thread checkers cannot follow it, and this thread's caller gets the exception.
      failure_.emplace(error.status(), error.cause(), error.file(), error.position(), error.system_error());
      failed_ = j;
      if (j == i) throw;
      throw_behind(error, j);
    }
  }
  return history_;
}

void Follower::follow(std::size_t j, const std::vector<bool> &wanted, const How &how, SpareMemory &spare) {
  std::uint64_t position = 0;
  file_->reading_frame(j);
  const format::FrameHead head = file_->head(j, &position);
  // If this frame has other fields than the wanted frame, the chunks of the wanted frame are independent of it.
  const bool has_these = wanted.size() == head.info.fields.size();
  locating_errors(file_->name(), file_->scan().frames[j].offset, [&] {
    history_.begin(head, has_these ? wanted : std::vector<bool>(), may_limit_ ? how.selection : nullptr);
  });
  FrameMemory memory = spare.take();
  read_frame(*file_, head, position, false, how.threads, memory, history_);
  spare.give_back(std::move(memory));
  history_.end(head);
  last_ = j;
}

void Follower::throw_behind(const Error &error, std::size_t frame) const {
  throw Error(error.status(), "it builds on frame " + std::to_string(frame) + ", which is damaged: " + error.cause(),
              file_->name(), error.position());
}

}  // namespace gpz::api
