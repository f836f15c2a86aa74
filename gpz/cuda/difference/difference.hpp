// SPDX-License-Identifier: BSD-3-Clause
// Difference sections (docs/decisions/0010) of particles in device memory: the bytes of codec::encode_difference, and
// back. All work is queued on the caller's stream, without allocating or waiting.
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

// codec::DifferenceState in device memory. Calls swap its arrays, which invalidates copies of the structure.
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
  // Deviation, velocity and previous are zeros.
  bool is_motionless = false;
  bool at_rest() const { return rest_implied && frames == 1 && !plain; }
};

// For each block of 1,024 slots, the window of as many consecutive rows that contains most of its rows. Values are then
// read in the order of memory, and permuted afterwards; results do not depend on windows. Arrays are in device memory.
inline constexpr std::uint32_t no_window = UINT32_MAX;
inline constexpr std::uint16_t row_elsewhere = 0x8000;
struct DeviceWindows {
  const std::uint32_t *first = nullptr;  // per block: first row of the window; no_window: rows are scattered
  // Element 1,024 b + i for block b: the slot, counted from the block's first, with row number i of the window. If no
  // slot has this row, row_elsewhere is set, and the slot is one whose row is outside the window.
  const std::uint16_t *slot = nullptr;
};
// Finds the windows for n slots with these rows (below 2^31), and writes both arrays. `slot` has room for an even
// number and is aligned to 4 bytes.
void find_windows(const std::uint32_t *rows, std::uint64_t n, std::uint32_t *first, std::uint16_t *slot, Stream stream);

// Values of `components` arrays in device memory; slot i has element rows[i], or i if `rows` is nullptr. All arrays
// have the same type. Floats are rounded to `grid`; integers are indices already, and belong to plain states.
struct DeviceValues {
  std::array<ConstArray, core::max_components> component{};
  const std::uint32_t *rows = nullptr;
  core::Grid grid;
  DeviceWindows windows{};  // of `rows`
};

// Values that the grid cannot hold: slot, and component from bit 32 on, in no order. They get the index of the last
// frame. `count` may exceed `capacity`.
struct InvalidValues {
  std::uint64_t *indices = nullptr;  // device memory
  std::uint64_t capacity = 0;
};

// Changes of image flags (core::crossing): per axis an array of device memory with an element per slot. Only elements
// of particles that cross a periodic edge are written. nullptr: not wanted.
using DeviceCrossings = std::array<std::int8_t *, core::max_components>;

// Compares words of all particles in this frame and the last one, contiguous and aligned to 16 bytes. *changed becomes
// 1 if they differ, and is otherwise left unchanged. All in device memory.
struct DeviceComparison {
  const std::uint32_t *now = nullptr;
  const std::uint32_t *before = nullptr;
  std::uint32_t words = 0;  // per particle; 0: nothing is compared
  std::uint32_t *changed = nullptr;
};
inline constexpr std::size_t max_comparisons = 4;

// Additional work of the encoding kernel, which is not limited by memory.
struct BesidesEncoding {
  DeviceCrossings crossings{};
  // If *cancelled (device memory; nullptr: never) is not 0, no array of the state and no crossing changes, and the
  // result has `fits` 0; undo_frame() then reverts the call. *cancelled is final after the event `known` (nullptr:
  // after earlier work in the stream).
  const std::uint32_t *cancelled = nullptr;
  cudaEvent_t known = nullptr;
  std::array<DeviceComparison, max_comparisons> comparisons{};
};

// In memory of the caller that the device can write.
struct DifferenceResult {
  std::uint64_t bytes;    // of the section
  std::uint64_t invalid;  // values that the grid cannot hold
  std::uint32_t fits;     // 0: the section exceeds its capacity and was not written
  std::uint32_t wide;     // not 0: an index reaches device_index_end; section and state are invalid
  double largest_error;   // of values that the grid holds; 0 for plain states
};

// Bits of *status after a section was decoded.
inline constexpr std::uint32_t section_damaged = 1;  // the bytes contradict the format
inline constexpr std::uint32_t section_wide = 2;     // an index reaches device_index_end

// Common to all calls on difference and ordered sections. Axes that are not periodic are GridAxis{}.
struct SectionCall {
  core::GridBox box{};
  void *workspace = nullptr;
  std::size_t workspace_size = 0;
  Stream stream = nullptr;
};

// A section of `size` bytes in device memory, aligned to 8. *status (memory that the device can write) becomes 0, or
// some of the bits above, which leave values and states unspecified. Even a malicious section cannot make it access
// other memory.
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

