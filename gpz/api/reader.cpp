#include "gpz/reader.hpp"

#include <algorithm>
#include <cstring>

#include "gpz/api/file.hpp"
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

void require_checksum(const ChunkEntry &chunk, const std::uint8_t *bytes) {
  if (format::xxh3(bytes, static_cast<std::size_t>(chunk.length)) != chunk.checksum)
    corrupt("the checksum of a chunk does not hold");
}

void add_chunk(const ChunkEntry &chunk, const std::uint8_t *bytes, Frame &frame, int threads,
               const std::vector<bool> &wanted) {
  require_checksum(chunk, bytes);
  decode_chunk(bytes, static_cast<std::size_t>(chunk.length), chunk.particles, frame, wanted, threads);
}

}  // namespace

struct Reader::State {
  std::unique_ptr<api::Source> source;
  FileScan scan;

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
      if (frame.info.particles != entry.particles || frame.info.timestep != entry.timestep ||
          std::memcmp(&frame.info.time, &entry.time, sizeof entry.time) != 0) {
        corrupt("a frame does not agree with the index");
      }
      if (body != nullptr) *body = entry.offset + record->prefix_length();
      return frame;
    });
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
  const api::Source &source = *state_->source;
  std::uint64_t position = 0;
  format::FrameHead head = state_->head(i, &position);
  if (!wanted.empty() && wanted.size() != head.info.fields.size()) {
    throw Error(Status::invalid_argument, "`wanted` does not have one entry for each field", source.name());
  }

  std::uint64_t longest = 0;
  for (const ChunkEntry &chunk : head.chunks) longest = std::max(longest, chunk.length);
  Frame frame;
  in_place(source.name(), position, [&] {
    begin_frame(std::move(head.info), frame);
    // Not larger than the file, whose complete record the chunks are in. new[] rather than a vector: no zeros first.
    const std::unique_ptr<std::uint8_t[]> bytes(new std::uint8_t[static_cast<std::size_t>(longest)]);
    for (const ChunkEntry &chunk : head.chunks) {
      in_place(source.name(), position, [&] {
        source.read_at(position, bytes.get(), static_cast<std::size_t>(chunk.length));
        add_chunk(chunk, bytes.get(), frame, threads, wanted);
      });
      position += chunk.length;
    }
  });
  return frame;
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
      begin_frame(std::move(head.info), frame);
      return true;
    });
    if (!is_frame) return false;

    for (const ChunkEntry &chunk : head.chunks) {
      in_place(file.name(), position, [&] {
        buffer.clear();
        append_to_buffer(chunk.length);
        add_chunk(chunk, buffer.data(), frame, threads, {});
      });
    }
    in_place(file.name(), position, [&] { read_trailer(*record, checksum); });
    return true;
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
