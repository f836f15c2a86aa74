// SPDX-License-Identifier: BSD-3-Clause
#include "gpz/codec/cell_tree.hpp"

#include <algorithm>

#include "gpz/codec/cells.hpp"
#include "gpz/codec/range_coder.hpp"
#include "gpz/core/residual.hpp"

namespace gpz::codec {
namespace {

using core::AdaptiveBit;
using format::corrupt;

// Adaptive models of the counts.
class CountModels {
  using Learnt = std::array<AdaptiveBit, core::learnt_bits>;

 public:
  explicit CountModels(const core::Halvings &halvings) : small_(static_cast<std::size_t>(halvings.depths)) {
    for (std::size_t depth = 0; depth < small_.size(); ++depth)
      for (const std::size_t uneven : {0, 1}) {
        // Boxes of one depth have this extent or one less.
        const std::uint64_t largest = halvings.extent[depth];
        small_[depth][uneven] = independent(largest % 2 == uneven ? largest : largest - 1);
      }
  }

  // Codes how many of n >= 2 particles are in the lower half of a box of this extent at this depth. Decoders ignore
  // `lower`.
  template <class Coder>
  std::uint32_t code(Coder &coder, std::size_t depth, std::uint64_t extent, std::uint32_t n, std::uint32_t lower) {
    if (n > core::learnt_count) return code_large(coder, extent, n, lower);
    AdaptiveBit *const models = &small_[depth][core::is_uneven(extent) ? 1 : 0][core::learnt_at(n)];
    std::uint32_t low = 0;
    std::uint32_t high = n;
    while (low < high) {
      const std::uint32_t middle = (low + high) / 2;
      if (coder.bit(models[middle], lower > middle))
        low = middle + 1;
      else
        high = middle;
    }
    return low;
  }

 private:
  // Models of a number below 2^34: its bit length, and its second-highest bit.
  struct Number {
    std::array<AdaptiveBit, 36> length;
    std::array<AdaptiveBit, 36> second;
  };

  // Initial models for boxes of this extent: independent particles.
  static const Learnt &independent(std::uint64_t extent) {
    static const auto all = [] {
      std::array<Learnt, core::uneven_extent / 2> tables{};  // [0]: equal halves
      for (std::size_t i = 0; i < tables.size(); ++i)
        for (std::uint32_t n = 2; n <= core::learnt_count; ++n)
          expect_independent(i == 0 ? 2 : 2 * i + 1, n, 0, n, &tables[i][core::learnt_at(n)]);
      return tables;
    }();
    return all[core::is_uneven(extent) ? static_cast<std::size_t>(extent / 2) : 0];
  }
  static void expect_independent(std::uint64_t extent, std::uint32_t n, std::uint32_t low, std::uint32_t high,
                                 AdaptiveBit *models) {
    if (low == high) return;
    const std::uint32_t middle = (low + high) / 2;
    models[middle].zero = core::independent_zero(n, low, middle, high, extent);
    expect_independent(extent, n, low, middle, models);
    expect_independent(extent, n, middle + 1, high, models);
  }

  template <class Coder>
  std::uint32_t code_large(Coder &coder, std::uint64_t extent, std::uint32_t n, std::uint32_t lower) {
    const std::uint64_t expected = core::expected_lower(n, extent);
    Number &models = large_[static_cast<std::size_t>(core::bit_length(n))];
    const std::uint64_t number = core::zigzag(static_cast<std::int64_t>(lower) - static_cast<std::int64_t>(expected));
    const int length = core::bit_length(number);
    int bits = 0;
    while (bits < 34 && coder.bit(models.length[static_cast<std::size_t>(bits)], bits < length)) ++bits;
    std::uint64_t found = bits == 0 ? 0 : 1;
    if (bits > 1) {
      const bool second = coder.bit(models.second[static_cast<std::size_t>(bits)], (number >> (bits - 2) & 1) != 0);
      found = 2 + (second ? 1 : 0);
    }
    if (bits > 2) found = found << (bits - 2) | coder.plain(bits - 2, number & core::low_mask(bits - 2));
    const std::int64_t k = static_cast<std::int64_t>(expected) + core::unzigzag(found);
    if (k < 0 || k > static_cast<std::int64_t>(n)) corrupt("more particles in a half than in the whole");
    return static_cast<std::uint32_t>(k);
  }

