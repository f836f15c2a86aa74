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

#include "gpz/codec/difference_codec.hpp"
#include "gpz/crystal/spring_network.hpp"
#include "gpz/format/budget.hpp"
#include "gpz/model/expectation.hpp"

namespace gpz::model {

// What is made of the displacements.
struct LatticeFilter {
  static constexpr int max_degree = 12;
  static constexpr int bits = 12;                 // of the fractions of coefficients
  static constexpr std::int64_t max_sum = 65535;  // of the magnitudes of all coefficients
  static constexpr int whole_gain = 64;

  int degree = 0;
  // How much of the difference from its prediction a displacement keeps, in 1/64: less than all of it where the grid is
  // coarse.
  int gain = whole_gain;
  std::int16_t mean = 0;                              // of the mean position
  std::array<std::int16_t, max_degree + 1> last{};    // polynomial of the displacements in the last frame
  std::array<std::int16_t, max_degree + 1> before{};  // in the frame before

  bool operator==(const LatticeFilter &other) const {
    return degree == other.degree && gain == other.gain && mean == other.mean && last == other.last &&
           before == other.before;
  }
  void write(std::vector<std::uint8_t> &bytes) const;
  // Throws gpz::Error (corrupt).
  void read(format::ByteReader &reader);
};

// Predicts the positions of a chunk of a crystal. Lives as long as the history of the chunk; a copy is independent.
// What writer and reader both have to know changes in read, expect, keep, add and forget only: a writer that may code
// the frame otherwise tries with a copy.
class LatticeModel {
 public:
  // Fits to the frame q and appends the parameters. False, with nothing appended, if the particles are no crystal.
  bool fit(const cpu::DifferenceState &state, const cpu::IndexColumns &q, const core::GridBox &box,
           std::vector<std::uint8_t> &bytes, int threads = 1);
  // What the search for a lattice in `tried`, a copy that has been fitted to the frame, found: it is not repeated for
  // each frame that is coded otherwise. A reader need not know it.
  void remember_search(const LatticeModel &tried);
  // Returns the bytes read. Throws gpz::Error (corrupt).
  std::size_t read(const cpu::DifferenceState &state, const std::uint8_t *bytes, std::size_t size,
                   const core::GridBox &box);
  // The expected displacement of each particle, after `read` for this frame.
  void expect(const cpu::DifferenceState &state, const core::GridBox &box, Expectation &out, int threads = 1);

  // After `expect`.
  const crystal::SpringNetwork &network() const { return *network_; }

  // As those of DifferenceState.
  void keep(const std::uint32_t *kept, std::size_t count);
  void add(std::size_t count);
  // A new history begins.
  void forget();

  std::size_t memory_usage() const;

 private:
  using Network = std::shared_ptr<const crystal::SpringNetwork>;
  // A field, and polynomials of the network's stiffness of it: the first `count` fields. The others are memory for
  // later.
  struct Waves {
    std::vector<crystal::LatticeField> fields;
    std::size_t count = 0;

    const crystal::LatticeField &operator[](std::size_t k) const { return fields[k]; }
    // One more field of so many particles, with any contents.
    crystal::LatticeField &grow(std::size_t particles);
  };

  Network find_network(const cpu::DifferenceState &state, const core::GridBox &box);
  void begin_frame(const Network &network, const cpu::DifferenceState &state, const core::GridBox &box);
  void take_gain(int gain);
  void raise(const crystal::SpringNetwork &network, Waves &waves, int degree, int threads) const;
  void expect_range(const cpu::DifferenceState &state, std::size_t from, std::size_t count, std::int32_t reciprocal,
                    Expectation &out);
  template <typename Change>
  void change_particles(const Change &change);
  int best_gain(const crystal::SpringNetwork &network, const cpu::DifferenceState &state, const cpu::IndexColumns &q,
                const core::GridBox &box, int threads);

  Network network_;
  LatticeFilter filter_;
  std::array<std::int32_t, core::max_components> drift_{};  // 1/64 grid steps, of this frame alone
  // The frame that was predicted last, as the number of frames that the history had (0: none), and its displacements.
  std::uint64_t predicted_at_ = 0;
  crystal::LatticeField predicted_;

  // Of the frame at hand, by begin_frame: functions of what stands above and of the history.
  std::uint64_t frame_ = 0;
  Network network_of_frame_;
  bool continues_ = false;                                               // the frame before was predicted too
  std::array<format::Column<std::int32_t>, core::max_components> away_;  // from the ideal places, in 1/64 grid steps
  std::array<std::int32_t, core::max_components> mean_{};                // in units of fields
  crystal::LatticeField displaced_;  // the same without the mean; the fourth number is 1 if it is known
  int gain_ = 0;                     // of last_; 0: there is none yet
  Waves last_;
  Waves before_;

  // Found by `fit`, but not read yet.
  bool searched_ = false;
  Network found_;
  std::uint64_t found_at_ = 0;
  // For `fit`: when the network was built, and how many particles had no place then.
  std::uint64_t built_at_ = 0;
  std::size_t placeless_ = 0;
};

}  // namespace gpz::model
