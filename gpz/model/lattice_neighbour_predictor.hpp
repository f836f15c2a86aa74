// SPDX-License-Identifier: BSD-3-Clause
// Predicts a particle of a crystal from its neighbours in earlier slots: neighbours deviate from the lattice model
// similarly (docs/format.md, section 10c).
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

// Lives as long as the LatticeModel whose network it uses. Copies are independent.
class LatticeNeighbourPredictor {
 public:
  using Remainder = std::array<std::int64_t, core::max_components>;
  static constexpr int weight_bits = 12;

  // Weights for the remainders of the two neighbours on a lattice vector, one in each direction, in 2^-12.
  struct Weight {
    std::int16_t all = 0;
    std::int16_t along = 0;  // for the component along the vector
  };
  // Changes that take effect only if the section is kept.
  struct Update {
    std::vector<Weight> weights;
  };

  // Fits weights to the frame q, for which the model expects `expected`, and appends them. Returns false and appends
  // nothing if neighbours do not help. Afterwards expected_of_known() knows the frame.
  bool fit(const crystal::SpringNetwork &network, const codec::DifferenceState &state, const codec::IndexColumns &q,
           const core::GridBox &box, const Expectation &expected, std::vector<std::uint8_t> &bytes, int threads = 1);
  // Reads what fit appended. Returns the number of bytes read. Throws gpz::Error (corrupt).
  std::size_t read(const crystal::SpringNetwork &network, const std::uint8_t *bytes, std::size_t size, Update &update);
  // Decoder: call before the particles of a frame.
  void start(const crystal::SpringNetwork &network) {
    remainders_.assign(network.particles() * crystal::field_stride, 0);
  }
  void commit(Update &&update) { weights_ = std::move(update.weights); }

  // In the order of slots: expected() returns the correction for particle i; update() takes the difference between its
  // displacement and what the model expected. Both are in 1/64 grid steps.
  Remainder expected(const crystal::SpringNetwork &network, std::size_t i) const {
    return expected_from(network, network.neighbours(i));
  }
  void update(const crystal::SpringNetwork &network, std::size_t i, const Remainder &remainder) {
    for (std::size_t d = 0; d < remainder.size(); ++d)
      remainders_[i * crystal::field_stride + d] =
          crystal::to_field(crystal::rounded_shift(remainder[d], network.lattice().shift));
  }
  // Encoder: as expected(), for any particle of the frame that was fitted.
  Remainder expected_of_known(const crystal::SpringNetwork &network, std::size_t i) const {
    // The particle after the last one has no remainder, as particles in later slots.
    const auto none = static_cast<std::uint32_t>(network.particles());
    const std::uint32_t *const near = network.neighbours(i);
    std::array<std::uint32_t, core::max_spring_neighbours> earlier;
    for (std::size_t k = 0; k < network.degree(); ++k) earlier[k] = near[k] < i ? near[k] : none;
    return expected_from(network, earlier.data());
  }

  std::size_t memory_usage() const { return codec::memory_of(remainders_); }

 private:
  Remainder expected_from(const crystal::SpringNetwork &network, const std::uint32_t *near) const {
    const auto sum = matrices_.sum(near, remainders_);
    Remainder mean;
    for (std::size_t d = 0; d < mean.size(); ++d)
      mean[d] =
          crystal::rounded_shift(std::int64_t{sum[d]}, weight_bits) * (std::int64_t{1} << network.lattice().shift);
    return mean;
  }
  // Empty if an element is too large.
  static std::vector<crystal::Spring> matrices_of(const crystal::SpringLattice &lattice,
                                                  const std::vector<Weight> &weights);

  std::vector<Weight> weights_;
  // Matrices of the current frame.
  crystal::SpringMatrices matrices_;
  // Decoder: 0 for particles that are not decoded yet. Encoder: of all particles, and one of 0 after them.
  crystal::LatticeField remainders_;
};

}  // namespace gpz::model
