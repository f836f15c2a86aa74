// SPDX-License-Identifier: BSD-3-Clause
#include "gpz/model/ordered_section.hpp"

#include <algorithm>
#include <memory>

#include "gpz/codec/number_coder.hpp"
#include "gpz/codec/ordered_search.hpp"
#include "gpz/codec/parallel.hpp"
#include "gpz/core/ordered.hpp"
#include "gpz/error.hpp"
#include "gpz/format/bytes.hpp"
#include "gpz/format/corrupt.hpp"
#include "gpz/model/exceptions.hpp"
#include "gpz/model/margin.hpp"
#include "gpz/model/ordered_walk.hpp"

namespace gpz::model {

using format::corrupt;

namespace {

constexpr unsigned largest_base = 64;
constexpr std::size_t segment_size = 8192;  // particles; the last segment may have fewer

std::size_t segments_of(std::size_t particles) { return (particles + segment_size - 1) / segment_size; }

struct Segment {
  std::size_t first = 0;  // particle
  std::size_t count = 0;

  Segment(std::size_t s, std::size_t particles)
      : first(s * segment_size), count(std::min(segment_size, particles - first)) {}
};

// Residuals are numbered as of expectations half a step above a grid point: the upper neighbour comes first.
constexpr std::int32_t upper_first = 32;

struct EncodeSide {
  codec::IndexColumns q;
  codec::NumberEncoder *numbers;
  std::vector<std::int64_t> *exceptions;

  std::int64_t index(std::size_t i, std::size_t d) const { return q[d][i]; }

  std::int64_t value(const OrderedWalk &walk, std::size_t i, std::size_t d, std::int64_t expected, unsigned context) {
    const core::GridAxis &axis = walk.box[d];
    const std::int64_t index = q[d][i];
    const std::int64_t position = core::inside(index, axis);
    const std::int64_t moved = core::displacement(position, expected, axis);
    const std::uint32_t u = core::narrow_number(core::residual_number(moved, upper_first));
    const std::int64_t other = core::other_image(position, axis, walk.margin[d]);
    const bool flag = index != position;
    const bool is_lost = u == core::widest_residual ||
                         core::wrap(core::sum_of(expected, core::numbered_residual(u, upper_first)), axis) != position;
    if (is_lost || (flag && index != other)) {
      numbers->put(context, core::widest_residual);
      exceptions->push_back(index);
      return moved;
    }
    numbers->put(context, u);
    if (axis.period != 0 && other != position) numbers->put(OrderedContexts::flag, flag ? 1 : 0);
    return moved;
  }
};

struct DecodeSide {
  codec::IndexOutput q;
  codec::NumberCursor numbers;
  ExceptionReader exceptions;

  std::int64_t index(std::size_t i, std::size_t d) const { return q[d][i]; }

  [[gnu::always_inline]] std::int64_t value(const OrderedWalk &walk, std::size_t i, std::size_t d,
                                            std::int64_t expected, unsigned context) {
    const std::uint32_t u = numbers.get(context);
    const std::int64_t residual = core::numbered_residual(u, upper_first);
    const std::int64_t position = core::sum_of(expected, residual);
    // The usual case: the residual is the shorter vector, and there is no other image.
    if (u < walk.short_number[d] && walk.inner[d].has(position)) {
      q[d][i] = position;
      return residual;
    }
    DecodeSide copy = *this;  // the call gets the address of a copy, so that *this can stay in registers
    const std::int64_t slow = copy.unusual_value(walk, i, d, position, u);
    *this = copy;
    return core::displacement(slow, expected, walk.box[d]);
  }

