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
#include "gpz/model/ordered_segments.hpp"
#include "gpz/model/ordered_walk.hpp"

namespace gpz::model {

using format::corrupt;

namespace {

enum Flags : std::uint8_t { has_bonds = 1 };
constexpr unsigned largest_base = 64;

// An expectation in 1/64 steps, relative to a position.
struct Expected {
  std::int64_t place;  // nearest grid point
  std::int32_t part;   // side of `place` on which the expectation lies: core::is_above

  Expected(std::int64_t from, std::int64_t expected)
      : place(core::sum_of(from, (expected + 32) >> fraction_bits)),
        part(static_cast<std::int32_t>((expected + 32) & 63)) {}

  std::int64_t place_of(std::uint32_t u, const core::GridAxis &axis) const {
    return core::wrap(core::sum_of(place, core::numbered_residual(u, part)), axis);
  }
};

struct EncodeSide {
  codec::IndexColumns q;
  codec::NumberEncoder *numbers;
  std::vector<std::int64_t> *exceptions;
  std::int64_t moved = 0;

  std::int64_t index(std::size_t i, std::size_t d) const { return q[d][i]; }

  std::int64_t value(const OrderedWalk &walk, std::size_t i, std::size_t d, std::int64_t from, std::int64_t expected,
                     unsigned context) {
    const core::GridAxis &axis = walk.box[d];
    const std::int64_t index = q[d][i];
    const std::int64_t place = core::inside(index, axis);
    const Expected near(from, expected);
    moved = core::displacement(place, near.place, axis);
    const std::uint32_t u = core::narrow_number(core::residual_number(moved, near.part));
    const std::int64_t other = core::other_image(place, axis, walk.margin[d]);
    const bool flag = index != place;
    if (u == core::widest_residual || near.place_of(u, axis) != place || (flag && index != other)) {
      numbers->put(context, core::widest_residual);
      exceptions->push_back(index);
      return place;
    }
    numbers->put(context, u);
    if (axis.period != 0 && other != place) numbers->put(OrderedContexts::flag, flag ? 1 : 0);
    return place;
  }

  bool side(const OrderedWalk &walk, const BoundWay &bound, std::size_t i, const Way &parent, unsigned context) {
    Way way;
    for (std::size_t d = 0; d < way.size(); ++d)
      way[d] = core::displacement(core::inside(q[d][i], walk.box[d]), parent[d], walk.box[d]);
    const bool other = bound.is_on_other_side(way);
    numbers->put(context, other ? 1 : 0);
    return other;
  }
};

struct DecodeSide {
  codec::IndexOutput q;
  codec::NumberCursor numbers;
  ExceptionReader exceptions;
  std::int64_t moved = 0;

  std::int64_t index(std::size_t i, std::size_t d) const { return q[d][i]; }

  [[gnu::always_inline]] std::int64_t value(const OrderedWalk &walk, std::size_t i, std::size_t d, std::int64_t from,
                                            std::int64_t expected, unsigned context) {
    const std::uint32_t u = numbers.get(context);
    const Expected near(from, expected);
    const std::int64_t residual = core::numbered_residual(u, near.part);
    const std::int64_t place = core::sum_of(near.place, residual);
    // The usual case: the residual is the shorter way, and there is no other image.
    if (u < walk.short_number[d] && walk.inner[d].has(place)) {
      moved = residual;
      return q[d][i] = place;
    }
    DecodeSide copy = *this;  // the call gets the address of a copy, so that *this can stay in registers
    const std::int64_t slow = copy.unusual_value(walk, i, d, near, u);
    *this = copy;
    moved = core::displacement(slow, near.place, walk.box[d]);
    return slow;
  }

  bool side(const OrderedWalk &, const BoundWay &, std::size_t, const Way &, unsigned context) {
    return numbers.get(context) != 0;
  }

