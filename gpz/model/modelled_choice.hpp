// SPDX-License-Identifier: BSD-3-Clause
// Encoder: chooses model, neighbours and contexts of a modelled section (docs/format.md, section 9a).
#pragma once

#include <cstdint>
#include <vector>

#include "gpz/codec/difference_codec.hpp"
#include "gpz/model/expectation.hpp"
#include "gpz/model/modelled_plan.hpp"
#include "gpz/model/modelled_section.hpp"

namespace gpz::model {

// Makes a plan, already connected, for the section of the frame q. `plan.update` holds the searches and scales before
// the section on entry, and after it on return. Returns the parameters as stored in the section. `remainders` receives
// the remainders of the model. Throws std::bad_alloc.
std::vector<std::uint8_t> choose_plan(const codec::DifferenceState &state, ModelledState &modelled,
                                      const codec::IndexColumns &q, const core::GridBox &box,
                                      const ModelledOptions &options, ModelledPlan &plan, Remainders &remainders);

}  // namespace gpz::model