// Bytes of the arrays of a state; the state in this memory (aligned to 256), without particles.
std::size_t difference_state_size(std::uint64_t capacity, int components, bool plain);
DeviceDifferenceState place_difference_state(void *memory, std::uint64_t capacity, int components, bool plain);

// Whether a state on the device can follow the axes of this box.
bool can_follow(const core::GridBox &box);

// Writes the indices of n values to out[d][0 .. n), 0 for values that the grid cannot hold. *wide (device memory)
// becomes 1 if an index does not fit, and is otherwise left unchanged.
void find_indices(const DeviceValues &values, std::uint64_t n, int components, std::int32_t *const *out,
                  std::uint32_t *wide, Stream stream);

// Results of find_indices(), in device memory; zeros before the call.
struct IndexReport {
  unsigned long long error;  // the largest error, as the bits of a double
  std::uint32_t invalid;     // not 0: the grid cannot hold a value
  std::uint32_t wide;        // not 0: an index does not fit
};
// As above, with a report, for values that are floats.
void find_indices(const DeviceValues &values, std::uint64_t n, int components, std::int32_t *const *out,
                  IndexReport *report, Stream stream);

// Starts a state with a key frame of n <= capacity particles with these values; *wide as above. Throws
// invalid_argument.
void start_difference(DeviceDifferenceState &state, const DeviceValues &values, std::uint64_t n, std::uint32_t *wide,
                      Stream stream);

// Adds `count` particles at rest after the others. The caller writes their last indices.
void add_at_rest(DeviceDifferenceState &state, std::uint64_t count, Stream stream);

// Moves slots kept[0] < kept[1] < ... (device memory) to the front with their history, and appends `added_count`
// particles that rested at `added`, within `capacity` in all; *wide as above. Throws invalid_argument.
void replace_difference(DeviceDifferenceState &state, const std::uint32_t *kept, std::uint64_t count,
                        const DeviceValues &added, std::uint64_t added_count, std::uint32_t *wide, Stream stream);

// Encodes the section of the next frame, and advances the state. Throws invalid_argument: arrays of different types, a
// box that a state cannot follow, too little workspace.
std::size_t encode_difference_workspace(const DeviceDifferenceState &state, std::size_t capacity);
// Upper bound of the size of a section.
std::size_t difference_bound(std::uint64_t particles, int components);
void encode_difference(DeviceDifferenceState &state, const DeviceValues &values, const SectionEncoding &call,
                       const InvalidValues &invalid = {}, const BesidesEncoding &besides = {});
void undo_frame(DeviceDifferenceState &state);

// The inverse, for a state that is not plain: the value of slot i goes to element i of the arrays of `output`, and the
// state advances. A section with another first byte than `prediction` is section_damaged.
std::size_t decode_difference_workspace(std::uint64_t particles);
inline std::size_t decode_difference_workspace(const DeviceDifferenceState &state) {
  return decode_difference_workspace(state.particles);
}
void decode_difference(DeviceDifferenceState &state, const SectionDecoding &call, const FieldOutput &output,
                       const DeviceCrossings &crossings = {}, std::uint8_t prediction = core::temporal_predictor);

// The indices of a particle with three components, read in one access of 16 bytes.
struct alignas(16) PackedIndices {
  std::int32_t q[4];  // the last one is 0
};
// As decode_difference, for three components, to the packed indices of each slot.
void decode_packed_difference(DeviceDifferenceState &state, const SectionDecoding &call, PackedIndices *packed,
                              const DeviceCrossings &crossings = {},
                              std::uint8_t prediction = core::temporal_predictor);

// A plain state with 64-bit indices: integers, or keys of lossless floats. Arrays are in device memory.
struct DeviceKeys {
  std::int64_t *last[core::max_components] = {};
  int components = 0;
};
// As decode_difference, for n particles, with the same workspace; `keys` receive the new indices.
void decode_key_differences(const DeviceKeys &keys, std::uint64_t n, const SectionDecoding &call,
                            const DeviceCrossings &crossings = {});

// Advances a state that is not plain by a frame without periodic axes that has these values or, if `values` is nullptr,
// the indices of the last frame. *wide as in find_indices. Throws invalid_argument.
void advance_difference(DeviceDifferenceState &state, const DeviceValues *values, std::uint32_t *wide, Stream stream);

// Particles of a state that is not plain count as having rested since the key frame.
void end_motion(DeviceDifferenceState &state, Stream stream);

}  // namespace gpz::cuda
