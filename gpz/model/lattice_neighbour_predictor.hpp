// SPDX-License-Identifier: BSD-3-Clause
// What a crystal's particles did otherwise than expected, their neighbours do too: prediction from the remainders of
// those in earlier slots (docs/format.md, section 10c).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "gpz/codec/difference_codec.hpp"
#include "gpz/codec/memory.hpp"
#include "gpz/crystal/spring_network.hpp"
#include "gpz/model/expectation.hpp"

namespace gpz::model {

// Lives as long as the LatticeModel whose network it uses; a copy is independent.
class LatticeNeighbourPredictor {
 public:
  using Way = std::array<std::int64_t, core::max_components>;
  static constexpr int weight_bits = 12;

  // Of the remainders of neighbours along each vector and against it, in 2^-12.
  struct Weight {
    std::int16_t all = 0;
    std::int16_t along = 0;  // of the part along the vector
  };
  // What a frame changes if its section stays.
  struct Update {
    std::vector<Weight> weights;
  };

  // Fits weights to the frame q, of which `expected` was expected, and appends the parameters. False, with nothing
  // appended, where neighbours say nothing.
  bool fit(const crystal::SpringNetwork &network, const cpu::DifferenceState &state, const cpu::IndexColumns &q,
           const core::GridBox &box, const Expectation &expected, std::vector<std::uint8_t> &bytes) const;
  // Before the particles of a frame. Returns the bytes read. Throws gpz::Error (corrupt).
  std::size_t read(const crystal::SpringNetwork &network, const std::uint8_t *bytes, std::size_t size, Update &update);
  void commit(Update &&update) { weights_ = std::move(update.weights); }

  // Slot after slot: what is expected of particle i beside what was, in 1/64 grid steps; then the difference of its
  // displacement from what was expected at first, in 1/64 grid steps.
  Way expected(const crystal::SpringNetwork &network, std::size_t i) const {
    const auto sum = matrices_.sum(network.neighbours(i), remainders_);
    Way way;
    for (std::size_t d = 0; d < way.size(); ++d)
      way[d] = crystal::rounded_shift(std::int64_t{sum[d]}, weight_bits) * (std::int64_t{1} << network.lattice().shift);
    return way;
  }
  void update(const crystal::SpringNetwork &network, std::size_t i, const Way &remainder) {
    for (std::size_t d = 0; d < remainder.size(); ++d)
      remainders_[i * crystal::field_stride + d] =
          crystal::to_field(crystal::rounded_shift(remainder[d], network.lattice().shift));
  }

  std::size_t memory_usage() const { return cpu::memory_of(remainders_); }

 private:
  // Empty if they are too large.
  static std::vector<crystal::Spring> matrices_of(const crystal::SpringLattice &lattice,
                                                  const std::vector<Weight> &weights);

  std::vector<Weight> weights_;
  // Of the frame at hand.
  crystal::SpringMatrices matrices_;
  crystal::LatticeField remainders_;  // 0 for particles that are not known yet
};

}  // namespace gpz::model
