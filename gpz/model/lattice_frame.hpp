// SPDX-License-Identifier: BSD-3-Clause
// Displacements of one frame of a crystal, and polynomials of its springs applied to them (docs/format.md, section
// 10c).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "gpz/codec/difference_codec.hpp"
#include "gpz/codec/memory.hpp"
#include "gpz/crystal/spring_network.hpp"
#include "gpz/format/budget.hpp"

namespace gpz::model {

using NetworkPointer = std::shared_ptr<const crystal::SpringNetwork>;

// Predicted displacements of the last frame that the model predicted. `at`: number of frames in the history at that
// time; 0: none.
struct PredictedFrame {
  std::uint64_t at = 0;
  crystal::LatticeField field;
};

// A field and polynomials of the network's stiffness applied to it: the first `count` fields. Later fields are spare
// memory.
struct LatticeWaves {
  std::vector<crystal::LatticeField> fields;
  std::size_t count = 0;

  const crystal::LatticeField &operator[](std::size_t k) const { return fields[k]; }
  // Adds one field for this many particles, with unspecified contents.
  crystal::LatticeField &grow(std::size_t particles);
  // Computes further polynomials, up to this degree.
  void raise(const crystal::SpringNetwork &network, int degree, int threads);
};

// Working memory, derived from the network, the history and the predicted frame. Only one part is reused: the
// displacements of the last frame become those of the frame before, if this model's prediction was used for the last
// frame.
class LatticeFrame {
 public:
  void begin(const NetworkPointer &network, const codec::DifferenceState &state, const core::GridBox &box,
             const PredictedFrame &predicted, int threads);
  // Prepares the displacements of the last frame for this gain. Discards polynomials for other gains.
  void take_gain(int gain, const PredictedFrame &predicted, int threads);

  // True if the previous frame was predicted by this model as well.
  bool continues() const { return continues_; }
  // Displacements less their mean, in field units. The fourth number is 1 if the displacement is known.
  const crystal::LatticeField &displaced() const { return displaced_; }
  bool is_known(std::size_t i) const { return displaced_[i * crystal::field_stride + 3] != 0; }
  std::int32_t mean(std::size_t d) const { return mean_[d]; }
  // Displacement from the ideal position, in 1/64 grid steps.
  const format::Column<std::int32_t> &away(std::size_t d) const { return away_[d]; }
  LatticeWaves &last() { return last_; }
  LatticeWaves &before() { return before_; }

  // Particles leave or arrive. Calls `change` with each field of a predicted frame that is kept, to update its
  // particles.
  template <typename Change>
  void change_particles(const NetworkPointer &network, PredictedFrame &predicted, const Change &change) {
    before_.count = 0;
    if (predicted.at == 0 || predicted.at != frame_ || last_.count == 0) {
      predicted.at = 0;
      frame_ = 0;
      return;
    }
    last_.count = 1;
    change(last_.fields[0]);
    change(predicted.field);
    network_ = network;
  }

  // Excludes the network, which is shared.
  std::size_t memory_usage() const { return codec::memory_of(away_, displaced_, last_.fields, before_.fields); }
  const NetworkPointer &network() const { return network_; }

 private:
  std::uint64_t frame_ = 0;
  NetworkPointer network_;
  bool continues_ = false;
  std::array<format::Column<std::int32_t>, core::max_components> away_;
  std::array<std::int32_t, core::max_components> mean_{};
  crystal::LatticeField displaced_;
  int gain_ = 0;  // gain of last_; 0: not computed yet
  LatticeWaves last_;
  LatticeWaves before_;
};

}  // namespace gpz::model
