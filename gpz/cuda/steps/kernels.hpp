// SPDX-License-Identifier: BSD-3-Clause
// Launches of the kernels of steps. All work is queued on the stream.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

#include "gpz/cuda/steps/params.hpp"

namespace gpz::cuda {

// Decodes the rows of a frame. *status gets section_damaged if the words of a block do not fit.
void launch_decode_steps(const StepDecode &params, cudaStream_t stream);
// The same, called by it, for particles without bonds.
void launch_decode_motions(const StepDecode &params, cudaStream_t stream);

// Rows of the frame before, where sections did not follow each other: molecules are made whole. `last`: indices of
// particles.
void launch_start_rows(const StepLayout &layout, const StepRows &rows, const std::int32_t *const *last,
                       const molecule::Cell &cell, cudaStream_t stream);

// Motions of particles without bonds in the frame before.
void launch_start_motions(const StepLayout &layout, const StepRows &rows, const DifferenceHistory &history,
                          cudaStream_t stream);

// Images of this frame, and the indices that rows and images give, in the history. *status gets section_wide if an
// index does not fit.
void launch_place_steps(const StepPlacing &params, cudaStream_t stream);

// --- Encoders

// core::octave_of_step of particles without bonds, for each step, from indices of the frame before and of this one.
void launch_find_octaves(const std::int32_t *const *last, const std::int32_t *const *index, std::uint64_t particles,
                         const molecule::Cell &cell, std::int8_t *octave, cudaStream_t stream);
// Rows and images of this frame.
void launch_find_rows(const StepFinding &params, cudaStream_t stream);
// Counts images that are not those of the rules, and lists the first ones in the report. If there is a list, only lists
// those of the first rule there.
void launch_find_images(const StepImages &params, cudaStream_t stream);
// The rows of so many slots.
void launch_pair_rows(const StepRows &rows, std::uint64_t first, std::uint64_t count, StepRowPair *to,
                      cudaStream_t stream);
// The rows and motions of these steps, of particles without bonds.
void launch_sample_steps(const StepRows &rows, const std::uint32_t *steps, std::uint32_t count, StepSample *sample,
                         cudaStream_t stream);
// Items, and the next means. `key_root`: the row of the roots of a key frame, which has no means; nullptr: another
// frame.
void launch_find_items(const StepLayout &layout, const StepRows &rows, const StepConstants &constants,
                       const core::Vector<std::int32_t> *key_root, const StepItemLists &lists, cudaStream_t stream);
// Adds the items to step_counts counts.
void launch_count_items(const StepLayout &layout, const StepItemLists &lists, std::uint32_t *counts,
                        cudaStream_t stream);
// Words in place of the items.
void launch_code_items(const StepCoding &params, cudaStream_t stream);
// Words of block b to out[first_word[b]] and after.
void launch_copy_words(const StepLayout &layout, const StepItemLists &lists, const std::uint64_t *first_word,
                       std::uint16_t *out, cudaStream_t stream);
// Advances a history by a frame with these indices. With `rests`, only the last indices count afterwards.
void launch_follow(const DifferenceHistory &history, const std::int32_t *const *index, bool rests, cudaStream_t stream);

}  // namespace gpz::cuda
