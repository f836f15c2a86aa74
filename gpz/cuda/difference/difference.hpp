// SPDX-License-Identifier: BSD-3-Clause
// Difference sections (docs/decisions/0010) of particles in device memory: the bytes of codec::encode_difference, and
// back. Everything is queued on the caller's stream; nothing is allocated, nothing waits.
#pragma once

#include <cuda_runtime_api.h>

#include <array>
#include <cstddef>
#include <cstdint>

#include "gpz/core/difference_section.hpp"
#include "gpz/core/residual.hpp"
#include "gpz/core/types.hpp"
#include "gpz/cuda.hpp"
#include "gpz/cuda/common/index_end.hpp"

namespace gpz::cuda {

// codec::DifferenceState in device memory. Calls exchange its arrays with each other, so copies of it do not stay
// valid.
struct DeviceDifferenceState {
  std::int32_t *last[core::max_components] = {};
  std::int32_t *deviation[core::max_components] = {};
  std::int32_t *velocity[core::max_components] = {};
  std::int32_t *previous[core::max_components] = {};
  std::int32_t *spare = nullptr;
  std::uint64_t capacity = 0;  // particles that each array has room for
  std::uint64_t particles = 0;
  std::uint64_t frames = 0;
  int components = 0;
  bool plain = false;
  // Behind a key frame (`frames` is 1), all particles are at rest: deviation, velocity and previous count as zeros, and
  // nothing was written there. States that are decoded do without.
  bool rest_implied = false;
  bool at_rest() const { return rest_implied && frames == 1 && !plain; }
};

// Where the rows of a block of 1,024 slots mostly are: in a window of as many consecutive ones. Values are read in the
// order of memory then, and put in their places on the way; results do not depend on it. Arrays of device memory.
inline constexpr std::uint32_t no_window = UINT32_MAX;
inline constexpr std::uint16_t row_elsewhere = 0x8000;
struct DeviceWindows {
  const std::uint32_t *first = nullptr;  // of each block, the first row of its window; no_window: rows are all over
  // Element 1,024 b + i for block b: the slot, counted from the block's first, whose row is number i of the window. If
  // none has it, row_elsewhere is set, and it is a slot whose row is not in the window.
  const std::uint16_t *slot = nullptr;
};
// Of the blocks of n slots with these rows (below 2^31); both arrays are written. `slot` has room for an even number
// and is aligned to 4 bytes.
void find_windows(const std::uint32_t *rows, std::uint64_t n, std::uint32_t *first, std::uint16_t *slot, Stream stream);

// Values of `components` arrays in device memory: that of slot i is element rows[i] (i if rows is nullptr). All arrays
// are of one type. Floats go to `grid`, integers are indices as they are and belong to plain states.
struct DeviceValues {
  std::array<ConstArray, core::max_components> component{};
  const std::uint32_t *rows = nullptr;
  core::Grid grid;
  DeviceWindows windows{};  // of `rows`
};

// Values that the grid cannot hold, which get the index of the last frame: slot, and component from bit 32 on, in no
// order. `count` goes on beyond `capacity`.
struct InvalidValues {
  std::uint64_t *places = nullptr;  // device memory
  std::uint64_t capacity = 0;
};

// What image flags change by (core::crossing), an array of device memory for each axis, an element for each slot; only
// those of particles that go through a periodic edge are written. nullptr: not wanted.
using DeviceCrossings = std::array<std::int8_t *, core::max_components>;

// Words of all particles, now and before, without gaps and aligned to 16 bytes: *changed becomes 1 if they differ, and
// is left alone otherwise. All in device memory.
struct DeviceComparison {
  const std::uint32_t *now = nullptr;
  const std::uint32_t *before = nullptr;
  std::uint32_t words = 0;  // for each particle; 0: nothing is compared
  std::uint32_t *changed = nullptr;
};
inline constexpr std::size_t max_comparisons = 4;

// What is done besides, as memory is not what limits the encoding of sections.
struct BesidesEncoding {
  DeviceCrossings crossings{};
  // If this (device memory; nullptr: there is none) is not 0, no array of the state and no crossing changes, and the
  // result does not fit; undo_frame() then takes the call back. It is what it is when `known` (nullptr: the work
  // before) has happened.
  const std::uint32_t *cancelled = nullptr;
  cudaEvent_t known = nullptr;
  std::array<DeviceComparison, max_comparisons> comparisons{};
};

// In memory of the caller that the device can write.
struct DifferenceResult {
  std::uint64_t bytes;    // of the section
  std::uint64_t invalid;  // values the grid cannot hold
  std::uint32_t fits;     // 0: the section is longer than its room and was not written
  std::uint32_t wide;     // not 0: an index of device_index_end or more; neither section nor state are of any use
  double largest_error;   // of values the grid holds: |value - grid value|; 0 for plain states
};

// What *status becomes when a section is decoded.
inline constexpr std::uint32_t section_damaged = 1;  // the bytes contradict the format
inline constexpr std::uint32_t section_wide = 2;     // an index of device_index_end or more

// What every call on a section has, a difference section or an ordered one. Axes that are not periodic are GridAxis{}.
struct SectionCall {
  core::GridBox box{};
  void *workspace = nullptr;
  std::size_t workspace_size = 0;
  Stream stream = nullptr;
};

// A section of `size` bytes in device memory, aligned to 8. *status (memory the device can write) becomes 0, or some
// of the bits above: values and states are unspecified then. Never reads or writes outside of what it was given.
struct SectionDecoding : SectionCall {
  const void *section = nullptr;
  std::size_t size = 0;
  std::uint32_t *status = nullptr;
};

// Room for a section in device memory, aligned to 8.
struct SectionEncoding : SectionCall {
  void *out = nullptr;
  std::size_t capacity = 0;  // bytes
  DifferenceResult *result = nullptr;
};

// Bytes of the arrays of a state, and the state cut out of them (aligned to 256), without particles.
std::size_t difference_state_size(std::uint64_t capacity, int components, bool plain);
DeviceDifferenceState place_difference_state(void *memory, std::uint64_t capacity, int components, bool plain);

// Whether a state on the device can follow the axes of this box.
bool can_follow(const core::GridBox &box);

// Indices of n values to out[d][0 .. n), 0 for what the grid cannot hold. *wide (device memory) becomes 1 if an index
// does not fit, and is left alone otherwise.
void find_indices(const DeviceValues &values, std::uint64_t n, int components, std::int32_t *const *out,
                  std::uint32_t *wide, Stream stream);

// The state after a key frame of n <= capacity particles with these values; *wide as above. Throws invalid_argument.
void start_difference(DeviceDifferenceState &state, const DeviceValues &values, std::uint64_t n, std::uint32_t *wide,
                      Stream stream);

// Adds `count` particles at rest behind the others, with last indices that are (or will be) there.
void add_at_rest(DeviceDifferenceState &state, std::uint64_t count, Stream stream);

// Slots kept[0] < kept[1] < ... (device memory) move to the front with their history, `added_count` new ones at rest at
// `added` follow, as many as `capacity` in all; *wide as above. Throws invalid_argument.
void replace_difference(DeviceDifferenceState &state, const std::uint32_t *kept, std::uint64_t count,
                        const DeviceValues &added, std::uint64_t added_count, std::uint32_t *wide, Stream stream);

// The section of the next frame, and the state after it. Throws invalid_argument: arrays of different types, a box that
// a state cannot follow, too little workspace.
std::size_t encode_difference_workspace(const DeviceDifferenceState &state, std::size_t capacity);
// At least as much as a section can have.
std::size_t difference_bound(std::uint64_t particles, int components);
void encode_difference(DeviceDifferenceState &state, const DeviceValues &values, const SectionEncoding &call,
                       const InvalidValues &invalid = {}, const BesidesEncoding &besides = {});
void undo_frame(DeviceDifferenceState &state);

// The inverse, for a section of this prediction (its first byte; others are section_damaged), and a state that is not
// plain: the values of slot i go to element i of the arrays of `output`, and the state is that after the frame.
std::size_t decode_difference_workspace(std::uint64_t particles);
inline std::size_t decode_difference_workspace(const DeviceDifferenceState &state) {
  return decode_difference_workspace(state.particles);
}
void decode_difference(DeviceDifferenceState &state, const SectionDecoding &call, const FieldOutput &output,
                       const DeviceCrossings &crossings = {}, std::uint8_t prediction = core::temporal_predictor);

// The indices of a particle of three components: 16 bytes that are read at once, wherever it is.
struct alignas(16) PackedIndices {
  std::int32_t q[4];  // the last one is 0
};
// As decode_difference, of three components, to the packed indices of each slot.
void decode_packed_difference(DeviceDifferenceState &state, const SectionDecoding &call, PackedIndices *packed,
                              const DeviceCrossings &crossings = {},
                              std::uint8_t prediction = core::temporal_predictor);

// A plain state with indices of 64 bits: integers, or keys of lossless floats. An array of device memory for each
// component.
struct DeviceKeys {
  std::int64_t *last[core::max_components] = {};
  int components = 0;
};
// As decode_difference, for n particles, with the same workspace; the indices become those of the frame.
void decode_key_differences(const DeviceKeys &keys, std::uint64_t n, const SectionDecoding &call,
                            const DeviceCrossings &crossings = {});

// The state, not a plain one, after a frame without periodic axes that has these values; without (nullptr): after one
// whose indices are those of the frame before. *wide as in find_indices. Throws invalid_argument.
void advance_difference(DeviceDifferenceState &state, const DeviceValues *values, std::uint32_t *wide, Stream stream);

}  // namespace gpz::cuda
