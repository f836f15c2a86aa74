// SPDX-License-Identifier: BSD-3-Clause
// The codings of sections (docs/format.md, sections 8 to 10f): all but block chunks is sections, and a section is the
// values of one field in one coding. HACKING says how to add a coding.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "gpz/chunk.hpp"
#include "gpz/codec/chunk_codec.hpp"
#include "gpz/codec/difference_codec.hpp"
#include "gpz/format/section_head.hpp"
#include "gpz/frame.hpp"
#include "gpz/model/classed_section.hpp"
#include "gpz/model/modelled_section.hpp"
#include "gpz/trajectory/indices.hpp"
#include "gpz/trajectory/other_fields.hpp"
#include "gpz/trajectory/rows.hpp"

namespace gpz::trajectory {

// What a field is for its codings, as bits.
enum FieldClass : std::uint8_t {
  sort_keys = 1,  // integers that lead, or the ids of an ordered chunk
  integers = 2,   // other integers
  lossless = 4,   // floats without a bound
  positions = 8,  // floats on a grid that lead
  values = 16,    // other floats on a grid
  on_grid = positions | values,
  any_field = 31,
};
FieldClass class_of(const Field &field, bool is_identity = false);

// What encoder and decoder of a section know beside its bytes.
struct SectionContext {
  const Field &field;
  std::size_t particles = 0;  // of the section
  // In an ordered chunk: the ids, ascending. Null for the section of the ids.
  const format::Column<std::int64_t> *ids = nullptr;
  // Of a difference chunk: the field in earlier frames.
  const cpu::DifferenceState *state = nullptr;
  model::ModelledState *modelled = nullptr;
  model::ClassedState *classed = nullptr;
  OtherFields *others = nullptr;
  int threads = 1;

  std::size_t components() const { return field.components.size(); }
};

// The bytes behind the head of a section, aligned to 4.
struct Payload {
  const std::uint8_t *bytes;
  std::size_t size;
  core::GridBox box;  // from the head
};

// What an encoder makes a section of.
struct SectionSource {
  SectionContext context;
  const FieldInput &input;
  const Rows &rows;        // of the particles, in the order of the chunk
  const Indices &indices;  // of the rows; not loaded for lossless fields
  core::GridBox edges;     // of the box, on the grid of the field
  const Box &box;
  cpu::Encoder &encoder;  // of block chunks
  model::ModelledOptions options;
  // Block coding is only tried for a section of so many bytes.
  std::size_t least_for_blocks = 0;
  // The last indices have the edges counted that field 0 went through; only coding 1 says so.
  bool counts_crossings = false;
};

// A section as one coding has it.
struct EncodedSection {
  std::vector<std::uint8_t> payload;
  // The particle that is decoded as number i, for codings that choose the order; empty: as given.
  std::vector<std::uint32_t> order;
  double largest_error = 0;  // of codings that take no indices
  // Bytes by which a section may be larger than others: it makes later ones smaller.
  std::size_t investment = 0;
  // What is remembered of a modelled section if it stays.
  std::optional<model::ModelledUpdate> update;
  std::optional<model::ClassedUpdate> classed;  // the same of a classed section
};
// Bytes of the smallest section so far; SIZE_MAX: there is none.
struct ToBeat {
  std::size_t section = SIZE_MAX;
  std::size_t payload = SIZE_MAX;
};

// Writes the indices of all particles. Throws corrupt with the position in the payload, limit_exceeded, std::bad_alloc.
using Decode = void(const SectionContext &context, const Payload &payload, const cpu::IndexOutput &out);
// False if the coding does not serve these values, or cannot be smaller than what there is. Throws std::bad_alloc.
using TryEncode = bool(const SectionSource &source, const ToBeat &best, EncodedSection &out);

// What stands between the coding of a section and its payload.
enum class SectionHead : std::uint8_t { none, exact_values, axes_and_exact_values };

struct Coding {
  format::FieldCodingKind number;
  unsigned chunks;      // the kinds of chunks that may have it: bits 1 << ChunkKind
  std::uint8_t fields;  // FieldClass
  SectionHead head;
  std::uint32_t feature;  // gpz::feature that files need for it, beside that of the chunk
  Decode *decode;         // nullptr: the payload is a block chunk of the values (codings/block_coded.hpp)
  TryEncode *try_encode;
};

// The coding with this number that such chunks may have for such a field; nullptr if there is none.
const Coding *find_coding(ChunkKind kind, std::uint8_t number, const Field &field, bool is_identity = false);
// By number, where a field may have it or not; nullptr if the format has no such coding.
const Coding *find_coding(std::uint8_t number);

// One file each in codings/.
Decode decode_predicted, decode_modelled, decode_ordered, decode_ordered_model, decode_cells, decode_sites,
    decode_sequence, decode_few_values, decode_classed, decode_molecules;
TryEncode encode_predicted, encode_modelled, encode_ordered, encode_ordered_model, encode_cells, encode_sites,
    encode_sequence, encode_few_values, encode_classed, encode_molecules, encode_block_coded;

}  // namespace gpz::trajectory
