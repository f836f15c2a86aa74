// SPDX-License-Identifier: BSD-3-Clause
// Decodes one block. Compiled once for each instruction set (GPZ_ISA).
#include <type_traits>

#include "gpz/core/block.hpp"
#include "gpz/core/keys.hpp"
#include "gpz/core/quantize.hpp"
#include "gpz/kernels/block_kernels.hpp"

namespace gpz::codec {
namespace GPZ_ISA {
namespace {

using core::BlockLayout;
using core::BlockRecord;
using core::Mode;
using core::Segments;

// Expands the runs to sorted segment ids. Returns false unless the runs hold exactly n ids below `segments`.
bool decode_runs(const BlockRecord &record, std::uint32_t segments, const std::uint32_t *words, std::uint32_t n,
                 std::uint32_t *segment) {
  std::uint32_t have = 0;
  std::uint32_t next = 0;
  for (std::uint32_t k = 0; k < record.runs; ++k) {
    const core::Run run = core::read_run(record, words, k);
    const std::uint32_t id = next + run.gap;
    if (id >= segments || run.count > n - have) return false;
    for (std::uint32_t i = 0; i < run.count; ++i) segment[have + i] = id;
    have += run.count;
    next = id + 1;
  }
  return have == n;
}

// Expands the bitmap to sorted segment ids: set bit number i, at position p, means id p - i. Returns false unless there
// are exactly n ids below `segments`.
bool decode_bitmap(std::uint32_t segments, const std::uint32_t *words, std::uint32_t n, std::uint32_t *segment) {
  const std::uint32_t count = core::words_of_bitmap(n, segments);
  std::uint32_t have = 0;
  for (std::uint32_t w = 0; w < count; ++w) {
    std::uint32_t bits = words[w];
    const auto ones = static_cast<std::uint32_t>(__builtin_popcount(bits));
    if (ones > n - have) return false;
    while (bits != 0) {
      segment[have] = w * 32 + static_cast<std::uint32_t>(__builtin_ctz(bits)) - have;
      ++have;
      bits &= bits - 1;
    }
  }
  return have == n && (n == 0 || segment[n - 1] < segments);
}

double index_base(const BlockRecord &record, int d) {
  return core::index_base(core::value_of<std::int64_t>(record.min[d]));
}

template <typename T, typename Out, typename O>
void place_sorted(const Segments &segments, const BlockRecord &record, const BlockOutput &output, Scratch &scratch) {
  const core::CellFinder find(segments);
  const std::uint32_t *__restrict segment = scratch.segment;
  const O *__restrict offset = as<O>(scratch.sorted);
  const double step = output.step;
  for (int d = 0; d < output.components; ++d) {
    auto *__restrict out = static_cast<Out *>(output.values[d]);
    if (out == nullptr) continue;
    const double base = index_base(record, d);
    const int shift = segments.shift[d];
    const int at = segments.offset_at[d] & (static_cast<int>(sizeof(O)) * 8 - 1);
    const auto mask = static_cast<O>(core::low_mask(segments.offset_bits[d]));
    for (std::uint32_t i = 0; i < output.n; ++i) {
      std::uint32_t cell[core::max_components];
      find(segment[i], cell);
      const std::uint64_t inside = (offset[i] >> at) & mask;
      const std::uint64_t delta = (static_cast<std::uint64_t>(cell[d]) << shift) + inside;
      out[i] = static_cast<Out>(core::grid_value<T>(core::index_from(base, delta), step));
    }
  }
}

template <typename T, typename Out, typename U>
void place_plain(const U *__restrict delta, const BlockRecord &record, int d, const BlockOutput &output) {
  auto *__restrict out = static_cast<Out *>(output.values[d]);
  const double base = index_base(record, d);
  const double step = output.step;
  for (std::uint32_t i = 0; i < output.n; ++i)
    out[i] = static_cast<Out>(core::grid_value<T>(core::index_from(base, delta[i]), step));
}

template <typename T, typename Out, typename U>
void place_exact(const U *__restrict delta, const BlockRecord &record, int d, const BlockOutput &output) {
  auto *__restrict out = static_cast<Out *>(output.values[d]);
  const std::uint64_t base = record.min[d];
  for (std::uint32_t i = 0; i < output.n; ++i) out[i] = static_cast<Out>(core::value_of<T>(base + delta[i]));
}

template <typename T, typename Out, typename U>
void decode_component(const BlockRecord &record, int d, const std::uint32_t *words, std::uint32_t lanes,
                      const BlockOutput &output, Scratch &scratch) {
  U *delta = as<U>(scratch.delta[0]);
  core::unpack(words, output.n, core::bit_length(record.extent[d]), lanes, delta);
  if constexpr (std::is_same_v<T, std::int64_t>) {
    place_exact<T, Out>(delta, record, d, output);
  } else {
    if (record.mode == Mode::exact)
      place_exact<T, Out>(delta, record, d, output);
    else
      place_plain<T, Out>(delta, record, d, output);
  }
}

template <typename T, typename Out>
bool decode_exceptions(const BlockRecord &record, const std::uint32_t *words, const BlockOutput &output) {
  const std::uint32_t *bits = words + record.exceptions;
  for (std::uint32_t e = 0; e < record.exceptions; ++e, bits += sizeof(T) / sizeof(std::uint32_t)) {
    const std::uint32_t i = words[e] & 0xFFFFu;
    const std::uint32_t d = words[e] >> 16;
    if (i >= output.n || d >= static_cast<std::uint32_t>(output.components)) return false;
    if (output.values[d] == nullptr) continue;
    T value;
    memcpy(&value, bits, sizeof(T));
    static_cast<Out *>(output.values[d])[i] = static_cast<Out>(value);
  }
  return true;
}

// Decodes values stored as T and writes them as Out.
template <typename T, typename Out>
bool decode_as(const BlockRecord &record, const std::uint32_t *words, const BlockOutput &output, Scratch &scratch) {
  BlockLayout layout;
  if (!core::block_layout(record, output.components, output.value, output.n, output.block_size, layout)) return false;
  const bool sorted = core::is_sorted(record.mode);
  if constexpr (!std::is_same_v<T, std::int64_t>) {
    if (sorted) {
      const Segments &segments = layout.segments;
      if (record.mode == Mode::runs ? !decode_runs(record, segments.count, words, output.n, scratch.segment)
                                    : !decode_bitmap(segments.count, words, output.n, scratch.segment))
        return false;
      const std::uint32_t *offsets = words + layout.order_words;
      if (segments.offset_width <= 32) {
        core::unpack(offsets, output.n, segments.offset_width, layout.lanes, as<std::uint32_t>(scratch.sorted));
        place_sorted<T, Out, std::uint32_t>(segments, record, output, scratch);
      } else {
        core::unpack(offsets, output.n, segments.offset_width, layout.lanes, scratch.sorted);
        place_sorted<T, Out, std::uint64_t>(segments, record, output, scratch);
      }
    }
  }
  if (!sorted) {
    const std::uint32_t *at = words;
    for (int d = 0; d < output.components; ++d) {
      const int width = core::bit_length(record.extent[d]);
      if (output.values[d] != nullptr) {
        if (width <= 32)
          decode_component<T, Out, std::uint32_t>(record, d, at, layout.lanes, output, scratch);
        else
          decode_component<T, Out, std::uint64_t>(record, d, at, layout.lanes, output, scratch);
      }
      at += core::packed_words(output.n, width, layout.lanes);
    }
  }
  if constexpr (!std::is_same_v<T, std::int64_t>)
    return decode_exceptions<T, Out>(record, words + layout.order_words + layout.value_words, output);
  return true;
}

}  // namespace

bool decode_block(const BlockRecord &record, const std::uint32_t *words, const BlockOutput &output, Scratch &scratch) {
  switch (output.value) {
    case core::Value::integer:
      return decode_as<std::int64_t, std::int64_t>(record, words, output, scratch);
    case core::Value::float32:
      return output.single ? decode_as<float, float>(record, words, output, scratch)
                           : decode_as<float, double>(record, words, output, scratch);
    case core::Value::float64:
      return decode_as<double, double>(record, words, output, scratch);
  }
  return false;
}

}  // namespace GPZ_ISA
}  // namespace gpz::codec
