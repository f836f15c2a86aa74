// SPDX-License-Identifier: BSD-3-Clause
// Classed sections: values on a grid and integers, predicted from the history of their particles and of other fields,
// with weights and statistics for classes of particles (docs/format.md, section 10i).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "gpz/codec/difference_codec.hpp"
#include "gpz/model/classed_rules.hpp"

namespace gpz::model {

inline constexpr std::size_t classed_segment = 8192;  // particles

// A component of a field.
struct ClassedSource {
  std::size_t field = 0;
  std::uint8_t component = 0;
};

// What only an encoder remembers: what it has found to be of use.
struct ClassedSearch {
  unsigned sections = 0;                                                 // since the independent chunk
  std::size_t class_field = 0;                                           // 1 + its number
  std::array<std::vector<ClassedSource>, core::max_components> sources;  // beside the field itself
};

// What a section changes if it stays.
struct ClassedUpdate {
  format::Column<std::uint32_t> scale;
  std::optional<ClassedRules> rules;
  ClassedSearch search;
};

// What writer and reader remember of a field since the independent chunk.
class ClassedState {
 public:
  void commit(ClassedUpdate &&update);
  // As ModelledState has them.
  void keep(const std::uint32_t *kept, std::size_t count);
  void add(std::size_t count);
  std::size_t memory_usage() const;

  format::Column<std::uint32_t> scale;  // next_scale of walk.hpp; empty before the first classed section
  std::optional<ClassedRules> rules;
  ClassedSearch search;
};

// What both sides know of a section. There is a particle at least.
struct ClassedShape {
  std::size_t particles = 0;
  std::size_t components = 0;
  const cpu::DifferenceState *own = nullptr;  // of the field; nullptr in independent chunks
  const ClassedState *state = nullptr;        // with `own`
};

// The fields that a section names.
struct ClassedHead {
  std::size_t class_field = 0;        // 1 + its number, 0: none
  std::vector<std::uint16_t> fields;  // numbers of its sources
  bool has_rules = false;
  bool by_group = false;  // contexts are those of groups, too
  std::uint8_t levels = 1;
  std::uint8_t base = 0;

  void append(format::ByteWriter &out) const;
  void read(format::ByteReader &in);  // throws corrupt
};

// Appends what follows the head of a section; `update` gets its scales.
void append_classed(const ClassedShape &shape, const ClassedHead &head, const ClassedRules &rules,
                    const ClassedSources &sources, const cpu::IndexColumns &q, ClassedUpdate &update,
                    std::vector<std::uint8_t> &bytes);
// The inverse, for what follows the head, `size` bytes at an offset in the section of 4 or a multiple. Throws corrupt.
void decode_classed(const ClassedShape &shape, const ClassedHead &head, const ClassedSources &sources,
                    format::ByteReader &in, const cpu::IndexOutput &q, ClassedUpdate &update);

}  // namespace gpz::model
