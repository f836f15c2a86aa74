// SPDX-License-Identifier: BSD-3-Clause
// Encodes fields in the order of the leading field (ids, types, images, velocities), for any block: with exceptions,
// wide or not full. One thread block each.
#include "gpz/cuda/block/block_writer.cuh"
#include "gpz/cuda/block/kernels.cuh"
#include "gpz/cuda/common/kernel_file.hpp"

namespace gpz::cuda {
namespace {

using U32 = std::uint32_t;
using U64 = std::uint64_t;

// Maps stored particle j of a block to the caller's particle.
struct StoredParticle {
  U64 first;
  const std::uint16_t *order;  // null: stored in input order

  __device__ U64 operator()(U32 j) const { return first + (order != nullptr ? order[j] : j); }
};

template <typename T>
__device__ void encode_on_grid(BlockWriter &writer, int f, const StoredParticle &particle) {
  const FieldParams &field = writer.params.field[f];
  const auto value = [&](int d, U32 j) { return load<T>(field.array[d], writer.params.rows, particle(j)); };
  core::BlockRecord record;
  double error = 0;
  U32 misses = 0;
  U32 plain_words = 0;
  for (int d = 0; d < field.components; ++d) {
    std::int64_t low = INT64_MAX;
    std::int64_t high = INT64_MIN;
    for (U32 j = threadIdx.x; j < writer.n; j += threads) {
      const core::Quantized<T> q = core::quantize(value(d, j), field.grid);
      misses += q.valid ? 0 : 1;
      if (!q.valid) continue;
      error = core::max_of(error, static_cast<double>(q.error));
      low = q.index < low ? q.index : low;
      high = q.index > high ? q.index : high;
    }
    low = writer.all(low, Min{});
    high = writer.all(high, Max{});
    if (low > high) low = high = 0;
    record.min[d] = core::key_of(low);
    record.extent[d] = static_cast<U64>(high) - static_cast<U64>(low);
    plain_words += core::packed_words(writer.n, core::bit_length(record.extent[d]), writer.lanes);
  }
  const U64 error_bits = writer.all(core::bit_cast<U64>(error), Max{});
  record.exceptions = writer.all(misses, Sum{});
  if (core::exact_is_smaller(plain_words, record.exceptions, writer.n, field.components, field.value, writer.lanes)) {
    writer.encode_exact<T>(f, particle);
    return;
  }
  U32 *out = writer.output(field);
  U32 words = 0;
  for (int d = 0; d < field.components; ++d) {
    for (U32 j = threadIdx.x; j < writer.n; j += threads) {
      const core::Quantized<T> q = core::quantize(value(d, j), field.grid);
      writer.put(j, q.valid ? core::key_of(q.index) - record.min[d] : 0);
    }
    __syncthreads();
    const int width = core::bit_length(record.extent[d]);
    writer.pack(width, out + words);
    words += core::packed_words(writer.n, width, writer.lanes);
    __syncthreads();
  }
  if (record.exceptions != 0)
    writer.write_exceptions<T>(
        field.components, record.exceptions, out + words,
        [&](int d, U32 j) { return !core::quantize(value(d, j), field.grid).valid; }, value);
  writer.finish(f, record, words + core::words_of_exceptions(record.exceptions, field.value), error_bits);
}

}  // namespace

__global__ void __launch_bounds__(threads) encode_followers(const __grid_constant__ EncodeParams params) {
  __shared__ PackShared shared;
  const U32 count = *params.other_follower_count;
  for (U32 k = blockIdx.x; k < count; k += gridDim.x) {
    const U64 slot = params.other_followers[k];
    const auto f = static_cast<int>(slot / params.blocks);
    const U64 block = slot % params.blocks;
    const FieldParams &field = params.field[f];
    BlockWriter writer(params, shared, block);
    const StoredParticle particle{block * block_size, stored_order(params, block)};
    const bool grid = field.grid.step > 0;
    if (field.value == core::Value::integer)
      writer.encode_exact<std::int64_t>(f, particle);
    else if (field.value == core::Value::float32)
      grid ? encode_on_grid<float>(writer, f, particle) : writer.encode_exact<float>(f, particle);
    else
      grid ? encode_on_grid<double>(writer, f, particle) : writer.encode_exact<double>(f, particle);
    __syncthreads();
  }
}

namespace {
const KernelFile kernels(reinterpret_cast<const void *>(encode_followers));
}  // namespace

}  // namespace gpz::cuda