 private:
  [[gnu::noinline]] std::int64_t unusual_value(const OrderedWalk &walk, std::size_t i, std::size_t d,
                                               const Expected &near, std::uint32_t u) {
    const core::GridAxis &axis = walk.box[d];
    if (u == core::widest_residual) {
      q[d][i] = exceptions.next();
      return core::inside(q[d][i], axis);
    }
    const std::int64_t place = near.place_of(u, axis);
    q[d][i] = place;
    if (axis.period != 0) {
      const std::int64_t other = core::other_image(place, axis, walk.margin[d]);
      if (other != place && numbers.get(OrderedContexts::flag) != 0) q[d][i] = other;
    }
    return place;
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

void use_bonds(const Bonds &bonds, OrderedWalk &walk) {
  walk.bonds = &bonds;
  std::uint32_t longest = 0;
  for (const BondKind &kind : bonds.kinds()) longest = std::max(longest, kind.length[0]);
  walk.units = FrameUnits::of(longest);
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

// Estimates on a sample whether bonds predict particles with fixed bonds better than the chain does. The chain may win:
// particles that hardly move about the sites of a crystal can also be at nearly fixed distances.
bool bonds_pay(const Bonds &bonds, const OrderedWalk &walk, const codec::IndexColumns &q) {
  constexpr std::size_t step = 13;
  std::int64_t chained = 0;
  std::int64_t bound = 0;
  for (std::size_t i = 1; i < walk.particles; i += step) {
    const BondKind *const kind = bonds.of(i);
    if (kind == nullptr || !kind->is_fixed()) continue;
    // A sphere leaves two free components of up to twice the length; a circle leaves one.
    const int bits = core::bit_length(kind->length[0] >> fraction_bits) + 1;
    bound += kind->is_circle() ? bits + 4 : 2 * bits + 2;
    const std::size_t lag = walk.chain.lag[0];
    const std::size_t parent = lag == 0 || lag > i ? 0 : i - lag;
    for (std::size_t d = 0; d < walk.components; ++d) {
      const std::int64_t way = core::displacement(q[d][i], q[d][parent], walk.box[d]);
      const std::int64_t off = core::displacement(way, walk.chain.offset[0][d], walk.box[d]);
      chained += core::bit_length(core::zigzag(off));
    }
  }
  return bound < chained;
}

void read_chain(format::ByteReader &in, OrderedWalk &walk) {
  Chain &chain = walk.chain;
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

// Exceptions and numbers of the walks of a section.
struct Head {
  std::vector<std::uint32_t> counts;  // exceptions of each segment
  ExceptionReader exceptions;         // all of them
  const std::uint8_t *first;          // of the exceptions
  std::size_t end;                    // offset of the numbers
};

ExceptionReader read_counts(format::ByteReader &in, std::vector<std::uint32_t> &counts, const std::uint8_t *&first) {
  std::uint64_t all = 0;
  if (counts.size() > in.left() / sizeof(std::uint32_t)) corrupt("segments of an ordered section", in.position());
  for (std::uint32_t &count : counts) all += count = in.u32();
  while (in.position() % 8 != 0)
    if (in.u8() != 0) corrupt("padding of an ordered section", in.position() - 1);
  if (all > in.left() / sizeof(std::int64_t)) corrupt("number of exceptions", in.position());
  first = in.take(static_cast<std::size_t>(all) * sizeof(std::int64_t));
  return {first, all};
}

Head read_head(const std::uint8_t *bytes, std::size_t size, OrderedStream stream, int threads, OrderedWalk &walk,
               Bonds &bonds) {
  format::ByteReader in(bytes, size);
  const std::uint8_t flags = in.u8();
  if (flags > has_bonds || (flags != 0 && walk.components != core::max_components))
    corrupt("flags of an ordered section", 0);
  read_chain(in, walk);
  std::vector<std::uint32_t> counts;
  const std::uint8_t *first = nullptr;
  if (stream == OrderedStream::segments) counts.resize(ordered_segments_of(walk.particles));
  const ExceptionReader exceptions =
      stream == OrderedStream::whole ? ExceptionReader(in) : read_counts(in, counts, first);
  std::size_t at = in.position();
  if (flags != 0) at += bonds.read(bytes + at, size - at, walk.particles, stream, threads);
  use_bonds(bonds, walk);
  return {std::move(counts), exceptions, first, at};
}

// A segment as a walk of its own. `bonds` receives the bonds of its particles.
OrderedWalk walk_of(const OrderedWalk &walk, const OrderedSegment &segment, Bonds &bonds) {
  OrderedWalk part = walk;
  part.particles = segment.count;
  if (walk.ids != nullptr) part.ids = walk.ids + segment.first;
  if (!walk.bonds->empty()) bonds = walk.bonds->part(segment.first, segment.count);
  part.bonds = &bonds;
  return part;
}

template <typename Columns>
Columns from(const Columns &columns, std::size_t first) {
  Columns moved = columns;
  for (auto &column : moved)
    if (column != nullptr) column += first;
  return moved;
}

struct EncodedWalk {
  codec::NumberEncoder numbers{OrderedContexts::count};
  std::vector<std::int64_t> exceptions;

  void encode(const OrderedWalk &walk, const codec::IndexColumns &q) {
    numbers.reserve(walk.particles * (walk.components + 1));
    run_ordered(walk, EncodeSide{q, &numbers, &exceptions});
    numbers.end_segment();
  }
};

std::vector<EncodedWalk> encode_segments(const OrderedWalk &walk, const codec::IndexColumns &q, int threads) {
  std::vector<EncodedWalk> segments(ordered_segments_of(walk.particles));
  codec::parallel_ranges(codec::thread_count(threads, segments.size()), segments.size(),
                         [&](int, std::uint64_t first, std::uint64_t last) {
                           for (auto s = static_cast<std::size_t>(first); s < last; ++s) {
                             const OrderedSegment segment(s, walk.particles);
                             Bonds bonds;
                             segments[s].encode(walk_of(walk, segment, bonds), from(q, segment.first));
                           }
                         });
  return segments;
}

void append_counted_exceptions(const std::vector<EncodedWalk> &segments, format::ByteWriter &writer) {
  for (const EncodedWalk &segment : segments) writer.u32(static_cast<std::uint32_t>(segment.exceptions.size()));
  if (segments.size() % 2 != 0) writer.u32(0);
  for (const EncodedWalk &segment : segments)
    for (const std::int64_t index : segment.exceptions) writer.i64(index);
}

void append_numbers(std::vector<EncodedWalk> &segments, int threads, std::vector<std::uint8_t> &bytes) {
  std::vector<codec::NumberSegment> numbers;
  numbers.reserve(segments.size());
  for (EncodedWalk &segment : segments) numbers.push_back(segment.numbers.segments().front());
  codec::append_segments(numbers, OrderedContexts::count, threads, bytes);
}

}  // namespace

void encode_ordered_model(const codec::OrderedShape &shape, const codec::IndexColumns &q, bool positions,
                          OrderedStream stream, int threads, std::vector<std::uint8_t> &bytes) {
  const bool is_whole = stream == OrderedStream::whole;
  OrderedWalk walk;
  prepare(shape, walk);
  walk.chain = choose_chain(shape, q);
  Bonds bonds;
  if (positions && shape.components == core::max_components)
    bonds = Bonds::find(q, shape.particles, shape.box, threads);
  if (!bonds.empty() && !bonds_pay(bonds, walk, q)) bonds.forget();
  if (!is_whole && !bonds.empty()) bonds.cut();
  use_bonds(bonds, walk);
  for (std::size_t d = 0; d < walk.components; ++d) walk.margin[d] = find_margin(q[d], shape.particles, walk.box[d]);
  walk.find_inner();
  // Scales are sums of three components in sixteenths. With this base, a residual of one step has level 0.
  walk.contexts.base = Contexts::half_octaves(16);

  std::vector<EncodedWalk> encoded;
  if (is_whole)
    encoded.emplace_back().encode(walk, q);
  else
    encoded = encode_segments(walk, q, threads);

  format::ByteWriter writer(bytes);
  writer.u8(bonds.empty() ? 0 : has_bonds);
  append_chain(walk, writer);
  if (is_whole)
    append_exceptions(encoded.front().exceptions, writer);
  else
    append_counted_exceptions(encoded, writer);
  if (!bonds.empty()) bonds.append(stream, bytes, threads);
  if (is_whole)
    encoded.front().numbers.finish(bytes);
  else
    append_numbers(encoded, threads, bytes);
}

void decode_ordered_model(const codec::OrderedShape &shape, const std::uint8_t *bytes, std::size_t size,
                          OrderedStream stream, int threads, const codec::IndexOutput &q) {
  OrderedWalk walk;
  prepare(shape, walk);
  Bonds bonds;
  const Head head = read_head(bytes, size, stream, threads, walk, bonds);
  walk.find_inner();
  const auto decode = [](const OrderedWalk &part, const codec::IndexOutput &to, codec::NumberDecoder &numbers,
                         const ExceptionReader &exceptions) {
    const DecodeSide end = run_ordered(part, DecodeSide{to, numbers.cursor(), exceptions});
    end.exceptions.end();
    numbers.go_to(end.numbers);
    numbers.end();
  };
  if (stream == OrderedStream::whole) {
    codec::NumberDecoder numbers(bytes + head.end, size - head.end, OrderedContexts::count);
    decode(walk, q, numbers, head.exceptions);
    return;
  }
  const std::size_t segments = ordered_segments_of(shape.particles);
  std::vector<codec::NumberDecoder> streams =
      codec::open_segments(bytes + head.end, size - head.end, OrderedContexts::count, segments);
  std::vector<std::uint64_t> before(segments);  // exceptions of earlier segments
  for (std::size_t s = 1; s < segments; ++s) before[s] = before[s - 1] + head.counts[s - 1];
  codec::parallel_ranges(codec::thread_count(threads, segments), segments,
                         [&](int, std::uint64_t first, std::uint64_t last) {
                           for (auto s = static_cast<std::size_t>(first); s < last; ++s) {
                             const OrderedSegment segment(s, shape.particles);
                             Bonds of_segment;
                             decode(walk_of(walk, segment, of_segment), from(q, segment.first), streams[s],
                                    {head.first + before[s] * sizeof(std::int64_t), head.counts[s]});
                           }
                         });
}

}  // namespace gpz::model
