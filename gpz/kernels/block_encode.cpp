// SPDX-License-Identifier: BSD-3-Clause
// Encodes one block: quantize, sort, encode, as in the paper. Compiled once for each instruction set (GPZ_ISA).
#include "gpz/core/block.hpp"
#include "gpz/core/keys.hpp"
#include "gpz/core/quantize.hpp"
#include "gpz/kernels/block_kernels.hpp"

namespace gpz::codec {
namespace GPZ_ISA {
namespace {

using core::BlockRecord;
using core::Grid;
using core::Mode;
using core::Segments;

struct Range {
  std::int64_t min = INT64_MAX;
  std::int64_t max = INT64_MIN;
  std::uint32_t misses = 0;
};

// Second pass over a component with values that the grid cannot represent. They get the smallest valid index, so that
// they do not widen the block.
template <bool OnlyItsValues, typename T>
Range mark_misses(const T *x, std::uint32_t n, const Grid &grid, std::int64_t *index, std::uint8_t *missed) {
  Range range;
  for (std::uint32_t i = 0; i < n; ++i) {
    const core::Quantized<T> q = core::quantize<OnlyItsValues>(x[i], grid);
    missed[i] = q.valid ? 0 : 1;
    range.misses += missed[i];
    if (q.valid) {
      range.min = core::min_of(range.min, q.index);
      range.max = core::max_of(range.max, q.index);
    }
  }
  if (range.misses == n) range.min = range.max = 0;
  for (std::uint32_t i = 0; i < n; ++i)
    if (missed[i] != 0) index[i] = range.min;
  return range;
}

// Stage 1 for one component. Errors are compared as integers: the bits of non-negative doubles have the order of the
// doubles.
template <bool OnlyItsValues, typename T>
Range quantize_component(const T *__restrict x, std::uint32_t n, const Grid &grid, std::int64_t *__restrict index,
                         std::uint8_t *missed, std::int64_t &largest_error_bits) {
  const Grid local = grid;
  std::int64_t min = INT64_MAX;
  std::int64_t max = INT64_MIN;
  std::int64_t misses = 0;
  std::int64_t error_bits = 0;
  for (std::uint32_t i = 0; i < n; ++i) {
    const core::Quantized<T> q = core::quantize<OnlyItsValues>(x[i], local);
    index[i] = q.index;
    min = q.index < min ? q.index : min;
    max = q.index > max ? q.index : max;
    const std::int64_t bits = q.valid ? core::bit_cast<std::int64_t>(static_cast<double>(q.error)) : 0;
    error_bits = bits > error_bits ? bits : error_bits;
    misses += q.valid ? 0 : 1;
  }
  largest_error_bits = core::max_of(largest_error_bits, error_bits);
  if (misses != 0) return mark_misses<OnlyItsValues>(x, n, grid, index, missed);
  return {min, max, 0};
}

// delta = index - min. U has 32 bits if all differences fit.
template <typename U>
void subtract_min(const std::int64_t *__restrict index, std::uint32_t n, std::int64_t min, U *__restrict delta) {
  for (std::uint32_t i = 0; i < n; ++i)
    delta[i] = static_cast<U>(static_cast<std::uint64_t>(index[i]) - static_cast<std::uint64_t>(min));
}

template <typename U>
std::uint32_t pack_components(const BlockRecord &record, int components, std::uint32_t n, std::uint32_t lanes,
                              Scratch &scratch, std::uint32_t *words) {
  std::uint32_t at = 0;
  for (int d = 0; d < components; ++d)
    at += core::pack(as<U>(scratch.delta[d]), n, core::bit_length(record.extent[d]), lanes, words + at);
  return at;
}

// Stage 2: computes segment ids, offsets inside segments, and the number of particles of each segment (scratch.start).
template <typename U, typename O>
void locate(const Segments &segments, std::uint32_t n, Scratch &scratch) {
  const Segments s = segments;
  const U *__restrict x = as<U>(scratch.delta[0]);
  const U *__restrict y = as<U>(scratch.delta[1]);
  const U *__restrict z = as<U>(scratch.delta[2]);
  std::uint32_t *__restrict segment = scratch.segment;
  O *__restrict offset = as<O>(scratch.offset);
  const auto mask_x = static_cast<O>(core::low_mask(s.shift[0]));
  const auto mask_y = static_cast<O>(core::low_mask(s.shift[1]));
  const auto mask_z = static_cast<O>(core::low_mask(s.shift[2]));
  // If an offset fills all bits of O, the remaining axes have no bits. Their position is reduced modulo the width to
  // avoid an undefined shift.
  const int at_y = s.offset_at[1] & (static_cast<int>(sizeof(O)) * 8 - 1);
  const int at_z = s.offset_at[2] & (static_cast<int>(sizeof(O)) * 8 - 1);
  for (std::uint32_t i = 0; i < n; ++i) {
    segment[i] = s.id(x[i], y[i], z[i]);
    offset[i] = (static_cast<O>(x[i]) & mask_x) | ((static_cast<O>(y[i]) & mask_y) << at_y) |
                ((static_cast<O>(z[i]) & mask_z) << at_z);
  }
  memset(scratch.start, 0, segments.count * sizeof(std::uint32_t));
  for (std::uint32_t i = 0; i < n; ++i) ++scratch.start[segment[i]];
}

struct RunShape {
  std::uint32_t runs = 0;
  int gap_width = 0;
  int count_width = 0;
};

std::uint32_t occupied_segments(const std::uint32_t *count, std::uint32_t segments) {
  std::uint32_t occupied = 0;
  for (std::uint32_t s = 0; s < segments; ++s) occupied += count[s] != 0 ? 1 : 0;
  return occupied;
}

RunShape measure_runs(const std::uint32_t *count, std::uint32_t segments) {
  RunShape shape;
  std::uint32_t all_gaps = 0;
  std::uint32_t all_counts = 0;
  std::uint32_t next = 0;
  for (std::uint32_t s = 0; s < segments; ++s) {
    if (count[s] == 0) continue;
    all_gaps |= s - next;
    all_counts |= count[s] - 1;
    next = s + 1;
    ++shape.runs;
  }
  shape.gap_width = core::bit_length(all_gaps);
  shape.count_width = core::bit_length(all_counts);
  return shape;
}

// Stage 3 (a) (paper, section 4.3): run lengths and gaps.
void encode_runs(const std::uint32_t *count, std::uint32_t segments, const RunShape &shape, std::uint32_t *words) {
  const int width = shape.gap_width + shape.count_width;
  std::uint64_t at = 0;
  std::uint32_t next = 0;
  for (std::uint32_t s = 0; s < segments; ++s) {
    if (count[s] == 0) continue;
    const std::uint64_t item = (s - next) | static_cast<std::uint64_t>(count[s] - 1) << shape.gap_width;
    core::put_bits(words, at, width, item);
    at += static_cast<unsigned>(width);
    next = s + 1;
  }
}

// Stage 3 (b), Elias-Fano: for every segment one 1 per particle, then a 0.
void encode_bitmap(const std::uint32_t *count, std::uint32_t segments, std::uint32_t *words) {
  std::uint64_t pending = 0;
  std::uint32_t bits = 0;  // valid bits in `pending`, below 32
  for (std::uint32_t s = 0; s < segments; ++s) {
    std::uint32_t ones = count[s];
    while (ones >= 32) {
      pending |= std::uint64_t{0xFFFFFFFFu} << bits;
      *words++ = static_cast<std::uint32_t>(pending);
      pending >>= 32;
      ones -= 32;
    }
    pending |= core::low_mask(static_cast<int>(ones)) << bits;
    bits += ones + 1;
    if (bits >= 32) {
      *words++ = static_cast<std::uint32_t>(pending);
      pending >>= 32;
      bits -= 32;
    }
  }
  if (bits != 0) *words = static_cast<std::uint32_t>(pending);
}

// Stable counting sort by segment. scratch.start holds the counts and is overwritten.
template <typename O>
void sort_by_segment(std::uint32_t segments, std::uint32_t n, Scratch &scratch) {
  std::uint32_t sum = 0;
  for (std::uint32_t s = 0; s < segments; ++s) {
    const std::uint32_t count = scratch.start[s];
    scratch.start[s] = sum;
    sum += count;
  }
  const O *__restrict offset = as<O>(scratch.offset);
  O *__restrict sorted = as<O>(scratch.sorted);
  for (std::uint32_t i = 0; i < n; ++i) {
    const std::uint32_t to = scratch.start[scratch.segment[i]]++;
    sorted[to] = offset[i];
    scratch.order[to] = static_cast<std::uint16_t>(i);
  }
}

// Chooses the segment sizes for Elias-Fano coding. Returns false if no candidate is within the limits.
bool choose_segments(BlockRecord &record, std::uint32_t n, Segments &segments) {
  core::ShiftCandidate best{core::no_candidate, {0, 0, 0}};
  for (int c = 0; c < core::shift_candidates; ++c) {
    const core::ShiftCandidate candidate = core::shift_candidate(c, record.extent, n);
    if (candidate.cost < best.cost) best = candidate;
  }
  if (best.cost == core::no_candidate) return false;
  for (int d = 0; d < core::max_components; ++d) record.shift[d] = best.shift[d];
  return core::make_segments(record.extent, record.shift, core::segment_limit(n), segments);
}

// Encodes the block sorted and sets `words`, which may be 0. Returns false if it would take more than `limit` words.
template <typename U, typename O>
bool encode_sorted_as(const Segments &segments, std::uint32_t n, std::uint32_t lanes, std::uint32_t limit,
                      BlockRecord &record, Scratch &scratch, std::uint32_t &words) {
  locate<U, O>(segments, n, scratch);
  const std::uint32_t bitmap_words = core::words_of_bitmap(n, segments.count);
  RunShape shape;
  std::uint32_t run_words = ~std::uint32_t{0};
  if (core::runs_may_win(occupied_segments(scratch.start, segments.count), n, segments.count)) {
    shape = measure_runs(scratch.start, segments.count);
    run_words = core::words_of_runs(shape.runs, shape.gap_width, shape.count_width);
  }
  const std::uint32_t order_words = core::min_of(run_words, bitmap_words);
  if (order_words + core::packed_words(n, segments.offset_width, lanes) > limit) return false;
  if (run_words <= bitmap_words) {
    record.mode = Mode::runs;
    record.runs = shape.runs;
    record.gap_width = static_cast<std::uint8_t>(shape.gap_width);
    record.count_width = static_cast<std::uint8_t>(shape.count_width);
    memset(scratch.words, 0, run_words * sizeof(std::uint32_t));
    encode_runs(scratch.start, segments.count, shape, scratch.words);
  } else {
    record.mode = Mode::elias_fano;
    encode_bitmap(scratch.start, segments.count, scratch.words);
  }
  sort_by_segment<O>(segments.count, n, scratch);
  words = order_words + core::pack(as<O>(scratch.sorted), n, segments.offset_width, lanes, scratch.words + order_words);
  return true;
}

template <typename U>
bool encode_sorted(std::uint32_t n, std::uint32_t lanes, std::uint32_t limit, BlockRecord &record, Scratch &scratch,
                   std::uint32_t &words) {
  Segments segments;
  if (!choose_segments(record, n, segments)) return false;
  if (segments.offset_width <= 32)
    return encode_sorted_as<U, std::uint32_t>(segments, n, lanes, limit, record, scratch, words);
  return encode_sorted_as<U, std::uint64_t>(segments, n, lanes, limit, record, scratch, words);
}

template <typename T>
std::uint32_t encode_exceptions(const BlockInput &input, bool sorted, std::uint32_t count, const Scratch &scratch,
                                std::uint32_t *words) {
  std::uint32_t *index = words;
  std::uint32_t *bits = words + count;
  for (int d = 0; d < input.components; ++d) {
    const T *values = static_cast<const T *>(input.values[d]);
    for (std::uint32_t j = 0; j < input.n; ++j) {
      const std::uint32_t i = sorted ? scratch.order[j] : j;
      if (scratch.missed[d][i] == 0) continue;
      *index++ = j | static_cast<std::uint32_t>(d) << 16;
      memcpy(bits, &values[i], sizeof(T));
      bits += sizeof(T) / sizeof(std::uint32_t);
    }
  }
  return static_cast<std::uint32_t>(bits - words);
}

// Lossless: codes the keys of the values themselves.
template <typename T>
void encode_exact(const BlockInput &input, Scratch &scratch, BlockResult &result) {
  BlockRecord &record = result.record;
  record.mode = Mode::exact;
  const std::uint32_t lanes = core::lanes_of(input.n, scratch.block_size);
  for (int d = 0; d < input.components; ++d) {
    const T *values = static_cast<const T *>(input.values[d]);
    auto *keys = reinterpret_cast<std::uint64_t *>(scratch.index);
    std::uint64_t min = ~std::uint64_t{0};
    std::uint64_t max = 0;
    for (std::uint32_t i = 0; i < input.n; ++i) {
      keys[i] = core::key_of(values[i]);
      min = keys[i] < min ? keys[i] : min;
      max = keys[i] > max ? keys[i] : max;
    }
    record.min[d] = min;
    record.extent[d] = max - min;
    const int width = core::bit_length(record.extent[d]);
    if (width <= 32) {
      subtract_min(scratch.index, input.n, static_cast<std::int64_t>(min), as<std::uint32_t>(scratch.delta[0]));
      result.words +=
          core::pack(as<std::uint32_t>(scratch.delta[0]), input.n, width, lanes, scratch.words + result.words);
    } else {
      subtract_min(scratch.index, input.n, static_cast<std::int64_t>(min), scratch.delta[0]);
      result.words += core::pack(scratch.delta[0], input.n, width, lanes, scratch.words + result.words);
    }
  }
}

template <typename U>
void encode_indices(const BlockInput &input, std::uint32_t plain_words, Scratch &scratch, BlockResult &result) {
  BlockRecord &record = result.record;
  const std::uint32_t lanes = core::lanes_of(input.n, scratch.block_size);
  if (input.may_sort && plain_words != 0)
    result.sorted = encode_sorted<U>(input.n, lanes, plain_words, record, scratch, result.words);
  if (!result.sorted) {
    record.mode = Mode::plain;
    for (auto &shift : record.shift) shift = 0;
    result.words = pack_components<U>(record, input.components, input.n, lanes, scratch, scratch.words);
  }
}

template <typename T>
void encode_floats(const BlockInput &input, Scratch &scratch, BlockResult &result) {
  BlockRecord &record = result.record;
  Range range[core::max_components];
  std::int64_t error_bits = 0;
  std::uint64_t widest = 0;
  bool narrow = true;
  for (int d = 0; d < input.components; ++d) {
    const auto *const x = static_cast<const T *>(input.values[d]);
    range[d] = input.grid.only_its_values
                   ? quantize_component<true>(x, input.n, input.grid, scratch.index, scratch.missed[d], error_bits)
                   : quantize_component<false>(x, input.n, input.grid, scratch.index, scratch.missed[d], error_bits);
    record.exceptions += range[d].misses;
    record.min[d] = core::key_of(range[d].min);
    record.extent[d] = static_cast<std::uint64_t>(range[d].max) - static_cast<std::uint64_t>(range[d].min);
    widest = core::max_of(widest, record.extent[d]);
    // Differences have 32 bits until a component is too wide; earlier components are then widened. The limit is 31
    // bits, so that a shift by all bits stays below the width of the type.
    if (narrow && widest > 0x7FFFFFFFu) {
      narrow = false;
      for (int e = 0; e < d; ++e)
        for (std::uint32_t i = input.n; i-- > 0;) scratch.delta[e][i] = as<std::uint32_t>(scratch.delta[e])[i];
    }
    if (narrow)
      subtract_min(scratch.index, input.n, range[d].min, as<std::uint32_t>(scratch.delta[d]));
    else
      subtract_min(scratch.index, input.n, range[d].min, scratch.delta[d]);
  }
  const std::uint32_t lanes = core::lanes_of(input.n, scratch.block_size);
  std::uint32_t plain_words = 0;
  for (int d = 0; d < input.components; ++d)
    plain_words += core::packed_words(input.n, core::bit_length(record.extent[d]), lanes);
  if (core::exact_is_smaller(plain_words, record.exceptions, input.n, input.components, input.value, lanes)) {
    record = BlockRecord{};
    encode_exact<T>(input, scratch, result);
    return;
  }
  for (int d = 0; d < input.components; ++d)
    if (range[d].misses == 0 && record.exceptions != 0) memset(scratch.missed[d], 0, input.n);
  for (int d = input.components; d < core::max_components; ++d)
    memset(scratch.delta[d], 0, input.n * (narrow ? sizeof(std::uint32_t) : sizeof(std::uint64_t)));
  result.largest_error = core::bit_cast<double>(error_bits);
  if (narrow)
    encode_indices<std::uint32_t>(input, plain_words, scratch, result);
  else
    encode_indices<std::uint64_t>(input, plain_words, scratch, result);
  if (record.exceptions != 0)
    result.words +=
        encode_exceptions<T>(input, result.sorted, record.exceptions, scratch, scratch.words + result.words);
}

}  // namespace

void encode_block(const BlockInput &input, Scratch &scratch, BlockResult &result) {
  result = BlockResult{};
  if (input.value == core::Value::integer)
    encode_exact<std::int64_t>(input, scratch, result);
  else if (input.value == core::Value::float32)
    input.grid.step > 0 ? encode_floats<float>(input, scratch, result) : encode_exact<float>(input, scratch, result);
  else
    input.grid.step > 0 ? encode_floats<double>(input, scratch, result) : encode_exact<double>(input, scratch, result);
}

}  // namespace GPZ_ISA
}  // namespace gpz::codec
