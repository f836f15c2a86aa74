// SPDX-License-Identifier: BSD-3-Clause
#include "gpz/crystal/site_set.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "gpz/codec/cells.hpp"
#include "gpz/crystal/site_fit.hpp"
#include "gpz/crystal/site_search.hpp"
#include "gpz/crystal/site_walk.hpp"
#include "gpz/format/bytes.hpp"

namespace gpz::crystal {
namespace {

using format::corrupt;

bool is_within(std::int64_t x, std::int64_t most) { return -most <= x && x <= most; }

void write_section(const SiteSection &section, std::vector<std::uint8_t> &bytes) {
  const SiteLattice &lattice = section.lattice;
  const auto components = static_cast<std::size_t>(lattice.components);
  format::ByteWriter out(bytes);
  for (std::size_t d = 0; d < components; ++d) {
    out.i64(section.box[d].lo);
    out.i64(section.box[d].period);
    out.i64(section.margin[d]);
    out.i64(lattice.window.low[d] >> core::site_fraction);
    out.i64(lattice.window.high[d] >> core::site_fraction);
  }
  for (std::size_t e = 0; e < components; ++e)
    for (std::size_t d = 0; d < components; ++d) out.i64(lattice.edge[e][d]);
  for (std::size_t e = 1; e < components; ++e) {
    out.u32(static_cast<std::uint32_t>(lattice.cells[e].first));
    out.u32(lattice.cells[e].count);
  }
  out.u8(static_cast<std::uint8_t>(lattice.sublattices.size()));
  for (std::size_t d = 0; d < components; ++d) out.u8(section.shift[d]);
  for (const SiteLattice::Sublattice &sublattice : lattice.sublattices) {
    for (std::size_t d = 0; d < components; ++d) out.i64(sublattice.origin[d]);
    out.u8(static_cast<std::uint8_t>(sublattice.neighbours.size()));
    for (const core::SiteNeighbour &neighbour : sublattice.neighbours) {
      out.u8(static_cast<std::uint8_t>(neighbour.sublattice));
      for (std::size_t d = 0; d < components; ++d) out.u8(static_cast<std::uint8_t>(neighbour.cells[d]));
    }
    for (const std::int16_t weight : sublattice.weights) out.u16(static_cast<std::uint16_t>(weight));
  }
  out.pad_to_8();
}

SiteLattice::Sublattice read_sublattice(format::ByteReader &in, int number, std::size_t components) {
  SiteLattice::Sublattice sublattice;
  for (std::size_t d = 0; d < components; ++d) {
    sublattice.origin[d] = in.i64();
    if (!is_within(sublattice.origin[d], core::max_site_reach << core::site_fraction))
      corrupt("origin of a sublattice", in.position());
  }
  const std::size_t count = in.u8();
  if (count > static_cast<std::size_t>(core::max_site_neighbours)) corrupt("number of neighbours", in.position());
  for (std::size_t k = 0; k < count; ++k) {
    core::SiteNeighbour neighbour;
    neighbour.sublattice = in.u8();
    for (std::size_t d = 0; d < components; ++d) {
      const int cells = in.u8();
      neighbour.cells[d] = cells < 128 ? cells : cells - 256;
    }
    if (!core::is_earlier(neighbour, number)) corrupt("a neighbour that comes later", in.position());
    sublattice.neighbours.push_back(neighbour);
  }
  for (std::size_t w = 0; w < components * components * count; ++w)
    sublattice.weights.push_back(static_cast<std::int16_t>(in.u16()));
  return sublattice;
}

SiteSection read_section(format::ByteReader &in, int count) {
  SiteSection section;
  SiteLattice &lattice = section.lattice;
  lattice.components = count;
  const auto components = static_cast<std::size_t>(count);
  for (std::size_t d = 0; d < components; ++d) {
    section.box[d].lo = in.i64();
    section.box[d].period = in.i64();
    section.box[d] = core::checked_axis(section.box[d]);
    section.margin[d] = in.i64();
    const std::int64_t low = in.i64();
    const std::int64_t high = in.i64();
    if (section.margin[d] < 0 || section.margin[d] > core::largest_margin(section.box[d]) ||
        !is_within(low, core::max_site_reach) || !is_within(high, core::max_site_reach))
      corrupt("window of the sites", in.position());
    lattice.window.low[d] = low * (std::int64_t{1} << core::site_fraction);
    lattice.window.high[d] = high * (std::int64_t{1} << core::site_fraction);
  }
  bool some = false;
  for (std::size_t e = 0; e < components; ++e)
    for (std::size_t d = 0; d < components; ++d) {
      lattice.edge[e][d] = in.i64();
      if (!is_within(lattice.edge[e][d], core::max_cell_edge << core::site_fraction))
        corrupt("edge of a cell", in.position());
      some = some || (e == 0 && lattice.edge[e][d] != 0);
    }
  if (!some) corrupt("edge of a cell", in.position());
  for (std::size_t e = 1; e < components; ++e) {
    lattice.cells[e].first = static_cast<std::int32_t>(in.u32());
    lattice.cells[e].count = in.u32();
    if (!is_within(lattice.cells[e].first, core::max_cell_number) || lattice.cells[e].count > core::max_cell_number)
      corrupt("cells of the lattice", in.position());
  }
  const int sublattices = in.u8();
  if (sublattices == 0 || sublattices > core::max_sublattices) corrupt("number of sublattices", in.position());
  for (std::size_t d = 0; d < components; ++d) {
    section.shift[d] = in.u8();
    if (section.shift[d] > SiteSection::max_shift) corrupt("bits of a residual", in.position());
  }
  for (int s = 0; s < sublattices; ++s) lattice.sublattices.push_back(read_sublattice(in, s, components));
  while (in.position() % 8 != 0)
    if (in.u8() != 0) corrupt("padding of a lattice", in.position());
  return section;
}

struct DecodedSide {
  codec::RangeDecoder coder;
  std::size_t components;
  const codec::IndexOutput &q;
  std::size_t done = 0;

