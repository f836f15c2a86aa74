// SPDX-License-Identifier: BSD-3-Clause
#include "gpz/model/pair_force.hpp"

#include <utility>

#include "gpz/codec/parallel.hpp"
#include "gpz/format/corrupt.hpp"
#include "gpz/kernels/rounding.hpp"

namespace gpz::model {

namespace {

constexpr std::uint8_t as_before = 0;
constexpr std::uint8_t with_settings = 1;
constexpr int expectation_shift = PairMotion::speed_bits - 6;

}  // namespace

bool PairForce::fit(const codec::DifferenceState &state, const codec::IndexColumns &q, const core::GridBox &box,
                    Search &search, Update &update, std::vector<std::uint8_t> &bytes, int threads) {
  PairMotion &motion = motion_.get();
  const PairFit::Choice choice = search.choose(state, q, box, settings_, history_, threads, motion, update.settings);
  if (choice == PairFit::Choice::none) return false;
  update.has_moved = search.has_moved();
  if (update.has_moved) std::swap(update.history, motion.best_trial());
  update.has_settings = choice == PairFit::Choice::fitted;
  bytes.push_back(update.has_settings ? with_settings : as_before);
  if (update.has_settings) append_settings(update.settings, bytes);
  return true;
}

std::size_t PairForce::read(const codec::DifferenceState &state, const std::uint8_t *bytes, std::size_t size,
                            const core::GridBox & /*box*/, Update &update) const {
  if (state.plain) format::corrupt("pair forces without history", 0);
  if (size == 0) format::corrupt("pair forces end early", 0);
  if (bytes[0] == as_before) {
    if (settings_.steps == 0) format::corrupt("pair forces as before, but there were none", 0);
    return 1;
  }
  if (bytes[0] != with_settings) format::corrupt("settings of pair forces", 0);
  update.has_settings = true;
  return 1 + read_settings(bytes + 1, size - 1, update.settings);
}

void PairForce::expect(const codec::DifferenceState &state, const core::GridBox &box, Update &update, Expectation &out,
                       int threads) {
  const PairSettings &settings = update.has_settings ? update.settings : settings_;
  PairTable &table = update.has_settings ? update.table : table_;
  std::uint32_t &reach = update.has_settings ? update.table_reach : table_reach_;
  PairMotion &motion = motion_.get();
  if (!motion.find(state, box, settings.cutoff, threads)) format::corrupt("too many pairs within the cutoff");
  if (reach != motion.list().reach() && state.particles != 0) {
    reach = motion.list().reach();
    table.fill(settings.curve, motion.end());
  }
  if (!update.has_moved) {
    update.history = std::move(motion.spare());
    motion.move(state, settings, table, history_, update.history);
  }
  const auto components = static_cast<std::size_t>(state.components);
  for (std::size_t d = 0; d < components; ++d) out[d].resize(state.particles);
  codec::parallel_particles(threads, state.particles, [&](std::size_t first, std::size_t last) {
    for (std::size_t d = 0; d < components; ++d)
      for (std::size_t i = first; i < last; ++i)
        out[d][i] = core::rounded_shift(update.history.particles[i].moved[d], expectation_shift);
  });
}

void PairForce::commit(Update &&update) {
  if (update.has_settings) {
    settings_ = std::move(update.settings);
    table_ = std::move(update.table);
    table_reach_ = update.table_reach;
  }
  std::swap(history_, update.history);
  if (PairMotion *const motion = motion_.if_made()) motion->spare() = std::move(update.history);
}

void PairForce::keep(const std::uint32_t *kept, std::size_t count) {
  history_.keep(kept, count);
  if (PairMotion *const motion = motion_.if_made()) motion->forget_pairs();
}

void PairForce::add(std::size_t count) {
  history_.add(count);
  if (PairMotion *const motion = motion_.if_made()) motion->forget_pairs();
}

}  // namespace gpz::model
