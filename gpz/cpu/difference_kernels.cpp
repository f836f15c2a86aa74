// The loops over one block of a difference section. Compiled once for each instruction set (GPZ_ISA).
#include "gpz/cpu/difference_kernels.hpp"

#include "gpz/core/pack.hpp"
#include "gpz/cpu/residual_coder.hpp"

namespace gpz::cpu {
namespace GPZ_ISA {
namespace {

using core::FitSums;
using core::GridAxis;
using core::Predictor;
using Axis = DifferenceBlock::Axis;
using Block = DifferenceBlock;
using Record = DifferenceRecord;
using Scratch = DifferenceScratch;

std::int32_t predicted(const Axis &axis, const Predictor &predictor, std::int64_t reciprocal, std::uint32_t i) {
  return core::predict(predictor, axis.velocity[i], axis.previous[i],
                       core::distance_to_mean(axis.deviation[i], reciprocal));
}

enum Feature { velocity, previous, mean, target };

// The features that count are within 16 times what is usual in this block: atoms that jumped would otherwise decide the
// fit alone.
std::int32_t usual_limit(const std::int32_t *x, std::uint32_t n) {
  std::uint32_t sum = 0;
  for (std::uint32_t i = 0; i < n; ++i)
    sum += static_cast<std::uint32_t>(core::rough_bits(static_cast<std::uint32_t>(x[i] < 0 ? -x[i] : x[i]) << 1));
  return std::int32_t{1} << core::min_of(sum / core::max_of(n, 1u) + 5, 22u);
}

void fit(const Block &block, Scratch &scratch, FitSums &sums) {
  const std::uint32_t n = block.n;
  for (int d = 0; d < block.components; ++d) {
    const Axis axis = block.axes[d];
    std::int32_t *__restrict v = scratch.feature[velocity];
    std::int32_t *__restrict p = scratch.feature[previous];
    std::int32_t *__restrict m = scratch.feature[mean];
    std::int32_t *__restrict t = scratch.feature[target];
    for (std::uint32_t i = 0; i < n; ++i) {
      v[i] = axis.velocity[i];
      p[i] = axis.previous[i];
      m[i] = core::distance_to_mean(axis.deviation[i], block.reciprocal);
      t[i] = core::limit_history(core::displacement(axis.q[i], axis.last[i], axis.grid));
    }
    std::int32_t most[4];
    for (int f = 0; f < 4; ++f) most[f] = usual_limit(scratch.feature[f], n);
    std::int64_t vv = 0, vp = 0, vm = 0, pp = 0, pm = 0, mm = 0, tv = 0, tp = 0, tm = 0;
    for (std::uint32_t i = 0; i < n; ++i) {
      const bool usual = (v[i] < most[velocity]) & (v[i] > -most[velocity]) & (p[i] < most[previous]) &
                         (p[i] > -most[previous]) & (m[i] < most[mean]) & (m[i] > -most[mean]) & (t[i] < most[target]) &
                         (t[i] > -most[target]);
      const std::int64_t vi = usual ? v[i] : 0;
      const std::int64_t pi = usual ? p[i] : 0;
      const std::int64_t mi = usual ? m[i] : 0;
      const std::int64_t ti = usual ? t[i] : 0;
      vv += vi * vi;
      vp += vi * pi;
      vm += vi * mi;
      pp += pi * pi;
      pm += pi * mi;
      mm += mi * mi;
      tv += ti * vi;
      tp += ti * pi;
      tm += ti * mi;
    }
    const std::int64_t products[6] = {vv, vp, vm, pp, pm, mm};
    for (int k = 0; k < 6; ++k) sums.product[k] += products[k];
    const std::int64_t targets[3] = {tv, tp, tm};
    for (int k = 0; k < 3; ++k) sums.target[k] += targets[k];
  }
}

Predictor solve(const FitSums &sums) { return core::fit_predictor(sums); }

// Where the particle is expected if its displacement was.
std::int64_t followed(const Axis &axis, std::uint32_t i) {
  return core::wrap(core::sum_of(axis.last[i], core::displacement(axis.q[i], axis.last[i], axis.grid)), axis.grid);
}

// Residuals of axis d in zigzag form; returns how many particles are not in the periodic image where they are expected.
std::uint32_t find_residuals(const Block &block, int d, std::uint32_t *__restrict u) {
  const Axis axis = block.axes[d];
  const Predictor predictor = block.predictor;
  const std::int64_t reciprocal = block.reciprocal;
  std::uint64_t elsewhere = 0;
  for (std::uint32_t i = 0; i < block.n; ++i) {
    const std::int64_t moved = core::displacement(axis.q[i], axis.last[i], axis.grid);
    u[i] = core::narrow_residual(core::difference_of(moved, predicted(axis, predictor, reciprocal, i)));
    elsewhere += core::wrap(core::sum_of(axis.last[i], moved), axis.grid) != axis.q[i] ? 1 : 0;
  }
  return static_cast<std::uint32_t>(elsewhere);
}

// Those a little beyond an edge widen the margin, others become exceptions.
void sort_out_images(const Axis &axis, std::uint32_t n, std::uint32_t *u, std::uint32_t &margin) {
  for (std::uint32_t i = 0; i < n; ++i) {
    const std::int64_t q = axis.q[i];
    const std::int64_t expected = followed(axis, i);
    if (q == expected) continue;
    const std::int64_t beyond = core::beyond_edge(q, axis.grid);
    if (beyond > 0 && beyond <= core::largest_margin(axis.grid) && q == core::other_image(expected, axis.grid, beyond))
      margin = core::max_of(margin, static_cast<std::uint32_t>(beyond));
    else
      u[i] = core::widest_residual;
  }
}

// Bits that the residuals take with block.predictor.
std::uint64_t measure(const Block &block, Scratch &scratch) {
  std::uint64_t bits = 0;
  for (int d = 0; d < block.components; ++d) {
    find_residuals(block, d, scratch.residual);
    std::uint32_t cost = 0;
    choose_code(scratch.residual, block.n, cost);
    bits += cost;
  }
  return bits;
}

// A bit for each value that has another image within the margin: 1 if it is there. Returns the words.
std::uint32_t write_flags(const Block &block, const Scratch &scratch, const Record &record, std::uint32_t *words) {
  std::uint32_t count = 0;
  std::uint32_t next = 0;  // exception
  for (int d = 0; d < block.components; ++d) {
    const Axis &axis = block.axes[d];
    for (std::uint32_t i = 0; i < block.n; ++i) {
      // The decoder sees a residual of 0 in place of an exception.
      const bool exception =
          next < record.exceptions && scratch.exception[next] == (i | static_cast<std::uint32_t>(d) << 16);
      next += exception ? 1 : 0;
      const std::int64_t expected =
          exception
              ? core::wrap(core::sum_of(axis.last[i], predicted(axis, block.predictor, block.reciprocal, i)), axis.grid)
              : followed(axis, i);
      const std::int64_t other = core::other_image(expected, axis.grid, record.margin);
      if (other == expected) continue;
      if (count % 32 == 0) words[count / 32] = 0;
      words[count / 32] |= (axis.q[i] == other ? 1u : 0u) << count % 32;
      ++count;
    }
  }
  return core::words_for_bits(count);
}

std::uint32_t encode(const Block &block, Scratch &scratch, Record &record) {
  record = Record{};
  const std::uint32_t lanes = core::lanes_of(block.n, Scratch::block_size);
  Quotients quotients{scratch.quotient};
  std::uint32_t *words = scratch.words;
  for (int d = 0; d < block.components; ++d) {
    if (find_residuals(block, d, scratch.residual) != 0)
      sort_out_images(block.axes[d], block.n, scratch.residual, record.margin);
    std::uint32_t cost = 0;
    record.code[d] = choose_code(scratch.residual, block.n, cost);
    split(record.code[d], d, block.n, scratch.residual, quotients, scratch, record);
    words += core::pack(scratch.residual, block.n, record.code[d].width, lanes, words);
  }
  record.bitmap = write_bitmap(quotients, words);
  words += record.bitmap;
  if (record.margin != 0) record.flags = write_flags(block, scratch, record, words);
  words += record.flags;
  memcpy(words, scratch.exception, record.exceptions * sizeof(std::uint32_t));
  words += record.exceptions;
  for (std::uint32_t e = 0; e < record.exceptions; ++e, words += 2)
    memcpy(words, &block.axes[scratch.exception[e] >> 16].q[scratch.exception[e] & 0xFFFFu], 8);
  return static_cast<std::uint32_t>(words - scratch.words);
}

void place(const Block &block, int d, const std::uint32_t *__restrict u) {
  const Axis axis = block.axes[d];
  const Predictor predictor = block.predictor;
  const std::int64_t reciprocal = block.reciprocal;
  std::int64_t *__restrict out = axis.out;
  for (std::uint32_t i = 0; i < block.n; ++i) {
    const std::int64_t moved = core::unzigzag(u[i]) + predicted(axis, predictor, reciprocal, i);
    out[i] = core::wrap(core::sum_of(axis.last[i], moved), axis.grid);
  }
}

// Moves the values of axis d whose flag is set to their other image. False if there are more than flags.
bool apply_flags(const Block &block, int d, const Record &record, const std::uint32_t *words, std::uint32_t &count) {
  const Axis &axis = block.axes[d];
  for (std::uint32_t i = 0; i < block.n; ++i) {
    const std::int64_t other = core::other_image(axis.out[i], axis.grid, record.margin);
    if (other == axis.out[i]) continue;
    if (count == record.flags * 32) return false;
    if ((words[count / 32] >> count % 32 & 1) != 0) axis.out[i] = other;
    ++count;
  }
  return true;
}

bool decode(const Block &block, const Record &record, const std::uint32_t *words, Scratch &scratch) {
  const std::uint32_t lanes = core::lanes_of(block.n, Scratch::block_size);
  const auto components = static_cast<std::uint32_t>(block.components);
  const std::uint32_t *plane = words;
  for (int d = 0; d < block.components; ++d) words += core::packed_words(block.n, record.code[d].width, lanes);
  Quotients quotients{scratch.quotient};
  if (!read_bitmap(words, record.bitmap, block.n * components, quotients)) return false;
  words += record.bitmap;
  std::uint32_t used = 0;
  std::uint32_t flags = 0;
  for (int d = 0; d < block.components; ++d) {
    plane += core::unpack(plane, block.n, record.code[d].width, lanes, scratch.residual);
    if (!join(record.code[d], block.n, scratch.residual, quotients, used)) return false;
    place(block, d, scratch.residual);
    if (record.margin != 0 && !apply_flags(block, d, record, words, flags)) return false;
  }
  if (used != quotients.count || core::words_for_bits(flags) != record.flags) return false;
  words += record.flags;

  const std::uint32_t *value = words + record.exceptions;
  for (std::uint32_t e = 0; e < record.exceptions; ++e, value += 2) {
    const std::uint32_t i = words[e] & 0xFFFFu;
    const std::uint32_t d = words[e] >> 16;
    if (i >= block.n || d >= components || (e != 0 && words[e] <= words[e - 1])) return false;
    memcpy(&block.axes[d].out[i], value, 8);
  }
  return true;
}

void advance(const std::int64_t *__restrict q, const GridAxis &grid, std::size_t n, std::uint64_t frames,
             std::int64_t *__restrict last, std::int32_t *__restrict deviation, std::int32_t *__restrict velocity_of,
             std::int32_t *__restrict previous_of) {
  const GridAxis axis = grid;
  for (std::size_t i = 0; i < n; ++i) {
    const std::int64_t moved = core::displacement(q[i], last[i], axis);
    deviation[i] = core::next_deviation(deviation[i], frames, moved);
    previous_of[i] = velocity_of[i];
    velocity_of[i] = core::limit_history(moved);
    last[i] = q[i];
  }
}

#define GPZ_TEXT_(x) #x
#define GPZ_TEXT(x) GPZ_TEXT_(x)

}  // namespace

extern const DifferenceKernels differences;
const DifferenceKernels differences{GPZ_TEXT(GPZ_ISA), fit, solve, measure, encode, decode, advance};

}  // namespace GPZ_ISA
}  // namespace gpz::cpu
