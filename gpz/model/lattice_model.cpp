// SPDX-License-Identifier: BSD-3-Clause
#include "gpz/model/lattice_model.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include "gpz/codec/parallel.hpp"
#include "gpz/format/bytes.hpp"
#include "gpz/format/corrupt.hpp"
#include "gpz/model/lattice_parts.hpp"

namespace gpz::model {

using crystal::field_stride;
using crystal::LatticeField;
using crystal::SpringNetwork;
using format::corrupt;

LatticeModel::Update LatticeModel::begin_update() const {
  Update update;
  update.network = network_;
  update.filter = filter_;
  update.built_at = built_at_;
  update.unplaced = unplaced_;
  return update;
}

std::size_t LatticeModel::read(const codec::DifferenceState &state, const std::uint8_t *bytes, std::size_t size,
                               const core::GridBox &box, Update &update, int threads) const {
  update = begin_update();
  format::ByteReader reader(bytes, size);
  const std::uint8_t parts = reader.u8();
  if (parts > all_parts) corrupt("parameters of a lattice", 0);
  if ((parts & has_lattice) != 0) {
    crystal::SpringLattice lattice;
    lattice.read(reader);
    auto network = std::make_shared<SpringNetwork>();
    if (!network->build(lattice, state, box, threads)) corrupt("a lattice with too many neighbours", 0);
    update.network = std::move(network);
    update.filter = {};
  }
  if (update.network == nullptr || update.network->particles() != state.particles)
    corrupt("a lattice that was not stored", 0);
  if ((parts & has_filter) != 0) update.filter.read(reader);
  if ((parts & has_drift) != 0)
    for (std::int32_t &x : update.drift) {
      x = static_cast<std::int32_t>(reader.u32());
      if (x < -largest_drift || x > largest_drift) corrupt("drift of a lattice", reader.position());
    }
  return reader.position();
}

void LatticeModel::expect(const codec::DifferenceState &state, const core::GridBox &box, Update &update,
                          Expectation &out, int threads) {
  const SpringNetwork &network = *update.network;
  const LatticeFilter &filter = update.filter;
  const std::size_t n = state.particles;
  const auto axes = static_cast<std::size_t>(state.components);
  const auto highest = [&](const auto &coefficients) {
    int degree = filter.degree;
    while (degree > 0 && coefficients[static_cast<std::size_t>(degree)] == 0) --degree;
    return degree;
  };
  frame_.begin(update.network, state, box, predicted_, threads);
  frame_.take_gain(filter.gain, predicted_, threads);
  frame_.last().raise(network, highest(filter.last), threads);
  frame_.before().raise(network, highest(filter.before), threads);
  for (std::size_t d = 0; d < out.size(); ++d) out[d].resize(d < axes ? n : 0);
  update.predicted.at = state.frames;
  LatticeField &predicted = update.predicted.field;
  predicted.resize(n * field_stride);
  const std::int32_t reciprocal = core::reciprocal_of(state.frames);
  const int shift = network.lattice().shift;
  const std::int64_t unit = std::int64_t{1} << shift;
  constexpr std::size_t block = 1024;
  codec::parallel_particles(threads, n, [&](std::size_t begin, std::size_t end) {
    for (std::size_t from = begin; from < end; from += block) {
      const std::size_t count = std::min(block, end - from);
      std::fill_n(&predicted[from * field_stride], count * field_stride, std::int16_t{0});
      std::int32_t sum[block * field_stride];
      std::fill_n(sum, count * field_stride, 1 << (LatticeFilter::bits - 1));
      const auto add = [&](const LatticeWaves &waves, const auto &coefficients) {
        for (std::size_t k = 0; k <= static_cast<std::size_t>(filter.degree) && k < waves.count; ++k) {
          const std::int16_t coefficient = coefficients[k];
          if (coefficient == 0) continue;
          const std::int16_t *const x = &waves[k][from * field_stride];
          for (std::size_t j = 0; j < count * field_stride; ++j) sum[j] += coefficient * x[j];
        }
      };
      add(frame_.last(), filter.last);
      add(frame_.before(), filter.before);
      for (std::size_t d = 0; d < axes; ++d)
        for (std::size_t i = from; i < from + count; ++i) {
          const std::size_t at = i * field_stride + d;
          out[d][i] = 0;
          if (!frame_.is_known(i)) continue;
          std::int32_t all = sum[(i - from) * field_stride + d];
          if (filter.mean != 0)
            all += filter.mean * offset_of_mean(state.axes[d].deviation[i], reciprocal, frame_.displaced()[at], shift);
          const std::int32_t filtered = all >> LatticeFilter::bits;
          predicted[at] = crystal::to_field(filtered);
          out[d][i] =
              core::limited((std::int64_t{filtered} + frame_.mean(d)) * unit + update.drift[d] - frame_.away(d)[i],
                            expectation_limit);
        }
    }
  });
}

void LatticeModel::commit(Update &&update) {
  network_ = std::move(update.network);
  filter_ = update.filter;
  built_at_ = update.built_at;
  unplaced_ = update.unplaced;
  predicted_ = std::move(update.predicted);
}

void LatticeModel::keep(const std::uint32_t *kept, std::size_t count) {
  if (network_ == nullptr) return;
  auto network = std::make_shared<SpringNetwork>(*network_);
  network->keep(kept, count);
  network_ = std::move(network);
  frame_.change_particles(network_, predicted_, [&](LatticeField &field) {
    for (std::size_t i = 0; i < count; ++i)
      std::copy_n(&field[kept[i] * field_stride], field_stride, &field[i * field_stride]);
    field.resize(count * field_stride);
  });
}

void LatticeModel::add(std::size_t count) {
  if (network_ == nullptr) return;
  auto network = std::make_shared<SpringNetwork>(*network_);
  network->add(count);
  network_ = std::move(network);
  frame_.change_particles(network_, predicted_,
                          [&](LatticeField &field) { field.resize(field.size() + count * field_stride, 0); });
}

std::size_t LatticeModel::memory_usage(const Search &search) const {
  std::size_t bytes = codec::memory_of(predicted_.field) + frame_.memory_usage();
  // The pointers may be equal: count each network once.
  for (const SpringNetwork *network :
       std::set<const SpringNetwork *>{network_.get(), frame_.network().get(), search.found.get()})
    if (network != nullptr) bytes += network->memory_usage();
  return bytes;
}

}  // namespace gpz::model
