// SPDX-License-Identifier: BSD-3-Clause
// Predicts a particle's remainder from those of nearby particles that come earlier in the walk (docs/format.md, section
// 9b).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "gpz/codec/memory.hpp"
#include "gpz/crystal/neighbour_list.hpp"
#include "gpz/format/budget.hpp"
#include "gpz/kernels/pair_kernels.hpp"
#include "gpz/model/expectation.hpp"

namespace gpz::model {

class SpaceNeighbours {
 public:
  static constexpr std::size_t max_shells = 8;
  using Sums = std::array<std::int64_t, core::max_components>;

  // Finds the neighbours, and fits their weights to the remainders of a sample of particles; `remainders` is indexed by
  // slot. Appends the parameters. Returns the bits saved per value, or 0, with nothing appended, if they are too few.
  double fit(const codec::DifferenceState &state, const core::GridBox &box, const Remainders &remainders,
             std::vector<std::uint8_t> &bytes, int threads = 1);
  // Reads the parameters and finds the neighbours. Returns the number of bytes read. Throws corrupt.
  std::size_t read(const codec::DifferenceState &state, const core::GridBox &box, const std::uint8_t *bytes,
                   std::size_t size, int threads = 1);

  std::size_t memory_usage() const { return list_.memory_usage() + codec::memory_of(directions_); }

  // Slot of each step of the walk, which visits cell after cell.
  const std::uint32_t *order() const { return list_.order().data(); }

  // Correction for the particle of step k from its neighbours, in units of 1/64 grid step. `remainders` is indexed by
  // step. Sums of missing components are unspecified.
  Sums correction(std::size_t k, const Remainders &remainders) const {
    const Columns columns = columns_of(remainders);
    Sums sum{};
    const std::uint32_t end = list_.first()[k + 1];
    for (std::uint32_t pair = list_.first()[k]; pair < end; ++pair) {
      const Features f = features(pair, list_.partner()[pair], columns);
      const Shell &shell = shells_[f.shell];
      for (std::size_t d = 0; d < sum.size(); ++d) sum[d] += shell.all * f.all[d] + shell.along * f.along[d];
    }
    for (std::int64_t &s : sum) s >>= weight_bits - 6;
    return sum;
  }

 private:
  static constexpr int direction_bits = codec::PairKernels::direction_bits;
  static constexpr int weight_bits = 12;
  struct Shell {
    std::int64_t all = 0;    // weight of the remainder
    std::int64_t along = 0;  // weight of its component along the pair vector
  };
  using Columns = std::array<const std::int32_t *, core::max_components>;
  struct Features {
    std::size_t shell;
    Sums all;
    Sums along;
  };

  // Missing components may have any values, because their directions are 0.
  Columns columns_of(const Remainders &remainders) const {
    const auto column = [&](std::size_t d) { return remainders[d < components_ ? d : 0].data(); };
    return {column(0), column(1), column(2)};
  }

  Features features(std::uint32_t pair, std::uint32_t partner, const Columns &remainders) const {
    const codec::PairDirection &direction = directions_[pair];
    Features f;
    f.shell = static_cast<std::size_t>(direction.shell);
    std::int64_t dot = 0;
    for (std::size_t d = 0; d < f.all.size(); ++d) {
      f.all[d] = remainders[d][partner];
      dot += direction.along[d] * f.all[d];
    }
    dot >>= direction_bits;
    for (std::size_t d = 0; d < f.all.size(); ++d) f.along[d] = dot * direction.along[d] >> direction_bits;
    return f;
  }

  bool find(const codec::DifferenceState &state, const core::GridBox &box, int threads);

  std::vector<std::uint32_t> radius_;  // outer radius of each shell, grid steps, ascending
  std::vector<Shell> shells_;
  crystal::NeighbourList list_;
  format::Column<codec::PairDirection> directions_;  // of the pairs of the list
  std::size_t components_ = 0;
};

}  // namespace gpz::model
