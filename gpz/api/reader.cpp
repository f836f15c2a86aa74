#include "gpz/reader.hpp"

#include <algorithm>
#include <cstring>
#include <mutex>
#include <optional>

#include "gpz/api/file.hpp"
#include "gpz/api/frame_history.hpp"
#include "gpz/api/scan.hpp"
#include "gpz/chunk.hpp"
#include "gpz/error.hpp"
#include "gpz/format/checksum.hpp"
#include "gpz/format/container_parse.hpp"

namespace gpz {
namespace {

using api::in_place;
using format::RecordStart;

[[noreturn]] void corrupt(const std::string &cause) { throw Error(Status::corrupt, cause); }

// Makes `frame` an empty frame with these fields.
void begin_frame(FrameInfo info, Frame &frame) {
  frame.info = std::move(info);
  std::size_t count = 0;
  for (std::size_t f = 0; f < frame.info.fields.size(); ++f) {
    for (std::size_t c = 0; c < frame.info.fields[f].components.size(); ++c, ++count) {
      if (count == frame.columns.size()) frame.columns.emplace_back();
      Frame::Column &column = frame.columns[count];
      column.field = f;
      column.component = c;
      column.floats.clear();
      column.integers.clear();
    }
  }
  frame.columns.resize(count);
}

void clear_first_field(Frame &frame) {
  for (Frame::Column &column : frame.columns) {
    if (column.field != 0) continue;
    column.floats.clear();
    column.integers.clear();
  }
}

void require_checksum(const ChunkEntry &chunk, const std::uint8_t *bytes) {
  if (format::xxh3(bytes, static_cast<std::size_t>(chunk.length)) != chunk.checksum)
    corrupt("the checksum of a chunk does not hold");
}

// decode_chunk, for a chunk of a key frame.
void decode_key_chunk(const std::uint8_t *bytes, const ChunkEntry &entry, Frame &frame, const std::vector<bool> &wanted,
                      int threads) {
  const auto size = static_cast<std::size_t>(entry.length);
  if (chunk_kind(bytes, size) == ChunkKind::difference) corrupt("a chunk of differences in a key frame");
  decode_chunk(bytes, size, entry.particles, frame, wanted, threads);
}

// What is wanted of a frame with `fields` fields, for comparison with what was wanted of others.
std::vector<bool> all_or(const std::vector<bool> &wanted, std::size_t fields) {
  return wanted.empty() ? std::vector<bool>(fields, true) : wanted;
}

}  // namespace

struct Reader::State {
  std::unique_ptr<api::Source> source;
  FileScan scan;
  // The frames since a key frame, for the frame behind the last one that was read.
  std::mutex mutex;
  api::FrameHistory history;
  std::size_t followed = 0;  // the last frame of the history
  // A frame that the ones behind it, up to the next key frame, cannot be read without.
  std::optional<Error> failure;
  std::size_t failed = 0;

  explicit State(std::unique_ptr<api::Source> from) : source(std::move(from)), scan(api::scan(*source, true)) {}

  // The head of frame i; `body` receives the position of its first chunk.
  format::FrameHead head(std::size_t i, std::uint64_t *body = nullptr) const {
    if (i >= scan.frames.size()) {
      throw Error(Status::not_found,
                  "no frame " + std::to_string(i) + ": there are " + std::to_string(scan.frames.size()),
                  source->name());
    }
    const IndexEntry &entry = scan.frames[i];
    return in_place(source->name(), entry.offset, [&] {
      Bytes prefix;
      const auto record = api::complete_record_at(*source, entry.offset, prefix);
      if (!record || record->type != format::frame_type || record->length != entry.length) {
        corrupt("no complete frame where the index has one");
      }
      const std::uint8_t *bytes = prefix.data() + format::record_start_size;
      format::FrameHead frame = format::parse_frame_head(bytes, record->head_length, record->body_length());
      frame.checksum = format::head_checksum(prefix.data(), *record);
      if (frame.info.particles != entry.particles || frame.info.timestep != entry.timestep ||
          std::memcmp(&frame.info.time, &entry.time, sizeof entry.time) != 0) {
        corrupt("a frame does not agree with the index");
      }
      if (body != nullptr) *body = entry.offset + record->prefix_length();
      return frame;
    });
  }

