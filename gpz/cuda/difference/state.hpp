// SPDX-License-Identifier: BSD-3-Clause
// Checked kernel arguments, shared by the calls on device states.
#pragma once

#include "gpz/cuda/difference/params.hpp"

namespace gpz::cuda {

// All functions throw invalid_argument.
ConstArray::Type check_values(const DeviceValues &values, std::uint64_t n, int components, bool plain);
DifferenceHistory history_of(const DeviceDifferenceState &state, const core::GridBox &box,
                             const DeviceCrossings &crossings = {});
DifferenceSource source_of(const DeviceValues &values, int components);
// Call after a frame was coded.
void count_frame(DeviceDifferenceState &state);

}  // namespace gpz::cuda
