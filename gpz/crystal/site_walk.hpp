// SPDX-License-Identifier: BSD-3-Clause
// The pass over the sites of a lattice, shared by encoder and decoder (docs/format.md, section 10e).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "gpz/codec/range_coder.hpp"
#include "gpz/core/ordered.hpp"
#include "gpz/crystal/site_rows.hpp"

namespace gpz::crystal {

// Deviations of the neighbours of a row's particles, in D components.
template <std::size_t D>
class RowNeighbours {
 public:
  RowNeighbours(const SiteLattice &lattice, const SiteRows &rows, std::size_t row_number) {
    const std::size_t plane = row_number / lattice.cells[1].count;
    const std::size_t sublattice = plane / lattice.cells[2].count;
    const std::int64_t second = lattice.cells[1].first + static_cast<std::int64_t>(row_number % lattice.cells[1].count);
    const std::int64_t third = lattice.cells[2].first + static_cast<std::int64_t>(plane % lattice.cells[2].count);
    weights_ = lattice.sublattices[sublattice].weights.data();
    for (const core::SiteNeighbour &neighbour : lattice.sublattices[sublattice].neighbours) {
      rows_[count_] = rows.find(static_cast<std::size_t>(neighbour.sublattice), second + neighbour.cells[1],
                                third + neighbour.cells[2]);
      cells_[count_++] = neighbour.cells[0];
    }
  }

  // Deviations of neighbour k of cell i, by component; nullptr if there is no such neighbour.
  const std::int32_t *deviation(std::size_t k, std::int64_t i, const std::int32_t *deviations) const {
    const SiteRows::Row *const row = rows_[k];
    if (row == nullptr || i + cells_[k] < row->cells.first || i + cells_[k] >= row->cells.end) return nullptr;
    return deviations + (row->first_number + static_cast<std::uint64_t>(i + cells_[k] - row->cells.first)) * D;
  }

  // Weighted sums of deviations, in units of a deviation.
  std::array<std::int64_t, D> sum(std::int64_t i, const std::int32_t *deviations) const {
    std::array<std::int64_t, D> sums{};
    for (std::size_t k = 0; k < count_; ++k) {
      const std::int32_t *const far = deviation(k, i, deviations);
      if (far == nullptr) continue;
      for (std::size_t d = 0; d < D; ++d)
        for (std::size_t e = 0; e < D; ++e) sums[d] += std::int64_t{weights_[(d * count_ + k) * D + e]} * far[e];
    }
    for (std::size_t d = 0; d < D; ++d) sums[d] >>= core::weight_fraction;
    return sums;
  }

 private:
  const std::int16_t *weights_;
  std::size_t count_ = 0;
  std::array<const SiteRows::Row *, core::max_site_neighbours> rows_{};
  std::array<std::int64_t, core::max_site_neighbours> cells_{};
};

// Converts residuals of one component to numbers and back.
class NumberModels {
 public:
  // `nearness`: distance of the expected position from a grid point, 0 to 3.
  template <class Coder>
  std::uint64_t code(Coder &coder, int shift, std::size_t nearness, std::uint64_t number) {
    const std::uint64_t high = number >> shift;
    auto &unary = unary_[nearness];
    std::uint64_t found = 0;
    while (found < most_unary && coder.bit(unary[found], found < high)) ++found;
    if (found == most_unary) found += code_rest(coder, high - most_unary);
    return found << shift | coder.plain(shift, number & core::low_mask(shift));
  }

 private:
  static constexpr std::size_t most_unary = 20;

  template <class Coder>
  std::uint64_t code_rest(Coder &coder, std::uint64_t rest) {
    const int length = core::bit_length(rest + 1) - 1;
    int bits = 0;
    while (bits < 48 && coder.bit(length_[static_cast<std::size_t>(bits)], bits < length)) ++bits;
    return ((std::uint64_t{1} << bits) | coder.plain(bits, (rest + 1) & core::low_mask(bits))) - 1;
  }

