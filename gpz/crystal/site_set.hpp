// SPDX-License-Identifier: BSD-3-Clause
// Positions on the grid as a set of particles near the sites of a lattice (docs/format.md, section 10e).
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "gpz/codec/difference_codec.hpp"
#include "gpz/crystal/site_lattice.hpp"

namespace gpz::crystal {

// Appends the set of n > 0 positions q[0..components); order[i] receives the particle that is decoded as number i.
// `value` has the unrounded values, which locate sites if the grid is coarse. Returns false, and appends nothing, if
// the particles form no crystal or an unsupported one. Throws std::bad_alloc.
bool encode_sites(const codec::IndexColumns &q, const PositionColumns &value, std::size_t n, int components,
                  const core::GridBox &box, std::vector<std::uint32_t> &order, std::vector<std::uint8_t> &bytes);

// Decodes all bytes that encode_sites appended, for n > 0 particles. Throws corrupt, std::bad_alloc.
void decode_sites(const std::uint8_t *bytes, std::size_t size, std::size_t n, int components,
                  const codec::IndexOutput &q);

}  // namespace gpz::crystal
