// SPDX-License-Identifier: BSD-3-Clause
#include "gpz/frame_array.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>
#include <utility>

#include "gpz/api/input_grids.hpp"
#include "gpz/api/source.hpp"
#include "gpz/codec/ordered_codec.hpp"
#include "gpz/codec/parallel.hpp"
#include "gpz/error.hpp"
#include "gpz/format/arithmetic.hpp"
#include "gpz/format/corrupt.hpp"
#include "gpz/format/frame_array.hpp"
#include "gpz/format/opened_chunk.hpp"
#include "gpz/format/section_head.hpp"
#include "gpz/trajectory.hpp"
#include "gpz/trajectory/interval_decoder.hpp"

namespace gpz {
namespace {

constexpr const char *array_name = "frame array";  // of error messages
constexpr std::size_t values_field = 0;
constexpr std::size_t ids_field = 1;

ConstArray::Type array_type(ValueType type) {
  return type == ValueType::float64 ? ConstArray::Type::float64 : ConstArray::Type::float32;
}

void check(const FrameArrayShape &shape) {
  if (shape.type != ValueType::float32 && shape.type != ValueType::float64)
    throw Error(Status::invalid_argument, "the values of a frame array are float32 or float64");
  if (shape.components < 1 || shape.components > 3)
    throw Error(Status::invalid_argument,
                "a frame array has 1 to 3 components, not " + std::to_string(shape.components));
  if (shape.particles > format::most_array_particles)
    throw Error(Status::limit_exceeded, "more than 2^31 - 1 particles");
  shape.bytes();
}

void check(const FrameArrayShape &shape, const FrameArrayOptions &options) {
  check(shape);
  if (!(options.bound >= 0) || !std::isfinite(options.bound))
    throw Error(Status::invalid_argument, "the bound is negative or not finite");
  KeySchedule schedule;
  schedule.set_interval(options.key_interval);  // throws
  const std::size_t boxes = options.boxes.size();
  if (boxes > 1 && boxes != shape.frames)
    throw Error(Status::invalid_argument, std::to_string(boxes) + " boxes for " + std::to_string(shape.frames) +
                                              " frames: give one for each frame, one for all, or none");
}

// The values of one frame as arrays of strided components.
template <typename AnyArray, typename Byte>
std::array<AnyArray, 3> arrays_of(Byte *frame, const FrameArrayShape &shape) {
  const ConstArray::Type type = array_type(shape.type);
  const std::size_t size = element_size(type);
  std::array<AnyArray, 3> arrays{};
  for (unsigned d = 0; d < shape.components; ++d)
    arrays[d] = {frame + d * size, static_cast<std::ptrdiff_t>(shape.components * size), type};
  return arrays;
}

std::size_t frame_bytes(const FrameArrayShape &shape) {
  return FrameArrayShape{shape.type, 1, shape.particles, shape.components}.bytes();
}

std::vector<std::int64_t> numbers(std::uint64_t particles) {
  std::vector<std::int64_t> ids(static_cast<std::size_t>(particles));
  std::iota(ids.begin(), ids.end(), 1);
  return ids;
}

struct EncodedFrame {
  format::ArrayFrame frame;
  Bytes bytes;
};

// Encodes the frames from a key frame to the next one. Nothing is kept from one key interval to the next, so that the
// bytes do not depend on which thread encodes which.
class ArrayEncoder {
 public:
  ArrayEncoder(const std::uint8_t *values, const FrameArrayInfo &info, const FrameArrayOptions &options,
               std::uint32_t features, const std::vector<std::int64_t> &ids, int threads)
      : values_(values),
        info_(info),
        options_(options),
        encoding_{Order::id, options.effort, features},
        ids_(ids),
        encoder_(threads) {}