  format::Column<std::array<Learnt, 2>> small_;  // [depth][uneven extent]
  std::array<Number, 34> large_;                 // per bit length
};

struct Node {
  std::array<std::uint64_t, core::max_components> at{};  // relative to the first cell
  std::array<std::uint64_t, core::max_components> extent{};
  std::uint32_t n = 0;
  int depth = 0;
};

template <class Coder>
void code_position(Coder &coder, int components, const Node &node, std::uint64_t *position) {
  std::uint32_t choices[core::max_components];
  std::uint32_t outcomes = 1;
  std::uint32_t chosen = 0;
  for (int d = components - 1; d >= 0; --d) {
    const auto c = static_cast<std::size_t>(d);
    choices[c] = core::position_choices(node.extent[c]);
    outcomes *= choices[c];
    if constexpr (!Coder::decodes)
      chosen = chosen * choices[c] +
               static_cast<std::uint32_t>((position[c] - node.at[c]) >> core::plain_position_bits(node.extent[c]));
  }
  if (outcomes > 1) chosen = coder.choice(outcomes, chosen);
  for (std::size_t d = 0; d < static_cast<std::size_t>(components); ++d) {
    const int plain = core::plain_position_bits(node.extent[d]);
    const std::uint64_t inside = std::uint64_t{chosen % choices[d]} << plain |
                                 coder.plain(plain, (position[d] - node.at[d]) & core::low_mask(plain));
    chosen /= choices[d];
    if (inside >= node.extent[d]) corrupt("a place outside its box");
    position[d] = node.at[d] + inside;
  }
}

// Visits the halves of all boxes. `side` holds the coder and the particles.
template <class Side>
void walk(Side &side, const core::CellBox &box, std::uint32_t n) {
  const core::Halvings halvings = core::halvings_of(box);
  CountModels models(halvings);
  std::vector<Node> stack;
  stack.push_back({{}, box.extent, n, 0});
  while (!stack.empty()) {
    Node node = stack.back();
    stack.pop_back();
    while (node.n > 1 && node.depth < halvings.depths) {
      const auto depth = static_cast<std::size_t>(node.depth++);
      const std::size_t d = halvings.component[depth];
      const std::uint64_t extent = node.extent[d];
      if (extent == 1) continue;
      const std::uint64_t half = core::lower_half(extent);
      const std::uint32_t lower =
          models.code(side.coder, depth, extent, node.n, side.split(node.n, d, node.at[d] + half));
      Node upper = node;
      upper.at[d] += half;
      upper.extent[d] -= half;
      upper.n -= lower;
      node.extent[d] = half;
      node.n = lower;
      if (lower == 0)
        node = upper;
      else if (upper.n != 0)
        stack.push_back(upper);
    }
    side.code_leaf(node);
  }
}

struct Point {
  std::array<std::uint64_t, core::max_components> at;
  std::uint32_t particle;
};

struct EncodedSide {
  RangeEncoder coder;
  int components;
  std::vector<Point> points;
  std::vector<Point> upper;  // temporary of split()
  std::vector<std::uint32_t> *order;
  std::size_t done = 0;

  // Partitions the next n points: those below `at` come first. Returns how many.
  std::uint32_t split(std::uint32_t n, std::size_t d, std::uint64_t at) {
    Point *const begin = points.data() + done;
    Point *const up = upper.data();
    std::size_t low = 0;
    std::size_t high = 0;
    for (std::size_t i = 0; i < n; ++i) {
      const Point point = begin[i];
      const bool is_low = point.at[d] < at;
      begin[low] = point;
      up[high] = point;
      low += is_low ? 1 : 0;
      high += is_low ? 0 : 1;
    }
    std::copy(up, up + high, begin + low);
    return static_cast<std::uint32_t>(low);
  }
  void code_leaf(const Node &node) {
    for (std::uint32_t i = 0; i < node.n; ++i) {
      Point &point = points[done++];
      code_position(coder, components, node, point.at.data());
      order->push_back(point.particle);
    }
  }
};

struct DecodedSide {
  RangeDecoder coder;
  const core::CellBox &box;
  const IndexOutput &q;
  std::size_t done = 0;

  std::uint32_t split(std::uint32_t, std::size_t, std::uint64_t) { return 0; }
  void code_leaf(const Node &node) {
    for (std::uint32_t i = 0; i < node.n; ++i, ++done) {
      std::uint64_t at[core::max_components] = {};
      code_position(coder, box.components, node, at);
      for (std::size_t d = 0; d < static_cast<std::size_t>(box.components); ++d)
        q[d][done] = box.min[d] + static_cast<std::int64_t>(at[d]);
    }
  }
};

core::CellBox box_around(const IndexColumns &q, std::size_t n, int components) {
  core::CellBox box;
  box.components = components;
  for (std::size_t d = 0; d < static_cast<std::size_t>(components); ++d) {
    const auto [low, high] = std::minmax_element(q[d], q[d] + n);
    box.min[d] = *low;
    box.extent[d] = static_cast<std::uint64_t>(*high - *low) + 1;
  }
  return box;
}

}  // namespace

void encode_cells(const IndexColumns &q, std::size_t n, int components, std::vector<std::uint32_t> &order,
                  std::vector<std::uint8_t> &bytes) {
  const core::CellBox box = box_around(q, n, components);
  format::ByteWriter out(bytes);
  for (std::size_t d = 0; d < static_cast<std::size_t>(components); ++d) {
    out.i64(box.min[d]);
    out.u64(box.extent[d]);
  }
  EncodedSide side{{}, components, std::vector<Point>(n), std::vector<Point>(n), &order};
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t d = 0; d < static_cast<std::size_t>(components); ++d)
      side.points[i].at[d] = static_cast<std::uint64_t>(q[d][i] - box.min[d]);
    side.points[i].particle = static_cast<std::uint32_t>(i);
  }
  order.clear();
  order.reserve(n);
  walk(side, box, static_cast<std::uint32_t>(n));
  side.coder.finish(bytes);
}

void decode_cells(const std::uint8_t *bytes, std::size_t size, std::size_t n, int components, const IndexOutput &q) {
  format::ByteReader in(bytes, size);
  core::CellBox box;
  box.components = components;
  for (std::size_t d = 0; d < static_cast<std::size_t>(components); ++d) {
    box.min[d] = in.i64();
    box.extent[d] = in.u64();
    const std::int64_t most = core::max_index;
    if (box.min[d] < -most || box.min[d] > most || box.extent[d] == 0 ||
        box.extent[d] - 1 > static_cast<std::uint64_t>(most - box.min[d]))
      corrupt("box of the particles", in.position());
  }
  const std::size_t at = in.position();
  DecodedSide side{RangeDecoder(bytes + at, size - at), box, q};
  walk(side, box, static_cast<std::uint32_t>(n));
  side.coder.finish();
}

}  // namespace gpz::codec