  // The frame whose chunks begin at `position`, decoded by `decode(k, entry, bytes, frame)`.
  template <typename Decode>
  Frame read(const format::FrameHead &head, std::uint64_t position, const Decode &decode) const {
    std::uint64_t longest = 0;
    for (const ChunkEntry &chunk : head.chunks) longest = std::max(longest, chunk.length);
    Frame frame;
    in_place(source->name(), position, [&] {
      begin_frame(head.info, frame);
      // Not larger than the file, whose complete record the chunks are in. new[] rather than a vector: no zeros first.
      const std::unique_ptr<std::uint8_t[]> bytes(new std::uint8_t[static_cast<std::size_t>(longest)]);
      for (std::size_t k = 0; k < head.chunks.size(); ++k) {
        const ChunkEntry &chunk = head.chunks[k];
        in_place(source->name(), position, [&] {
          source->read_at(position, bytes.get(), static_cast<std::size_t>(chunk.length));
          require_checksum(chunk, bytes.get());
          decode(k, chunk, bytes.get(), frame);
        });
        position += chunk.length;
      }
    });
    return frame;
  }

  // Frame i, which is no key frame, from its key frame on, or from the last one read if that is behind it.
  Frame read_behind_key(std::size_t i, const format::FrameHead &head, int threads, const std::vector<bool> &wanted) {
    const std::lock_guard<std::mutex> lock(mutex);
    const std::size_t since_key = head.info.since_key;
    std::vector<bool> followed_fields = all_or(wanted, head.info.fields.size());
    if (!followed_fields.empty()) followed_fields[0] = true;  // image flags follow its edges
    const bool goes_on =
        history.complete() && followed < i && followed + since_key >= i && history.wanted() == followed_fields;
    if (!goes_on) {
      history.forget();
      // Other frames are in the places of those that were lost.
      if (since_key > i || this->head(i - since_key).info.since_key != 0)
        throw Error(Status::corrupt, "a frame that it builds on is missing", source->name(), scan.frames[i].offset);
    }
    for (std::size_t j = goes_on ? followed + 1 : i - since_key;; ++j) {
      if (failure && failed == j && j < i) throw_behind(*failure, j);
      try {
        Frame frame = follow(j, threads, followed_fields);
        if (j == i) {
          if (!wanted.empty() && !wanted[0]) clear_first_field(frame);
          return frame;
        }
      } catch (const Error &error) {
        history.forget();
        if (error.status() != Status::corrupt && error.status() != Status::truncated) throw;
        failure = error;
        failed = j;
        if (j == i) throw;
        throw_behind(error, j);
      }
    }
  }

  Frame follow(std::size_t j, int threads, const std::vector<bool> &wanted) {
    std::uint64_t position = 0;
    const format::FrameHead head = this->head(j, &position);
    // Frames with other fields than the one that is wanted: its chunks stand alone then.
    const bool has_these = wanted.size() == head.info.fields.size();
    in_place(source->name(), scan.frames[j].offset,
             [&] { history.begin(head, has_these ? wanted : std::vector<bool>()); });
    Frame frame =
        read(head, position, [&](std::size_t k, const ChunkEntry &chunk, const std::uint8_t *bytes, Frame &to) {
          history.chunk(k, chunk, bytes, to, threads);
        });
    history.end(head);
    followed = j;
    return frame;
  }

