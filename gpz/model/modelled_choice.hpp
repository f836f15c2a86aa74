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

// Makes a plan for the section of the frame q, connected, and brings the models of `modelled` up to date as a reader of
// the section would. Returns the parameters as they stand in the section, and in `remainders` those of the model.
// Throws std::bad_alloc.
std::vector<std::uint8_t> choose_plan(const cpu::DifferenceState &state, ModelledState &modelled,
                                      const cpu::IndexColumns &q, const core::GridBox &box,
                                      const ModelledOptions &options, ModelledPlan &plan, Remainders &remainders);

}  // namespace gpz::model
