// SPDX-License-Identifier: BSD-3-Clause
// The parts of a section of molecules in front of its numbers (docs/format.md, section 9c), for decoders on CPU and
// GPU.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "gpz/core/residual.hpp"
#include "gpz/format/bytes.hpp"
#include "gpz/molecule/cell.hpp"
#include "gpz/molecule/class_fit.hpp"
#include "gpz/molecule/contexts.hpp"
#include "gpz/molecule/length_sum.hpp"
#include "gpz/molecule/stored_particles.hpp"
#include "gpz/molecule/tree.hpp"

namespace gpz::molecule {

enum SectionFlag : std::uint8_t { new_tree = 1, tilted = 2, brick = 4, quiet = 8 };
inline constexpr std::uint8_t all_flags = 15;

// The box of a section with tilts. read_tilted throws corrupt.
void append_tilted(const core::GridBox &axes, const Cell::Tilts &tilts, std::vector<std::uint8_t> &bytes);
Cell read_tilted(format::ByteReader &in, bool is_brick);

// Appends flags and contexts, the first bytes of a section: a multiple of 8.
void append_start(unsigned flags, const Contexts &contexts, std::vector<std::uint8_t> &bytes);

struct OpenedSection {
  bool has_tree = false;
  bool is_quiet = false;  // no images are coded where both candidates agree
  Cell cell;
  Contexts contexts;
  StoredParticles stored;
  std::size_t stored_at = 0;     // bytes in front of the first exception
  std::size_t stored_count = 0;  // exceptions
  std::size_t size = 0;          // bytes of what is opened; the tree, or the numbers, follow
};

// Bytes that open_section needs. `bytes` are the first ones of `size`, at least first_bytes if there are as many.
inline constexpr std::size_t first_bytes = 88;
std::size_t bytes_to_open(const std::uint8_t *bytes, std::size_t size);
// Opens a section of n particles. Throws corrupt, std::bad_alloc.
OpenedSection open_section(const std::uint8_t *bytes, std::size_t size, const core::GridBox &axes, std::size_t n);

// Start values of the classes of a new tree, behind its lags. Throws corrupt.
void read_levels(format::ByteReader &in, std::vector<ClassRecord> &classes);

// Bytes of the start values that read_levels needs.
constexpr std::size_t levels_size(std::size_t classes) { return format::round_up_8(3 * classes); }

// Classes of a new tree, which start from the mean bond lengths of their particles: sum of the lengths of each class,
// in the order of particles, and number of its particles.
std::vector<ClassRecord> first_classes(const std::vector<double> &lengths, const std::vector<double> &counts);
// length_of(i) is the bond length of particle i.
template <typename LengthOf>
std::vector<ClassRecord> first_classes(const Tree &tree, const LengthOf &length_of, int threads = 1) {
  std::vector<std::vector<LengthSum>> sums(static_cast<std::size_t>(tree.threads_for(threads)));
  tree.for_segments(threads, [&](int t, std::size_t first, std::size_t last) {
    std::vector<LengthSum> &mine = sums[static_cast<std::size_t>(t)];
    mine.resize(tree.classes());
    for (std::size_t i = first; i < last; ++i) mine[tree[i].of_class].add(length_of(i));
  });
  std::vector<LengthSum> all(tree.classes());
  for (const std::vector<LengthSum> &some : sums)
    for (std::size_t c = 0; c < some.size(); ++c) all[c].add(some[c]);
  std::vector<double> lengths;
  std::vector<double> counts;
  for (const LengthSum &sum : all) {
    lengths.push_back(sum.sum);
    counts.push_back(sum.particles);
  }
  if (!std::all_of(all.begin(), all.end(), is_exact)) {
    std::fill(lengths.begin(), lengths.end(), 0.0);
    for (std::size_t i = 0; i < tree.particles(); ++i) lengths[tree[i].of_class] += static_cast<double>(length_of(i));
  }
  return first_classes(lengths, counts);
}

}  // namespace gpz::molecule
