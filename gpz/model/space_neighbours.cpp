// SPDX-License-Identifier: BSD-3-Clause
#include "gpz/model/space_neighbours.hpp"

#include <algorithm>
#include <cmath>

#include "gpz/codec/parallel.hpp"
#include "gpz/crystal/least_squares.hpp"
#include "gpz/crystal/spacing.hpp"
#include "gpz/error.hpp"
#include "gpz/format/bytes.hpp"
#include "gpz/format/corrupt.hpp"
#include "gpz/kernels/kernels.hpp"

namespace gpz::model {
namespace {

constexpr std::size_t neighbour_sample_size = 8192;
constexpr std::uint32_t max_radius = 1u << 20;
// Bits per value that neighbours must save.
constexpr double least_neighbour_gain = 0.01;

// Outer radii of the shells in units of the mean distance between particles: bonds, and the first coordination shell of
// liquids and crystals.
constexpr double shell_radii[] = {0.62, 1.05, 1.2, 1.42};

}  // namespace

bool SpaceNeighbours::find(const codec::DifferenceState &state, const core::GridBox &box, int threads) {
  components_ = static_cast<std::size_t>(state.components);
  if (!list_.build(state, box, radius_.back(), threads)) return false;
  std::array<std::int32_t, max_shells> squared{};
  for (std::size_t s = 0; s < radius_.size(); ++s) {
    const auto radius = static_cast<std::int32_t>(radius_[s] >> list_.shift());
    squared[s] = radius * radius;
  }
  directions_.resize(list_.pairs());
  const int used = codec::threads_for_particles(threads, state.particles);
  codec::parallel_ranges(used, list_.pairs(), [&](int, std::uint64_t first, std::uint64_t last) {
    const std::int16_t *const separation[core::max_components] = {
        &list_.separation(0)[first], &list_.separation(1)[first], &list_.separation(2)[first]};
    codec::kernels().pairs.find_directions(separation, last - first, squared.data(), radius_.size(),
                                           directions_.data() + first);
  });
  return true;
}

double SpaceNeighbours::fit(const codec::DifferenceState &state, const core::GridBox &box, const Remainders &remainders,
                            std::vector<std::uint8_t> &bytes, int threads) {
  const std::size_t n = state.particles;
  const double distance = crystal::mean_distance(state, box);
  radius_.clear();
  for (const double radius : shell_radii) {
    const double steps = std::ceil(radius * distance);
    if (!(steps >= 4 && steps < max_radius) || (!radius_.empty() && steps <= radius_.back())) return 0;
    radius_.push_back(static_cast<std::uint32_t>(steps));
  }
  shells_.assign(radius_.size(), {});
  if (!find(state, box, threads)) return 0;

  const std::size_t unknowns = 2 * shells_.size();
  crystal::LeastSquares equations(unknowns);
  const std::size_t sample_step = crystal::sample_stride(n, neighbour_sample_size);
  std::vector<double> feature(unknowns * core::max_components);
  const std::uint32_t *const slot = order();
  const Columns columns = columns_of(remainders);
  for (std::size_t k = 0; k < n; k += sample_step) {
    std::fill(feature.begin(), feature.end(), 0.0);
    for (std::uint32_t pair = list_.first()[k]; pair < list_.first()[k + 1]; ++pair) {
      const Features f = features(pair, slot[list_.partner()[pair]], columns);
      for (std::size_t d = 0; d < components_; ++d) {
        feature[d * unknowns + 2 * f.shell] += static_cast<double>(f.all[d]);
        feature[d * unknowns + 2 * f.shell + 1] += static_cast<double>(f.along[d]);
      }
    }
    for (std::size_t d = 0; d < components_; ++d) equations.add(&feature[d * unknowns], remainders[d][slot[k]]);
  }
  const std::vector<double> weights = equations.solve(1e-6);
  const double gain = equations.gain(weights);
  if (gain < least_neighbour_gain) return 0;

  format::ByteWriter writer(bytes);
  writer.u8(static_cast<std::uint8_t>(shells_.size()));
  const auto rounded = [](double weight) {
    return static_cast<std::int64_t>(std::nearbyint(std::clamp(weight * (1 << weight_bits), -32767.0, 32767.0)));
  };
  for (std::size_t s = 0; s < shells_.size(); ++s) {
    shells_[s].all = rounded(weights[2 * s]);
    shells_[s].along = rounded(weights[2 * s + 1]);
    writer.u32(radius_[s]);
    writer.u16(static_cast<std::uint16_t>(shells_[s].all));
    writer.u16(static_cast<std::uint16_t>(shells_[s].along));
  }
  return gain;
}

std::size_t SpaceNeighbours::read(const codec::DifferenceState &state, const core::GridBox &box,
                                  const std::uint8_t *bytes, std::size_t size, int threads) {
  format::ByteReader in(bytes, size);
  const std::size_t count = in.u8();
  if (count < 1 || count > max_shells) format::corrupt("shells of neighbours", 0);
  radius_.clear();
  shells_.assign(count, {});
  for (std::size_t s = 0; s < count; ++s) {
    radius_.push_back(in.u32());
    if (radius_[s] < 1 || radius_[s] > max_radius || (s > 0 && radius_[s] <= radius_[s - 1]))
      format::corrupt("radius of a shell", in.position());
    shells_[s].all = static_cast<std::int16_t>(in.u16());
    shells_[s].along = static_cast<std::int16_t>(in.u16());
  }
  if (!find(state, box, threads)) format::corrupt("too many neighbours", 0);
  return in.position();
}

}  // namespace gpz::model
