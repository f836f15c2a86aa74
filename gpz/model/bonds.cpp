// SPDX-License-Identifier: BSD-3-Clause
#include "gpz/model/bonds.hpp"

#include <algorithm>
#include <numeric>

#include "gpz/codec/kind_history.hpp"
#include "gpz/codec/number_coder.hpp"
#include "gpz/codec/parallel.hpp"
#include "gpz/format/bytes.hpp"
#include "gpz/format/corrupt.hpp"
#include "gpz/model/ordered_segments.hpp"

namespace gpz::model {

using format::corrupt;

namespace {

constexpr std::size_t kind_size = 12;  // bytes: two lags, two lengths

bool is_valid(const BondKind &kind) {
  if (kind.lag[0] == 0 || kind.lag[0] > Bonds::max_bond_lag || kind.lag[1] > Bonds::max_bond_lag) return false;
  if (!kind.is_circle()) return kind.length[0] < longest_bond && kind.length[1] == 0;
  return kind.lag[1] != kind.lag[0] && kind.is_fixed() && kind.length[0] < longest_of_circle &&
         kind.length[1] < longest_of_circle;
}

std::int64_t square_of(const Way &way) { return way[0] * way[0] + way[1] * way[1] + way[2] * way[2]; }

Way place_of(const codec::IndexColumns &q, std::size_t i) { return {q[0][i], q[1][i], q[2][i]}; }

// True if the distance matches the bond up to rounding: within two steps and 1/1024 of the length.
bool holds(const Way &way, std::uint32_t length) {
  const std::int64_t more = 2 * (1 << fraction_bits) + length / 1024;
  const std::int64_t least = std::max<std::int64_t>(length - more, 0);
  const std::int64_t most = length + more;
  const std::int64_t square = square_of(way) * (1 << 2 * fraction_bits);
  return square >= least * least && square <= most * most;
}

}  // namespace

void Bonds::append(Stream stored, std::vector<std::uint8_t> &bytes, int threads) const {
  format::ByteWriter writer(bytes);
  const std::size_t begin = bytes.size();
  writer.u64(kinds_.size());
  for (const BondKind &kind : kinds_) {
    for (const std::uint32_t lag : kind.lag) writer.u16(static_cast<std::uint16_t>(lag));
    for (const std::uint32_t length : kind.length) writer.u32(length);
  }
  std::vector<std::uint8_t> stream;
  const auto put = [&](std::size_t first, std::size_t count, codec::NumberEncoder &numbers) {
    codec::KindHistory history;
    numbers.reserve(count);
    for (std::size_t i = first; i < first + count; ++i) {
      numbers.put(history.context(), history.number_of(kind_[i]));
      history.add(kind_[i]);
    }
  };
  if (stored == Stream::whole) {
    codec::NumberEncoder numbers(codec::KindHistory::contexts);
    put(0, kind_.size(), numbers);
    numbers.finish(stream);
  } else {
    std::vector<codec::NumberEncoder> segments(ordered_segments_of(kind_.size()),
                                               codec::NumberEncoder(codec::KindHistory::contexts));
    codec::parallel_ranges(codec::thread_count(threads, segments.size()), segments.size(),
                           [&](int, std::uint64_t from, std::uint64_t to) {
                             for (auto s = static_cast<std::size_t>(from); s < to; ++s) {
                               const OrderedSegment segment(s, kind_.size());
                               put(segment.first, segment.count, segments[s]);
                               segments[s].end_segment();
                             }
                           });
    std::vector<codec::NumberSegment> numbers;
    numbers.reserve(segments.size());
    for (codec::NumberEncoder &segment : segments) numbers.push_back(segment.segments().front());
    codec::append_segments(numbers, codec::KindHistory::contexts, threads, stream);
  }
  writer.u64(stream.size());
  bytes.resize(begin + format::round_up_8(bytes.size() - begin));
  bytes.insert(bytes.end(), stream.begin(), stream.end());
}

// Sorts the most frequent kinds first, because small numbers take few bits.
void Bonds::sort_kinds() {
  std::vector<std::size_t> count(kinds_.size() + 1);
  for (const std::uint8_t kind : kind_) ++count[kind];
  std::vector<std::size_t> order(kinds_.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return count[a + 1] > count[b + 1]; });
  while (!order.empty() && count[order.back() + 1] == 0) order.pop_back();
  std::vector<BondKind> sorted;
  std::vector<std::uint8_t> number(kinds_.size() + 1);
  for (const std::size_t k : order) {
    sorted.push_back(kinds_[k]);
    number[k + 1] = static_cast<std::uint8_t>(sorted.size());
  }
  kinds_ = std::move(sorted);
  for (std::uint8_t &kind : kind_) kind = number[kind];
}

