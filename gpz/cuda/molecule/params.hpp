// SPDX-License-Identifier: BSD-3-Clause
// Parameters of the kernels of molecules, as plain data. All pointers are to device memory.
#pragma once

#include <cstdint>

#include "gpz/codec/number_coder.hpp"
#include "gpz/molecule/cell.hpp"
#include "gpz/molecule/class_fit.hpp"
#include "gpz/molecule/contexts.hpp"
#include "gpz/molecule/links.hpp"
#include "gpz/molecule/memory.hpp"

namespace gpz::cuda {

// Read in one access.
struct alignas(8) DeviceLinks {
  molecule::Links links;
  std::uint8_t children = 0;
};
static_assert(sizeof(DeviceLinks) == 8);
struct alignas(16) DeviceParticle {
  molecule::Particle state;
};

struct MoleculeTree {
  const DeviceLinks *links;
  const std::uint32_t *ends;     // of each segment
  const std::uint32_t *members;  // of each class
  std::uint64_t particles;
  std::uint32_t segments;
  std::uint32_t classes;
};

// An exception as the section stores it.
struct StoredParticle {
  std::uint64_t slot;
  std::int64_t place[3];
};

// A pass over the particles of a section.
struct MoleculePass {
  MoleculeTree tree;
  const DeviceParticle *last;
  DeviceParticle *now;
  const molecule::ClassRecord *classes;
  molecule::ClassSums *sums;  // of each segment and class
  const std::int32_t *last_index[3];
  std::int32_t *index[3];
  molecule::Cell cell;
  bool is_quiet;  // no images are coded where both candidates agree
};

struct MoleculeDecode : MoleculePass {
  molecule::Contexts contexts;
  unsigned context_count;
  const std::uint8_t *slots;  // codec::NumberSlots
  const codec::NumberSlots::Token *tokens;
  const std::uint8_t *numbers;       // streams of all segments, aligned to 8 bytes
  const std::uint64_t *stream_ends;  // of each segment, bytes
  const StoredParticle *stored;      // exceptions, ascending
  std::uint64_t stored_count;
  std::uint32_t *status;
};

// Results of encoding, in device memory.
struct MoleculeReport {
  std::uint32_t exceptions;  // not 0: particles are so far from their parents that they need exceptions
  std::uint32_t unusual;     // not 0: an image is neither of the candidates, which agree
  std::uint32_t least_level;
  std::uint32_t most_level;
};

// Of a particle: three components, a side for each of two steps, and an image.
inline constexpr std::size_t most_molecule_items = 6;

struct MoleculeEncode : MoleculePass {
  std::uint64_t *items;   // of codec::NumberItems; most_molecule_items for each particle
  std::uint32_t *counts;  // of the items of each segment, which begin at its first particle's
  MoleculeReport *report;
};

}  // namespace gpz::cuda