  [[noreturn]] void throw_behind(const Error &error, std::size_t frame) const {
    throw Error(error.status(), "it builds on frame " + std::to_string(frame) + ", which is damaged: " + error.cause(),
                source->name(), error.position());
  }
};

Reader::Reader(const std::string &path)
    : state_(std::make_unique<State>(std::make_unique<api::File>(path, api::File::Mode::read))) {}

Reader::Reader(const std::uint8_t *bytes, std::size_t size, const std::string &name)
    : state_(std::make_unique<State>(std::make_unique<api::MemorySource>(bytes, size, name))) {}

Reader::~Reader() = default;
Reader::Reader(Reader &&) noexcept = default;
Reader &Reader::operator=(Reader &&) noexcept = default;

const FileScan &Reader::scan() const { return state_->scan; }

FrameInfo Reader::info(std::size_t i, std::vector<ChunkEntry> *chunks) const {
  format::FrameHead head = state_->head(i);
  if (chunks != nullptr) *chunks = std::move(head.chunks);
  return std::move(head.info);
}

Frame Reader::read(std::size_t i, int threads, const std::vector<bool> &wanted) const {
  std::uint64_t position = 0;
  const format::FrameHead head = state_->head(i, &position);
  if (!wanted.empty() && wanted.size() != head.info.fields.size()) {
    throw Error(Status::invalid_argument, "`wanted` does not have one entry for each field", state_->source->name());
  }
  if (head.info.since_key != 0) return state_->read_behind_key(i, head, threads, wanted);
  return state_->read(head, position,
                      [&](std::size_t, const ChunkEntry &chunk, const std::uint8_t *bytes, Frame &frame) {
                        decode_key_chunk(bytes, chunk, frame, wanted, threads);
                      });
}

Bytes Reader::chunk(std::size_t i, std::size_t k) const {
  const api::Source &source = *state_->source;
  std::uint64_t position = 0;
  const format::FrameHead head = state_->head(i, &position);
  if (k >= head.chunks.size()) {
    throw Error(Status::not_found,
                "no chunk " + std::to_string(k) + " in frame " + std::to_string(i) + ": there are " +
                    std::to_string(head.chunks.size()),
                source.name());
  }
  for (std::size_t before = 0; before < k; ++before) position += head.chunks[before].length;
  return in_place(source.name(), position, [&] {
    // Not larger than the file, whose complete record the chunk is in.
    Bytes bytes(static_cast<std::size_t>(head.chunks[k].length));
    source.read_at(position, bytes.data(), bytes.size());
    require_checksum(head.chunks[k], bytes.data());
    return bytes;
  });
}

void Reader::verify(std::size_t i, int threads) const { read(i, threads); }

struct StreamReader::State {
  api::File file;
  Metadata metadata;
  std::uint64_t position = 0;  // of the next byte
  Bytes buffer;
  api::FrameHistory history;
  // The last key frame, until the frame behind it shows that it is built on.
  std::optional<format::FrameHead> key;
  std::vector<Bytes> key_chunks;

  State(int descriptor, const std::string &name) : file(descriptor, name) {
    in_place(file.name(), 0, [&] {
      buffer.resize(format::file_header_start_size);
      buffer.resize(file.read(buffer.data(), buffer.size()));
      position = buffer.size();
      const std::size_t length = format::file_header_length(buffer.data(), buffer.size());
      append_to_buffer(length - buffer.size());
      metadata = format::parse_file_header(buffer.data(), buffer.size());
    });
  }

  void read_whole(std::uint8_t *data, std::size_t size) {
    const std::size_t got = file.read(data, size);
    position += got;
    if (got < size) throw Error(Status::truncated, "the file ends inside a record", file.name(), position);
  }

  // Lengths come from the stream and may be false: memory grows only as fast as bytes arrive.
  void append_to_buffer(std::uint64_t size) {
    constexpr std::size_t first_piece = std::size_t{64} << 20;
    while (size > 0) {
      const std::size_t old = buffer.size();
      const auto piece = static_cast<std::size_t>(std::min<std::uint64_t>(size, std::max(first_piece, old)));
      buffer.resize(old + piece);
      read_whole(buffer.data() + old, piece);
      size -= piece;
    }
  }

  void read_trailer(const RecordStart &record, std::uint64_t checksum) {
    std::uint8_t trailer[format::trailer_size];
    read_whole(trailer, sizeof trailer);
    if (!format::trailer_agrees(trailer, record, checksum))
      corrupt("the trailer of a record does not agree with its head");
  }