 private:
  // Returns the position. `unwrapped`: of the number u.
  [[gnu::noinline]] std::int64_t unusual_value(const OrderedWalk &walk, std::size_t i, std::size_t d,
                                               std::int64_t unwrapped, std::uint32_t u) {
    const core::GridAxis &axis = walk.box[d];
    if (u == core::widest_residual) {
      q[d][i] = exceptions.next();
      return core::inside(q[d][i], axis);
    }
    const std::int64_t position = core::wrap(unwrapped, axis);
    q[d][i] = position;
    if (axis.period != 0) {
      const std::int64_t other = core::other_image(position, axis, walk.margin[d]);
      if (other != position && numbers.get(OrderedContexts::flag) != 0) q[d][i] = other;
    }
    return position;
  }
};

// Sets the state that encoder and decoder share before any bytes are read.
void prepare(const codec::OrderedShape &shape, OrderedWalk &walk) {
  walk.particles = shape.particles;
  walk.components = static_cast<std::size_t>(shape.components);
  for (std::size_t d = 0; d < walk.components; ++d) walk.box[d] = core::checked_axis(shape.box[d]);
  bool ascending = shape.ids != nullptr;
  for (std::size_t i = 1; i < shape.particles && ascending; ++i) ascending = shape.ids[i] > shape.ids[i - 1];
  const bool dense = ascending && core::difference_of(shape.ids[shape.particles - 1], shape.ids[0]) ==
                                      static_cast<std::int64_t>(shape.particles - 1);
  walk.ids = ascending && !dense ? shape.ids : nullptr;
}

Chain choose_chain(const codec::OrderedShape &shape, const codec::IndexColumns &q) {
  const auto scratch = std::make_unique<codec::OrderedScratch>();
  const codec::OrderedPredictor found = choose_ordered_predictor(shape, q, codec::kernels().ordered, *scratch);
  Chain chain;
  chain.swapped = found.swapped;
  for (std::size_t k = 0; k < 2; ++k) {
    chain.lag[k] = found.lag[k];
    std::copy_n(found.offset[k], chain.offset[k].size(), chain.offset[k].begin());
  }
  for (std::size_t d = 0; d < static_cast<std::size_t>(shape.components); ++d)
    chain.first[d] = core::inside(q[d][0], core::checked_axis(shape.box[d]));
  return chain;
}

void read_chain(format::ByteReader &in, OrderedWalk &walk) {
  Chain &chain = walk.chain;
  const std::uint8_t unused = in.u8();
  if (unused == 1) throw format::left_the_format("a section of coding 12 with bonds", format::bonds_left_behind, 0);
  if (unused != 0) corrupt("header of an ordered section", 0);
  chain.swapped = in.u8();
  if (chain.swapped >> walk.components != 0) corrupt("header of an ordered section", in.position());
  for (std::uint32_t &lag : chain.lag) {
    lag = in.u16();
    if (lag > core::max_lag) corrupt("lag of an ordered section", in.position());
  }
  walk.contexts.base = in.u8();
  if (walk.contexts.base > largest_base || in.u8() != 0) corrupt("header of an ordered section", in.position());
  for (auto &offset : chain.offset)
    for (std::size_t d = 0; d < walk.components; ++d) {
      offset[d] = in.i64();
      if (!core::is_offset(offset[d], walk.box[d])) corrupt("offset of an ordered section", in.position());
    }
  for (std::size_t d = 0; d < walk.components; ++d) chain.first[d] = core::inside(in.i64(), walk.box[d]);
  for (std::size_t d = 0; d < walk.components; ++d) {
    walk.margin[d] = static_cast<std::int64_t>(in.u32());
    if (walk.margin[d] > INT32_MAX) corrupt("margin of an ordered section", in.position());
  }
  for (std::size_t d = walk.components; d % 2 != 0; ++d)
    if (in.u32() != 0) corrupt("padding of an ordered section", in.position());
}

void append_chain(const OrderedWalk &walk, format::ByteWriter &writer) {
  const Chain &chain = walk.chain;
  writer.u8(0);
  writer.u8(static_cast<std::uint8_t>(chain.swapped));
  for (const std::uint32_t lag : chain.lag) writer.u16(static_cast<std::uint16_t>(lag));
  writer.u8(static_cast<std::uint8_t>(walk.contexts.base));
  writer.u8(0);
  for (const auto &offset : chain.offset)
    for (std::size_t d = 0; d < walk.components; ++d) writer.i64(offset[d]);
  for (std::size_t d = 0; d < walk.components; ++d) writer.i64(chain.first[d]);
  for (std::size_t d = 0; d < walk.components; ++d) writer.u32(static_cast<std::uint32_t>(walk.margin[d]));
  for (std::size_t d = walk.components; d % 2 != 0; ++d) writer.u32(0);
}

// Exceptions and numbers of the segments.
struct Head {
  std::vector<std::uint32_t> counts;  // exceptions of each segment
  const std::uint8_t *exceptions = nullptr;
  std::size_t end = 0;  // offset of the numbers
};

Head read_head(const std::uint8_t *bytes, std::size_t size, OrderedWalk &walk) {
  format::ByteReader in(bytes, size);
  read_chain(in, walk);
  Head head;
  const std::size_t segments = segments_of(walk.particles);
  if (segments > in.left() / sizeof(std::uint32_t)) corrupt("segments of an ordered section", in.position());
  head.counts.resize(segments);
  std::uint64_t all = 0;
  for (std::uint32_t &count : head.counts) all += count = in.u32();
  while (in.position() % 8 != 0)
    if (in.u8() != 0) corrupt("padding of an ordered section", in.position() - 1);
  if (all > in.left() / sizeof(std::int64_t)) corrupt("number of exceptions", in.position());
  head.exceptions = in.take(static_cast<std::size_t>(all) * sizeof(std::int64_t));
  head.end = in.position();
  return head;
}

// A segment as a walk of its own.
OrderedWalk walk_of(const OrderedWalk &walk, const Segment &segment) {
  OrderedWalk part = walk;
  part.particles = segment.count;
  if (walk.ids != nullptr) part.ids = walk.ids + segment.first;
  return part;
}

template <typename Columns>
Columns from(const Columns &columns, std::size_t first) {
  Columns moved = columns;
  for (auto &column : moved)
    if (column != nullptr) column += first;
  return moved;
}

struct EncodedSegment {
  codec::NumberEncoder numbers{OrderedContexts::count};
  std::vector<std::int64_t> exceptions;

