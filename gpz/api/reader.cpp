// SPDX-License-Identifier: BSD-3-Clause
#include "gpz/reader.hpp"

#include <algorithm>
#include <mutex>
#include <optional>

#include "gpz/api/file.hpp"
#include "gpz/api/frame_file.hpp"
#include "gpz/api/read_output.hpp"
#include "gpz/chunk.hpp"
#include "gpz/error.hpp"
#include "gpz/format/arithmetic.hpp"
#include "gpz/format/budget.hpp"
#include "gpz/format/container_parse.hpp"
#include "gpz/format/fields.hpp"
#include "gpz/format/opened_chunk.hpp"
#include "gpz/trajectory/frame_history.hpp"
#include "gpz/trajectory/open_frame.hpp"

namespace gpz {
namespace {

using api::in_file;
using api::in_place;

// The fields that are decoded: the wanted ones and one more.
std::vector<bool> with_field(std::vector<bool> wanted, std::size_t field) {
  if (!wanted.empty() && field != format::no_field) wanted[field] = true;
  return wanted;
}

std::vector<bool> wanted_of(const std::vector<cpu::Target> &targets) {
  std::vector<bool> wanted(targets.size());
  std::transform(targets.begin(), targets.end(), wanted.begin(),
                 [](const cpu::Target &target) { return target.is_wanted(); });
  return wanted;
}

// What reading a frame takes, kept for the next one: to get pages of memory costs time like decoding.
struct FrameMemory {
  std::unique_ptr<std::uint8_t[]> bytes;  // of chunks: no more than the file has, in whose complete records they are
  std::size_t size = 0;
  format::Charge charge;  // for them
  trajectory::KeyFrameMemory key;

  void reserve(std::size_t wanted) {
    if (wanted <= size) return;
    bytes.reset();
    size = 0;
    charge = {};
    charge = format::Charge(wanted);
    bytes.reset(new std::uint8_t[wanted]);  // rather than a vector: no zeros first
    size = wanted;
  }
};

// The system reads files ahead by itself. A request for many small frames takes fewer calls, whereas large ones would
// only be copied once more.
constexpr api::FramePlan::Most ahead_in_files = {std::uint64_t{256} << 10, std::uint64_t{32} << 10};
constexpr api::FramePlan::Most ahead_in_sources = {std::uint64_t{8} << 20, std::uint64_t{64} << 20};

}  // namespace

struct Reader::State {
  format::Budget budget;  // first: the rest is charged to it
  api::FrameFile file;
  // The frames since a key frame, for the frame behind the last one that was read.
  std::mutex mutex;
  trajectory::FrameHistory history;
  std::size_t followed = 0;  // the last frame of the history
  bool joined = false;       // the fields that it follows were asked for in more than one call
  // A frame that the ones behind it, up to the next key frame, cannot be read without.
  std::optional<Error> failure;
  std::size_t failed = 0;
  std::mutex spare_mutex;
  std::vector<FrameMemory> spare;  // one for each thread that has read at the same time

  State(std::unique_ptr<Source> from, const Limits &limits, const api::FramePlan::Most &ahead = {})
      : budget(limits), file(opened(std::move(from), budget, ahead)) {}

  static api::FrameFile opened(std::unique_ptr<Source> from, format::Budget &budget,
                               const api::FramePlan::Most &ahead) {
    const format::Budget::Scope scope(budget);
    // Of the limit, what is read ahead takes less than a quarter.
    const std::uint64_t most = budget.limit() / 16;
    return api::FrameFile(std::move(from), {std::min(ahead.request, most), std::min(ahead.frame, most)});
  }

  // Reads these fields of frame i (an empty list: all), whose chunks begin at `position`, and calls use(frame). With
  // `anew`, its bytes are read even if it is the last one that was read.
  template <typename Use>
  void open(std::size_t i, const format::FrameHead &head, std::uint64_t position, const std::vector<bool> &wanted,
            int threads, bool anew, const Use &use) {
    const format::UsualArithmetic arithmetic;
    api::decoding(file.name(), position, head.info.particles, [&] {
      if (head.info.since_key == 0) {
        open_key(head, position, wanted, use);
        return;
      }
      const std::lock_guard<std::mutex> lock(mutex);
      follow_to(i, head, wanted, threads, anew);
      in_file(file.name(), [&] { use(history); });
    });
  }