  // Reads what follows the head of a record that is no frame.
  void skip(const RecordStart &record, std::uint64_t checksum) {
    constexpr std::uint64_t piece = std::uint64_t{1} << 20;
    for (std::uint64_t left = record.body_length(); left > 0;) {
      buffer.resize(static_cast<std::size_t>(std::min(left, piece)));
      read_whole(buffer.data(), buffer.size());
      left -= buffer.size();
    }
    read_trailer(record, checksum);
  }

  // Reads one record; true if it was a frame. False: another one. At the end, `at_end` becomes true.
  bool next_record(Frame &frame, int threads, bool &at_end) {
    const std::uint64_t start = position;
    std::optional<RecordStart> record;
    std::uint64_t checksum = 0;
    format::FrameHead head;
    const bool is_frame = in_place(file.name(), start, [&] {
      buffer.resize(format::record_start_size);
      const std::size_t got = file.read(buffer.data(), buffer.size());
      position += got;
      if (got == 0) {
        at_end = true;
        return false;
      }
      if (got < buffer.size()) throw Error(Status::truncated, "the file ends inside a record", file.name(), position);
      record = format::parse_record_start(buffer.data());
      if (!record) corrupt("no record begins here");
      append_to_buffer(record->head_length + format::checksum_size);
      if (!format::head_holds(buffer.data(), *record)) corrupt("the checksum of the head of a record does not hold");
      checksum = format::head_checksum(buffer.data(), *record);
      if (record->type != format::frame_type) {
        if (!record->is_known() && !record->may_be_skipped()) {
          throw Error(Status::unsupported_version, "a record of unknown type " + std::to_string(record->type));
        }
        skip(*record, checksum);
        return false;
      }
      head = format::parse_frame_head(buffer.data() + format::record_start_size, record->head_length,
                                      record->body_length());
      head.checksum = checksum;
      begin_frame(head.info, frame);
      if (head.info.since_key == 0) {
        key.reset();
        key_chunks.clear();
      } else {
        if (key) follow_key(threads);
        history.begin(head, {});
      }
      return true;
    });
    if (!is_frame) return false;

    for (std::size_t k = 0; k < head.chunks.size(); ++k) {
      const ChunkEntry &chunk = head.chunks[k];
      in_place(file.name(), position, [&] {
        buffer.clear();
        append_to_buffer(chunk.length);
        require_checksum(chunk, buffer.data());
        if (head.info.since_key != 0) {
          history.chunk(k, chunk, buffer.data(), frame, threads);
          return;
        }
        decode_key_chunk(buffer.data(), chunk, frame, {}, threads);
        key_chunks.push_back(std::move(buffer));
      });
    }
    in_place(file.name(), position, [&] { read_trailer(*record, checksum); });
    if (head.info.since_key == 0)
      key = std::move(head);
    else
      history.end(head);
    return true;
  }

  void follow_key(int threads) {
    Frame frame;
    begin_frame(key->info, frame);
    history.begin(*key, {});
    for (std::size_t k = 0; k < key->chunks.size(); ++k)
      history.chunk(k, key->chunks[k], key_chunks[k].data(), frame, threads);
    history.end(*key);
    key.reset();
    key_chunks.clear();
  }
};

StreamReader::StreamReader(int descriptor, const std::string &name)
    : state_(std::make_unique<State>(descriptor, name)) {}
StreamReader::~StreamReader() = default;
StreamReader::StreamReader(StreamReader &&) noexcept = default;
StreamReader &StreamReader::operator=(StreamReader &&) noexcept = default;

const Metadata &StreamReader::metadata() const { return state_->metadata; }

bool StreamReader::next(Frame &frame, int threads) {
  try {
    bool at_end = false;
    while (!at_end) {
      if (state_->next_record(frame, threads, at_end)) return true;
    }
    return false;
  } catch (...) {
    begin_frame({}, frame);  // no part of a frame that does not hold is handed out
    throw;
  }
}

}  // namespace gpz