  std::array<std::array<core::AdaptiveBit, most_unary>, 4> unary_;
  std::array<core::AdaptiveBit, 48> length_;
};

// `side` has the coder. count(site) and next(q) supply the encoder's particles, put(q) receives the decoder's.
template <class Side, std::size_t D>
class SiteWalk {
 public:
  SiteWalk(Side &side, const SiteSection &section, const SiteRows &rows, std::size_t n)
      : side_(side), section_(section), left_(n) {
    deviations_.resize(static_cast<std::size_t>(rows.sites()) * D);
    for (std::size_t r = 0; r < rows.all().size(); ++r)
      code_row(rows.all()[r], RowNeighbours<D>(section.lattice, rows, r));
    if (left_ != 0) format::corrupt("fewer particles than announced");
  }

 private:
  void code_row(const SiteRows::Row &row, const RowNeighbours<D> &neighbours) {
    bool alone = true;  // the previous site has exactly one particle
    std::uint64_t site = row.first_number;
    for (std::int64_t i = row.cells.first; i < row.cells.end; ++i, ++site) {
      const std::size_t count = code_count(alone, side_.count(site));
      alone = count == 1;
      if (count == 0) continue;
      const std::array<std::int64_t, D> sums = neighbours.sum(i, deviations_.data());
      for (std::size_t p = 0; p < count; ++p) code_particle(row, i, sums, p == 0 ? &deviations_[site * D] : nullptr);
    }
  }

  std::size_t code_count(bool alone, std::size_t count) {
    if (!side_.coder.bit(other_count_[alone ? 1 : 0], count != 1)) {
      count = 1;
    } else if (!side_.coder.bit(some_, count != 0)) {
      return 0;
    } else {
      std::size_t found = 2;
      while (found <= left_ && side_.coder.bit(more_, found < count)) ++found;
      count = found;
    }
    if (count > left_) format::corrupt("more particles than announced");
    left_ -= count;
    return count;
  }

  void code_particle(const SiteRows::Row &row, std::int64_t i, const std::array<std::int64_t, D> &sums,
                     std::int32_t *deviation) {
    std::array<std::int64_t, core::max_components> q{};
    side_.next(q);
    for (std::size_t d = 0; d < D; ++d) {
      const core::GridAxis axis = section_.box[d];
      const std::int64_t site = core::rounded_site(row.begin[d] + i * section_.lattice.edge[0][d]);
      const std::int64_t expected = core::sum_of(core::sum_of(site, sums[d]), 32);
      const std::int64_t from = expected >> core::deviation_fraction;
      const auto fraction = static_cast<std::int32_t>(expected & 63);
      const auto off = static_cast<std::size_t>(fraction < 32 ? 32 - fraction : fraction - 32) / 8;
      const std::uint64_t number =
          core::residual_number(core::displacement(core::inside(q[d], axis), from, axis), fraction);
      const std::uint64_t found =
          numbers_[d].code(side_.coder, section_.shift[d], core::min_of(off, std::size_t{3}), number);
      const std::int64_t reached = core::sum_of(from, core::numbered_residual(found, fraction));
      if (deviation != nullptr) deviation[d] = static_cast<std::int32_t>(core::site_deviation(reached, site));
      const std::int64_t position = core::inside(reached, axis);
      const std::int64_t other = core::other_image(position, axis, section_.margin[d]);
      q[d] = other != position && side_.coder.bit(outside_[d], q[d] == other) ? other : position;
    }
    side_.put(q);
  }

  Side &side_;
  const SiteSection &section_;
  std::size_t left_;  // particles
  format::Column<std::int32_t> deviations_;
  std::array<core::AdaptiveBit, 2> other_count_;
  core::AdaptiveBit some_;
  core::AdaptiveBit more_;
  std::array<NumberModels, core::max_components> numbers_;
  std::array<core::AdaptiveBit, core::max_components> outside_;
};

}  // namespace gpz::crystal
