// SPDX-License-Identifier: BSD-3-Clause
// Classed sections: values on a grid and integers, predicted from the history of the particle and from other fields,
// with weights and contexts for each group of classes (docs/format.md, section 10i).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "gpz/codec/difference_codec.hpp"
#include "gpz/model/classed_rules.hpp"

namespace gpz::model {

inline constexpr std::size_t classed_segment = 8192;  // particles

struct ClassedSource {
  std::size_t field = 0;
  std::uint8_t component = 0;
};

// Encoder only: sources that helped in earlier sections.
struct ClassedSearch {
  unsigned sections = 0;                                                 // sections since the independent chunk
  std::size_t class_field = 0;                                           // 1 + number of the field of classes, 0: none
  std::array<std::vector<ClassedSource>, core::max_components> sources;  // in addition to the field itself
};

// Changes that take effect only if the section is kept.
struct ClassedUpdate {
  format::Column<std::uint32_t> scale;
  std::optional<ClassedRules> rules;
  ClassedSearch search;
};

// State of a field in encoder and decoder since the independent chunk.
class ClassedState {
 public:
  void commit(ClassedUpdate &&update);
  // Particles leave or arrive, as in ModelledState.
  void keep(const std::uint32_t *kept, std::size_t count);
  void add(std::size_t count);
  std::size_t memory_usage() const;

  // Smoothed residual sizes (next_scale of walk.hpp). Empty before the first classed section.
  format::Column<std::uint32_t> scale;
  std::optional<ClassedRules> rules;
  ClassedSearch search;
};

// State shared by encoder and decoder before the section is read. At least one particle.
struct ClassedShape {
  std::size_t particles = 0;
  std::size_t components = 0;
  const codec::DifferenceState *own = nullptr;  // history of the field; null in independent chunks
  const ClassedState *state = nullptr;          // null if `own` is null
};

// Head of a section: the fields that it uses, and its contexts.
struct ClassedHead {
  std::size_t class_field = 0;        // 1 + number of the field of classes, 0: none
  std::vector<std::uint16_t> fields;  // field numbers of the sources
  bool has_rules = false;
  bool by_group = false;  // each group has its own contexts
  std::uint8_t levels = 1;
  std::uint8_t base = 0;

  void append(format::ByteWriter &out) const;
  void read(format::ByteReader &in);  // throws corrupt
};

// Appends the section without its head. `update` receives the new scales.
void append_classed(const ClassedShape &shape, const ClassedHead &head, const ClassedRules &rules,
                    const ClassedSources &sources, const codec::IndexColumns &q, ClassedUpdate &update,
                    std::vector<std::uint8_t> &bytes);
// Inverse of append_classed: reads everything after the head, up to the end of `in`. `in` starts at the flags of the
// head, because padding counts from there. Throws corrupt.
void decode_classed(const ClassedShape &shape, const ClassedHead &head, const ClassedSources &sources,
                    format::ByteReader &in, const codec::IndexOutput &q, ClassedUpdate &update);

}  // namespace gpz::model
