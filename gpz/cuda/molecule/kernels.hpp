// SPDX-License-Identifier: BSD-3-Clause
// Launches of the kernels of molecules. All work is queued on the stream.
#pragma once

#include "gpz/cuda/difference/params.hpp"
#include "gpz/cuda/molecule/params.hpp"
#include "gpz/molecule/length_sum.hpp"

namespace gpz::cuda {

// Decodes all segments, and adds their particles to `sums`. Bits of the status are those of sections.
void launch_decode_segments(const MoleculeDecode &params, cudaStream_t stream);

// Numbers of all segments, and their particles in `sums`. The report must have its start values.
void launch_encode_molecules(const MoleculeEncode &params, cudaStream_t stream);

// Fits of all classes after a frame, from the sums of the segments in their order.
void launch_learn(const molecule::ClassSums *sums, std::uint32_t segments, molecule::ClassRecord *records,
                  std::uint32_t classes, cudaStream_t stream);

// State of particles without earlier sections: the positions of the last frame, at rest.
void launch_rest(const MoleculeTree &tree, const std::int32_t *const *last_index, const molecule::Cell &cell,
                 DeviceParticle *particles, cudaStream_t stream);
// lengths[i] becomes the length of particle i's bond.
void launch_lengths(const DeviceParticle *particles, std::uint64_t n, float *lengths, cudaStream_t stream);

// first_slot[key] becomes the first particle with this key (molecule::class_keys of them), UINT32_MAX if there is none.
// Reads what does not depend on classes.
void launch_first_slots(const DeviceLinks *links, std::uint64_t n, const std::int32_t *const *last_index,
                        const molecule::Cell &cell, std::uint32_t *first_slot, cudaStream_t stream);
// Sets the classes in `links`, and adds particles and lengths of their bonds to sums[class] (molecule::max_classes of
// them).
void launch_classify(DeviceLinks *links, std::uint64_t n, const std::int32_t *const *last_index,
                     const molecule::Cell &cell, const DeviceParticle *particles, const std::uint8_t *class_of_key,
                     molecule::LengthSum *sums, cudaStream_t stream);

// to[i] = from[kept[i]] for i < count, and a new particle for other i < n. kept is nullptr for all.
void launch_keep(const DeviceParticle *from, const std::uint32_t *kept, std::uint64_t count, std::uint64_t n,
                 DeviceParticle *to, cudaStream_t stream);

// Advances a history by the indices of a frame.
void launch_follow(const DifferenceHistory &history, const std::int32_t *const *index, cudaStream_t stream);

}  // namespace gpz::cuda
