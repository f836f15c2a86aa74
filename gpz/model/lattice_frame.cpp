// SPDX-License-Identifier: BSD-3-Clause
#include "gpz/model/lattice_frame.hpp"

#include <algorithm>
#include <utility>

#include "gpz/codec/parallel_parts.hpp"
#include "gpz/crystal/integers.hpp"
#include "gpz/model/lattice_filter.hpp"

namespace gpz::model {

using crystal::field_limit;
using crystal::field_stride;
using crystal::LatticeField;
using crystal::rounded_shift;
using crystal::to_field;

LatticeField &LatticeWaves::grow(std::size_t particles) {
  if (fields.size() == count) fields.emplace_back();
  fields[count].resize(particles * field_stride);
  return fields[count++];
}

void LatticeWaves::raise(const crystal::SpringNetwork &network, int degree, int threads) {
  while (count < static_cast<std::size_t>(degree) + 1) {
    const std::size_t k = count;
    LatticeField &next = grow(network.particles());
    network.step(fields[k - 1], k < 2 ? nullptr : &fields[k - 2], next, threads);
  }
}

void LatticeFrame::begin(const NetworkPointer &network, const codec::DifferenceState &state, const core::GridBox &box,
                         const PredictedFrame &predicted, int threads) {
  if (frame_ == state.frames && network_ == network) return;
  const std::size_t n = state.particles;
  const auto axes = static_cast<std::size_t>(state.components);
  const int shift = network->lattice().shift;
  continues_ = network_ == network && predicted.at != 0 && predicted.at == frame_ && predicted.at + 1 == state.frames;
  if (continues_) std::swap(before_, last_);
  last_.count = 0;
  gain_ = 0;
  frame_ = state.frames;
  network_ = network;

  // Displacements less their mean. Displacements that are too large are marked as unknown.
  const auto displacements = [&](LatticeField &out, const auto &index) {
    out.resize(n * field_stride);
    for (std::size_t d = 0; d < axes; ++d) away_[d].resize(n);
    const std::int64_t count = codec::parallel_sum(threads, n, [&](std::size_t first, std::size_t last) {
      std::fill(&out[first * field_stride], out.data() + last * field_stride, std::int16_t{0});
      for (std::size_t i = first; i < last; ++i) out[i * field_stride + 3] = network->is_placed(i) ? 1 : 0;
      for (std::size_t d = 0; d < axes; ++d) {
        const core::GridAxis axis = core::checked_axis(box[d]);
        for (std::size_t i = first; i < last; ++i) {
          if (!network->is_placed(i)) continue;
          away_[d][i] = network->offset_from_ideal(i, d, index(d, i), axis);
          const std::int32_t u = rounded_shift(away_[d][i], shift);
          if (u < -field_limit || u > field_limit) out[i * field_stride + 3] = 0;
        }
      }
      std::int64_t known = 0;
      for (std::size_t i = first; i < last; ++i) known += out[i * field_stride + 3];
      return known;
    });
    for (std::size_t d = 0; d < axes; ++d) {
      const std::int64_t sum = codec::parallel_sum(threads, n, [&](std::size_t first, std::size_t last) {
        std::int64_t part = 0;
        for (std::size_t i = first; i < last; ++i)
          if (out[i * field_stride + 3] != 0) part += rounded_shift(away_[d][i], shift);
        return part;
      });
      mean_[d] = count == 0 ? 0 : static_cast<std::int32_t>(sum / count);
    }
    codec::parallel_particles(threads, n, [&](std::size_t first, std::size_t last) {
      for (std::size_t d = 0; d < axes; ++d)
        for (std::size_t i = first; i < last; ++i)
          if (out[i * field_stride + 3] != 0)
            out[i * field_stride + d] = to_field(rounded_shift(away_[d][i], shift) - mean_[d]);
    });
  };
  if (!continues_) {
    before_.count = 0;
    displacements(before_.grow(n), [&](std::size_t d, std::size_t i) {
      return core::difference_of(state.axes[d].last[i], state.axes[d].velocity[i]);
    });
  }
  displacements(displaced_, [&](std::size_t d, std::size_t i) { return state.axes[d].last[i]; });
}

void LatticeFrame::take_gain(int gain, const PredictedFrame &predicted, int threads) {
  if (!continues_) gain = LatticeFilter::whole_gain;
  if (gain == gain_) return;
  gain_ = gain;
  last_.count = 0;
  LatticeField &field = last_.grow(displaced_.size() / field_stride);
  codec::parallel_particles(threads, displaced_.size() / field_stride, [&](std::size_t first, std::size_t last) {
    std::copy_n(&displaced_[first * field_stride], (last - first) * field_stride, &field[first * field_stride]);
    if (gain == LatticeFilter::whole_gain) return;
    for (std::size_t i = first * field_stride; i < last * field_stride; i += field_stride) {
      if (field[i + 3] == 0) continue;
      for (std::size_t d = 0; d < core::max_components; ++d) {
        const std::int32_t expected = predicted.field[i + d];
        field[i + d] = to_field(expected + ((gain * (field[i + d] - expected) + 32) >> 6));
      }
    }
  });
}

}  // namespace gpz::model
