// SPDX-License-Identifier: BSD-3-Clause
// Crystals: atoms swing about the places of a lattice, joined by springs. From the displacements in the last two
// frames, a polynomial in the stiffness of that network predicts those in the next (docs/format.md, section 10c;
// docs/decisions/0025-crystals.md).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "gpz/cpu/difference_codec.hpp"
#include "gpz/format/budget.hpp"
#include "gpz/model/expectation.hpp"
#include "gpz/model/lattice_network.hpp"

namespace gpz::model {

// Coefficients of the polynomials, in 2^-12.
struct LatticeFilter {
  static constexpr int max_degree = 12;
  static constexpr int bits = 12;
  static constexpr std::int64_t max_sum = 65535;  // of all their magnitudes

  int degree = 0;
  std::array<std::int16_t, max_degree + 1> last{};    // of the displacements in the last frame
  std::array<std::int16_t, max_degree + 1> before{};  // in the frame before
  std::int16_t mean = 0;                              // of the mean position, from the ideal place

  void write(std::vector<std::uint8_t> &bytes) const;
  // Throws gpz::Error (corrupt).
  void read(format::ByteReader &reader);
};

// Predicts the positions of a chunk of a crystal. Lives as long as the history of the chunk; a copy is independent.
// What writer and reader both have to know changes in read, keep, add and forget only.
class LatticeModel {
 public:
  // Fits to the frame q and appends the parameters. False, with nothing appended, if the particles are no crystal.
  bool fit(const cpu::DifferenceState &state, const cpu::IndexColumns &q, const core::GridBox &box,
           std::vector<std::uint8_t> &bytes, int threads = 1);
  // Returns the bytes read. Throws gpz::Error (corrupt).
  std::size_t read(const cpu::DifferenceState &state, const std::uint8_t *bytes, std::size_t size,
                   const core::GridBox &box);
  // The expected displacement of each particle. read has been called for a frame since the history started.
  void expect(const cpu::DifferenceState &state, const core::GridBox &box, Expectation &out, int threads = 1);

  // As those of DifferenceState.
  void keep(const std::uint32_t *kept, std::size_t count);
  void add(std::size_t count);
  // A new history begins.
  void forget();

 private:
  // The displacements of a frame from the ideal places, and the polynomials of the stiffness of them: functions of
  // network and history, kept to save work.
  struct Waves {
    std::uint64_t frames = 0;  // the history's when this was its last frame; 0: nothing is known
    std::array<std::int32_t, core::max_components> mean{};
    std::vector<LatticeField> fields;
  };

  // For fit: nullptr if there is none.
  std::shared_ptr<const LatticeNetwork> find_network(const cpu::DifferenceState &state, const core::GridBox &box);
  void find_displacements(const LatticeNetwork &network, const cpu::DifferenceState &state, const core::GridBox &box,
                          bool before, Waves &out) const;
  void find_waves(const std::shared_ptr<const LatticeNetwork> &network, const cpu::DifferenceState &state,
                  const core::GridBox &box, int degree_of_last, int degree_before, int threads);
  void raise(const LatticeNetwork &network, Waves &waves, int degree, int threads) const;
  void drop_waves();

  std::shared_ptr<const LatticeNetwork> network_;  // as far as writer and reader both have it
  LatticeFilter filter_;
  std::array<std::int32_t, core::max_components> drift_{};  // 1/64 grid steps, of this frame alone
  std::shared_ptr<const LatticeNetwork> found_;             // by fit, but not read yet
  std::uint64_t found_at_ = 0;                              // frames of the history then
  bool searched_ = false;                                   // by fit, since the history started
  Waves last_;
  Waves before_;
  std::shared_ptr<const LatticeNetwork> waves_of_;
};

}  // namespace gpz::model
