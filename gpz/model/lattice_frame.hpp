// SPDX-License-Identifier: BSD-3-Clause
// The displacements of one frame of a crystal, and what its springs make of them (docs/format.md, section 10c).
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

// The frame that was predicted last, as the number of frames that the history had (0: none), and its displacements.
struct PredictedFrame {
  std::uint64_t at = 0;
  crystal::LatticeField field;
};

// A field, and polynomials of the network's stiffness of it: the first `count` fields. The others are memory for later.
struct LatticeWaves {
  std::vector<crystal::LatticeField> fields;
  std::size_t count = 0;

  const crystal::LatticeField &operator[](std::size_t k) const { return fields[k]; }
  // One more field of so many particles, with any contents.
  crystal::LatticeField &grow(std::size_t particles);
  // Goes on to this degree.
  void raise(const crystal::SpringNetwork &network, int degree);
};

// Working memory: all of it follows from the network, the history and the predicted frame that stayed, but
// displacements of the last frame become those before the next one. Where that frame was not predicted in the end, they
// do not.
class LatticeFrame {
 public:
  void begin(const NetworkPointer &network, const cpu::DifferenceState &state, const core::GridBox &box,
             const PredictedFrame &predicted);
  // Displacements of the last frame with this gain; waves of other gains are forgotten.
  void take_gain(int gain, const PredictedFrame &predicted);

  // Whether the frame before was predicted too.
  bool continues() const { return continues_; }
  // Less their mean, in units of fields; the fourth number is 1 if the displacement is known, of both of them.
  const crystal::LatticeField &displaced() const { return displaced_; }
  bool is_known(std::size_t i) const { return displaced_[i * crystal::field_stride + 3] != 0; }
  std::int32_t mean(std::size_t d) const { return mean_[d]; }
  // From the ideal place, in 1/64 grid steps.
  const format::Column<std::int32_t> &away(std::size_t d) const { return away_[d]; }
  LatticeWaves &last() { return last_; }
  LatticeWaves &before() { return before_; }

  // Other particles: what there is of a predicted frame stays, which `change` is called with.
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

  // Without the network.
  std::size_t memory_usage() const { return cpu::memory_of(away_, displaced_, last_.fields, before_.fields); }
  const NetworkPointer &network() const { return network_; }

 private:
  std::uint64_t frame_ = 0;
  NetworkPointer network_;
  bool continues_ = false;
  std::array<format::Column<std::int32_t>, core::max_components> away_;
  std::array<std::int32_t, core::max_components> mean_{};
  crystal::LatticeField displaced_;
  int gain_ = 0;  // of last_; 0: there is none yet
  LatticeWaves last_;
  LatticeWaves before_;
};

}  // namespace gpz::model
