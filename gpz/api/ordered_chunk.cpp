#include "gpz/api/ordered_chunk.hpp"

#include <algorithm>
#include <numeric>
#include <string>

#include "gpz/api/indices.hpp"
#include "gpz/cpu/ordered_codec.hpp"
#include "gpz/error.hpp"
#include "gpz/format/bytes.hpp"
#include "gpz/format/difference_chunk.hpp"
#include "gpz/format/grid_box.hpp"

namespace gpz::api {
namespace {

constexpr std::size_t identity_at = 8;
constexpr std::size_t lengths_at = 16;

[[noreturn]] void corrupt(const std::string &cause, std::uint64_t position) {
  throw Error(Status::corrupt, cause, {}, position);
}

bool is_lossless_float(const Field &field) { return field.type != ValueType::integer && field.step == 0; }

// Appends the section of one field; `ids` is empty for the ids themselves.
void append_section(const FieldInput &input, const Rows &rows, const std::vector<std::int64_t> &ids, const Box &box,
                    ChunkEncoder &encoder, Indices &indices, EncodedChunk &out, double &largest_error) {
  const std::size_t begin = out.bytes.size();
  const bool lossless_float = is_lossless_float(input.field);
  indices.load(input, rows, nullptr, largest_error);
  if (!lossless_float) {
    const core::GridBox edges = format::grid_box(box, input.field);
    const std::size_t components = input.field.components.size();
    format::append_field_coding({format::ordered_values, {}}, out.bytes);
    format::append_section_head(edges, components, indices.exact, out.bytes);
    const cpu::OrderedShape shape{rows.size(), static_cast<int>(components), ids.empty() ? nullptr : ids.data(), edges};
    cpu::encode_ordered(shape, indices.columns(components), out.bytes);
    if (input.field.leading || ids.empty()) return;
  }
  // What has nothing to do with the order of the ids may be smaller by itself.
  std::vector<std::uint8_t> alone;
  format::append_field_coding({format::block_coded_values, {}}, alone);
  append_block_coded(input, rows, encoder, alone);
  if (!lossless_float && alone.size() >= out.bytes.size() - begin) return;
  out.bytes.resize(begin);
  out.bytes.insert(out.bytes.end(), alone.begin(), alone.end());
}

std::uint64_t length_at(const std::uint8_t *bytes, std::size_t field) {
  return format::load_little<std::uint64_t>(bytes + lengths_at + field * 8);
}

class OrderedDecoder {
 public:
  OrderedDecoder(Frame &frame, std::uint64_t particles, int threads)
      : frame_(frame), particles_(particles), threads_(threads) {}

  // Decodes a section, if `store` into rows [first, first + particles) of the columns, and keeps the indices.
  void decode(std::size_t field, const std::uint8_t *bytes, std::size_t size, std::size_t first, bool store) {
    const format::FieldCoding coding = format::read_field_coding(bytes, size, format::ordered_values);
    std::size_t at = format::field_coding_size;
    if (coding.kind == format::block_coded_values) {
      if (!store) corrupt("ids that are not coded in their order", 0);
      decode_block_coded(bytes + at, size - at, field, first, particles_, frame_, threads_);
      return;
    }
    const Field &described = frame_.info.fields[field];
    if (is_lossless_float(described)) corrupt("coding of a field without a grid", 0);
    core::GridBox box{};
    at += format::read_section_head(bytes + at, size - at, described, particles_, box, indices_.exact);
    const std::size_t components = described.components.size();
    const cpu::OrderedShape shape{static_cast<std::size_t>(particles_), static_cast<int>(components),
                                  ids_.empty() ? nullptr : ids_.data(), box};
    cpu::decode_ordered(shape, bytes + at, size - at, indices_.resize(particles_, components));
    if (store) indices_.store(frame_, field, first);
  }

  void keep_ids() { ids_ = indices_.column[0]; }
  void store_ids(std::size_t field, std::size_t first) {
    std::copy(ids_.begin(), ids_.end(),
              column_of(frame_, field, 0).integers.begin() + static_cast<std::ptrdiff_t>(first));
  }

