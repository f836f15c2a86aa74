// SPDX-License-Identifier: BSD-3-Clause
#include "gpz/codec/sequence_codec.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <functional>

#include "gpz/codec/parallel.hpp"
#include "gpz/codec/residual_section.hpp"
#include "gpz/core/directory.hpp"
#include "gpz/core/sequence.hpp"
#include "gpz/format/bytes.hpp"
#include "gpz/format/corrupt.hpp"

namespace gpz::codec {
namespace {

using core::SequenceAxis;
using core::SequenceContext;
using core::SequenceRecord;
using core::SequenceTable;
using core::TokenShare;
using format::corrupt;

constexpr std::size_t max_tables = core::max_components * core::sequence_contexts;

// Range of particles of a block.
struct SequenceBlock {
  std::size_t first;
  std::uint32_t n;
  std::uint32_t rows;

  SequenceBlock(std::size_t number, std::size_t particles)
      : first(number * core::sequence_block_size),
        n(static_cast<std::uint32_t>(std::min<std::size_t>(core::sequence_block_size, particles - first))),
        rows(core::sequence_rows(n)) {}
};

std::int64_t step_at(const IndexColumns &q, const SequenceBlock &block, int d, std::uint32_t i) {
  const std::int64_t *const at = q[static_cast<std::size_t>(d)] + block.first + i;
  return i == 0 ? 0 : core::difference_of(at[0], at[-1]);
}

struct Tables {
  std::array<SequenceAxis, core::max_components> axis;
  std::array<SequenceTable, max_tables> table;
  std::vector<TokenShare> share = std::vector<TokenShare>(max_tables * core::sequence_symbols);

