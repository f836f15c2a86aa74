// SPDX-License-Identifier: BSD-3-Clause
// Loops over one block of an ordered section. Compiled once for each instruction set (GPZ_ISA).
#include "gpz/kernels/ordered_kernels.hpp"

#include "gpz/kernels/median.hpp"
#include "gpz/kernels/residual_coder.hpp"

namespace gpz::codec {
namespace GPZ_ISA {
namespace {

using core::GridAxis;
using Block = OrderedBlock;
using Record = OrderedRecord;
using Scratch = OrderedScratch;

// Returns `ids` if they ascend with gaps, else nullptr. Ids without gaps add nothing to indices in the block.
const std::int64_t *useful_ids(const std::int64_t *ids, std::uint32_t n) {
  if (ids == nullptr) return nullptr;
  std::uint32_t wrong = 0;
  for (std::uint32_t i = 1; i < n; ++i) wrong += ids[i] <= ids[i - 1] ? 1 : 0;
  const bool dense = core::difference_of(ids[n - 1], ids[0]) == std::int64_t{n} - 1;
  return wrong == 0 && !dense ? ids : nullptr;
}

// The parent of a particle is the particle whose id is smaller by `lag`.
void find_parents(const std::int64_t *ids, std::uint32_t n, std::uint32_t lag, std::uint32_t *parent) {
  if (lag == 0) {
    for (std::uint32_t i = 0; i < n; ++i) parent[i] = Scratch::no_parent;
  } else if (ids == nullptr) {
    for (std::uint32_t i = 0; i < n; ++i) parent[i] = i < lag ? Scratch::no_parent : i - lag;
  } else {
    std::uint32_t j = 0;
    for (std::uint32_t i = 0; i < n; ++i) {
      const auto behind = [&] { return static_cast<std::uint64_t>(core::difference_of(ids[i], ids[j])); };
      while (behind() > lag) ++j;
      parent[i] = behind() == lag ? j : Scratch::no_parent;
    }
  }
}

void link(const Block &block, Scratch &scratch) {
  const std::uint32_t n = block.n;
  const std::int64_t *ids = useful_ids(block.ids, n);
  for (int k = 0; k < 2; ++k) find_parents(ids, n, block.predictor->lag[k], scratch.parent[k]);
  for (std::uint32_t k = 0; k < 2; ++k) {
    const std::uint32_t *here = scratch.parent[k];
    const std::uint32_t *other = scratch.parent[1 - k];
    std::uint32_t *out = scratch.link[k];
    for (std::uint32_t i = 0; i < n; ++i)
      out[i] = here[i] != Scratch::no_parent    ? here[i] | k << 16
               : other[i] != Scratch::no_parent ? other[i] | (1 - k) << 16
                                                : (i - 1) | 2u << 16;
  }
}

// Prediction of one component.
struct Line {
  const std::uint32_t *link;
  std::int64_t offset[3];  // per lag; [2]: previous particle, 0
  GridAxis grid;
  bool alone;  // no lag: all particles have the predicted position of the first one

  Line(const Block &block, int d, const Scratch &scratch)
      : link(scratch.link[block.predictor->swapped >> d & 1]),
        offset{block.predictor->offset[0][d], block.predictor->offset[1][d], 0},
        grid(block.axes[d].grid),
        alone(block.predictor->lag[0] == 0) {}

  std::int64_t expected(const std::int64_t *position, std::uint32_t i) const {
    return core::step_from(position[link[i] & 0xFFFFu], offset[link[i] >> 16], grid);
  }
};

// Writes the particles' positions inside the box. Returns the predicted position of the first particle.
std::int64_t load_positions(const Block &block, int d, Scratch &scratch) {
  const GridAxis grid = block.axes[d].grid;
  const std::int64_t *__restrict q = block.axes[d].q;
  std::int64_t *__restrict position = scratch.position[d];
  for (std::uint32_t i = 0; i < block.n; ++i) position[i] = core::inside(q[i], grid);
  if (block.predictor->lag[0] != 0) return position[0];
  memcpy(scratch.sorted, position, block.n * sizeof(std::int64_t));
  return median(scratch.sorted, block.n);
}

std::int64_t find_residuals(const Block &block, int d, Scratch &scratch) {
  const std::int64_t first = load_positions(block, d, scratch);
  const Line line(block, d, scratch);
  const std::int64_t *__restrict position = scratch.position[d];
  std::uint32_t *__restrict u = scratch.residual;
  if (line.alone) {
    for (std::uint32_t i = 0; i < block.n; ++i)
      u[i] = core::narrow_number(core::zigzag(core::displacement(position[i], first, line.grid)));
  } else {
    u[0] = 0;
    for (std::uint32_t i = 1; i < block.n; ++i)
      u[i] = core::narrow_number(core::zigzag(core::displacement(position[i], line.expected(position, i), line.grid)));
  }
  return first;
}

std::uint64_t residuals(const Block &block, int d, Scratch &scratch) {
  find_residuals(block, d, scratch);
  return rough_bits(scratch.residual, block.n);
}

std::uint64_t measure(const Block &block, int d, Scratch &scratch) {
  find_residuals(block, d, scratch);
  std::uint32_t cost = 0;
  choose_code(scratch.residual, block.n, cost);
  return cost;
}

// Writes a bit for each value that has another image within the margin: 1 if the value lies there. Returns the number
// of words.
std::uint32_t write_flags(const Block &block, const Scratch &scratch, std::uint32_t margin, std::uint32_t *words) {
  std::uint32_t count = 0;
  for (int d = 0; d < block.components; ++d)
    for (std::uint32_t i = 0; i < block.n; ++i) {
      const std::int64_t position = scratch.position[d][i];
      const std::int64_t other = core::other_image(position, block.axes[d].grid, margin);
      if (other == position) continue;
      if (count % 32 == 0) words[count / 32] = 0;
      words[count / 32] |= (block.axes[d].q[i] == other ? 1u : 0u) << count % 32;
      ++count;
    }
  return core::words_for_bits(count);
}

std::uint32_t encode(const Block &block, Scratch &scratch, Record &record) {
  record = Record{};
  ResidualRecord &coded = record.residuals;
  const std::uint32_t lanes = core::lanes_of(block.n, Scratch::block_size);
  Quotients quotients{scratch.quotient};
  std::uint32_t *words = scratch.words;
  for (int d = 0; d < block.components; ++d) {
    record.first[d] = find_residuals(block, d, scratch);
    sort_out_images(block.axes[d].q, scratch.position[d], block.n, block.axes[d].grid, scratch.residual, coded.margin);
    std::uint32_t cost = 0;
    coded.code[d] = choose_code(scratch.residual, block.n, cost);
    split(coded.code[d], d, block.n, scratch.residual, quotients, scratch, coded);
    words += core::pack(scratch.residual, block.n, coded.code[d].width, lanes, words);
  }
  coded.bitmap = write_bitmap(quotients, words);
  words += coded.bitmap;
  if (coded.margin != 0) coded.flags = write_flags(block, scratch, coded.margin, words);
  words += coded.flags;
  words = write_exceptions(block, scratch.exception, coded.exceptions, words);
  return static_cast<std::uint32_t>(words - scratch.words);
}

// Reads the exceptions of a block from the payload.
struct Exceptions {
  const std::uint32_t *indices;
  std::uint32_t count;
  std::uint32_t next = 0;