  void encode(std::uint64_t first, std::uint64_t last, EncodedFrame *out) {
    api::InputGrids grids;
    FrameInfo frame;
    frame.particles = info_.shape.particles;
    for (std::uint64_t t = first; t < last; ++t, ++out) {
      frame.since_key = static_cast<std::uint16_t>(t - first);
      if (!options_.boxes.empty()) frame.box = options_.boxes[options_.boxes.size() == 1 ? 0 : t];
      std::vector<FieldInput> fields = inputs(t);
      grids.apply(fields, static_cast<std::size_t>(frame.particles), nullptr);
      for (FieldInput &input : fields) fill_step(input.field);
      encoder_.encode(frame, fields, nullptr, encoding_, chunk_);
      out->frame = format::append_array_frame(chunk_.bytes, info_, fields[values_field].field.step, out->bytes);
    }
  }

 private:
  std::vector<FieldInput> inputs(std::uint64_t t) const {
    std::vector<Field> described = format::array_fields(info_, 0);
    std::vector<FieldInput> fields(described.size());
    for (std::size_t f = 0; f < fields.size(); ++f) fields[f].field = std::move(described[f]);
    fields[values_field].components = arrays_of<ConstArray>(values_ + t * frame_bytes(info_.shape), info_.shape);
    fields[ids_field].components[0] = {ids_.data(), sizeof(std::int64_t), ConstArray::Type::int64};
    return fields;
  }

  const std::uint8_t *values_;
  const FrameArrayInfo &info_;
  const FrameArrayOptions &options_;
  const Encoding encoding_;
  const std::vector<std::int64_t> &ids_;
  IntervalEncoder encoder_;
  EncodedChunk chunk_;
};

// The section of the ids in ordered chunks, which frame arrays leave out.
Bytes ids_section(std::uint64_t particles) {
  format::require_memory(particles, sizeof(std::int64_t));  // the number is what the bytes say
  Bytes bytes;
  format::FieldCoding coding;
  coding.kind = format::ordered_values;
  format::append_field_coding(coding, bytes);
  const format::Column<format::ExactValue> exact;
  format::append_section_head(format::SectionHead::axes_and_exact_values, core::GridBox{}, 1, exact, bytes);
  const std::vector<std::int64_t> ids = numbers(particles);
  codec::encode_ordered({ids.size(), 1, nullptr, {}}, codec::IndexColumns{ids.data()}, bytes);
  return bytes;
}

// Decodes frames that build on each other.
class FrameDecoder {
 public:
  FrameDecoder(const std::uint8_t *bytes, const format::ArrayHead &head, const Bytes &ids, int threads)
      : bytes_(bytes), head_(head), ids_(ids), threads_(threads) {}

  // Decodes frames `key` to `last` - 1; values of frame `first` and later ones go to `values`.
  void decode(std::size_t key, std::size_t first, std::size_t last, std::uint8_t *values) {
    const std::size_t size = frame_bytes(head_.info.shape);
    for (std::size_t t = key; t < last; ++t) {
      const format::ArrayFrame &frame = head_.frames[t];
      format::located(frame.offset, [&] {
        std::uint8_t *const to = t < first ? nullptr : values + (t - first) * size;
        decode(frame, t, last == t + 1 || head_.frames[t + 1].is_key, to);
      });
    }
  }

 private:
  // `is_last`: no later frame builds on this one.
  void decode(const format::ArrayFrame &frame, std::size_t t, bool is_last, std::uint8_t *values) {
    format::unpack_array_chunk(bytes_ + frame.offset, frame, head_.info, ids_, chunk_);
    format::FrameHead head;
    head.info.particles = head_.info.shape.particles;
    head.info.fields = format::array_fields(head_.info, frame.step);
    since_key_ = frame.is_key ? 0 : since_key_ + 1;
    head.info.since_key = static_cast<std::uint16_t>(since_key_);
    head.info.reference = t;
    head.checksum = t + 1;
    head.chunks = {{head_.info.shape.particles, chunk_.size(), 0}};
    const format::OpenedChunk opened = format::open_chunk(chunk_.data(), chunk_.size(), head.info.fields.size());
    format::require_features(head_.features, format::needed_features(opened));
    // Rows of the packed forms are in the order of ids.
    rows_are_sorted_ =
        frame.form == format::ArrayChunk::ordered || (frame.form == format::ArrayChunk::difference && rows_are_sorted_);
    const bool is_alone = is_last && frame.is_key;
    using Next = trajectory::IntervalDecoder::Next;
    decoder_.begin(head, {true, !rows_are_sorted_ || (frame.is_key && !is_alone)}, threads_,
                   is_alone ? Next::nothing : Next::difference);
    decoder_.chunk(0, opened, head.info.particles, head.info.fields, threads_);
    decoder_.end(head);
    write(head.info, values);
  }

