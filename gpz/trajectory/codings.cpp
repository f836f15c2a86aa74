// SPDX-License-Identifier: BSD-3-Clause
#include "gpz/trajectory/codings.hpp"

#include "gpz/trajectory/values.hpp"

namespace gpz::trajectory {
namespace {

template <Decode *decode>
void load(const SectionContext &context, const Payload &payload, Indices &indices) {
  decode(context, payload, indices.resize(context.particles, context.components(), context.threads));
}

template <Decode *decode>
void write(const SectionContext &context, const Payload &payload, Indices &indices, const codec::Target &target) {
  load<decode>(context, payload, indices);
  write_values(context.field, indices.columns(context.components()), context.particles, indices.exact, target,
               context.threads);
}

template <Decode *decode>
constexpr Coding of_indices(format::FieldCodingKind number, TryEncode *encode, Follow *follow = nullptr,
                            FindFields *fields = nullptr, Settle *settle = nullptr) {
  return {format::rule_of(number), load<decode>, write<decode>, encode, follow, fields, settle};
}

// A coding whose blocks do not depend on each other.
template <Decode *decode>
constexpr Coding of_blocks(format::FieldCodingKind number, TryEncode *encode) {
  Coding coding = of_indices<decode>(number, encode);
  coding.decodes_blocks = true;
  return coding;
}

constexpr Coding sampled(Coding coding) {
  coding.can_be_sampled = true;
  return coding;
}

constexpr Coding of_steps() {
  Coding coding = of_indices<decode_steps>(format::steps, encode_steps, nullptr, nullptr, settle_steps);
  coding.follows_blocks = true;
  return coding;
}

// By number, as format::CodingRules.
constexpr Coding codings[] = {
    sampled(of_indices<decode_predicted>(format::predicted_values, encode_predicted, follow_predicted)),
    {format::rule_of(format::block_coded_values), load_block_coded, write_block_coded, encode_block_coded},
    sampled(of_blocks<decode_ordered>(format::ordered_values, encode_ordered)),
    of_indices<decode_modelled>(format::modelled_values, encode_modelled),
    {format::rule_of(format::left_out_5), nullptr, nullptr, nullptr},
    of_indices<decode_cells>(format::halved_cells, encode_cells),
    of_indices<decode_sites>(format::lattice_sites, encode_sites),
    of_blocks<decode_sequence>(format::sequence_values, encode_sequence),
    {format::rule_of(format::left_out_9), nullptr, nullptr, nullptr},
    of_indices<decode_classed>(format::classed_values, encode_classed, nullptr, fields_of_classed),
    of_indices<decode_few_values>(format::few_values, encode_few_values, nullptr, fields_of_few_values),
    {format::rule_of(format::left_out_12), nullptr, nullptr, nullptr},
    of_steps(),
};

}  // namespace

const Coding &coding_of(format::FieldCodingKind number) { return codings[number - 1]; }

}  // namespace gpz::trajectory
