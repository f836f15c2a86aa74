// SPDX-License-Identifier: BSD-3-Clause
// What the encoder of a modelled section chooses: the model, neighbours, contexts.
#pragma once

#include <cstdint>
#include <vector>

#include "gpz/codec/difference_codec.hpp"
#include "gpz/model/expectation.hpp"
#include "gpz/model/modelled_plan.hpp"
#include "gpz/model/modelled_section.hpp"

namespace gpz::model {

// Makes a plan for the section of the frame q, connected. The searches and scales of its update are those before the
// section, and become what they are after it; `bonds` are those that are known. Returns the parameters as they stand in
// the section, and in `remainders` those of the model. Throws std::bad_alloc.
std::vector<std::uint8_t> choose_plan(const cpu::DifferenceState &state, ModelledState &modelled, const Bonds &bonds,
                                      const cpu::IndexColumns &q, const core::GridBox &box,
                                      const ModelledOptions &options, ModelledPlan &plan, Remainders &remainders);

}  // namespace gpz::model