// `start`: position of the stream, for errors.
void Bonds::read_kinds(codec::NumberDecoder &numbers, std::size_t first, std::size_t count, std::size_t start) {
  const std::size_t kinds = kinds_.size();
  codec::KindHistory history;
  codec::NumberCursor cursor = numbers.cursor();
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint32_t kind = history.kind_of(cursor.get(history.context()));
    if (kind > kinds) corrupt("kind of a bond", start);
    if (kind != 0 && std::max(kinds_[kind - 1].lag[0], kinds_[kind - 1].lag[1]) > i) corrupt("a bond to nobody", start);
    kind_[first + i] = static_cast<std::uint8_t>(kind);
    history.add(static_cast<std::uint8_t>(kind));
  }
  numbers.go_to(cursor);
  numbers.end();
}

std::size_t Bonds::read(const std::uint8_t *bytes, std::size_t size, std::size_t n, Stream stored, int threads) {
  format::ByteReader in(bytes, size);
  const std::uint64_t kinds = in.u64();
  if (kinds == 0 || kinds > max_kinds || kinds > in.left() / kind_size) corrupt("kinds of bonds", 0);
  kinds_.clear();
  for (std::uint64_t k = 0; k < kinds; ++k) {
    BondKind kind;
    for (std::uint32_t &lag : kind.lag) lag = in.u16();
    for (std::uint32_t &length : kind.length) length = in.u32();
    if (!is_valid(kind)) corrupt("a kind of bonds", in.position() - kind_size);
    kinds_.push_back(kind);
  }
  const std::uint64_t length = in.u64();
  while (in.position() % 8 != 0)
    if (in.u8() != 0) corrupt("padding of a table of bonds", in.position() - 1);
  const std::size_t start = in.position();
  if (length > in.left() || length % 8 != 0) corrupt("length of a table of bonds", start);
  kind_.assign(n, 0);
  const std::uint8_t *const stream = in.take(static_cast<std::size_t>(length));
  const auto stream_size = static_cast<std::size_t>(length);
  if (stored == Stream::whole) {
    codec::NumberDecoder numbers(stream, stream_size, codec::KindHistory::contexts);
    read_kinds(numbers, 0, n, start);
    return in.position();
  }
  const std::size_t segments = ordered_segments_of(n);
  std::vector<codec::NumberDecoder> streams =
      codec::open_segments(stream, stream_size, codec::KindHistory::contexts, segments);
  codec::parallel_ranges(codec::thread_count(threads, segments), segments,
                         [&](int, std::uint64_t from, std::uint64_t to) {
                           for (auto s = static_cast<std::size_t>(from); s < to; ++s) {
                             const OrderedSegment segment(s, n);
                             read_kinds(streams[s], segment.first, segment.count, start);
                           }
                         });
  return in.position();
}

void Bonds::cut() {
  for (std::size_t s = 1; s < ordered_segments_of(kind_.size()); ++s) {
    const OrderedSegment segment(s, kind_.size());
    for (std::size_t i = 0; i < std::min<std::size_t>(segment.count, max_bond_lag); ++i) {
      std::uint8_t &kind = kind_[segment.first + i];
      if (kind != 0 && std::max(kinds_[kind - 1u].lag[0], kinds_[kind - 1u].lag[1]) > i) kind = 0;
    }
  }
}

Bonds Bonds::part(std::size_t first, std::size_t count) const {
  Bonds bonds;
  bonds.kinds_ = kinds_;
  bonds.kind_.assign(kind_.begin() + static_cast<std::ptrdiff_t>(first),
                     kind_.begin() + static_cast<std::ptrdiff_t>(first + count));
  return bonds;
}

std::size_t Bonds::fixed() const {
  std::size_t count = 0;
  for (const std::uint8_t kind : kind_) count += kind != 0 && kinds_[kind - 1u].is_fixed() ? 1 : 0;
  return count;
}

format::Column<std::uint32_t> Bonds::broken(const codec::IndexColumns &q, const core::GridBox &box) const {
  format::Column<std::uint32_t> slots;
  for (std::size_t i = 0; i < kind_.size(); ++i) {
    if (kind_[i] == 0) continue;
    const BondKind &kind = kinds_[kind_[i] - 1u];
    if (!kind.is_fixed()) continue;
    bool all = true;
    for (std::size_t k = 0; k < kind.lag.size() && kind.lag[k] != 0; ++k) {
      Way way;
      all = all && find_way(place_of(q, i - kind.lag[k]), place_of(q, i), box, way) && holds(way, kind.length[k]);
    }
    if (!all) slots.push_back(static_cast<std::uint32_t>(i));
  }
  return slots;
}

void Bonds::end(const format::Column<std::uint32_t> &slots) {
  for (const std::uint32_t slot : slots) kind_[slot] = 0;
}

void Bonds::keep(const std::uint32_t *kept, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    std::uint8_t kind = kind_[kept[i]];
    if (kind != 0)
      for (const std::uint32_t lag : kinds_[kind - 1u].lag)
        if (lag > i || kept[i - lag] != kept[i] - lag) kind = 0;
    kind_[i] = kind;
  }
  kind_.resize(count);
}

void Bonds::add(std::size_t count) { kind_.resize(kind_.size() + count, 0); }

void Bonds::forget() {
  kinds_.clear();
  kind_.clear();
}

}  // namespace gpz::model
