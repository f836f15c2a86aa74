// SPDX-License-Identifier: BSD-3-Clause
// What codecs of values in the order of ids are told of a section.
#pragma once

#include "gpz/codec/ordered_codec.hpp"
#include "gpz/trajectory/codings.hpp"

namespace gpz::trajectory {

inline cpu::OrderedShape ordered_shape(const SectionContext &context, const core::GridBox &box) {
  return {context.particles, static_cast<int>(context.components()),
          context.ids == nullptr ? nullptr : context.ids->data(), box};
}

}  // namespace gpz::trajectory
