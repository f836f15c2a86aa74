// SPDX-License-Identifier: BSD-3-Clause
#include "mutator.hpp"

#include <algorithm>
#include <limits>
#include <string>

#include "gpz/chunk.hpp"
#include "gpz/error.hpp"
#include "gpz/format/container_bytes.hpp"
#include "gpz/format/container_parse.hpp"
#include "gpz_file.hpp"

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t *data, std::size_t size, std::size_t capacity);

namespace gpz::fuzz {
namespace {

constexpr std::size_t growth = 64;  // bytes that a part may gain at once

std::size_t below(Random &random, std::size_t count) { return random() % count; }
bool one_in(Random &random, std::size_t count) { return below(random, count) == 0; }

void mutate(Bytes &bytes) {
  const std::size_t size = bytes.size();
  bytes.resize(size + growth);
  bytes.resize(LLVMFuzzerMutate(bytes.data(), size, bytes.size()));
}

template <typename T>
void mutate_number(T &number) {
  LLVMFuzzerMutate(reinterpret_cast<std::uint8_t *>(&number), sizeof number, sizeof number);
}

double some_number(Random &random) {
  constexpr double numbers[] = {0, 1, -1, 0.5, 1e-3, 1e-30, 1e30, 1e300, 5e-324, 1e-310, 4096.25, -123.5};
  if (one_in(random, 8)) return std::numeric_limits<double>::infinity();
  if (one_in(random, 8)) return std::numeric_limits<double>::quiet_NaN();
  return numbers[below(random, std::size(numbers))];
}

// ---- what a frame is

void mutate_field(Field &field, Random &random) {
  switch (below(random, 7)) {
    case 0:
      field.type = static_cast<ValueType>(1 + below(random, 3));
      if (field.type == ValueType::integer) field.bound = field.step = field.largest_error = 0;
      break;
    case 1:
      field.components.resize(1 + below(random, 3), {"c", 7});
      break;
    case 2:
      field.leading = !field.leading;
      break;
    case 3:
      field.bound = field.step = std::abs(some_number(random));
      field.largest_error = 0;
      break;
    case 4:
      mutate_number(field.step);
      break;
    case 5: {
      constexpr const char *names[] = {"id", "x", "type", "element", "ix", "xs", "\n\x1b[31m", "\xff\xfe", "a b"};
      field.components[below(random, field.components.size())].name = names[below(random, std::size(names))];
      break;
    }
    default:
      field.display = static_cast<Display>(2 * below(random, 3));
  }
}

void mutate_info(FrameInfo &info, Random &random) {
  switch (below(random, 9)) {
    case 0:
      mutate_number(info.timestep);
      break;
    case 1:
      mutate_number(info.time);
      break;
    case 2:
      info.box.kind = static_cast<Box::Kind>(below(random, 4));
      break;
    case 3:
      info.box.values[below(random, info.box.values.size())] = some_number(random);
      break;
    case 4:
      info.box.boundary[below(random, info.box.boundary.size())] = "pfsm"[below(random, 4)];
      break;
    case 5:
      info.since_key = static_cast<std::uint16_t>(one_in(random, 2) ? info.since_key + 1 : below(random, 3));
      break;
    case 6:
      info.box.dimension = static_cast<std::uint8_t>(5 - info.box.dimension);
      break;
    default:
      if (!info.fields.empty()) mutate_field(info.fields[below(random, info.fields.size())], random);
  }
}

// ---- chunks

void mutate_chunk(Chunk &chunk, std::size_t fields, Random &random) {
  if (one_in(random, 16)) {
    mutate_number(chunk.particles);
    return;
  }
  if (one_in(random, 16)) {
    chunk.particles += below(random, 3) - 1;
    return;
  }
  auto parts = one_in(random, 8) ? std::nullopt : split(chunk.bytes, fields);
  if (!parts) {
    mutate(chunk.bytes);
    chunk.bytes.resize(std::max<std::size_t>(8, (chunk.bytes.size() + 7) / 8 * 8));
    return;
  }
  const std::size_t part = below(random, fields + 3);
  if (part < fields)
    mutate(parts->sections[part]);
  else if (part == fields)
    mutate(parts->leaving);
  else if (part == fields + 1)
    mutate(parts->arrivals);
  else  // not the kind: the parts are those of this one
    LLVMFuzzerMutate(parts->start.data() + 8, parts->start.size() - 8, parts->start.size() - 8);
  chunk.bytes = join(std::move(*parts));
}

// A section of one chunk in the place of one of another.
void take_section(Frame &to, const Frame &from, Random &random) {
  if (to.chunks.empty() || from.chunks.empty() || to.info.fields.empty() || from.info.fields.empty()) return;
  Chunk &chunk = to.chunks[below(random, to.chunks.size())];
  auto parts = split(chunk.bytes, to.info.fields.size());
  const auto others = split(from.chunks[below(random, from.chunks.size())].bytes, from.info.fields.size());
  if (!parts || !others) return;
  parts->sections[below(random, parts->sections.size())] = others->sections[below(random, others->sections.size())];
  chunk.bytes = join(std::move(*parts));
}

// ---- the order of things

void mutate_structure(File &file, Random &random) {
  std::vector<Record> &records = file.records;
  if (records.empty()) return;
  const std::size_t a = below(random, records.size());
  const std::size_t b = below(random, records.size());
  switch (below(random, 9)) {
    case 0:
      records.insert(records.begin() + static_cast<std::ptrdiff_t>(a), Record(records[b]));
      break;
    case 1:
      records.erase(records.begin() + static_cast<std::ptrdiff_t>(a));
      break;
    case 2:
      std::swap(records[a], records[b]);
      break;
    case 3:  // a short file: quicker, and its parts are changed more often
      records.resize(a + 1);
      break;
    case 4:
      if (records[a].frame && records[b].frame && !records[b].frame->chunks.empty()) {
        const auto &chunks = records[b].frame->chunks;
        records[a].frame->chunks.push_back(Chunk(chunks[below(random, chunks.size())]));
      }
      break;
    case 5:
      if (records[a].frame && records[b].frame) std::swap(records[a].frame->chunks, records[b].frame->chunks);
      break;
    case 6:
      if (records[a].frame && records[a].frame->chunks.size() > 1) records[a].frame->chunks.pop_back();
      break;
    case 7:
      if (records[a].frame && records[b].frame) take_section(*records[a].frame, Frame(*records[b].frame), random);
      break;
    default:
      file.has_index = !file.has_index;
  }
}

// A head that the format may forbid, behind a checksum that holds.
void mutate_head(Record &record) {
  if (record.frame) {
    if (auto head = head_of(*record.frame)) record.head = std::move(*head);
    record.body = body_of(*record.frame);
    record.frame.reset();
  }
  mutate(record.head);
}

// The body of a record that is no frame: tables, whose checksum is mended.
void mutate_other(File &file, Random &random) {
  std::vector<Record *> others;
  for (Record &record : file.records)
    if (!record.frame) others.push_back(&record);
  if (!others.empty()) mutate(others[below(random, others.size())]->body);
}

void mutate_metadata(std::string &text) {
  Bytes bytes(text.begin(), text.end());
  mutate(bytes);
  text.assign(bytes.begin(), bytes.end());
}

void mutate_part(File &file, Random &random) {
  const auto frames = file.frames();
  const std::size_t kind = below(random, 16);
  if (kind == 0) {
    mutate_metadata(file.metadata);
    if (below(random, 4) == 0) file.features = static_cast<std::uint32_t>(below(random, feature::known + 2));
  } else if (kind == 1 && !file.records.empty()) {
    mutate_head(file.records[below(random, file.records.size())]);
  } else if (kind == 2) {
    mutate(file.rest);
  } else if (kind < 5) {
    mutate_structure(file, random);
  } else if (kind == 5) {
    mutate_other(file, random);
  } else if (!frames.empty()) {
    Frame &frame = *frames[below(random, frames.size())];
    if (kind < 7) {
      mutate_info(frame.info, random);
    } else if (kind == 7 && !frame.info.fields.empty()) {
      frame.info.fields.pop_back();
    } else if (kind == 8) {
      frame.info.fields.push_back({ValueType::integer, Display::number, false, 0, 0, 0, {{"id", 0}}, {}});
    } else if (!frame.chunks.empty()) {
      mutate_chunk(frame.chunks[below(random, frame.chunks.size())], frame.info.fields.size(), random);
    }
  } else {
    mutate(file.rest);
  }
}

// An index that lies, behind a checksum that holds.
void append_false_index(File &file, Bytes &bytes) {
  file.has_index = true;
  const Bytes whole = put_together(file);
  file.has_index = false;
  bytes = put_together(file);
  Bytes head(whole.begin() + static_cast<std::ptrdiff_t>(bytes.size() + format::record_start_size),
             whole.end() - format::checksum_size - format::trailer_size);
  mutate(head);
  head.resize((head.size() + 7) / 8 * 8);
  const FrameRecord record = format::make_record(format::index_type, head, 0);
  bytes.insert(bytes.end(), record.prefix.begin(), record.prefix.end());
  bytes.insert(bytes.end(), record.trailer.begin(), record.trailer.end());
}

std::size_t hand_over(const Bytes &bytes, std::uint8_t *out, std::size_t capacity) {
  if (bytes.size() > capacity) return 0;
  std::copy(bytes.begin(), bytes.end(), out);
  return bytes.size();
}

}  // namespace

std::size_t mutate_bytes(std::uint8_t *bytes, std::size_t size, std::size_t capacity) {
  return LLVMFuzzerMutate(bytes, size, capacity);
}

std::size_t mutate_file(std::uint8_t *bytes, std::size_t size, std::size_t capacity, Random &random) {
  const std::size_t kind = below(random, 16);
  if (kind == 0) return LLVMFuzzerMutate(bytes, size, capacity);
  if (kind == 1) size = LLVMFuzzerMutate(bytes, size, capacity);
  File file = take_apart(bytes, size);
  Bytes result;
  if (kind == 2) {
    append_false_index(file, result);
  } else {
    const std::size_t changes = kind == 1 ? 0 : 1 + (one_in(random, 4) ? below(random, 4) : 0);
    for (std::size_t i = 0; i < changes; ++i) mutate_part(file, random);
    result = put_together(file);
  }
  const std::size_t made = hand_over(result, bytes, capacity);
  return made != 0 ? made : LLVMFuzzerMutate(bytes, size, capacity);
}

std::size_t cross_files(const std::uint8_t *first, std::size_t first_size, const std::uint8_t *second,
                        std::size_t second_size, std::uint8_t *out, std::size_t capacity, Random &random) {
  File file = take_apart(first, first_size);
  File other = take_apart(second, second_size);
  const auto to = file.frames();
  const auto from = other.frames();
  if (to.empty() || from.empty()) return 0;
  Frame &frame = *to[below(random, to.size())];
  const Frame &source = *from[below(random, from.size())];
  switch (below(random, 4)) {
    case 0:
      frame.chunks = source.chunks;
      break;
    case 1:
      frame = source;
      break;
    case 2:
      take_section(frame, source, random);
      break;
    default: {
      Record record;
      record.type = format::frame_type;
      record.frame = source;
      file.records.push_back(std::move(record));
    }
  }
  return hand_over(put_together(file), out, capacity);
}

}  // namespace gpz::fuzz