  void read(std::size_t i, const ReadOptions &options, const std::vector<bool> &wanted, bool anew, Frame &frame) {
    const format::Budget::Scope scope(budget);
    file.asked_for(i, anew);
    std::uint64_t position = 0;
    const format::FrameHead head = file.head(i, &position);
    if (!wanted.empty() && wanted.size() != head.info.fields.size())
      throw Error(Status::invalid_argument, "`wanted` does not have one entry for each field", file.name());
    std::size_t sorted_by = format::no_field;
    in_file(file.name(), [&] { sorted_by = api::sort_field(head.info, options); });
    api::begin_frame(head.info, frame);
    format::Charge columns;
    open(i, head, position, with_field(wanted, sorted_by), options.threads, anew, [&](trajectory::OpenFrame &opened) {
      // Now that the chunks have shown that they have so many particles.
      columns = api::charge_for_columns(head.info.particles, head.info.fields, wanted);
      const auto targets = api::frame_targets(frame, wanted, static_cast<std::size_t>(opened.particles()));
      opened.write_all(head.info.fields, targets, sorted_by, options.threads);
    });
    file.was_read(i);
  }

  template <typename Use>
  void open_key(const format::FrameHead &head, std::uint64_t position, const std::vector<bool> &wanted,
                const Use &use) {
    std::uint64_t size = 0;
    for (const ChunkEntry &chunk : head.chunks) size += chunk.length;
    FrameMemory memory = take_memory();
    in_place(file.name(), position, [&] { memory.reserve(static_cast<std::size_t>(size)); });
    trajectory::KeyFrame frame(head.info.fields, wanted, memory.key);
    std::uint8_t *at = memory.bytes.get();
    for (const ChunkEntry &chunk : head.chunks) {
      const format::OpenedChunk opened = file.read_chunk(chunk, position, head.info.fields.size(), at);
      in_file(file.name(), [&] { frame.add(opened, chunk.particles, position); });
      position += chunk.length;
      at += chunk.length;
    }
    in_file(file.name(), [&] { use(frame); });
    give_back(std::move(memory));
  }

  FrameMemory take_memory() {
    const std::lock_guard<std::mutex> lock(spare_mutex);
    if (spare.empty()) return {};
    FrameMemory memory = std::move(spare.back());
    spare.pop_back();
    return memory;
  }
  void give_back(FrameMemory memory) {
    const std::lock_guard<std::mutex> lock(spare_mutex);
    spare.push_back(std::move(memory));
  }

  // Brings the history to frame i, which is no key frame: from its key frame on, or from the last one read if that lies
  // between.
  void follow_to(std::size_t i, const format::FrameHead &head, std::vector<bool> wanted, int threads, bool anew) {
    const std::size_t since_key = head.info.since_key;
    wanted =
        with_field(std::move(wanted), head.info.fields.empty() ? format::no_field : 0);  // image flags follow its edges
    const bool lies_between = history.complete() && followed < i + (anew ? 0 : 1) && followed + since_key >= i;
    const bool goes_on = lies_between && history.follows(wanted);
    if (!goes_on) {
      // Who reads other fields of the same frames in turn has both followed, and at the next time all there are: the
      // frames since the key frame are not read again for each field.
      if (lies_between) wanted = joined ? std::vector<bool>() : history.joined(std::move(wanted));
      joined = lies_between;
      history.forget();
      if (failure && failed < i && failed + since_key >= i) throw_behind(*failure, failed);
      // Other frames are in the places of those that were lost.
      if (since_key > i || file.head(i - since_key).info.since_key != 0)
        throw Error(Status::corrupt, "a frame that it builds on is missing", file.name(), file.scan().frames[i].offset);
    } else {
      wanted = history.wanted();
    }
    const bool is_run = !goes_on || followed + 1 < i;
    for (std::size_t j = goes_on ? followed + 1 : i - since_key; j <= i; ++j) {
      try {
        if (is_run) file.reading(j, i + 1);
        follow(j, wanted, threads);
      } catch (const trajectory::FieldNotFollowed &missing) {
        // From the key frame on, with this field. There are fewer such turns than fields.
        history.forget();
        wanted[missing.field] = true;
        j = i - since_key - 1;
      } catch (const Error &error) {
        history.forget();
        if (error.status() != Status::corrupt && error.status() != Status::truncated) throw;
        // No copy: that would share its message with the exception that this thread's caller gets, by a reference count
        // of the standard library that no tool can follow.
        failure.emplace(error.status(), error.cause(), error.file(), error.position(), error.system_error());
        failed = j;
        if (j == i) throw;
        throw_behind(error, j);
      }
    }
  }