  void encode(const OrderedWalk &walk, const codec::IndexColumns &q) {
    numbers.reserve(walk.particles * (walk.components + 1));
    run_ordered(walk, EncodeSide{q, &numbers, &exceptions});
    numbers.end_segment();
  }
};

std::vector<EncodedSegment> encode_segments(const OrderedWalk &walk, const codec::IndexColumns &q, int threads) {
  std::vector<EncodedSegment> segments(segments_of(walk.particles));
  codec::parallel_ranges(codec::thread_count(threads, segments.size()), segments.size(),
                         [&](int, std::uint64_t first, std::uint64_t last) {
                           for (auto s = static_cast<std::size_t>(first); s < last; ++s) {
                             const Segment segment(s, walk.particles);
                             segments[s].encode(walk_of(walk, segment), from(q, segment.first));
                           }
                         });
  return segments;
}

void append_exceptions(const std::vector<EncodedSegment> &segments, format::ByteWriter &writer) {
  for (const EncodedSegment &segment : segments) writer.u32(static_cast<std::uint32_t>(segment.exceptions.size()));
  if (segments.size() % 2 != 0) writer.u32(0);
  for (const EncodedSegment &segment : segments)
    for (const std::int64_t index : segment.exceptions) writer.i64(index);
}

void append_numbers(std::vector<EncodedSegment> &segments, int threads, std::vector<std::uint8_t> &bytes) {
  std::vector<codec::NumberSegment> numbers;
  numbers.reserve(segments.size());
  for (EncodedSegment &segment : segments) numbers.push_back(segment.numbers.segments().front());
  codec::append_segments(numbers, OrderedContexts::count, threads, bytes);
}

}  // namespace

void encode_ordered_segments(const codec::OrderedShape &shape, const codec::IndexColumns &q, int threads,
                             std::vector<std::uint8_t> &bytes) {
  OrderedWalk walk;
  prepare(shape, walk);
  walk.chain = choose_chain(shape, q);
  for (std::size_t d = 0; d < walk.components; ++d) walk.margin[d] = find_margin(q[d], shape.particles, walk.box[d]);
  walk.find_inner();
  // Scales are sums of three components in sixteenths. With this base, a residual of one step has level 0.
  walk.contexts.base = Contexts::half_octaves(16);
  std::vector<EncodedSegment> segments = encode_segments(walk, q, threads);
  format::ByteWriter writer(bytes);
  append_chain(walk, writer);
  append_exceptions(segments, writer);
  append_numbers(segments, threads, bytes);
}

void decode_ordered_segments(const codec::OrderedShape &shape, const std::uint8_t *bytes, std::size_t size, int threads,
                             const codec::IndexOutput &q) {
  OrderedWalk walk;
  prepare(shape, walk);
  const Head head = read_head(bytes, size, walk);
  walk.find_inner();
  const std::size_t segments = head.counts.size();
  std::vector<codec::NumberDecoder> streams =
      codec::open_segments(bytes + head.end, size - head.end, OrderedContexts::count, segments);
  std::vector<std::uint64_t> before(segments);  // exceptions of earlier segments
  for (std::size_t s = 1; s < segments; ++s) before[s] = before[s - 1] + head.counts[s - 1];
  codec::parallel_ranges(
      codec::thread_count(threads, segments), segments, [&](int, std::uint64_t first, std::uint64_t last) {
        for (auto s = static_cast<std::size_t>(first); s < last; ++s) {
          const Segment segment(s, shape.particles);
          const ExceptionReader exceptions(head.exceptions + before[s] * sizeof(std::int64_t), head.counts[s]);
          const DecodeSide end =
              run_ordered(walk_of(walk, segment), DecodeSide{from(q, segment.first), streams[s].cursor(), exceptions});
          end.exceptions.end();
          streams[s].go_to(end.numbers);
          streams[s].end();
        }
      });
}

}  // namespace gpz::model
