// SPDX-License-Identifier: BSD-3-Clause
#include "gpz/format/frame_array.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <string>

#include "gpz/chunk.hpp"
#include "gpz/core/config.hpp"
#include "gpz/error.hpp"
#include "gpz/format/bytes.hpp"
#include "gpz/format/checksum.hpp"
#include "gpz/format/chunk_head.hpp"
#include "gpz/format/container_bytes.hpp"
#include "gpz/format/container_parse.hpp"
#include "gpz/format/corrupt.hpp"
#include "gpz/format/opened_chunk.hpp"

namespace gpz {

std::size_t FrameArrayShape::bytes() const {
  const std::uint64_t value = type == ValueType::float64 ? 8 : 4;
  std::uint64_t bytes = 0;
  if (__builtin_mul_overflow(frames, particles, &bytes) || __builtin_mul_overflow(bytes, components * value, &bytes) ||
      bytes > std::numeric_limits<std::size_t>::max() / 2)
    throw Error(Status::limit_exceeded, "an array of more values than this machine can address");
  return static_cast<std::size_t>(bytes);
}

namespace format {
namespace {

constexpr unsigned components_mask = 3;
constexpr unsigned is_double = 4;
constexpr unsigned has_bound = 8;
constexpr unsigned form_mask = 3;
constexpr unsigned has_step = 4;
constexpr unsigned entry_shift = 3;
constexpr std::size_t most_packed = 64;  // words of a section
constexpr std::size_t word_size = sizeof(std::uint64_t);
constexpr std::size_t values_field = 0;
constexpr std::size_t ids_field = 1;
constexpr std::size_t fields = 2;

// Seven bits a byte, the low ones first; bit 7 is set if another byte follows.
void append_number(std::uint64_t value, Bytes &bytes) {
  for (; value >= 0x80; value >>= 7) bytes.push_back(static_cast<std::uint8_t>(value | 0x80));
  bytes.push_back(static_cast<std::uint8_t>(value));
}

std::uint64_t read_number(ByteReader &in) {
  std::uint64_t value = 0;
  for (unsigned shift = 0; shift < 64; shift += 7) {
    const std::uint8_t byte = in.u8();
    const auto bits = static_cast<std::uint64_t>(byte & 0x7F);
    if (shift == 63 && bits > 1) break;
    value |= bits << shift;
    if (byte < 0x80) return value;
  }
  corrupt("a number of more than 64 bits", in.position());
}

std::size_t number_size(std::uint64_t value) {
  std::size_t size = 1;
  for (; value >= 0x80; value >>= 7) ++size;
  return size;
}

// Small magnitudes of both signs become small numbers.
std::uint64_t fold(std::uint64_t word) { return word << 1 ^ (word >> 63 != 0 ? ~std::uint64_t{0} : 0); }
std::uint64_t unfold(std::uint64_t number) { return number >> 1 ^ ((number & 1) != 0 ? ~std::uint64_t{0} : 0); }

// How many words at the start of a section to pack, so that it takes the fewest bytes.
std::size_t words_to_pack(const std::uint8_t *section, std::size_t size) {
  std::size_t best = 0;
  std::ptrdiff_t saved = 0;
  std::ptrdiff_t most_saved = 0;
  for (std::size_t k = 0; k < std::min(most_packed, size / word_size); ++k) {
    const std::size_t packed = number_size(fold(load_little<std::uint64_t>(section + k * word_size)));
    saved += static_cast<std::ptrdiff_t>(word_size) - static_cast<std::ptrdiff_t>(packed);
    if (saved > most_saved) {
      most_saved = saved;
      best = k + 1;
    }
  }
  return best;
}

void append_packed(const std::uint8_t *section, std::size_t size, Bytes &bytes) {
  const std::size_t packed = words_to_pack(section, size);
  append_number(packed, bytes);
  for (std::size_t k = 0; k < packed; ++k)
    append_number(fold(load_little<std::uint64_t>(section + k * word_size)), bytes);
  bytes.insert(bytes.end(), section + packed * word_size, section + size);
}

// The form in which a chunk is stored.
ArrayChunk form_of(const OpenedChunk &chunk, std::uint64_t particles) {
  if (chunk.rule.kind == ChunkKind::ordered) return ArrayChunk::ordered;
  const bool all_stay = chunk.rule.kind == ChunkKind::difference && chunk.before == particles && chunk.leaving == 0 &&
                        chunk.arriving == 0 && chunk.sections[ids_field].size == 0;
  return all_stay ? ArrayChunk::difference : ArrayChunk::whole;
}

ArrayFrame read_entry(ByteReader &in, const FrameArrayInfo &info, double last_step) {
  const std::uint64_t entry = read_number(in);
  ArrayFrame frame;
  const unsigned form = entry & form_mask;
  if (form > static_cast<unsigned>(ArrayChunk::difference)) corrupt("an unknown form of a chunk", in.position());
  frame.form = static_cast<ArrayChunk>(form);
  frame.length = static_cast<std::size_t>(entry >> entry_shift);
  frame.step = last_step;
  if ((entry & has_step) != 0) frame.step = in.f64();
  const bool needs_step = info.bound > 0;
  if (!(frame.step >= 0) || !std::isfinite(frame.step) || (frame.step > 0) != needs_step)
    corrupt("the step of a frame does not fit its bound", in.position());
  return frame;
}

}  // namespace

std::vector<Field> array_fields(const FrameArrayInfo &info, double step) {
  Field values;
  values.type = info.shape.type;
  values.leading = true;
  values.bound = info.bound;
  values.step = step;
  constexpr char names[] = "xyz";
  const auto components = std::min<std::size_t>(info.shape.components, core::max_components);
  for (std::size_t d = 0; d < components; ++d)
    values.components.push_back({std::string(1, names[d]), static_cast<std::uint16_t>(d)});
  Field ids;
  ids.type = ValueType::integer;
  ids.components = {{"id", static_cast<std::uint16_t>(info.shape.components)}};
  return {std::move(values), std::move(ids)};
}

ArrayFrame append_array_frame(const Bytes &chunk, const FrameArrayInfo &info, double step, Bytes &bytes) {
  const OpenedChunk opened = open_chunk(chunk.data(), chunk.size(), fields);
  ArrayFrame frame;
  frame.form = form_of(opened, info.shape.particles);
  frame.is_key = opened.rule.kind != ChunkKind::difference;
  frame.step = step;
  const std::size_t before = bytes.size();
  if (frame.form == ArrayChunk::whole)
    bytes.insert(bytes.end(), chunk.begin(), chunk.end());
  else
    append_packed(opened.section(values_field), opened.sections[values_field].size, bytes);
  frame.length = bytes.size() - before;
  return frame;
}

Bytes frame_array_bytes(const ArrayHead &head, const std::vector<Bytes> &frames) {
  Bytes bytes = file_start(head.features | frame_array_feature);
  const FrameArrayShape &shape = head.info.shape;
  bytes.push_back(static_cast<std::uint8_t>(shape.components | (shape.type == ValueType::float64 ? is_double : 0) |
                                            (head.info.bound > 0 ? has_bound : 0)));
  ByteWriter out(bytes);
  append_number(shape.particles, bytes);
  append_number(shape.frames, bytes);
  if (head.info.bound > 0) out.f64(head.info.bound);
  double step = 0;
  for (const ArrayFrame &frame : head.frames) {
    const bool changes = frame.step != step;
    append_number(
        std::uint64_t{frame.length} << entry_shift | (changes ? has_step : 0) | static_cast<unsigned>(frame.form),
        bytes);
    if (changes) out.f64(frame.step);
    step = frame.step;
  }
  for (const Bytes &piece : frames) bytes.insert(bytes.end(), piece.begin(), piece.end());
  out.u64(xxh3(bytes.data(), bytes.size()));
  return bytes;
}

ArrayHead parse_frame_array(const std::uint8_t *bytes, std::size_t size) {
  ArrayHead head;
  head.features = frame_array_features(bytes, size);
  if (size < file_start_size + checksum_size)
    throw Error(Status::truncated, "the frame array ends inside its head", {}, size);
  const std::size_t hashed = size - checksum_size;
  if (load_little<std::uint64_t>(bytes + hashed) != xxh3(bytes, hashed))
    corrupt("the checksum of the frame array does not hold", hashed);
  return located(file_start_size, [&] {
    ByteReader in(bytes + file_start_size, hashed - file_start_size);
    const unsigned kind = in.u8();
    FrameArrayInfo &info = head.info;
    info.shape.components = kind & components_mask;
    info.shape.type = (kind & is_double) != 0 ? ValueType::float64 : ValueType::float32;
    if (info.shape.components == 0 || kind > (components_mask | is_double | has_bound))
      corrupt("the kind of the values is unknown", 0);
    info.shape.particles = read_number(in);
    if (info.shape.particles > most_array_particles) corrupt("more particles than there may be", in.position());
    info.shape.frames = read_number(in);
    if ((kind & has_bound) != 0) {
      info.bound = in.f64();
      if (!(info.bound > 0) || !std::isfinite(info.bound)) corrupt("the bound is not positive", in.position());
    }
    if (info.shape.frames > in.left()) corrupt("more frames than bytes", in.position());
    require_memory(info.shape.frames, sizeof(ArrayFrame));
    head.frames.reserve(static_cast<std::size_t>(info.shape.frames));
    double step = 0;
    for (std::uint64_t t = 0; t < info.shape.frames; ++t) {
      head.frames.push_back(read_entry(in, info, step));
      step = head.frames.back().step;
    }
    for (ArrayFrame &frame : head.frames) {
      frame.offset = file_start_size + in.position();
      const std::uint8_t *const stored = in.take(frame.length);
      if (info.shape.particles == 0) {
        if (frame.length != 0) corrupt("a frame without particles has a chunk", in.position());
        continue;
      }
      frame.is_key = frame.form == ArrayChunk::ordered ||
                     (frame.form == ArrayChunk::whole && located(in.position(), [&] {
                                                           return chunk_kind(stored, frame.length);
                                                         }) != ChunkKind::difference);
    }
    if (in.left() != 0) corrupt("bytes after the last frame", in.position());
    if (info.shape.particles > 0 && !head.frames.empty() && !head.frames[0].is_key)
      corrupt("the first frame is no key frame", 0);
    return std::move(head);
  });
}

void unpack_array_chunk(const std::uint8_t *bytes, const ArrayFrame &frame, const FrameArrayInfo &info,
                        const Bytes &ids, Column<std::uint8_t> &chunk) {
  if (frame.form == ArrayChunk::whole) {
    chunk.resize(frame.length);
    std::copy_n(bytes, frame.length, chunk.data());
    return;
  }
  ByteReader in(bytes, frame.length);
  const std::uint64_t packed = read_number(in);
  if (packed > most_packed) corrupt("more packed words than there may be", 0);
  std::uint64_t words[most_packed];
  for (std::uint64_t k = 0; k < packed; ++k) words[k] = unfold(read_number(in));
  const std::size_t rest = in.left();
  if (rest % word_size != 0) corrupt("a section whose length is no multiple of 8", in.position());
  const std::size_t section = static_cast<std::size_t>(packed) * word_size + rest;
  const bool is_ordered = frame.form == ArrayChunk::ordered;
  const ChunkKind kind = is_ordered ? ChunkKind::ordered : ChunkKind::difference;
  Bytes head;
  if (is_ordered)
    append_chunk_head(kind, {ids_field}, fields, head);
  else
    append_difference_head(info.shape.particles, {}, 0, fields, head);
  set_section_length(head, kind, values_field, section);
  if (is_ordered) set_section_length(head, kind, ids_field, ids.size());
  chunk.resize(head.size() + section + (is_ordered ? ids.size() : 0));
  std::uint8_t *to = std::copy(head.begin(), head.end(), chunk.data());
  for (std::uint64_t k = 0; k < packed; ++k, to += word_size) store_little(to, words[k]);
  to = std::copy_n(in.take(rest), rest, to);
  if (is_ordered) std::copy(ids.begin(), ids.end(), to);
}

}  // namespace format
}  // namespace gpz
