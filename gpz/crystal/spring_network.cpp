// SPDX-License-Identifier: BSD-3-Clause
#include "gpz/crystal/spring_network.hpp"

#include <algorithm>

#include "gpz/codec/parallel.hpp"
#include "gpz/crystal/neighbour_list.hpp"
#include "gpz/kernels/kernels.hpp"
#include "gpz/kernels/spring_kernels.hpp"

namespace gpz::crystal {

using core::difference_of;
using core::sum_of;

namespace {

constexpr std::int64_t max_offset = std::int64_t{1} << 29;         // in 1/64 grid steps
constexpr int position_bits = SpringLattice::separation_bits - 6;  // from units of vectors to those of positions

std::int64_t whole_steps(std::int64_t component) { return rounded_shift(component, SpringLattice::separation_bits); }

// Length of the longest vector, rounded up.
std::uint64_t longest(const SpringLattice &lattice) {
  std::uint64_t most = 0;
  for (const SpringVector &vector : lattice.vectors) {
    std::int64_t square = 0;
    for (const std::int64_t component : vector.separation) square += whole_steps(component) * whole_steps(component);
    most = std::max(most, static_cast<std::uint64_t>(integer_root(square) + 1));
  }
  return most;
}

}  // namespace

bool SpringNetwork::build(const SpringLattice &lattice, const codec::DifferenceState &state, const core::GridBox &box,
                          int threads) {
  use_springs(lattice);
  components_ = state.components;
  const std::size_t n = state.particles;
  neighbours_.resize(n * degree());
  for (std::size_t i = 0; i < n; ++i) std::fill_n(&neighbours_[i * degree()], degree(), static_cast<std::uint32_t>(i));
  placed_.assign(n, 0);
  for (std::size_t d = 0; d < static_cast<std::size_t>(components_); ++d) {
    axes_[d] = core::checked_axis(box[d]);
    index_[d] = state.axes[d].last;
    offset_[d].assign(n, 0);
  }
  if (!find_neighbours(state, box, threads)) return false;
  find_ideal_positions();
  return true;
}

void SpringNetwork::use_springs(const SpringLattice &lattice) {
  lattice_ = lattice;
  std::vector<Spring> springs;
  for (const SpringVector &vector : lattice_.vectors) springs.push_back(vector.spring);
  springs_.set(springs);
}

bool SpringNetwork::find_neighbours(const codec::DifferenceState &state, const core::GridBox &box, int threads) {
  const auto components = static_cast<std::size_t>(components_);
  // Slightly more, because the list rounds. In very large boxes the list may miss very close neighbours.
  const std::uint64_t reach = longest(lattice_) + static_cast<std::uint64_t>(lattice_.tolerance);
  const std::uint64_t more = (reach >> 12) + 4;
  NeighbourList list;
  if (!list.build(state, box, reach + more, threads) || more >> list.shift() < 4) return false;
  const std::size_t vectors = lattice_.vectors.size();
  std::vector<std::array<std::int64_t, core::max_components>> ends(vectors);
  for (std::size_t k = 0; k < vectors; ++k)
    for (std::size_t d = 0; d < components; ++d) ends[k][d] = whole_steps(lattice_.vectors[k].separation[d]);
  const std::int64_t tolerance = lattice_.tolerance;
  const std::int64_t farthest = tolerance * tolerance;
  format::Column<std::int64_t> distance(particles() * degree(), farthest + 1);
  // Makes `other` the neighbour with this index if it is nearer than the current one.
  const auto offer = [&](std::size_t index, std::int64_t squared, std::uint32_t other) {
    if (squared > distance[index] || squared > farthest) return;
    if (squared == distance[index] && neighbours_[index] < other) return;
    distance[index] = squared;
    neighbours_[index] = other;
  };
  for (std::size_t index = 0; index < list.particles(); ++index)
    for (std::size_t pair = list.first()[index]; pair < list.first()[index + 1]; ++pair) {
      const std::uint32_t i = list.order()[index];
      const std::uint32_t j = list.order()[list.partner()[pair]];
      std::array<std::int64_t, core::max_components> separation{};
      for (std::size_t d = 0; d < components; ++d)
        separation[d] = core::displacement(index_[d][i], index_[d][j], axes_[d]);
      for (std::size_t k = 0; k < vectors; ++k)
        for (const std::size_t against : {std::size_t{0}, std::size_t{1}}) {
          std::int64_t squared = 0;
          for (std::size_t d = 0; d < components; ++d) {
            const std::int64_t off =
                difference_of(against != 0 ? difference_of(0, separation[d]) : separation[d], ends[k][d]);
            squared = off < -tolerance || off > tolerance ? farthest + 1 : squared + off * off;
            if (squared > farthest) break;
          }
          if (squared > farthest) continue;
          offer(j * degree() + 2 * k + against, squared, i);
          offer(i * degree() + 2 * k + 1 - against, squared, j);
        }
    }
  return true;
}

void SpringNetwork::find_ideal_positions() {
  const auto components = static_cast<std::size_t>(components_);
  // Vectors from the ideal position of the first particle of a connected part, in units of the lattice's vectors.
  std::array<format::Column<std::int64_t>, core::max_components> from;
  for (std::size_t d = 0; d < components; ++d) from[d].resize(particles());
  format::Column<std::uint32_t> queue;
  for (std::size_t seed = 0; seed < particles(); ++seed) {
    if (placed_[seed] != 0) continue;
    queue.assign(1, static_cast<std::uint32_t>(seed));
    placed_[seed] = 1;
    std::array<std::int64_t, core::max_components> sum{};
    for (std::size_t next = 0; next < queue.size(); ++next) {
      const std::uint32_t i = queue[next];
      for (std::size_t d = 0; d < components; ++d) sum[d] = sum_of(sum[d], from[d][i] >> position_bits);
      for (std::size_t k = 0; k < degree(); ++k) {
        const std::uint32_t j = neighbours(i)[k];
        if (placed_[j] != 0) continue;
        placed_[j] = 1;
        queue.push_back(j);
        for (std::size_t d = 0; d < components; ++d) {
          const std::int64_t ideal = lattice_.vectors[k / 2].separation[d];
          const std::int64_t separation = core::displacement(index_[d][j], index_[d][i], axes_[d]) *
                                          (std::int64_t{1} << SpringLattice::separation_bits);
          from[d][j] = sum_of(from[d][i], k % 2 == 0 ? separation - ideal : separation + ideal);
        }
      }
    }
    const auto count = static_cast<std::int64_t>(queue.size());
    for (const std::uint32_t i : queue) {
      bool placed = count > 1;
      for (std::size_t d = 0; d < components; ++d) {
        const std::int64_t mean = sum[d] / count;
        const std::int64_t off = difference_of(from[d][i] >> position_bits, mean);
        placed = placed && off >= -max_offset && off <= max_offset;
        offset_[d][i] = static_cast<std::int32_t>(limited(off, max_offset));
      }
      placed_[i] = placed ? 1 : 2;
    }
  }
  for (auto &placed : placed_) placed = placed == 1 ? 1 : 0;
}

std::int32_t SpringNetwork::offset_from_ideal(std::size_t i, std::size_t d, std::int64_t q,
                                              const core::GridAxis &axis) const {
  const std::int64_t moved = limited(core::displacement(q, index_[d][i], axis), max_offset / 64);
  return static_cast<std::int32_t>(limited(moved * 64 + offset_[d][i], max_offset));
}

void SpringNetwork::step(const LatticeField &in, const LatticeField *before, LatticeField &out, int threads) const {
  const codec::Springs springs{neighbours_.data(), degree(), springs_.rows(), springs_.total()};
  codec::parallel_particles(threads, particles(), [&](std::size_t first, std::size_t last) {
    codec::kernels().springs.step(springs, first, last, in.data(), before == nullptr ? nullptr : before->data(),
                                  out.data());
  });
}

void SpringNetwork::keep(const std::uint32_t *kept, std::size_t count) {
  constexpr std::uint32_t gone = UINT32_MAX;
  format::Column<std::uint32_t> slot(particles(), gone);
  for (std::size_t i = 0; i < count; ++i) slot[kept[i]] = static_cast<std::uint32_t>(i);
  const std::size_t each = degree();
  for (std::size_t i = 0; i < count; ++i) {
    for (std::size_t k = 0; k < each; ++k) {
      const std::uint32_t now = slot[neighbours_[kept[i] * each + k]];
      neighbours_[i * each + k] = now == gone ? static_cast<std::uint32_t>(i) : now;
    }
    placed_[i] = placed_[kept[i]];
    for (std::size_t d = 0; d < static_cast<std::size_t>(components_); ++d) {
      index_[d][i] = index_[d][kept[i]];
      offset_[d][i] = offset_[d][kept[i]];
    }
  }
  neighbours_.resize(count * each);
  placed_.resize(count);
  for (std::size_t d = 0; d < static_cast<std::size_t>(components_); ++d) {
    index_[d].resize(count);
    offset_[d].resize(count);
  }
}

void SpringNetwork::add(std::size_t count) {
  const std::size_t before = particles();
  const std::size_t each = degree();
  neighbours_.resize((before + count) * each);
  for (std::size_t i = before; i < before + count; ++i)
    std::fill_n(&neighbours_[i * each], each, static_cast<std::uint32_t>(i));
  placed_.resize(before + count, 0);
  for (std::size_t d = 0; d < static_cast<std::size_t>(components_); ++d) {
    index_[d].resize(before + count, 0);
    offset_[d].resize(before + count, 0);
  }
}

}  // namespace gpz::crystal
