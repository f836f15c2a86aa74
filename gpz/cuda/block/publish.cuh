// SPDX-License-Identifier: BSD-3-Clause
// Publishes the record of a coded block: stores it in the table, and adds its extremes to the statistics of its
// section, on which the widths in the directory depend.
#pragma once

#include <cstddef>
#include <cstdint>

#include "gpz/cuda/block/encode_params.hpp"
#include "gpz/cuda/common/warp.cuh"

namespace gpz::cuda {

// Location of a statistic in StagedBlock.
struct StatisticSource {
  std::uint8_t offset;
  std::uint8_t size;
};

__device__ constexpr StatisticSource statistic_sources[statistics] = {
    {offsetof(StagedBlock, record.min), 8},         {offsetof(StagedBlock, record.min) + 8, 8},
    {offsetof(StagedBlock, record.min) + 16, 8},    {offsetof(StagedBlock, record.min), 8},
    {offsetof(StagedBlock, record.min) + 8, 8},     {offsetof(StagedBlock, record.min) + 16, 8},
    {offsetof(StagedBlock, record.extent), 8},      {offsetof(StagedBlock, record.extent) + 8, 8},
    {offsetof(StagedBlock, record.extent) + 16, 8}, {offsetof(StagedBlock, record.shift), 1},
    {offsetof(StagedBlock, record.shift) + 1, 1},   {offsetof(StagedBlock, record.shift) + 2, 1},
    {offsetof(StagedBlock, record.mode), 1},        {offsetof(StagedBlock, record.runs), 4},
    {offsetof(StagedBlock, record.gap_width), 1},   {offsetof(StagedBlock, record.count_width), 1},
    {offsetof(StagedBlock, record.exceptions), 4},  {offsetof(StagedBlock, error_bits), 8}};

// Current value of this lane's statistic, if the lane has one.
__device__ __forceinline__ std::uint64_t known_statistic(const EncodeParams &params, int f) {
  return this_lane() < statistics ? __ldcg(&params.stats[f].largest[this_lane()]) : 0;
}

// Called by all lanes of a warp; `staged` is in shared memory. `known` is an earlier value of the statistics: most
// blocks do not raise it, and then no atomic is needed.
__device__ __forceinline__ void publish(const EncodeParams &params, int f, std::uint64_t block,
                                        const StagedBlock &staged, std::uint64_t known) {
  const auto lane = this_lane();
  const std::uint64_t slot = static_cast<std::uint64_t>(f) * params.blocks + block;
  constexpr unsigned words = sizeof(StagedBlock) / 4;
  static_assert(words <= warp_size);
  if (lane < words)
    reinterpret_cast<std::uint32_t *>(&params.staged[slot])[lane] =
        reinterpret_cast<const std::uint32_t *>(&staged)[lane];
  if (lane == 0) {
    params.words[slot] = staged.words;
    atomicAdd(&params.group_words[static_cast<std::uint64_t>(f) * params.groups + block / group_blocks], staged.words);
  }
  if (lane >= statistics) return;
  const bool inverted = lane >= of_smallest_min && lane < of_smallest_min + core::max_components;
  const bool of_component = lane < of_mode;
  if (of_component && static_cast<int>(lane % core::max_components) >= params.field[f].components) return;
  const StatisticSource source = statistic_sources[lane];
  const char *from = reinterpret_cast<const char *>(&staged) + source.offset;
  std::uint64_t value = source.size == 8   ? *reinterpret_cast<const std::uint64_t *>(from)
                        : source.size == 4 ? *reinterpret_cast<const std::uint32_t *>(from)
                                           : *reinterpret_cast<const std::uint8_t *>(from);
  if (inverted) value = ~value;
  if (value > known)
    atomicMax(reinterpret_cast<unsigned long long *>(&params.stats[f].largest[lane]),
              static_cast<unsigned long long>(value));
}

}  // namespace gpz::cuda
