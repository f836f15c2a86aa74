// SPDX-License-Identifier: BSD-3-Clause
// Encodes particles in memory into a chunk of bytes, and decodes it (docs/format.md, sections 4 to 7).
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "gpz/export.h"
#include "gpz/frame.hpp"
#include "gpz/limits.hpp"

namespace gpz {

// The grid step that the encoder uses for values of `type` with the absolute error bound `bound`, in the units of
// `bound`. Throws invalid_argument unless `bound` is > 0 and finite and `type` is a float type.
GPZ_API double grid_step(double bound, ValueType type = ValueType::float64);
// The step at which rounding to `type` takes no value out of the bound, as far as values are at most `largest` and at
// most 2^21 bounds in magnitude: up to 0.2 bits a value smaller than grid_step(bound, type).
GPZ_API double grid_step(double bound, ValueType type, double largest);

// Sets field.step to the step that the file stores: 0 if the field has no bound, grid_step(bound, type) if it has a
// bound and its step is 0. Otherwise field.step is kept. Throws as grid_step.
GPZ_API void fill_step(Field &field);

// The step for values that already have an error of up to `before`, such that decoded values are within `bound` of the
// original ones. `largest`: no finite value is larger in magnitude. Returns 0 if `before` and rounding use up `bound`.
GPZ_API double step_beside(double bound, double before, double largest, ValueType type = ValueType::float64);
// The largest error (Field::largest_error) after values with the largest error `before` were encoded with the largest
// error `added`: the sum, rounded up, but at most `bound`.
GPZ_API double error_beside(double bound, double before, double added);
// The same for the largest errors of a chunk of these fields: `largest_error` are those added to Field::largest_error.
GPZ_API void add_earlier_errors(const std::vector<FieldInput> &fields, std::vector<double> &largest_error);

// The largest distance between two values of one component, over all components: relative bounds are fractions of it.
// Non-finite values are ignored. 0 if there are no finite values.
GPZ_API double value_range(const FieldInput &input, std::size_t particles);

// How a chunk is coded (docs/format.md, sections 4, 8, 10, 10e and 10f). The numbers are those of the file.
enum class ChunkKind : std::uint32_t {
  block = 0,       // independent, particles sorted by position within each block
  difference = 1,  // as differences from the previous frame's chunk
  ordered = 2,     // independent, particles in the order of ids
  cells = 3,       // independent, particles as a set of cells of the grid; needs a required feature
  sequence = 4,    // independent, particles in the order of memory; needs a required feature
};

// The kind of a chunk of `size` bytes, from its first 8 bytes. Throws truncated if there are fewer, corrupt if the
// format has no such kind.
GPZ_API ChunkKind chunk_kind(const std::uint8_t *bytes, std::size_t size);

// Adds to sizes[f] the bytes of field f in a chunk of `size` bytes. Reads the chunk's head only. Throws corrupt,
// truncated.
GPZ_API void add_field_sizes(const std::uint8_t *bytes, std::size_t size, std::vector<std::uint64_t> &sizes);

struct EncodedChunk {
  std::uint64_t particles = 0;
  std::uint64_t checksum = 0;  // chunk_checksum of bytes
  std::vector<std::uint8_t> bytes;
  std::vector<double> largest_error;  // per field, units of the field
};

// The checksum of a chunk's bytes in a file: XXH3, 64 bits.
GPZ_API std::uint64_t chunk_checksum(const void *data, std::size_t size);

// A chunk in memory of the caller, which must stay while the view is used.
struct ChunkView {
  std::uint64_t particles = 0;
  std::uint64_t checksum = 0;  // chunk_checksum(data, size)
  const std::uint8_t *data = nullptr;
  std::size_t size = 0;               // bytes
  std::vector<double> largest_error;  // per field, units of the field
};
GPZ_API ChunkView view_of(const EncodedChunk &chunk);

// Encodes independent chunks of kind `block`. Keeps its workspace between calls. Not thread-safe.
class GPZ_API ChunkEncoder {
 public:
  // `threads`: 1 runs in the caller's thread, 0 uses all cores. The bytes do not depend on it.
  explicit ChunkEncoder(int threads = 1);
  ~ChunkEncoder();
  ChunkEncoder(ChunkEncoder &&) noexcept;
  ChunkEncoder &operator=(ChunkEncoder &&) noexcept;

  // Encodes `particles` particles. Particle i is row i of the arrays, or row rows[i] if `rows` is given. Decoded finite
  // values are within the bound of their field. NaN, infinities and values that the grid cannot hold are stored
  // exactly. Throws invalid_argument (a bound that is negative, NaN or infinite; a leading field that is not the first;
  // an array whose type is not the field's), out_of_memory.
  void encode(const std::vector<FieldInput> &fields, std::size_t particles, const int *rows, EncodedChunk &out);

 private:
  struct GPZ_LOCAL Workspace;
  std::unique_ptr<Workspace> workspace_;
};

// Decodes an independent chunk of `particles` particles, and appends them to the columns of `frame` whose `wanted`
// entry is true. An empty `wanted` means all columns. frame.info.fields describe the chunk; frame.columns must have one
// entry per component. `limits` bound the memory of this call. Throws corrupt, truncated, limit_exceeded,
// out_of_memory; unsupported for a difference chunk, which needs earlier frames: use Reader.
GPZ_API void decode_chunk(const std::uint8_t *bytes, std::size_t size, std::uint64_t particles, Frame &frame,
                          const std::vector<bool> &wanted = {}, int threads = 1, const Limits &limits = {});

}  // namespace gpz