  std::uint32_t component() const { return indices[next] >> 16; }
  std::uint32_t index() const { return indices[next] & 0xFFFFu; }
  std::int64_t value() const {
    std::int64_t value = 0;
    memcpy(&value, indices + count + 2 * next, 8);
    return value;
  }
  bool valid(const Block &block) {
    for (next = 0; next < count; ++next)
      if (index() >= block.n || component() >= static_cast<std::uint32_t>(block.components) ||
          (next != 0 && indices[next] <= indices[next - 1]))
        return false;
    next = 0;
    return true;
  }
};

// Exceptions take their stored positions, so that later particles are predicted from the true ones.
void decode_positions(const Block &block, int d, std::int64_t first, Exceptions exceptions, Scratch &scratch) {
  const Line line(block, d, scratch);
  const std::uint32_t *__restrict u = scratch.residual;
  std::int64_t *position = scratch.position[d];
  const auto put = [&](std::int64_t expected, std::uint32_t i) {
    position[i] = core::step_from(expected, core::unzigzag(u[i]), line.grid);
  };
  std::uint32_t i = 0;
  for (;;) {
    const bool more = exceptions.next != exceptions.count && exceptions.component() == static_cast<std::uint32_t>(d);
    const std::uint32_t end = more ? exceptions.index() : block.n;
    if (line.alone) {
      for (; i < end; ++i) put(first, i);
    } else {
      if (i == 0 && end != 0) put(first, i++);
      for (; i < end; ++i) put(line.expected(position, i), i);
    }
    if (!more) return;
    position[i++] = core::inside(exceptions.value(), line.grid);
    ++exceptions.next;
  }
}

// Writes the values of component d: the position in the box, or the other image if its flag is set. Returns false if
// flags are missing.
bool find_values(const Block &block, int d, const ResidualRecord &record, const std::uint32_t *words,
                 const Scratch &scratch, std::uint32_t &count) {
  const Block::Axis &axis = block.axes[d];
  memcpy(axis.out, scratch.position[d], block.n * sizeof(std::int64_t));
  return apply_flags(axis.grid, record, words, block.n, axis.out, count);
}

bool decode(const Block &block, const Record &record, const std::uint32_t *words, Scratch &scratch) {
  const ResidualRecord &coded = record.residuals;
  const std::uint32_t lanes = core::lanes_of(block.n, Scratch::block_size);
  const auto components = static_cast<std::uint32_t>(block.components);
  const std::uint32_t *plane = words;
  for (int d = 0; d < block.components; ++d) words += core::packed_words(block.n, coded.code[d].width, lanes);
  Quotients quotients{scratch.quotient};
  if (!read_bitmap(words, coded.bitmap, block.n * components, quotients)) return false;
  const std::uint32_t *flags = words + coded.bitmap;
  Exceptions exceptions{flags + coded.flags, coded.exceptions};
  if (!exceptions.valid(block)) return false;
  std::uint32_t used = 0;
  std::uint32_t flagged = 0;
  for (int d = 0; d < block.components; ++d) {
    plane += core::unpack(plane, block.n, coded.code[d].width, lanes, scratch.residual);
    if (!join(coded.code[d], block.n, scratch.residual, quotients, used)) return false;
    decode_positions(block, d, record.first[d], exceptions, scratch);
    if (!find_values(block, d, coded, flags, scratch, flagged)) return false;
    for (; exceptions.next != exceptions.count && exceptions.component() == static_cast<std::uint32_t>(d);
         ++exceptions.next)
      block.axes[d].out[exceptions.index()] = exceptions.value();
  }
  return used == quotients.count && core::words_for_bits(flagged) == coded.flags;
}

}  // namespace

const OrderedKernels ordered_kernels{link, residuals, measure, encode, decode};

}  // namespace GPZ_ISA
}  // namespace gpz::codec
