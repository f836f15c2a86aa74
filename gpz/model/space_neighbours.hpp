// SPDX-License-Identifier: BSD-3-Clause
// Predicts a particle's remainder from those of nearby particles that come earlier in the walk (docs/format.md, section
// 9b).
#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "gpz/crystal/neighbour_list.hpp"
#include "gpz/model/expectation.hpp"

namespace gpz::model {

class SpaceNeighbours {
 public:
  static constexpr std::size_t max_shells = 8;
  using Sums = std::array<std::int64_t, core::max_components>;

  // Finds the neighbours, and fits their weights to the remainders of a sample of particles; `remainders` is indexed by
  // slot. Appends the parameters. Returns the bits saved per value, or 0, with nothing appended, if they are too few.
  double fit(const codec::DifferenceState &state, const core::GridBox &box, const Remainders &remainders,
             std::vector<std::uint8_t> &bytes);
  // Reads the parameters and finds the neighbours. Returns the number of bytes read. Throws corrupt.
  std::size_t read(const codec::DifferenceState &state, const core::GridBox &box, const std::uint8_t *bytes,
                   std::size_t size);

  // Slot of each step of the walk, which visits cell after cell.
  const std::uint32_t *order() const { return list_.order().data(); }

  // Correction for the particle of step k from its neighbours, in units of 1/64 grid step. `remainders` is indexed by
  // step.
  Sums of(std::size_t k, const Remainders &remainders) const {
    Sums sum{};
    for (std::uint32_t pair = list_.first()[k]; pair < list_.first()[k + 1]; ++pair) {
      const Features f = features(pair, list_.partner()[pair], remainders);
      const Shell &shell = shells_[f.shell];
      for (std::size_t d = 0; d < sum.size(); ++d) sum[d] += shell.all * f.all[d] + shell.along * f.along[d];
    }
    for (std::int64_t &s : sum) s >>= weight_bits - 6;
    return sum;
  }

 private:
  static constexpr int direction_bits = 10;
  static constexpr int weight_bits = 12;
  struct Shell {
    std::int32_t radius = 0;  // squared outer radius, in units of the list
    std::int64_t all = 0;     // weight of the remainder
    std::int64_t along = 0;   // weight of its component along the pair vector
  };
  struct Features {
    std::size_t shell;
    Sums all;
    Sums along;
  };

  Features features(std::uint32_t pair, std::uint32_t partner, const Remainders &remainders) const {
    Features f;
    const auto squared = static_cast<std::int32_t>(list_.squared(pair));
    f.shell = 0;
    while (squared >= shells_[f.shell].radius) ++f.shell;
    // Deterministic: IEEE 754 rounds square roots correctly.
    const auto length = static_cast<std::int32_t>(std::sqrt(static_cast<double>(squared)));
    const std::int32_t inverse = (1 << (direction_bits + 16)) / (length + 1);
    std::int64_t dot = 0;
    Sums direction{};
    for (std::size_t d = 0; d < components_; ++d) {
      direction[d] = list_.way(d)[pair] * inverse >> 16;
      f.all[d] = remainders[d][partner];
      dot += direction[d] * f.all[d];
    }
    dot >>= direction_bits;
    for (std::size_t d = 0; d < components_; ++d) f.along[d] = dot * direction[d] >> direction_bits;
    for (std::size_t d = components_; d < f.all.size(); ++d) f.all[d] = f.along[d] = 0;
    return f;
  }

  bool find(const codec::DifferenceState &state, const core::GridBox &box);

  std::vector<std::uint32_t> radius_;  // outer radius of each shell, grid steps, ascending
  std::vector<Shell> shells_;
  crystal::NeighbourList list_;
  std::size_t components_ = 0;
};

}  // namespace gpz::model