 private:
  Frame &frame_;
  std::uint64_t particles_;
  int threads_;
  Indices indices_;
  std::vector<std::int64_t> ids_;
};

}  // namespace

void encode_ordered_chunk(const std::vector<FieldInput> &fields, std::size_t identity, std::size_t particles,
                          const int *rows, const Box &box, ChunkEncoder &encoder, EncodedChunk &out) {
  Rows order(particles);
  for (std::size_t i = 0; i < particles; ++i) order[i] = static_cast<std::uint32_t>(rows == nullptr ? i : rows[i]);
  std::vector<std::int64_t> ids(particles);
  for_integers(fields[identity].components[0], order, [&](std::size_t i, auto value) { ids[i] = value; });
  std::vector<std::uint32_t> by_id(particles);
  std::iota(by_id.begin(), by_id.end(), 0u);
  std::stable_sort(by_id.begin(), by_id.end(), [&](std::uint32_t a, std::uint32_t b) { return ids[a] < ids[b]; });
  Rows sorted(particles);
  std::transform(by_id.begin(), by_id.end(), sorted.begin(), [&](std::uint32_t i) { return order[i]; });
  for_integers(fields[identity].components[0], sorted, [&](std::size_t i, auto value) { ids[i] = value; });

  out.bytes.clear();
  format::ByteWriter writer(out.bytes);
  writer.u32(core::default_block_size);
  writer.u32(static_cast<std::uint32_t>(ChunkKind::ordered));
  writer.u64(identity);
  for (std::size_t f = 0; f < fields.size(); ++f) writer.u64(0);
  out.largest_error.assign(fields.size(), 0);
  Indices indices;
  for (std::size_t f = 0; f < fields.size(); ++f) {
    const std::size_t begin = out.bytes.size();
    append_section(fields[f], sorted, f == identity ? std::vector<std::int64_t>() : ids, box, encoder, indices, out,
                   out.largest_error[f]);
    format::store_little(out.bytes.data() + lengths_at + f * 8, std::uint64_t{out.bytes.size() - begin});
  }
  out.particles = particles;
  out.checksum = chunk_checksum(out.bytes.data(), out.bytes.size());
}

void decode_ordered_chunk(const std::uint8_t *bytes, std::size_t size, std::uint64_t particles, Frame &frame,
                          const std::vector<bool> &wanted, int threads) {
  const std::size_t fields = frame.info.fields.size();
  const std::size_t head = lengths_at + fields * 8;
  if (size < head) throw Error(Status::truncated, "chunk header", {}, size);
  if (format::load_little<std::uint32_t>(bytes) != core::default_block_size) corrupt("block size", 0);
  const auto identity = format::load_little<std::uint64_t>(bytes + identity_at);
  if (identity >= fields || frame.info.fields[identity].type != ValueType::integer ||
      frame.info.fields[identity].components.size() != 1)
    corrupt("field of the ids", identity_at);
  std::vector<std::size_t> begin(fields);
  std::size_t at = head;
  for (std::size_t f = 0; f < fields; ++f) {
    begin[f] = at;
    const std::uint64_t length = length_at(bytes, f);
    if (length % 8 != 0 || length > size - at) corrupt("section length", lengths_at + f * 8);
    at += static_cast<std::size_t>(length);
  }
  if (at != size) corrupt("chunk longer than its sections", at);
  if (!may_be_ordered(particles, size)) corrupt("more particles than a chunk of this length may have", 0);

  OrderedDecoder decoder(frame, particles, threads);
  const auto section = [&](std::size_t f, bool store) {
    const std::size_t first = store ? grow_columns(frame, f, static_cast<std::size_t>(particles)) : 0;
    try {
      decoder.decode(f, bytes + begin[f], static_cast<std::size_t>(length_at(bytes, f)), first, store);
    } catch (const Error &error) {
      const std::uint64_t inside = error.position() == Error::no_position ? 0 : error.position();
      throw Error(error.status(), error.cause(), {}, begin[f] + inside);
    }
  };
  const auto is_wanted = [&](std::size_t f) { return wanted.empty() || wanted[f]; };
  section(identity, false);
  decoder.keep_ids();
  for (std::size_t f = 0; f < fields; ++f) {
    if (!is_wanted(f)) continue;
    if (f != identity) {
      section(f, true);
      continue;
    }
    decoder.store_ids(f, grow_columns(frame, f, static_cast<std::size_t>(particles)));
  }
}

}  // namespace gpz::api