  static std::size_t count(std::uint64_t) { return 0; }
  static void next(std::array<std::int64_t, core::max_components> &) {}
  void put(const std::array<std::int64_t, core::max_components> &position) {
    for (std::size_t d = 0; d < components; ++d) q[d][done] = position[d];
    ++done;
  }
};

struct EncodedSide {
  codec::RangeEncoder coder;
  std::size_t components;
  const codec::IndexColumns &q;
  const std::vector<std::uint32_t> &order;  // particles sorted by site
  const std::vector<std::uint32_t> &first;  // first particle of each site, then the number of particles
  std::size_t done = 0;

  std::size_t count(std::uint64_t site) const { return first[site + 1] - first[site]; }
  void next(std::array<std::int64_t, core::max_components> &position) {
    for (std::size_t d = 0; d < components; ++d) position[d] = q[d][order[done]];
    ++done;
  }
  static void put(const std::array<std::int64_t, core::max_components> &) {}
};

template <class Side>
void walk(Side &side, const SiteSection &section, const SiteRows &rows, std::size_t n) {
  if (section.lattice.components == 2)
    SiteWalk<Side, 2>(side, section, rows, n);
  else
    SiteWalk<Side, 3>(side, section, rows, n);
}

// If the shortest edge of a cell has at least this many steps, indices locate sites as well as values.
constexpr double fine_cell = 100;

double shortest_edge(const SiteLattice &lattice) {
  double least = HUGE_VAL;
  for (std::size_t e = 0; e < static_cast<std::size_t>(lattice.components); ++e)
    least = std::fmin(least, length(in_steps(lattice.edge[e])));
  return least;
}

// Particles wrapped into the box.
class InsideBox {
 public:
  // Wraps particles into the box; the margin receives their largest distance beyond the edges. Returns false if one is
  // too far.
  bool take(const codec::IndexColumns &q, std::size_t n, SiteSection &section) {
    for (std::size_t d = 0; d < static_cast<std::size_t>(section.lattice.components); ++d) {
      const core::GridAxis axis = section.box[d];
      index_[d].resize(n);
      for (std::size_t i = 0; i < n; ++i) {
        if (!is_within(q[d][i], core::max_site_reach / 4)) return false;
        index_[d][i] = core::inside(q[d][i], axis);
        if (index_[d][i] == q[d][i]) continue;
        section.margin[d] = std::max(section.margin[d], core::beyond_edge(q[d][i], axis));
      }
      if (section.margin[d] > core::largest_margin(axis)) return false;
    }
    return true;
  }
  codec::IndexColumns indices() const { return {index_[0].data(), index_[1].data(), index_[2].data()}; }
  // Positions of the particles, offset(d, i) grid steps from their indices.
  template <typename Offset>
  PositionColumns positions(const Offset &offset) {
    for (std::size_t d = 0; d < position_.size(); ++d) {
      position_[d].resize(index_[d].size());
      for (std::size_t i = 0; i < position_[d].size(); ++i)
        position_[d][i] = static_cast<double>(index_[d][i]) + offset(d, i);
    }
    return {position_[0].data(), position_[1].data(), position_[2].data()};
  }

 private:
  std::array<std::vector<std::int64_t>, core::max_components> index_;
  std::array<std::vector<double>, core::max_components> position_;
};

}  // namespace

bool encode_sites(const codec::IndexColumns &q, const PositionColumns &value, std::size_t n, int components,
                  const core::GridBox &box, std::vector<std::uint32_t> &order, std::vector<std::uint8_t> &bytes) {
  SiteSection section;
  section.lattice.components = components;
  for (std::size_t d = 0; d < static_cast<std::size_t>(components); ++d) section.box[d] = core::checked_axis(box[d]);
  InsideBox inside;
  if (components < 2 || !inside.take(q, n, section)) return false;
  PositionColumns position =
      inside.positions([&](std::size_t d, std::size_t i) { return value[d][i] - static_cast<double>(q[d][i]); });
  FoundSites found;
  if (!find_sites(position, Precision::values, n, components, section.box, found)) return false;
  // On fine grids, search the indices, which suffice. Searching values would change the bytes of existing files.
  if (shortest_edge(found.lattice) >= fine_cell) {
    position = inside.positions([](std::size_t, std::size_t) { return 0.0; });
    found = {};
    if (!find_sites(position, Precision::indices, n, components, section.box, found)) return false;
  }
  section.lattice = std::move(found.lattice);
  SiteFit fit;
  if (!fit.assign(position, n, found.period, section)) return false;
  fit.find_weights(inside.indices(), position, section);
  write_section(section, bytes);
  EncodedSide side{{}, static_cast<std::size_t>(components), q, fit.order(), fit.first()};
  walk(side, section, fit.rows(), n);
  side.coder.finish(bytes);
  order = fit.order();
  return true;
}

void decode_sites(const std::uint8_t *bytes, std::size_t size, std::size_t n, int components,
                  const codec::IndexOutput &q) {
  if (components < 2) corrupt("a lattice of one component", 0);
  format::ByteReader in(bytes, size);
  const SiteSection section = read_section(in, components);
  SiteRows rows;
  if (!rows.build(section.lattice, n)) corrupt("more sites than particles need", in.position());
  const std::size_t at = in.position();
  DecodedSide side{codec::RangeDecoder(bytes + at, size - at), static_cast<std::size_t>(components), q};
  walk(side, section, rows, n);
  side.coder.finish();
}

}  // namespace gpz::crystal