  void write(const FrameInfo &info, std::uint8_t *values) {
    if (values == nullptr) return;
    if (decoder_.particles() != info.particles) format::corrupt("a frame of another number of particles", 0);
    trajectory::Arrangement arrangement;
    if (!rows_are_sorted_) arrangement.sorted_by = ids_field;
    const trajectory::IntervalDecoder::Rows rows = decoder_.arrange(info, arrangement, threads_);
    std::vector<codec::Target> targets(info.fields.size());
    targets[values_field].components = arrays_of<Array>(values, head_.info.shape);
    if (!rows_are_sorted_) {
      row_ids_.resize(static_cast<std::size_t>(info.particles));
      targets[ids_field].components[0] = {row_ids_.data(), sizeof(std::int64_t), ConstArray::Type::int64};
    }
    decoder_.write_all(info.fields, targets, rows, threads_);
    if (!rows_are_sorted_) require_all_rows();
  }

  // Every row is there once.
  void require_all_rows() const {
    for (std::size_t i = 0; i < row_ids_.size(); ++i)
      if (row_ids_[i] != static_cast<std::int64_t>(i) + 1)
        format::corrupt("the ids of a frame are not those from 1 to its particles", 0);
  }

  const std::uint8_t *bytes_;
  const format::ArrayHead &head_;
  const Bytes &ids_;
  int threads_;
  format::Column<std::uint8_t> chunk_;
  format::Column<std::int64_t> row_ids_;  // of a frame whose rows had to be sorted
  trajectory::IntervalDecoder decoder_;
  unsigned since_key_ = 0;
  bool rows_are_sorted_ = false;
};

// Ranges of frames that are decoded without each other: the first one of each is a key frame.
std::vector<std::size_t> intervals_of(const format::ArrayHead &head, std::size_t first, std::size_t last) {
  std::vector<std::size_t> keys;
  for (std::size_t t = first; t < last; ++t)
    if (t == first || head.frames[t].is_key) keys.push_back(t);
  while (!head.frames[keys[0]].is_key) --keys[0];
  keys.push_back(last);
  return keys;
}

void decode_range(const std::uint8_t *bytes, const format::ArrayHead &head, std::size_t first, std::size_t last,
                  std::uint8_t *values, int threads) {
  std::size_t longest = 0;  // stored bytes of an ordered chunk
  for (const format::ArrayFrame &frame : head.frames)
    if (frame.form == format::ArrayChunk::ordered) longest = std::max(longest, frame.length);
  const bool has_ordered = longest != 0;
  // Before there is memory for the ids. A stored byte becomes a word at most; head and ids take 152 bytes.
  constexpr std::uint64_t left_out = 152;
  if (has_ordered && !format::may_have(format::rule_of(ChunkKind::ordered), head.info.shape.particles,
                                       sizeof(std::uint64_t) * longest + left_out))
    format::corrupt("more particles than chunks of this length may have", 0);
  const Bytes ids = has_ordered ? ids_section(head.info.shape.particles) : Bytes();
  const std::vector<std::size_t> starts = intervals_of(head, first, last);
  const std::size_t intervals = starts.size() - 1;
  const int side_by_side = codec::thread_count(threads, intervals);
  const int within = side_by_side == 1 ? threads : 1;
  const std::size_t size = frame_bytes(head.info.shape);
  codec::parallel_ranges(side_by_side, intervals, [&](int, std::uint64_t from, std::uint64_t to) {
    FrameDecoder decoder(bytes, head, ids, within);
    for (std::uint64_t k = from; k < to; ++k) {
      const std::size_t begin = std::max(starts[k], first);
      decoder.decode(starts[k], begin, starts[k + 1], values + (begin - first) * size);
    }
  });
}

}  // namespace

Bytes compress_frames(const void *values, const FrameArrayShape &shape, const FrameArrayOptions &options) {
  const format::UsualArithmetic arithmetic;
  return api::in_file(array_name, [&] {
    check(shape, options);
    format::ArrayHead head;
    head.info = {shape, options.bound};
    head.features = features_of(options.effort, Order::id, true);
    head.frames.resize(static_cast<std::size_t>(shape.frames));
    std::vector<Bytes> pieces(head.frames.size());
    if (shape.frames == 0 || shape.particles == 0) {
      // Steps have to fit the bound, also where there are no values.
      for (format::ArrayFrame &frame : head.frames)
        frame.step = options.bound > 0 ? grid_step(options.bound, shape.type) : 0;
      return format::frame_array_bytes(head, pieces);
    }
    if (values == nullptr) throw Error(Status::invalid_argument, "values is a null pointer");
    const std::vector<std::int64_t> ids = numbers(shape.particles);
    const std::uint64_t interval = options.key_interval;
    const std::uint64_t intervals = (shape.frames + interval - 1) / interval;
    std::vector<EncodedFrame> encoded(head.frames.size());
    const int side_by_side = codec::thread_count(options.threads, intervals);
    const int within = side_by_side == 1 ? options.threads : 1;
    codec::parallel_ranges(side_by_side, intervals, [&](int, std::uint64_t from, std::uint64_t to) {
      ArrayEncoder encoder(static_cast<const std::uint8_t *>(values), head.info, options, head.features, ids, within);
      for (std::uint64_t k = from; k < to; ++k) {
        const std::uint64_t first = k * interval;
        encoder.encode(first, std::min(first + interval, shape.frames), &encoded[static_cast<std::size_t>(first)]);
      }
    });
    for (std::size_t t = 0; t < encoded.size(); ++t) {
      head.frames[t] = encoded[t].frame;
      pieces[t] = std::move(encoded[t].bytes);
    }
    return format::frame_array_bytes(head, pieces);
  });
}

FrameArrayInfo frame_array_info(const void *bytes, std::size_t size, const Limits &limits) {
  format::Budget budget(limits);
  const format::Budget::Scope scope(budget);
  return api::in_file(array_name,
                      [&] { return format::parse_frame_array(static_cast<const std::uint8_t *>(bytes), size).info; });
}

void decompress_frames(const void *bytes, std::size_t size, std::uint64_t first, std::uint64_t count, void *values,
                       std::size_t capacity, const FrameArrayReadOptions &options) {
  const format::UsualArithmetic arithmetic;
  format::Budget budget(options.limits);
  const format::Budget::Scope scope(budget);
  api::in_file(array_name, [&] {
    const auto *const from = static_cast<const std::uint8_t *>(bytes);
    const format::ArrayHead head = format::parse_frame_array(from, size);
    const FrameArrayShape &shape = head.info.shape;
    check(shape);
    if (first > shape.frames || count > shape.frames - first)
      throw Error(Status::not_found, "frames " + std::to_string(first) + " to " + std::to_string(first + count) +
                                         " of an array of " + std::to_string(shape.frames));
    FrameArrayShape wanted = shape;
    wanted.frames = count;
    const std::size_t needed = wanted.bytes();
    if (needed > capacity)
      throw Error(Status::limit_exceeded,
                  "room for " + std::to_string(capacity) + " bytes, where the values take " + std::to_string(needed));
    if (needed == 0) return;
    if (values == nullptr) throw Error(Status::invalid_argument, "values is a null pointer");
    decode_range(from, head, static_cast<std::size_t>(first), static_cast<std::size_t>(first + count),
                 static_cast<std::uint8_t *>(values), options.threads);
  });
}

}  // namespace gpz
