// SPDX-License-Identifier: BSD-3-Clause
#include "gpz/model/pair_force.hpp"

#include "gpz/format/corrupt.hpp"

namespace gpz::model {

namespace {

constexpr std::uint8_t as_before = 0;
constexpr std::uint8_t with_settings = 1;
constexpr int expectation_shift = PairMotion::speed_bits - 6;

}  // namespace

bool PairForce::fit(const cpu::DifferenceState &state, const cpu::IndexColumns &q, const core::GridBox &box,
                    std::vector<std::uint8_t> &bytes) {
  PairSettings fitted;
  switch (fit_.choose(state, q, box, settings_, history_, motion_, fitted)) {
    case PairFit::Choice::none:
      return false;
    case PairFit::Choice::as_before:
      bytes.push_back(as_before);
      return true;
    case PairFit::Choice::fitted:
      break;
  }
  bytes.push_back(with_settings);
  append_settings(fitted, bytes);
  return true;
}

std::size_t PairForce::read(const cpu::DifferenceState &state, const std::uint8_t *bytes, std::size_t size,
                            const core::GridBox & /*box*/) {
  if (state.plain) format::corrupt("pair forces without history", 0);
  if (size == 0) format::corrupt("pair forces end early", 0);
  if (bytes[0] == as_before) {
    if (settings_.steps == 0) format::corrupt("pair forces as before, but there were none", 0);
    return 1;
  }
  if (bytes[0] != with_settings) format::corrupt("settings of pair forces", 0);
  const std::size_t taken = read_settings(bytes + 1, size - 1, settings_);
  table_reach_ = 0;
  return 1 + taken;
}

void PairForce::expect(const cpu::DifferenceState &state, const core::GridBox &box, Expectation &out, int /*threads*/) {
  if (!motion_.find(state, box, settings_.cutoff)) format::corrupt("too many pairs within the cutoff");
  if (table_reach_ != motion_.list().reach() && state.particles != 0) {
    table_reach_ = motion_.list().reach();
    table_.fill(settings_.curve, motion_.end());
  }
  motion_.move(state, settings_, table_, history_);
  constexpr std::int32_t half = 1 << (expectation_shift - 1);
  for (std::size_t d = 0; d < static_cast<std::size_t>(state.components); ++d) {
    out[d].resize(state.particles);
    for (std::size_t i = 0; i < state.particles; ++i)
      out[d][i] = (history_.axes[d].moved[i] + half) >> expectation_shift;
  }
}

void PairForce::keep(const std::uint32_t *kept, std::size_t count) {
  history_.keep(kept, count);
  motion_.forget_pairs();
}

void PairForce::add(std::size_t count) {
  history_.add(count);
  motion_.forget_pairs();
}

void PairForce::forget() {
  history_.forget();
  motion_.forget_pairs();
  settings_ = {};
  fit_ = {};
}

}  // namespace gpz::model