  TokenShare *shares_of(std::uint32_t number) { return share.data() + std::size_t{number} * core::sequence_symbols; }
  const TokenShare *shares_of(std::uint32_t number) const {
    return share.data() + std::size_t{number} * core::sequence_symbols;
  }
};

// Calls use(particle, component, step, symbol, table of the context) for all values of a block, lane by lane.
template <typename Use>
void for_symbols(const IndexColumns &q, const SequenceBlock &block, int components, const SequenceAxis *axes,
                 const Use &use) {
  SequenceContext context;
  for (std::uint32_t i = 0; i < block.n; ++i) {
    if (i % block.rows == 0) context = {};
    for (int d = 0; d < components; ++d) {
      const auto step = static_cast<std::int32_t>(step_at(q, block, d, i));
      const std::uint32_t symbol = core::symbol_of_step(step, axes[d].shift);
      use(i, d, step, symbol, context.table(d));
      context.take(d, symbol, axes[d]);
    }
  }
}

// Sums of `size` counters over all blocks: add(block, counters) adds those of a block.
template <typename Add>
std::vector<std::uint32_t> count_in_blocks(std::size_t n, int threads, std::size_t size, const Add &add) {
  const int used = threads_for_particles(threads, n);
  std::vector<std::vector<std::uint32_t>> counts(static_cast<std::size_t>(used));
  parallel_ranges(used, core::sequence_blocks(n), [&](int t, std::uint64_t first, std::uint64_t last) {
    std::vector<std::uint32_t> &count = counts[static_cast<std::size_t>(t)];
    count.resize(size);
    for (std::uint64_t b = first; b < last; ++b) add(SequenceBlock(b, n), count.data());
  });
  for (std::size_t t = 1; t < counts.size(); ++t)
    std::transform(counts[t].begin(), counts[t].end(), counts[0].begin(), counts[0].begin(), std::plus<>());
  return std::move(counts[0]);
}

bool choose_axes(const IndexColumns &q, std::size_t n, int components, int threads, Tables &tables) {
  for (int d = 0; d < components; ++d) {
    const std::vector<std::uint32_t> steps =
        count_in_blocks(n, threads, core::step_magnitudes, [&](const SequenceBlock &block, std::uint32_t *count) {
          for (std::uint32_t i = 0; i < block.n; ++i) ++count[core::step_magnitude(step_at(q, block, d, i))];
        });
    if (!core::choose_sequence_axis(steps.data(), tables.axis[static_cast<std::size_t>(d)])) return false;
  }
  return true;
}

void fill_table(const std::uint32_t *count, SequenceTable &table, TokenShare *share) {
  table = {};
  std::uint64_t all = 0;
  for (std::uint32_t s = 0; s < core::sequence_symbols; ++s) all += count[s];
  if (all == 0) return;
  const auto add = [&](core::SymbolCounts &to, std::uint32_t s) {
    const core::SymbolCounts own = core::counts_of(s, count[s], all);
    to.rare += own.rare;
    to.common += own.common;
    return own;
  };
  core::SymbolCounts together;
  std::uint32_t last = 0;
  for (std::uint32_t s = 0; s < core::sequence_symbols; ++s) {
    if (!core::is_used(s, count[s])) continue;
    add(together, s);
    if (s != 0 && last == 0) table.first = s;
    last = s;
  }
  if (last != 0) table.count = last + 1 - table.first;
  core::SymbolCounts upto;
  std::uint32_t widest = 0;
  for (std::uint32_t s = 0; s < core::sequence_symbols; ++s) {
    const core::SymbolCounts before = upto;
    share[s] = core::share_of_symbol(before, add(upto, s), together);
    if (s != 0) widest |= share[s].frequency;
  }
  table.escape = share[0].frequency;
  table.width = static_cast<std::uint32_t>(core::bit_length(widest));
}

void choose_tables(const IndexColumns &q, std::size_t n, int components, int threads, Tables &tables) {
  const std::vector<std::uint32_t> count = count_in_blocks(
      n, threads, max_tables * core::sequence_symbols, [&](const SequenceBlock &block, std::uint32_t *of_tables) {
        for_symbols(q, block, components, tables.axis.data(),
                    [&](std::uint32_t, int, std::int32_t, std::uint32_t symbol, std::uint32_t table) {
                      ++of_tables[table * core::sequence_symbols + symbol];
                    });
      });
  for (std::uint32_t t = 0; t < core::sequence_tables(components); ++t)
    fill_table(&count[t * core::sequence_symbols], tables.table[t], tables.shares_of(t));
}

void append_tables(int components, Tables &tables, std::vector<std::uint8_t> &bytes) {
  format::ByteWriter out(bytes);
  for (int d = 0; d < components; ++d) {
    const SequenceAxis &axis = tables.axis[static_cast<std::size_t>(d)];
    for (const std::uint32_t item : {axis.shift, axis.up, axis.down, 0u}) out.u16(static_cast<std::uint16_t>(item));
  }
  std::uint32_t words = 0;
  for (std::uint32_t t = 0; t < core::sequence_tables(components); ++t) {
    const SequenceTable &table = tables.table[t];
    for (const std::uint32_t item : {table.escape, table.first, table.count, table.width})
      out.u16(static_cast<std::uint16_t>(item));
    words += core::words_of_table(table);
  }
  std::vector<std::uint32_t> strings(words + words % 2);
  std::uint32_t *at = strings.data();
  for (std::uint32_t t = 0; t < core::sequence_tables(components); ++t) {
    const SequenceTable &table = tables.table[t];
    for (std::uint32_t k = 0; k < table.count; ++k)
      core::put_bits(at, std::uint64_t{k} * table.width, static_cast<int>(table.width),
                     tables.shares_of(t)[table.first + k].frequency);
    at += core::words_of_table(table);
  }
  for (const std::uint32_t word : strings) out.u32(word);
}

// Appends a block to `words`.
SequenceRecord encode_block(const IndexColumns &q, const SequenceBlock &block, int components, const Tables &tables,
                            std::vector<std::uint32_t> &words) {
  const auto values = static_cast<std::size_t>(components) * block.n;
  SequenceRecord record;
  std::vector<TokenShare> coded(values);
  std::vector<std::uint32_t> escapes;
  std::array<std::vector<std::uint32_t>, core::max_components> low;
  for (int d = 0; d < components; ++d) {
    low[static_cast<std::size_t>(d)].assign(block.rows * core::sequence_lanes, 0);
    record.first[d] = q[static_cast<std::size_t>(d)][block.first];
  }
  for_symbols(q, block, components, tables.axis.data(),
              [&](std::uint32_t i, int d, std::int32_t step, std::uint32_t symbol, std::uint32_t table) {
                const TokenShare share = tables.shares_of(table)[symbol];
                coded[std::size_t{i} * static_cast<unsigned>(components) + static_cast<unsigned>(d)] = share;
                if (symbol == 0) {
                  escapes.push_back(static_cast<std::uint32_t>(step));
                  return;
                }
                const SequenceAxis &axis = tables.axis[static_cast<std::size_t>(d)];
                low[static_cast<std::size_t>(d)][i % block.rows * core::sequence_lanes + i / block.rows] =
                    core::low_bits_of_step(step, axis.shift);
              });
  record.escapes = static_cast<std::uint32_t>(escapes.size());

  std::vector<std::uint16_t> stream(values);
  std::size_t at = values;  // backwards
  std::array<std::uint32_t, core::sequence_lanes> state;
  state.fill(core::ans_low);
  for (std::uint32_t row = block.rows; row-- > 0;)
    for (int d = components; d-- > 0;)
      for (std::uint32_t lane = core::sequence_lanes; lane-- > 0;) {
        const std::uint32_t i = lane * block.rows + row;
        if (i >= block.n) continue;
        const TokenShare share = coded[std::size_t{i} * static_cast<unsigned>(components) + static_cast<unsigned>(d)];
        if (core::ans_is_full(state[lane], share.frequency)) {
          stream[--at] = static_cast<std::uint16_t>(state[lane]);
          state[lane] >>= 16;
        }
        state[lane] = core::ans_push(state[lane], share.start, share.frequency);
      }
  record.stream = static_cast<std::uint32_t>(values - at);

  const core::SequenceLayout layout(tables.axis.data(), components, block.n, record);
  words.resize(words.size() + layout.total, 0);
  std::uint32_t *to = words.data() + words.size() - layout.total;
  for (int d = 0; d < components; ++d)
    to += core::pack(low[static_cast<std::size_t>(d)].data(), block.rows * core::sequence_lanes,
                     static_cast<int>(tables.axis[static_cast<std::size_t>(d)].shift), core::sequence_lanes, to);
  to = std::copy(escapes.begin(), escapes.end(), to);
  to = std::copy(state.begin(), state.end(), to);
  for (std::size_t k = 0; at < values; ++at, ++k) to[k / 2] |= static_cast<std::uint32_t>(stream[at]) << (k % 2 * 16);
  return record;
}

// The tables of a section, with the symbol of each slot.
struct Decoding : Tables {
  std::vector<std::uint16_t> symbol = std::vector<std::uint16_t>(max_tables * core::ans_total);
};

void read_tables(format::ByteReader &in, int components, Decoding &out) {
  for (int d = 0; d < components; ++d) {
    SequenceAxis &axis = out.axis[static_cast<std::size_t>(d)];
    const std::size_t at = in.position();
    axis.shift = in.u16();
    axis.up = in.u16();
    axis.down = in.u16();
    if (in.u16() != 0 || !core::is_valid(axis)) corrupt("symbols of a component", at);
  }
  std::uint32_t words = 0;
  for (std::uint32_t t = 0; t < core::sequence_tables(components); ++t) {
    SequenceTable &table = out.table[t];
    const std::size_t at = in.position();
    table.escape = in.u16();
    table.first = in.u16();
    table.count = in.u16();
    table.width = in.u16();
    if (!core::is_valid(table)) corrupt("table of frequencies", at);
    words += core::words_of_table(table);
  }
  const std::size_t at = in.position();
  std::vector<std::uint32_t> strings(words + words % 2);
  for (std::uint32_t &word : strings) word = in.u32();
  const std::uint32_t *from = strings.data();
  for (std::uint32_t t = 0; t < core::sequence_tables(components); ++t) {
    const SequenceTable &table = out.table[t];
    TokenShare *const share = out.shares_of(t);
    share[0] = {0, table.escape};
    std::uint32_t start = table.escape;
    for (std::uint32_t k = 0; k < table.count; ++k) {
      const std::uint32_t frequency = core::frequency_of(table, from, table.first + k);
      share[table.first + k] = {start, frequency};
      start += frequency;
    }
    if (start != core::sum_of_frequencies(table)) corrupt("sum of frequencies", at);
    for (std::uint32_t s = 0; s < core::sequence_symbols; ++s)
      std::fill_n(out.symbol.begin() + t * core::ans_total + share[s].start, share[s].frequency,
                  static_cast<std::uint16_t>(s));
    if (!core::has_clean_end(table, from)) corrupt("bits after a table", at);
    from += core::words_of_table(table);
  }
  if (words % 2 != 0 && strings[words] != 0) corrupt("bytes after the tables", at);
}

// Decodes a block from its words. Escapes are stored in the order of particles and components.
void decode_block(const std::uint32_t *words, const SequenceRecord &record, const SequenceBlock &block, int components,
                  const Decoding &tables, std::vector<std::uint32_t> &low, const IndexOutput &q) {
  const core::SequenceLayout layout(tables.axis.data(), components, block.n, record);
  const std::size_t padded = std::size_t{block.rows} * core::sequence_lanes;
  low.resize(padded * static_cast<unsigned>(components));
  const std::uint32_t *from = words;
  for (int d = 0; d < components; ++d) {
    const auto shift = static_cast<int>(tables.axis[static_cast<std::size_t>(d)].shift);
    core::unpack(from, static_cast<std::uint32_t>(padded), shift, core::sequence_lanes,
                 low.data() + padded * static_cast<unsigned>(d));
    from += layout.low_words[d];
  }
  std::array<std::uint32_t, core::sequence_lanes> state;
  std::copy_n(words + layout.states_at, core::sequence_lanes, state.begin());
  for (const std::uint32_t x : state)
    if (x < core::ans_low) corrupt("state of a lane");
  std::array<SequenceContext, core::sequence_lanes> context{};
  constexpr std::int64_t escaped = INT64_MIN;
  std::uint32_t taken = 0;
  for (std::uint32_t row = 0; row < block.rows; ++row)
    for (int d = 0; d < components; ++d) {
      const SequenceAxis &axis = tables.axis[static_cast<std::size_t>(d)];
      for (std::uint32_t lane = 0; lane < core::sequence_lanes; ++lane) {
        const std::uint32_t i = lane * block.rows + row;
        if (i >= block.n) break;
        const std::uint32_t t = context[lane].table(d);
        if (tables.table[t].escape == 0) corrupt("a context without a table");
        std::uint32_t &x = state[lane];
        const std::uint32_t symbol = tables.symbol[t * core::ans_total + x % core::ans_total];
        const TokenShare share = tables.shares_of(t)[symbol];
        x = core::ans_pop(x, share.start, share.frequency);
        if (x < core::ans_low) {
          if (taken == record.stream) corrupt("a stream that ends too early");
          x = x << 16 | (words[layout.stream_at + taken / 2] >> (taken % 2 * 16) & 0xFFFFu);
          ++taken;
        }
        const std::uint32_t below = low[padded * static_cast<unsigned>(d) + row * core::sequence_lanes + lane];
        q[static_cast<std::size_t>(d)][block.first + i] =
            symbol == 0 ? escaped : core::step_of_symbol(symbol, below, axis.shift);
        context[lane].take(d, symbol, axis);
      }
    }
  if (taken != record.stream) corrupt("a stream that goes on");
  if (record.stream % 2 != 0 && words[layout.total - 1] >> 16 != 0) corrupt("bytes after a stream");
  for (const std::uint32_t x : state)
    if (x != core::ans_low) corrupt("last state of a lane");

  const std::uint32_t *escape = words + layout.escapes_at;
  const std::uint32_t *const escapes_end = words + layout.states_at;
  std::array<std::int64_t, core::max_components> index;
  std::copy_n(record.first, core::max_components, index.begin());
  for (std::uint32_t i = 0; i < block.n; ++i)
    for (int d = 0; d < components; ++d) {
      std::int64_t &value = q[static_cast<std::size_t>(d)][block.first + i];
      if (value == escaped) {
        if (escape == escapes_end) corrupt("fewer steps beyond the symbols than escapes");
        value = static_cast<std::int32_t>(*escape++);
      }
      value = index[static_cast<std::size_t>(d)] = core::sum_of(index[static_cast<std::size_t>(d)], value);
    }
  if (escape != escapes_end) corrupt("more steps beyond the symbols than escapes");
}

}  // namespace

bool encode_sequence(const IndexColumns &q, std::size_t n, int components, std::vector<std::uint8_t> &bytes,
                     int threads) {
  Tables tables;
  if (!choose_axes(q, n, components, threads, tables)) return false;
  choose_tables(q, n, components, threads, tables);
  const std::size_t blocks = core::sequence_blocks(n);
  const int used = threads_for_particles(threads, n);
  std::vector<SequenceRecord> records(blocks);
  Payloads payloads(static_cast<std::size_t>(used));
  std::atomic<bool> is_too_long{false};
  parallel_ranges(used, blocks, [&](int t, std::uint64_t first, std::uint64_t last) {
    std::vector<std::uint32_t> &words = payloads[static_cast<std::size_t>(t)];
    for (std::uint64_t b = first; b < last && !is_too_long; ++b) {
      const std::size_t before = words.size();
      records[b] = encode_block(q, SequenceBlock(b, n), components, tables, words);
      if (words.size() - before - (records[b].stream + 1) / 2 > core::sequence_room(components)) is_too_long = true;
    }
  });
  if (is_too_long) return false;

  append_tables(components, tables, bytes);
  std::size_t at = bytes.size();
  bytes.resize(at + blocks * core::sequence_record_size(components));
  for (const SequenceRecord &record : records) {
    format::store_little(&bytes[at], record.stream);
    format::store_little(&bytes[at + 4], record.escapes);
    for (int d = 0; d < components; ++d)
      format::store_little(&bytes[at + 8 + 8 * static_cast<std::size_t>(d)],
                           static_cast<std::uint64_t>(record.first[d]));
    at += core::sequence_record_size(components);
  }
  append_words(payloads, bytes);
  return true;
}

void decode_sequence(const std::uint8_t *bytes, std::size_t size, std::size_t n, int components, const IndexOutput &q,
                     int threads, const WantedBlocks &wanted) {
  format::ByteReader in(bytes, size);
  Decoding tables;
  read_tables(in, components, tables);
  const std::size_t blocks = core::sequence_blocks(n);
  if (blocks > in.left() / core::sequence_record_size(components)) corrupt("more blocks than bytes", in.position());
  format::ByteReader directory(in.take(blocks * core::sequence_record_size(components)),
                               blocks * core::sequence_record_size(components));
  format::Column<StoredBlock<SequenceRecord>> stored(blocks);
  for (std::size_t b = 0; b < blocks; ++b) {
    const SequenceBlock block(b, n);
    SequenceRecord &record = stored[b].record;
    record.stream = directory.u32();
    record.escapes = directory.u32();
    for (int d = 0; d < components; ++d) record.first[d] = directory.i64();
    if (!core::is_valid(record, components, block.n)) corrupt("record of a block", in.position());
    const core::SequenceLayout layout(tables.axis.data(), components, block.n, record);
    stored[b].words = reinterpret_cast<const std::uint32_t *>(in.take(std::size_t{layout.total} * 4));
  }
  if (in.left() >= 8) corrupt("bytes after the last block", in.position());
  while (in.left() != 0)
    if (in.u8() != 0) corrupt("bytes after the last block", in.position() - 1);
  parallel_ranges(threads_for_particles(threads, n), blocks, [&](int, std::uint64_t first, std::uint64_t last) {
    std::vector<std::uint32_t> low;
    for (std::uint64_t b = first; b < last; ++b)
      if (wanted.has(b))
        decode_block(stored[b].words, stored[b].record, SequenceBlock(b, n), components, tables, low, q);
  });
}

}  // namespace gpz::codec