  void follow(std::size_t j, const std::vector<bool> &wanted, int threads) {
    std::uint64_t position = 0;
    const format::FrameHead head = file.head(j, &position);
    // Frames with other fields than the one that is wanted: its chunks are independent then.
    const bool has_these = wanted.size() == head.info.fields.size();
    in_place(file.name(), file.scan().frames[j].offset,
             [&] { history.begin(head, has_these ? wanted : std::vector<bool>()); });
    std::uint64_t longest = 0;
    for (const ChunkEntry &chunk : head.chunks) longest = std::max(longest, chunk.length);
    FrameMemory memory = take_memory();
    in_place(file.name(), position, [&] { memory.reserve(static_cast<std::size_t>(longest)); });
    for (std::size_t k = 0; k < head.chunks.size(); ++k) {
      const ChunkEntry &chunk = head.chunks[k];
      const std::vector<Field> &fields = head.info.fields;
      const format::OpenedChunk opened = file.read_chunk(chunk, position, fields.size(), memory.bytes.get());
      in_place(file.name(), position, [&] { history.chunk(k, opened, chunk.particles, fields, threads); });
      position += chunk.length;
    }
    give_back(std::move(memory));
    history.end(head);
    followed = j;
  }

  [[noreturn]] void throw_behind(const Error &error, std::size_t frame) const {
    throw Error(error.status(), "it builds on frame " + std::to_string(frame) + ", which is damaged: " + error.cause(),
                file.name(), error.position());
  }
};

Reader::Reader(const std::string &path, const Limits &limits)
    : state_(in_file(path, [&] {
        return std::make_unique<State>(std::make_unique<api::File>(path, api::File::Mode::read), limits,
                                       ahead_in_files);
      })) {}

Reader::Reader(const std::uint8_t *bytes, std::size_t size, const std::string &name, const Limits &limits)
    : state_(in_file(name, [&] {
        return std::make_unique<State>(std::make_unique<api::MemorySource>(bytes, size, name), limits);
      })) {}

Reader::Reader(std::unique_ptr<Source> source, const Limits &limits) {
  if (source == nullptr) throw Error(Status::invalid_argument, "the source is a null pointer");
  const std::string name = source->name();
  state_ = in_file(name, [&] { return std::make_unique<State>(std::move(source), limits, ahead_in_sources); });
}

Reader::~Reader() = default;
Reader::Reader(Reader &&) noexcept = default;
Reader &Reader::operator=(Reader &&) noexcept = default;

void Reader::allow_replacement() { state_->file.allow_replacement(); }

const FileScan &Reader::scan() const { return state_->file.scan(); }

FrameInfo Reader::info(std::size_t i, std::vector<ChunkEntry> *chunks) const {
  const format::Budget::Scope scope(state_->budget);
  format::FrameHead head = state_->file.head(i);
  if (chunks != nullptr) *chunks = std::move(head.chunks);
  return std::move(head.info);
}

Frame Reader::read(std::size_t i, const ReadOptions &options, const std::vector<bool> &wanted) const {
  Frame frame;
  in_file(state_->file.name(), [&] { state_->read(i, options, wanted, false, frame); });
  return frame;
}

FrameInfo Reader::read_columns(std::size_t i, const std::vector<ColumnOutput> &columns, std::size_t capacity,
                               const ReadOptions &options) const {
  const format::Budget::Scope scope(state_->budget);
  return in_file(state_->file.name(), [&] {
    state_->file.asked_for(i);
    std::uint64_t position = 0;
    format::FrameHead head = state_->file.head(i, &position);
    const std::vector<cpu::Target> targets = api::column_targets(head.info, columns, capacity);
    const std::size_t sorted_by = api::sort_field(head.info, options);
    const std::vector<bool> wanted = with_field(wanted_of(targets), sorted_by);
    state_->open(i, head, position, wanted, options.threads, false, [&](trajectory::OpenFrame &opened) {
      opened.write_all(head.info.fields, targets, sorted_by, options.threads);
    });
    state_->file.was_read(i);
    api::set_origins(head.info);
    return std::move(head.info);
  });
}

StoredFrame Reader::stored(std::size_t i) const {
  const format::Budget::Scope scope(state_->budget);
  state_->file.asked_for(i);
  std::uint64_t position = 0;
  format::FrameHead head = state_->file.head(i, &position);
  StoredFrame frame;
  frame.info = std::move(head.info);
  frame.checksum = head.checksum;
  frame.chunks = std::move(head.chunks);
  std::uint64_t size = 0;
  for (const ChunkEntry &chunk : frame.chunks) size += chunk.length;
  in_place(state_->file.name(), position, [&] {
    // Not larger than the file, whose complete record the chunks are in.
    format::require_memory(size, 1);
    frame.bytes.resize(static_cast<std::size_t>(size));
  });
  std::uint8_t *at = frame.bytes.data();
  for (const ChunkEntry &chunk : frame.chunks) {
    state_->file.read_bytes(chunk, position, at);
    state_->file.check_features(chunk, position, frame.info.fields.size(), format::read_from(at));
    position += chunk.length;
    at += chunk.length;
  }
  return frame;
}

std::vector<RecordEntry> Reader::records(std::size_t i) const {
  const format::Budget::Scope scope(state_->budget);
  return state_->file.records(i);
}

StoredRecord Reader::stored(const RecordEntry &record) const {
  const format::Budget::Scope scope(state_->budget);
  return state_->file.stored(record);
}

Bytes Reader::chunk(std::size_t i, std::size_t k) const {
  const format::Budget::Scope scope(state_->budget);
  std::uint64_t position = 0;
  const ChunkEntry chunk = state_->file.chunk(i, k, position);
  return in_place(state_->file.name(), position, [&] {
    // Not larger than the file, whose complete record the chunk is in.
    format::require_memory(chunk.length, 1);
    Bytes bytes(static_cast<std::size_t>(chunk.length));
    state_->file.read_bytes(chunk, position, bytes.data());
    return bytes;
  });
}

ChunkKind Reader::chunk_kind(std::size_t i, std::size_t k) const {
  const format::Budget::Scope scope(state_->budget);
  std::uint64_t position = 0;
  const ChunkEntry chunk = state_->file.chunk(i, k, position);
  return in_place(state_->file.name(), position, [&] {
    std::uint8_t head[8];
    const auto size = static_cast<std::size_t>(std::min<std::uint64_t>(chunk.length, sizeof head));
    state_->file.source().read_at(position, head, size);
    return gpz::chunk_kind(head, size);
  });
}

std::vector<std::uint64_t> Reader::field_sizes(std::size_t i) const {
  const format::Budget::Scope scope(state_->budget);
  std::uint64_t position = 0;
  const format::FrameHead head = state_->file.head(i, &position);
  return in_file(state_->file.name(), [&] {
    std::vector<std::uint64_t> sizes(head.info.fields.size());
    for (const ChunkEntry &chunk : head.chunks) {
      in_place(state_->file.name(), position, [&] {
        format::add_section_sizes([&](std::uint64_t at, std::uint8_t *bytes,
                                      std::size_t size) { state_->file.source().read_at(position + at, bytes, size); },
                                  static_cast<std::size_t>(chunk.length), sizes);
      });
      position += chunk.length;
    }
    return sizes;
  });
}

void Reader::verify(std::size_t i, int threads) const {
  Frame frame;
  in_file(state_->file.name(), [&] { state_->read(i, ReadOptions{threads, false}, {}, true, frame); });
}

}  // namespace gpz
