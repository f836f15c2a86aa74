// SPDX-License-Identifier: BSD-3-Clause
#include "gpz/container.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "gpz/error.hpp"
#include "gpz/format/arithmetic.hpp"
#include "gpz/format/bytes.hpp"
#include "gpz/format/checksum.hpp"
#include "gpz/format/container_bytes.hpp"
#include "gpz/format/container_parse.hpp"
#include "gpz/format/corrupt.hpp"
#include "gpz/format/metadata.hpp"
#include "gpz/frame_array.hpp"
#include "gpz/version.h"

namespace gpz {
namespace format {
namespace {

constexpr std::uint8_t magic[8] = {0x89, 'G', 'P', 'Z', 0x0D, 0x0A, 0x1A, 0x0A};
constexpr std::uint8_t end_marker[8] = {0x0A, 0x52, 0xC3, 0x5A, 0x50, 0x47, 0x9A, 0xF5};
constexpr std::uint16_t major_version = GPZ_FORMAT_VERSION;
constexpr std::uint16_t minor_version = 0;
constexpr std::size_t required_features_at = 12;
constexpr std::uint8_t block_codec = 1;       // key frames
constexpr std::uint8_t difference_codec = 2;  // difference frames
constexpr std::uint8_t leading_flag = 1;
constexpr std::uint8_t known_flags = 7;
constexpr std::size_t chunk_entry_size = 24;
constexpr std::size_t index_entry_size = 40;
constexpr std::size_t max_name = 255;
constexpr std::size_t max_fields = 65535;
constexpr std::uint64_t max_record_length = std::uint64_t{1} << 62;  // fits in a file offset, with room for sums

bool all_zero(const std::uint8_t *bytes, std::size_t size) {
  return std::all_of(bytes, bytes + size, [](std::uint8_t byte) { return byte == 0; });
}

// Checks a box, for writers and readers. Returns the problem, or nullptr.
const char *fault(const Box &box) {
  if (box.dimension != 2 && box.dimension != 3) return "the dimension is not 2 or 3";
  for (const char c : box.boundary) {
    if (c != '\0' && c != 'p' && c != 'f' && c != 's' && c != 'm') return "a boundary is not one of p, f, s, m";
  }
  std::size_t used = 0;
  switch (box.kind) {
    case Box::Kind::none:
      used = 0;
      break;
    case Box::Kind::orthogonal:
      used = 6;
      break;
    case Box::Kind::triclinic:
      used = 9;
      break;
    case Box::Kind::general_triclinic:
      used = 12;
      break;
    default:
      return "unknown kind of box";
  }
  for (std::size_t i = used; i < box.values.size(); ++i) {
    if (box.values[i] != 0) return "a number that this kind of box does not have is not 0";
  }
  return nullptr;
}

// Checks a field. Returns the problem, or nullptr.
const char *fault(const Field &field, bool first) {
  const bool is_integer = field.type == ValueType::integer;
  if (!is_integer && field.type != ValueType::float32 && field.type != ValueType::float64) return "unknown value type";
  if (field.display != Display::number && field.display != Display::element && field.display != Display::type_label) {
    return "unknown display";
  }
  if (field.display != Display::number && !is_integer) return "only an integer can be shown as an atom type";
  if (field.leading && !first) return "only the first field can be the leading one";
  if (field.leading && is_integer) return "integers cannot be the leading field";
  if (!(field.bound >= 0) || !std::isfinite(field.bound)) return "the bound is negative or not finite";
  if (!(field.step >= 0) || !std::isfinite(field.step)) return "the grid step is negative or not finite";
  if (is_integer && field.bound != 0) return "integers have no bound";
  if ((field.bound == 0) != (field.step == 0)) return "a bound without a grid step, or the reverse";
  if (!(field.largest_error >= 0) || field.largest_error > field.bound)
    return "the largest error is not within the bound";
  if (field.components.empty() || field.components.size() > 3) return "a field has 1 to 3 components";
  for (const Field::Component &component : field.components) {
    if (component.name.empty() || component.name.size() > max_name) return "a name has 1 to 255 bytes";
  }
  return nullptr;
}

std::string field_name(const Field &field) {
  return field.components.empty() ? std::string("?") : "\"" + field.components[0].name + "\"";
}

// Checks a frame. Returns the problem, or an empty text.
std::string fault(const FrameInfo &info) {
  const UsualArithmetic arithmetic;
  if (const char *cause = fault(info.box)) return std::string("box: ") + cause;
  for (std::size_t f = 0; f < info.fields.size(); ++f) {
    if (const char *cause = fault(info.fields[f], f == 0)) return "field " + field_name(info.fields[f]) + ": " + cause;
  }
  return {};
}

// Checks that the chunks fill the body of a frame and contain all of its particles. Returns the problem, or an empty
// text.
std::string fault(const std::vector<ChunkEntry> &chunks, std::uint64_t particles, std::uint64_t body_length) {
  for (const ChunkEntry &chunk : chunks) {
    if (chunk.length % 8 != 0) return "the length of a chunk is not a multiple of 8";
    if (chunk.length > body_length) return "the chunks are longer than the frame";
    if (chunk.particles > particles) return "the chunks have more particles than the frame";
    body_length -= chunk.length;
    particles -= chunk.particles;
  }
  if (body_length != 0) return "the chunks are shorter than the frame";
  if (particles != 0) return "the chunks have fewer particles than the frame";
  return {};
}

void write_field(ByteWriter &out, const Field &field, std::uint8_t codec) {
  out.u8(static_cast<std::uint8_t>(field.type));
  out.u8(static_cast<std::uint8_t>(field.components.size()));
  out.u8(static_cast<std::uint8_t>(static_cast<unsigned>(field.display) | (field.leading ? leading_flag : 0u)));
  out.u8(codec);
  out.u32(0);
  out.f64(field.bound);
  out.f64(field.step);
  out.f64(field.largest_error);
  for (const Field::Component &component : field.components) {
    out.u16(component.column);
    out.u8(static_cast<std::uint8_t>(component.name.size()));
    out.raw(component.name.data(), component.name.size());
  }
}

Field parse_field(ByteReader &in, std::uint8_t expected_codec) {
  const std::size_t start = in.position();
  Field field;
  field.type = static_cast<ValueType>(in.u8());
  const std::uint8_t components = in.u8();
  const std::uint8_t flags = in.u8();
  const std::uint8_t codec = in.u8();
  if (in.u32() != 0 || (flags & ~known_flags) != 0) corrupt("field: a reserved bit is set", start);
  if (codec != block_codec && codec != difference_codec) {
    throw Error(Status::unsupported_version, "field: unknown codec " + std::to_string(codec), {}, start);
  }
  if (codec != expected_codec) corrupt("field: not the codec of this kind of frame", start);
  if (components == 0 || components > 3) corrupt("field: not 1 to 3 components", start);
  field.leading = (flags & leading_flag) != 0;
  field.display = static_cast<Display>(flags & ~leading_flag);
  field.bound = in.f64();
  field.step = in.f64();
  field.largest_error = in.f64();
  field.components.resize(components);
  for (Field::Component &component : field.components) {
    component.column = in.u16();
    const std::size_t length = in.u8();
    if (length == 0) corrupt("field: a name of length 0", start);
    component.name = in.text(length);
  }
  return field;
}

}  // namespace

Bytes header_around(const std::string &json, std::uint32_t features) {
  if (json.size() > max_metadata_size) throw Error(Status::limit_exceeded, "the metadata is larger than 16 MiB");
  Bytes bytes = file_start(features);
  ByteWriter out(bytes);
  out.u32(0);  // optional features
  out.u32(static_cast<std::uint32_t>(json.size()));
  out.raw(json.data(), json.size());
  out.pad_to_8();
  out.u64(xxh3(bytes.data(), bytes.size()));
  return bytes;
}

FrameRecord make_record(std::uint32_t type, const Bytes &head, std::uint64_t body_length) {
  if (head.size() > 0xFFFFFFF8u) throw Error(Status::limit_exceeded, "the head of a record is larger than 4 GiB");
  if (body_length > max_record_length) throw Error(Status::limit_exceeded, "a record is too long");
  FrameRecord record;
  record.length = record_overhead + head.size() + body_length;

  record.prefix.reserve(record_start_size + head.size() + checksum_size);
  ByteWriter prefix(record.prefix);
  prefix.raw(record_marker, sizeof record_marker);
  prefix.u32(type);
  prefix.u32(static_cast<std::uint32_t>(head.size()));
  prefix.u64(record.length);
  prefix.raw(head.data(), head.size());
  const std::uint64_t checksum = xxh3(record.prefix.data(), record.prefix.size());
  prefix.u64(checksum);
  record.checksum = checksum;

  ByteWriter trailer(record.trailer);
  trailer.u64(record.length);
  trailer.u64(checksum);
  trailer.raw(end_marker, sizeof end_marker);
  return record;
}

void require_other_record(const StoredRecord &record) {
  if ((record.type & optional_type_bit) == 0)
    throw Error(Status::invalid_argument, "a record of type " + std::to_string(record.type) +
                                              ": other types than those of frames and indices have bit 31 set");
  for (const Bytes *const part : {&record.head, &record.body})
    if (part->size() % 8 != 0)
      throw Error(Status::invalid_argument, std::string("the ") + (part == &record.head ? "head" : "body") +
                                                " of a record has " + std::to_string(part->size()) +
                                                " bytes, which is no multiple of 8; fill it up with zeros");
}

namespace {

// Reads magic, version and required features from at least file_start_size bytes, or from a whole file that is shorter.
std::uint32_t start_of_file(const std::uint8_t *bytes, std::size_t size) {
  if (!std::equal(bytes, bytes + std::min(size, sizeof magic), magic)) {
    constexpr char dump[] = "ITEM:";
    const bool is_dump = size >= sizeof dump - 1 && std::memcmp(bytes, dump, sizeof dump - 1) == 0;
    throw Error(Status::not_gpz,
                is_dump ? "not a gpz file, but a text dump of LAMMPS (gpz encode compresses it)"
                        : "not a gpz file: the magic bytes are missing",
                {}, 0);
  }
  if (size < file_start_size) throw Error(Status::truncated, "the file ends inside its header", {}, size);
  ByteReader in(bytes + sizeof magic, file_start_size - sizeof magic);
  const unsigned major = in.u16();
  in.u16();  // a larger minor version is still readable
  if (major > major_version) {
    throw Error(
        Status::unsupported_version,
        "format version " + std::to_string(major) + ", this program reads up to " + std::to_string(major_version), {},
        8);
  }
  if (major == 0) corrupt("format version 0", 8);
  const std::uint32_t features = in.u32();
  constexpr std::uint32_t segments = 1u << 5, first_steps = 1u << 6, second_steps = 1u << 7;
  if ((features & first_steps) != 0)
    throw left_the_format("the first form of steps", molecules_left_behind, required_features_at);
  if ((features & second_steps) != 0)
    throw left_the_format("the second form of steps", bonds_left_behind, required_features_at);
  if ((features & segments) != 0)
    throw left_the_format("the order of ids in segments", segments_left_behind, required_features_at);
  if ((features & ~(feature::known | frame_array_feature)) != 0)
    throw Error(Status::unsupported_version, "the file requires an unknown feature", {}, required_features_at);
  return features;
}

}  // namespace

Bytes file_start(std::uint32_t features) {
  Bytes bytes;
  ByteWriter out(bytes);
  out.raw(magic, sizeof magic);
  out.u16(major_version);
  out.u16(minor_version);
  out.u32(features);
  return bytes;
}

std::uint32_t frame_array_features(const std::uint8_t *bytes, std::size_t size) {
  const std::uint32_t features = start_of_file(bytes, size);
  if ((features & frame_array_feature) == 0)
    throw Error(Status::unsupported, "a file of frames, and no frame array: use Reader", {}, required_features_at);
  return features & ~frame_array_feature;
}

std::size_t file_header_length(const std::uint8_t *bytes, std::size_t size) {
  if ((start_of_file(bytes, size) & frame_array_feature) != 0)
    throw Error(Status::unsupported_version, "a frame array, and no file of frames: use decompress_frames", {},
                required_features_at);
  if (size < file_header_start_size) throw Error(Status::truncated, "the file ends inside its header", {}, size);
  const auto metadata = load_little<std::uint32_t>(bytes + file_header_start_size - sizeof(std::uint32_t));
  if (metadata > max_metadata_size) throw Error(Status::limit_exceeded, "the metadata is larger than 16 MiB", {}, 20);
  return static_cast<std::size_t>(round_up_8(file_header_start_size + metadata)) + checksum_size;
}

Metadata parse_file_header(const std::uint8_t *bytes, std::size_t size) {
  const std::size_t hashed = size - checksum_size;
  if (load_little<std::uint64_t>(bytes + hashed) != xxh3(bytes, hashed)) {
    corrupt("the checksum of the file header does not hold", hashed);
  }
  const std::size_t metadata = load_little<std::uint32_t>(bytes + 20);
  const std::size_t end = file_header_start_size + metadata;
  if (!all_zero(bytes + end, hashed - end)) corrupt("the padding of the file header is not zero", end);
  try {
    Metadata read = metadata_from_json(bytes + file_header_start_size, metadata);
    read.features = load_little<std::uint32_t>(bytes + required_features_at);
    return read;
  } catch (const Error &error) {
    throw Error(error.status(), error.cause(), {}, file_header_start_size);
  }
}

std::optional<RecordStart> parse_record_start(const std::uint8_t *bytes) {
  if (std::memcmp(bytes, record_marker, sizeof record_marker) != 0) return std::nullopt;
  ByteReader in(bytes + sizeof record_marker, record_start_size - sizeof record_marker);
  RecordStart start;
  start.type = in.u32();
  start.head_length = in.u32();
  start.length = in.u64();
  if (start.head_length % 8 != 0 || start.length % 8 != 0) return std::nullopt;
  if (start.length < record_overhead + start.head_length || start.length > max_record_length) return std::nullopt;
  return start;
}

std::uint64_t head_checksum(const std::uint8_t *prefix, const RecordStart &start) {
  return load_little<std::uint64_t>(prefix + record_start_size + start.head_length);
}

bool head_holds(const std::uint8_t *prefix, const RecordStart &start) {
  return head_checksum(prefix, start) == xxh3(prefix, record_start_size + std::size_t{start.head_length});
}

std::optional<std::uint64_t> checksum_in_trailer(const std::uint8_t *trailer, const RecordStart &start) {
  if (length_in_trailer(trailer) != start.length) return std::nullopt;
  return load_little<std::uint64_t>(trailer + 8);
}

std::optional<std::uint64_t> length_in_trailer(const std::uint8_t *trailer) {
  if (std::memcmp(trailer + 16, end_marker, sizeof end_marker) != 0) return std::nullopt;
  return load_little<std::uint64_t>(trailer);
}

FrameHead parse_frame_head(const std::uint8_t *head, std::size_t size, std::uint64_t body_length) {
  ByteReader in(head, size);
  FrameHead frame;
  FrameInfo &info = frame.info;
  info.particles = in.u64();
  info.timestep = in.i64();
  info.time = in.f64();
  info.box.dimension = in.u8();
  info.box.kind = static_cast<Box::Kind>(in.u8());
  for (char &c : info.box.boundary) c = static_cast<char>(in.u8());
  for (double &value : info.box.values) value = in.f64();
  const std::size_t fields = in.u16();
  info.since_key = in.u16();
  const std::size_t chunks = in.u32();

  const std::uint8_t codec = info.since_key == 0 ? block_codec : difference_codec;
  for (std::size_t f = 0; f < fields; ++f) info.fields.push_back(parse_field(in, codec));
  if (chunks > in.left() / chunk_entry_size) corrupt("more chunks than the head of the frame holds", in.position());
  frame.chunks.resize(chunks);
  for (ChunkEntry &chunk : frame.chunks) {
    chunk.particles = in.u64();
    chunk.length = in.u64();
    chunk.checksum = in.u64();
  }
  if (info.since_key != 0) info.reference = in.u64();
  const std::size_t padding = in.left();
  if (padding >= 8 || !all_zero(in.take(padding), padding)) corrupt("the padding of a head is not zero", in.position());

  std::string cause = fault(info);
  if (cause.empty()) cause = fault(frame.chunks, info.particles, body_length);
  if (!cause.empty()) corrupt(cause, 0);
  return frame;
}

void require_checksum(const ChunkEntry &chunk, const std::uint8_t *bytes) {
  require_checksum(chunk, xxh3(bytes, static_cast<std::size_t>(chunk.length)));
}

void require_checksum(const ChunkEntry &chunk, std::uint64_t checksum) {
  if (checksum != chunk.checksum) corrupt("the checksum of a chunk does not hold", 0);
}

IndexEntry parse_frame_summary(const std::uint8_t *head, std::size_t size) {
  ByteReader in(head, size);
  IndexEntry entry;
  entry.particles = in.u64();
  entry.timestep = in.i64();
  entry.time = in.f64();
  return entry;
}

std::vector<IndexEntry> parse_index_head(const std::uint8_t *head, std::size_t size) {
  ByteReader in(head, size);
  const std::uint64_t count = in.u64();
  if (count != in.left() / index_entry_size || in.left() % index_entry_size != 0) {
    corrupt("the index does not have the length of its entries", 0);
  }
  std::vector<IndexEntry> frames(static_cast<std::size_t>(count));
  for (IndexEntry &frame : frames) {
    frame.offset = in.u64();
    frame.length = in.u64();
    frame.timestep = in.i64();
    frame.time = in.f64();
    frame.particles = in.u64();
  }
  return frames;
}

}  // namespace format

using format::ByteWriter;

Bytes file_header(const Metadata &metadata) {
  if ((metadata.features & ~feature::known) != 0)
    throw Error(Status::invalid_argument, "a required feature that this version of gpz does not know");
  return format::header_around(format::metadata_to_json(metadata), metadata.features);
}

FrameRecord frame_record(const FrameInfo &info, const std::vector<ChunkEntry> &chunks) {
  if (info.fields.size() > format::max_fields) throw Error(Status::limit_exceeded, "more than 65535 fields");
  std::uint64_t body_length = 0;
  for (const ChunkEntry &chunk : chunks) {
    if (chunk.length > format::max_record_length - body_length) {
      throw Error(Status::limit_exceeded, "a frame is too long");
    }
    body_length += chunk.length;
  }
  std::string cause = format::fault(info);
  if (cause.empty()) cause = format::fault(chunks, info.particles, body_length);
  if (!cause.empty()) throw Error(Status::invalid_argument, cause);

  Bytes head;
  ByteWriter out(head);
  out.u64(info.particles);
  out.i64(info.timestep);
  out.f64(info.time);
  out.u8(info.box.dimension);
  out.u8(static_cast<std::uint8_t>(info.box.kind));
  for (const char c : info.box.boundary) out.u8(static_cast<std::uint8_t>(c));
  for (const double value : info.box.values) out.f64(value);
  out.u16(static_cast<std::uint16_t>(info.fields.size()));
  out.u16(info.since_key);
  out.u32(static_cast<std::uint32_t>(chunks.size()));
  const std::uint8_t codec = info.since_key == 0 ? format::block_codec : format::difference_codec;
  for (const Field &field : info.fields) format::write_field(out, field, codec);
  for (const ChunkEntry &chunk : chunks) {
    out.u64(chunk.particles);
    out.u64(chunk.length);
    out.u64(chunk.checksum);
  }
  if (info.since_key != 0) out.u64(info.reference);
  out.pad_to_8();
  return format::make_record(format::frame_type, head, body_length);
}

Bytes record_bytes(const StoredRecord &record) {
  format::require_other_record(record);
  FrameRecord made = format::make_record(record.type, record.head, record.body.size());
  made.prefix.reserve(static_cast<std::size_t>(made.length));
  made.prefix.insert(made.prefix.end(), record.body.begin(), record.body.end());
  made.prefix.insert(made.prefix.end(), made.trailer.begin(), made.trailer.end());
  return std::move(made.prefix);
}

Bytes index_record(const std::vector<IndexEntry> &frames) {
  Bytes head;
  ByteWriter out(head);
  out.u64(frames.size());
  for (const IndexEntry &frame : frames) {
    out.u64(frame.offset);
    out.u64(frame.length);
    out.i64(frame.timestep);
    out.f64(frame.time);
    out.u64(frame.particles);
  }
  FrameRecord record = format::make_record(format::index_type, head, 0);
  record.prefix.insert(record.prefix.end(), record.trailer.begin(), record.trailer.end());
  return record.prefix;
}

}  // namespace gpz
