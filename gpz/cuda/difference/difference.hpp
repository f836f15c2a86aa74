// SPDX-License-Identifier: BSD-3-Clause
// Difference sections (docs/decisions/0010) of particles in device memory. Encodes to the bytes of
// cpu::encode_difference, and decodes these. All work is queued on the caller's stream, without allocating or waiting.
#pragma once

#include <cuda_runtime_api.h>

#include <array>
#include <cstddef>
#include <cstdint>

#include "gpz/core/difference_section.hpp"
#include "gpz/core/residual.hpp"
#include "gpz/core/types.hpp"
#include "gpz/cuda.hpp"

namespace gpz::cuda {

// A state on the device can hold grid indices below this in magnitude.
inline constexpr std::int64_t device_index_end = std::int64_t{1} << 30;

// cpu::DifferenceState in device memory. Calls swap its arrays, so that copies of the struct become invalid.
struct DeviceDifferenceState {
  std::int32_t *last[core::max_components] = {};
  std::int32_t *deviation[core::max_components] = {};
  std::int32_t *velocity[core::max_components] = {};
  std::int32_t *previous[core::max_components] = {};
  std::int32_t *spare = nullptr;
  std::uint64_t capacity = 0;  // particles for which each array has room
  std::uint64_t particles = 0;
  std::uint64_t frames = 0;
  int components = 0;
  bool plain = false;
};

// The window of a block of 1,024 slots: as many consecutive rows, among which most rows of the block are. With windows,
// values are read in the order of memory and permuted on the way. Results do not depend on windows. Arrays of device
// memory.
inline constexpr std::uint32_t no_window = UINT32_MAX;
inline constexpr std::uint16_t row_elsewhere = 0x8000;
struct DeviceWindows {
  const std::uint32_t *first = nullptr;  // first row of each block's window; no_window: rows are scattered
  // Element 1,024 b + i, for block b: the slot, counted from the block's first, whose row is row i of the window. If no
  // slot has this row, row_elsewhere is set, and the slot is one whose row is outside the window.
  const std::uint16_t *slot = nullptr;
};
// Finds the windows of n slots with these rows, all below 2^31. Writes both arrays. `slot` has room for an even number
// of elements and is aligned to 4 bytes.
void find_windows(const std::uint32_t *rows, std::uint64_t n, std::uint32_t *first, std::uint16_t *slot, Stream stream);

// Values of `components` arrays in device memory. The value of slot i is element rows[i], or i if rows is null. All
// arrays have one type. Floats are quantised to `grid`; integers are indices themselves and belong to plain states.
struct DeviceValues {
  std::array<ConstArray, core::max_components> component{};
  const std::uint32_t *rows = nullptr;
  core::Grid grid;
  DeviceWindows windows{};  // of `rows`
};

// Values that the grid cannot hold. They get the index of the last frame. A place has the slot in its low 32 bits and
// the component above; places are in no order. More values than `capacity` are counted, but not stored.
struct InvalidValues {
  std::uint64_t *places = nullptr;  // device memory
  std::uint64_t capacity = 0;
};

// Changes of image flags (core::crossing): for each axis, an array of device memory with one element per slot. Only
// elements of particles that cross a periodic edge are written. Null: not wanted.
using DeviceCrossings = std::array<std::int8_t *, core::max_components>;

// Compares words of all particles, now and before, which are contiguous and aligned to 16 bytes. Sets *changed to 1 if
// they differ and leaves it alone otherwise. All pointers are to device memory.
struct DeviceComparison {
  const std::uint32_t *now = nullptr;
  const std::uint32_t *before = nullptr;
  std::uint32_t words = 0;  // per particle; 0: no comparison
  std::uint32_t *changed = nullptr;
};
inline constexpr std::size_t max_comparisons = 4;

// Extra work for encoding, which does not use all of the memory bandwidth.
struct BesidesEncoding {
  DeviceCrossings crossings{};
  // If this word (in device memory, or null) is not 0, no array of the state and no crossing changes, and the result
  // does not fit. undo_frame() then takes the call back. The word is final when the event `known` has happened, or,
  // without one, when the work queued before is done.
  const std::uint32_t *cancelled = nullptr;
  cudaEvent_t known = nullptr;
  std::array<DeviceComparison, max_comparisons> comparisons{};
};

// In the caller's memory, which the device must be able to write.
struct DifferenceResult {
  std::uint64_t bytes;    // of the section
  std::uint64_t invalid;  // values that the grid cannot hold
  std::uint32_t fits;     // 0: the section exceeds its room and was not written
  std::uint32_t wide;     // nonzero: an index reached device_index_end; section and state are of no use
  double largest_error;   // |value - grid value| of values on the grid; 0 for plain states
};

// Bits of *status after a section was decoded.
inline constexpr std::uint32_t section_damaged = 1;  // the bytes contradict the format
inline constexpr std::uint32_t section_wide = 2;     // an index of device_index_end or more, in magnitude

// Size of the arrays of a state, in bytes, and the state without particles in such memory (aligned to 256).
std::size_t difference_state_size(std::uint64_t capacity, int components, bool plain);
DeviceDifferenceState place_difference_state(void *memory, std::uint64_t capacity, int components, bool plain);

// True if a state on the device can follow the axes of this box.
bool can_follow(const core::GridBox &box);

// Writes the indices of n values to out[d][0 .. n), or 0 for values that the grid cannot hold. Sets *wide (device
// memory) to 1 if an index does not fit and leaves it alone otherwise.
void find_indices(const DeviceValues &values, std::uint64_t n, int components, std::int32_t *const *out,
                  std::uint32_t *wide, Stream stream);

// Sets the state after a key frame of n <= capacity particles with these values; *wide as above. Throws
// invalid_argument.
void start_difference(DeviceDifferenceState &state, const DeviceValues &values, std::uint64_t n, std::uint32_t *wide,
                      Stream stream);

// Moves slots kept[0] < kept[1] < ... (device memory) to the front with their history. `added_count` new particles at
// rest follow, with the values `added`. At most `capacity` in all; *wide as above. Throws invalid_argument.
void replace_difference(DeviceDifferenceState &state, const std::uint32_t *kept, std::uint64_t count,
                        const DeviceValues &added, std::uint64_t added_count, std::uint32_t *wide, Stream stream);

// Encodes the next frame to out[0 .. capacity) (device memory, aligned to 8) and advances the state. Throws
// invalid_argument: arrays of different types, a box that a state cannot follow, too little workspace.
std::size_t encode_difference_workspace(const DeviceDifferenceState &state, std::size_t capacity);
// Upper bound of the size of a section, in bytes.
std::size_t difference_bound(std::uint64_t particles, int components);
void encode_difference(DeviceDifferenceState &state, const DeviceValues &values, const core::GridBox &box,
                       const InvalidValues &invalid, void *workspace, std::size_t workspace_size, void *out,
                       std::size_t capacity, DifferenceResult *result, Stream stream,
                       const BesidesEncoding &besides = {});
void undo_frame(DeviceDifferenceState &state);

// Inverse of encode_difference, for a section of `size` bytes in device memory, aligned to 8, and a state that is not
// plain. `prediction` is the expected first byte of the section; another one is section_damaged. Writes the values of
// slot i to element i of the arrays of `output` and advances the state. Sets *status (memory that the device can write)
// to 0, or to some of the bits above, which leave values and state unspecified. Never accesses memory outside of its
// arguments.
std::size_t decode_difference_workspace(std::uint64_t particles);
inline std::size_t decode_difference_workspace(const DeviceDifferenceState &state) {
  return decode_difference_workspace(state.particles);
}
void decode_difference(DeviceDifferenceState &state, const void *section, std::size_t size, const core::GridBox &box,
                       const FieldOutput &output, void *workspace, std::size_t workspace_size, std::uint32_t *status,
                       Stream stream, const DeviceCrossings &crossings = {},
                       std::uint8_t prediction = core::temporal_predictor);

// Indices of a particle with three components, in 16 bytes that one access reads.
struct alignas(16) PackedIndices {
  std::int32_t q[4];  // q[3] is 0
};
// As decode_difference, for three components, to packed indices by slot.
void decode_packed_difference(DeviceDifferenceState &state, const void *section, std::size_t size,
                              const core::GridBox &box, PackedIndices *packed, void *workspace,
                              std::size_t workspace_size, std::uint32_t *status, Stream stream,
                              const DeviceCrossings &crossings = {},
                              std::uint8_t prediction = core::temporal_predictor);

// A plain state with 64-bit indices: integers, or keys of lossless floats. One array of device memory for each
// component.
struct DeviceKeys {
  std::int64_t *last[core::max_components] = {};
  int components = 0;
};
// As decode_difference, for n particles and with an equal workspace. The indices become those of the frame.
void decode_key_differences(const DeviceKeys &keys, std::uint64_t n, const void *section, std::size_t size,
                            const core::GridBox &box, void *workspace, std::size_t workspace_size,
                            std::uint32_t *status, Stream stream, const DeviceCrossings &crossings = {});

// Advances a state that is not plain by a frame without periodic axes. Null values: all indices stay as they are. *wide
// as in find_indices. Throws invalid_argument.
void advance_difference(DeviceDifferenceState &state, const DeviceValues *values, std::uint32_t *wide, Stream stream);

}  // namespace gpz::cuda
