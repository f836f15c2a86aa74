// SPDX-License-Identifier: BSD-3-Clause
// Functions of the codings; their data are in gpz/format/codings.hpp. HACKING.md explains how to add a coding.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "gpz/chunk.hpp"
#include "gpz/codec/chunk_codec.hpp"
#include "gpz/codec/difference_codec.hpp"
#include "gpz/codec/ordered_codec.hpp"
#include "gpz/format/codings.hpp"
#include "gpz/format/grid_box.hpp"
#include "gpz/format/section_head.hpp"
#include "gpz/frame.hpp"
#include "gpz/lanes/section.hpp"
#include "gpz/model/classed_section.hpp"
#include "gpz/model/modelled_section.hpp"
#include "gpz/trajectory/indices.hpp"
#include "gpz/trajectory/other_fields.hpp"
#include "gpz/trajectory/rows.hpp"

namespace gpz::trajectory {

using format::any_field, format::class_of, format::identity, format::integers, format::lossless, format::on_grid,
    format::positions, format::sort_keys, format::values;
using format::FieldClass;

// Context of a section, for encoder and decoder.
struct SectionContext {
  const Field &field;
  std::size_t particles = 0;  // of the section
  // In ordered chunks: the ascending ids. Null for the section of the ids.
  const format::Column<std::int64_t> *ids = nullptr;
  // In difference chunks: the field in earlier frames.
  const codec::DifferenceState *state = nullptr;
  model::ModelledState *modelled = nullptr;
  model::ClassedState *classed = nullptr;
  OtherFields *others = nullptr;
  int threads = 1;
  // Decoding: particles that are wanted, for codings whose blocks are independent. nullptr: all.
  const codec::Target *only = nullptr;
  // The same in difference chunks: blocks of slots that are followed. nullptr: all.
  const codec::FollowedBlocks *followed = nullptr;
  // Encoding a key frame: plans that are known from earlier ones; may be null.
  std::shared_ptr<lanes::KnownPlans> plans = nullptr;
  // Decoding a key frame: receives what a section of steps leaves to later ones, if it is not null.
  lanes::State *steps = nullptr;

  std::size_t components() const { return field.components.size(); }
  codec::OrderedShape ordered_shape(const core::GridBox &box) const {
    return {particles, static_cast<int>(components()), ids == nullptr ? nullptr : ids->data(), box};
  }
  codec::WantedBlocks wanted_blocks(std::size_t block_size) const {
    return only == nullptr ? codec::WantedBlocks() : codec::WantedBlocks(*only, particles, block_size);
  }
};

// Payload: bytes after the head of a section, aligned to 4.
struct Payload {
  const std::uint8_t *bytes;
  std::size_t size;
  core::GridBox box;  // from the head
};

// Input for encoding one section.
struct SectionSource {
  SectionContext context;
  const FieldInput &input;
  const Rows &rows;                                  // of the particles, in the order of the chunk
  const Indices &indices;                            // of the rows; not loaded for lossless fields
  core::GridBox edges;                               // of the cell, on the grid of the field
  const std::optional<format::TiltedEdges> &tilted;  // the same, if the cell is tilted
  codec::Encoder &encoder;                           // of block chunks
  model::ModelledOptions options;
  // Block coding is tried only for sections of at least this many bytes.
  std::size_t least_for_blocks = 0;
  // The last indices include crossings of field 0, which only coding 1 can store.
  bool counts_crossings = false;
  // Coding 1 tries to predict from particles in earlier slots.
  bool may_have_neighbours = false;
};

struct EncodedSection {
  std::vector<std::uint8_t> payload;
  // order[i]: the particle that is decoded as number i; empty unless the coding chooses the order.
  std::vector<std::uint32_t> order;
  double largest_error = 0;      // for codings without indices
  bool from_neighbours = false;  // coding 1
  bool is_hopeless = false;      // could not code the values, and need not be tried again
  bool ends_contests = false;    // if it is kept: usual codings need not be tried again
  // Bytes by which the section may exceed others, because it makes later sections smaller.
  std::size_t investment = 0;
  // Changes of the models' state if a modelled section is kept.
  std::optional<model::ModelledUpdate> update;
  std::optional<model::ClassedUpdate> classed;  // the same for a classed section
};
// Bytes of the smallest section so far; SIZE_MAX if there is none.
struct ToBeat {
  std::size_t section = SIZE_MAX;
  std::size_t payload = SIZE_MAX;
};

// Writes the indices of all particles. Throws corrupt with the position in the payload, limit_exceeded, std::bad_alloc.
using Decode = void(const SectionContext &context, const Payload &payload, const codec::IndexOutput &out);
// Returns false if the coding cannot code these values, or cannot beat the best section so far. Throws std::bad_alloc.
using TryEncode = bool(const SectionSource &source, const ToBeat &best, EncodedSection &out);

// Decode a payload. `indices` holds the exact values of the section head. Throw as Decode.
using Load = void(const SectionContext &context, const Payload &payload, Indices &indices);
using Write = void(const SectionContext &context, const Payload &payload, Indices &indices,
                   const codec::Target &target);
// Advances the wanted blocks of the state to the next frame without returning their indices, which is faster. Throws as
// Decode.
using Follow = void(codec::DifferenceState &state, const Payload &payload, int threads,
                    const codec::WantedBlocks &wanted);
// Offsets in a section of bytes that are 1 + the number of another field, or 0 for none. Throws corrupt.
using FindFields = std::vector<std::size_t>(const std::uint8_t *section, std::size_t size);

// Encoder: what came of a coding that was tried.
struct Outcome {
  bool was_kept;
  bool was_clear;    // if it was kept: by model::is_clear_win, against all sections that were tried
  bool kept_models;  // the section that was kept changed the models' state
  bool is_hopeless;  // EncodedSection::is_hopeless
  std::size_t size;  // less the investment; SIZE_MAX: it could not code the values
  std::size_t kept;  // the same of the section that was kept
};
// Called when the section that is kept has been committed: trials change nothing before.
using Settle = void(const SectionContext &context, const Outcome &outcome);

struct Coding : format::CodingRule {
  Load *load;
  Write *write;
  TryEncode *try_encode;
  // nullptr: not supported by the coding.
  Follow *follow = nullptr;
  FindFields *fields_named = nullptr;
  Settle *settle = nullptr;
  bool can_be_sampled = false;  // encodes a SectionSample
  bool decodes_blocks = false;  // load and write use SectionContext::only
  bool follows_blocks = false;  // in difference chunks: they use SectionContext::followed
};

const Coding &coding_of(format::FieldCodingKind number);

// Each has its file in codings/.
Decode decode_predicted, decode_modelled, decode_ordered, decode_cells, decode_sites, decode_sequence,
    decode_few_values, decode_classed, decode_steps;
Load load_block_coded;
Write write_block_coded;
TryEncode encode_predicted, encode_modelled, encode_ordered, encode_cells, encode_sites, encode_sequence,
    encode_few_values, encode_classed, encode_steps, encode_block_coded;
Follow follow_predicted;
FindFields fields_of_few_values, fields_of_classed;
Settle settle_steps;

}  // namespace gpz::trajectory
