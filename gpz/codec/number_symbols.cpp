// SPDX-License-Identifier: BSD-3-Clause
#include "gpz/codec/number_symbols.hpp"

#include "gpz/codec/number_choice.hpp"
#include "gpz/format/bytes.hpp"

namespace gpz::codec {

namespace {

void find_symbols(const NumberTable &table, const Histogram &used, NumberSymbol *symbols) {
  for (std::uint32_t r = 0; r < core::number_tokens; ++r) {
    if (used[r] == 0) continue;
    const std::uint32_t token = table.token(static_cast<std::uint32_t>(core::token_first(r)));
    const core::TokenShare share = table.share[token];
    symbols[r] = {core::ans_inverse(share.frequency), static_cast<std::uint16_t>(share.start),
                  static_cast<std::uint16_t>(share.frequency), static_cast<std::uint8_t>(table.bits(token))};
  }
}

}  // namespace

NumberTable::NumberTable(const NumberTables &tables, unsigned context) {
  const ContextTable &of = tables.contexts[context];
  NumberShape shape;
  if (of.shape != 0) shape = tables.shapes[of.shape - 1U];
  low = core::low_bits_of_scale(of.scale);
  tokens = core::tokens_at_scale(shape.tokens, of.scale);
  core::fill_shares(weights_of(shape).data(), shape.tokens, of.scale, share.data());
}

NumberSymbols choose_symbols(const std::vector<std::uint32_t> &counts, unsigned contexts) {
  std::vector<Histogram> histograms(contexts);
  for (unsigned c = 0; c < contexts; ++c)
    std::copy_n(&counts[std::size_t{c} * core::number_tokens], core::number_tokens, histograms[c].begin());
  NumberSymbols symbols{choose_tables(histograms), std::vector<NumberSymbol>(counts.size())};
  for (unsigned c = 0; c < contexts; ++c)
    find_symbols(NumberTable(symbols.tables, c), histograms[c],
                 &symbols.of_token[std::size_t{c} * core::number_tokens]);
  return symbols;
}

void append_segment_tables(const NumberTables &tables, const std::vector<std::uint32_t> &lengths,
                           std::vector<std::uint8_t> &bytes) {
  std::vector<std::uint8_t> written;
  write_tables(tables, written);
  written.resize(format::round_up_8(written.size()));
  format::ByteWriter writer(bytes);
  writer.u32(static_cast<std::uint32_t>(written.size()));
  for (const std::uint32_t length : lengths) writer.u32(length);
  if (lengths.size() % 2 == 0) writer.u32(0);
  bytes.insert(bytes.end(), written.begin(), written.end());
}

}  // namespace gpz::codec
