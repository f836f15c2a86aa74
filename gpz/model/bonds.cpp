// SPDX-License-Identifier: BSD-3-Clause
#include "gpz/model/bonds.hpp"

#include <algorithm>

#include "gpz/format/bytes.hpp"
#include "gpz/format/corrupt.hpp"

namespace gpz::model {

using format::corrupt;

namespace {

// Kinds are expected to follow each other as they did before: what came last behind the same kinds comes again.
class KindHistory {
 public:
  std::uint8_t expected() const { return next_[place()]; }
  void add(std::uint8_t kind) {
    next_[place()] = kind;
    last_ = last_ << 6 | kind;
  }

 private:
  static constexpr int bits = 12;
  static constexpr std::uint64_t mask = (std::uint64_t{1} << 48) - 1;  // eight kinds
  std::size_t place() const { return static_cast<std::size_t>(((last_ & mask) * 0x9E3779B97F4A7C15u) >> (64 - bits)); }

  std::uint8_t next_[1 << bits] = {};
  std::uint64_t last_ = 0;
};

constexpr std::size_t kind_size = 12;  // bytes: two lags, two lengths

// Numbers in groups of seven bits, the last one with a clear bit 7.
void append_number(std::uint64_t x, std::vector<std::uint8_t> &bytes) {
  for (; x >= 128; x >>= 7) bytes.push_back(static_cast<std::uint8_t>(x | 128));
  bytes.push_back(static_cast<std::uint8_t>(x));
}
std::uint64_t read_number(format::ByteReader &in) {
  std::uint64_t x = 0;
  for (int shift = 0; shift < 63; shift += 7) {
    const std::uint8_t group = in.u8();
    x |= std::uint64_t{group & 127u} << shift;
    if (group < 128) return x;
  }
  corrupt("number of a table of bonds", in.position());
}

bool is_valid(const BondKind &kind) {
  if (kind.lag[0] == 0 || kind.lag[0] > Bonds::max_bond_lag || kind.lag[1] > Bonds::max_bond_lag) return false;
  if (!kind.is_circle()) return kind.length[0] < longest_bond && kind.length[1] == 0;
  return kind.lag[1] != kind.lag[0] && kind.length[0] < longest_of_circle && kind.length[1] < longest_of_circle;
}

std::int64_t square_of(const Way &way) { return way[0] * way[0] + way[1] * way[1] + way[2] * way[2]; }

Way place_of(const cpu::IndexColumns &q, std::size_t i) { return {q[0][i], q[1][i], q[2][i]}; }

// Whether the distance is that of the bond, as far as rounding lets us see: within two steps and a thousandth.
bool holds(const Way &way, std::uint32_t length) {
  const std::int64_t more = 2 * (1 << fraction_bits) + length / 1024;
  const std::int64_t least = std::max<std::int64_t>(length - more, 0);
  const std::int64_t most = length + more;
  const std::int64_t square = square_of(way) * (1 << 2 * fraction_bits);
  return square >= least * least && square <= most * most;
}

}  // namespace

void Bonds::append(std::vector<std::uint8_t> &bytes) const {
  format::ByteWriter writer(bytes);
  const std::size_t begin = bytes.size();
  writer.u64(kinds_.size());
  for (const BondKind &kind : kinds_) {
    for (const std::uint32_t lag : kind.lag) writer.u16(static_cast<std::uint16_t>(lag));
    for (const std::uint32_t length : kind.length) writer.u32(length);
  }
  std::vector<std::uint8_t> misses;
  std::uint64_t gap = 0;
  KindHistory history;
  for (const std::uint8_t kind : kind_) {
    if (kind == history.expected()) {
      ++gap;
    } else {
      append_number(gap, misses);
      misses.push_back(kind);
      gap = 0;
    }
    history.add(kind);
  }
  writer.u64(misses.size());
  bytes.insert(bytes.end(), misses.begin(), misses.end());
  bytes.resize(begin + format::round_up_8(bytes.size() - begin));
}

std::size_t Bonds::read(const std::uint8_t *bytes, std::size_t size, std::size_t n) {
  format::ByteReader in(bytes, size);
  const std::uint64_t kinds = in.u64();
  if (kinds > max_kinds || kinds > in.left() / kind_size) corrupt("kinds of bonds", 0);
  kinds_.clear();
  for (std::uint64_t k = 0; k < kinds; ++k) {
    BondKind kind;
    for (std::uint32_t &lag : kind.lag) lag = in.u16();
    for (std::uint32_t &length : kind.length) length = in.u32();
    if (!is_valid(kind)) corrupt("a kind of bonds", in.position() - kind_size);
    kinds_.push_back(kind);
  }
  const std::uint64_t length = in.u64();
  if (length > in.left()) corrupt("length of a table of bonds", in.position());
  const std::size_t start = in.position();
  format::ByteReader misses(in.take(static_cast<std::size_t>(length)), static_cast<std::size_t>(length));
  kind_.assign(n, 0);
  KindHistory history;
  std::uint64_t gap = misses.left() == 0 ? n : read_number(misses);
  for (std::size_t i = 0; i < n; ++i) {
    std::uint8_t kind = history.expected();
    if (gap == 0) {
      kind = misses.u8();
      gap = misses.left() == 0 ? n : read_number(misses);
    } else {
      --gap;
    }
    if (kind > kinds) corrupt("kind of a bond", start);
    if (kind != 0 && std::max(kinds_[kind - 1u].lag[0], kinds_[kind - 1u].lag[1]) > i)
      corrupt("a bond to nobody", start);
    kind_[i] = kind;
    history.add(kind);
  }
  if (misses.left() != 0) corrupt("table of bonds longer than its particles", start + misses.position());
  for (const std::size_t end = static_cast<std::size_t>(format::round_up_8(in.position())); in.position() < end;)
    if (in.u8() != 0) corrupt("padding of a table of bonds", in.position() - 1);
  return in.position();
}

void Bonds::confirm(const cpu::IndexColumns &q, const core::GridBox &box) {
  for (std::size_t i = 0; i < kind_.size(); ++i) {
    if (kind_[i] == 0) continue;
    const BondKind &kind = kinds_[kind_[i] - 1u];
    for (std::size_t k = 0; k < kind.lag.size() && kind.lag[k] != 0; ++k) {
      Way way;
      if (!find_way(place_of(q, i - kind.lag[k]), place_of(q, i), box, way) || !holds(way, kind.length[k]))
        kind_[i] = 0;
    }
  }
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
