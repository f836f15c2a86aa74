// SPDX-License-Identifier: BSD-3-Clause
#include "gpz/model/classed_section.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "gpz/codec/memory.hpp"
#include "gpz/codec/number_coder.hpp"
#include "gpz/codec/parallel.hpp"
#include "gpz/format/corrupt.hpp"
#include "gpz/model/walk.hpp"

namespace gpz::model {

using format::corrupt;

namespace {

enum ClassedFlag : std::uint8_t { rules_follow = 1, contexts_by_group = 2 };

// Number contexts: one set for each group, or one set for all groups.
struct ClassedContexts {
  Contexts of_scale;
  unsigned of_group = 0;  // contexts of each group; 0: groups share them
  unsigned count = 0;

  ClassedContexts(const ClassedHead &head, const ClassedRules &rules) {
    of_scale.levels = head.levels;
    of_scale.base = head.base;
    const unsigned each = of_scale.first_flag();
    if (head.by_group) of_group = each;
    count = each * (head.by_group ? rules.groups : 1);
    if (count > codec::max_number_contexts) corrupt("contexts of a classed section");
  }
  unsigned context_of(std::uint32_t scale, std::uint8_t group, std::int64_t expected) const {
    return of_group * group + of_scale.of_level(of_scale.level_of(scale), static_cast<std::int32_t>(expected & 63));
  }
};

// The pass over the particles of a segment, shared by encoder and decoder. `Side` provides
//   std::int64_t value(std::size_t i, std::size_t d, std::int64_t predicted, std::int32_t part, unsigned context)
// It codes and returns the index of component d of particle i. The expected index is `predicted`; bits 0 to 5 of `part`
// are the fraction of the expectation, in 1/64 step.
class ClassedPass {
 public:
  ClassedPass(const ClassedShape &shape, const ClassedContexts &contexts, const ClassedRules &rules,
              const ClassedSources &sources, std::uint32_t *scale)
      : shape_(shape), contexts_(contexts), rules_(rules), sources_(sources), scale_(scale), group_(classed_segment) {
    for (std::size_t d = 0; d < shape.components; ++d) expected_[d].resize(classed_segment);
  }

  template <typename Side>
  void run(std::size_t first, std::size_t n, Side &side) {
    find_groups(rules_, sources_, first, n, group_.data());
    for (std::size_t d = 0; d < shape_.components; ++d)
      expect_classed(rules_, sources_, d, first, n, group_.data(), expected_[d].data());
    for (std::size_t k = 0; k < n; ++k) {
      const std::size_t i = first + k;
      const std::uint32_t scale = scale_ == nullptr ? 0 : scale_[i];
      std::uint64_t size = 0;
      for (std::size_t d = 0; d < shape_.components; ++d) {
        const std::int64_t expected = expected_[d][k];
        const std::int64_t origin = shape_.own == nullptr ? 0 : shape_.own->axes[d].last[i];
        const std::int64_t predicted = core::sum_of(origin, expected >> 6);
        const std::int64_t actual = side.value(i, d, predicted, static_cast<std::int32_t>(expected & 63),
                                               contexts_.context_of(scale, group_[k], expected));
        size += core::min_of<std::uint64_t>(core::zigzag(core::difference_of(actual, predicted)) / 2, 1u << 28);
      }
      if (scale_ != nullptr) scale_[i] = next_scale(scale, size);
    }
  }

 private:
  const ClassedShape &shape_;
  const ClassedContexts &contexts_;
  const ClassedRules &rules_;
  const ClassedSources &sources_;
  std::uint32_t *scale_;
  std::vector<std::uint8_t> group_;
  std::array<std::vector<std::int64_t>, core::max_components> expected_;
};

struct ClassedEncodeSide {
  const codec::IndexColumns &q;
  codec::NumberEncoder &numbers;
  std::vector<std::int64_t> &exceptions;

  std::int64_t value(std::size_t i, std::size_t d, std::int64_t predicted, std::int32_t part, unsigned context) {
    const std::int64_t actual = q[d][i];
    const std::uint32_t u = core::narrow_number(core::residual_number(core::difference_of(actual, predicted), part));
    if (u == core::widest_residual) exceptions.push_back(actual);
    numbers.put(context, u);
    return actual;
  }
};

struct ClassedDecodeSide {
  const codec::IndexOutput &q;
  codec::NumberDecoder &numbers;
  const std::uint8_t *exception;
  std::uint32_t exceptions;

  std::int64_t value(std::size_t i, std::size_t d, std::int64_t predicted, std::int32_t part, unsigned context) {
    const std::uint32_t u = numbers.get(context);
    if (u != core::widest_residual) return q[d][i] = core::sum_of(predicted, core::numbered_residual(u, part));
    if (exceptions == 0) corrupt("more exceptions than a segment has");
    --exceptions;
    q[d][i] = static_cast<std::int64_t>(format::load_little<std::uint64_t>(exception));
    exception += sizeof(std::int64_t);
    return q[d][i];
  }
};

std::size_t segments_of(std::size_t particles) { return (particles + classed_segment - 1) / classed_segment; }

// Calls work(segment, first, n) for segments [from, to) of a section.
template <typename Work>
void for_segments(std::size_t particles, std::size_t from, std::size_t to, const Work &work) {
  for (std::size_t s = from; s < to; ++s)
    work(s, s * classed_segment, std::min(classed_segment, particles - s * classed_segment));
}

int threads_of(const ClassedShape &shape) {
  return codec::thread_count(codec::threads_for_particles(shape.threads, shape.particles),
                             segments_of(shape.particles));
}

void take_scale(const ClassedShape &shape, ClassedUpdate &update) {
  if (shape.own == nullptr) return;
  update.scale = shape.state->scale;
  update.scale.resize(shape.particles, 0);
}

}  // namespace

void ClassedState::commit(ClassedUpdate &&update) {
  scale = std::move(update.scale);
  if (update.rules) rules = std::move(update.rules);
  search = std::move(update.search);
}

void ClassedState::keep(const std::uint32_t *kept, std::size_t count) {
  if (scale.empty()) return;
  for (std::size_t i = 0; i < count; ++i) scale[i] = scale[kept[i]];
  scale.resize(count);
}

void ClassedState::add(std::size_t count) {
  if (!scale.empty()) scale.resize(scale.size() + count, 0);
}

std::size_t ClassedState::memory_usage() const { return codec::memory_of(scale); }

void ClassedHead::append(format::ByteWriter &out) const {
  out.u8(static_cast<std::uint8_t>((has_rules ? rules_follow : 0) | (by_group ? contexts_by_group : 0)));
  out.u8(levels);
  out.u8(base);
  out.u8(static_cast<std::uint8_t>(fields.size()));
  out.u16(static_cast<std::uint16_t>(class_field));
  for (const std::uint16_t field : fields) out.u16(static_cast<std::uint16_t>(field + 1));
}

void ClassedHead::read(format::ByteReader &in) {
  const std::uint8_t flags = in.u8();
  if (flags >= 4) corrupt("flags of a classed section", in.position());
  has_rules = (flags & rules_follow) != 0;
  by_group = (flags & contexts_by_group) != 0;
  levels = in.u8();
  base = in.u8();
  if (levels == 0 || levels > max_scale_levels || base > 64) corrupt("levels of a classed section", in.position());
  fields.resize(in.u8());
  class_field = in.u16();
  for (std::uint16_t &field : fields) {
    field = static_cast<std::uint16_t>(in.u16() - 1);
    if (field == UINT16_MAX) corrupt("source of a classed section", in.position());
  }
}

void append_classed(const ClassedShape &shape, const ClassedHead &head, const ClassedRules &rules,
                    const ClassedSources &sources, const codec::IndexColumns &q, ClassedUpdate &update,
                    std::vector<std::uint8_t> &bytes) {
  take_scale(shape, update);
  const ClassedContexts contexts(head, rules);
  const std::size_t segments = segments_of(shape.particles);
  const int threads = threads_of(shape);
  std::vector<codec::NumberEncoder> parts(static_cast<std::size_t>(threads), codec::NumberEncoder(contexts.count));
  std::vector<std::vector<std::int64_t>> exceptions(parts.size());
  std::vector<std::uint32_t> counts(segments);
  codec::parallel_ranges(threads, segments, [&](int t, std::uint64_t from, std::uint64_t to) {
    codec::NumberEncoder &numbers = parts[static_cast<std::size_t>(t)];
    std::vector<std::int64_t> &others = exceptions[static_cast<std::size_t>(t)];
    numbers.reserve((to - from) * classed_segment * shape.components);
    ClassedPass pass(shape, contexts, rules, sources, shape.own == nullptr ? nullptr : update.scale.data());
    for_segments(shape.particles, from, to, [&](std::size_t s, std::size_t first, std::size_t n) {
      const std::size_t before = others.size();
      ClassedEncodeSide side{q, numbers, others};
      pass.run(first, n, side);
      numbers.end_segment();
      counts[s] = static_cast<std::uint32_t>(others.size() - before);
    });
  });
  std::vector<codec::NumberSegment> numbers;
  for (codec::NumberEncoder &part : parts)
    for (const codec::NumberSegment &segment : part.segments()) numbers.push_back(segment);
  format::ByteWriter out(bytes);
  if (head.has_rules) rules.append(shape.components, out);
  for (const std::uint32_t count : counts) out.u32(count);
  out.pad_to_8();
  for (const auto &others : exceptions)
    for (const std::int64_t index : others) out.i64(index);
  codec::append_segments(numbers, contexts.count, threads, bytes);
}

void decode_classed(const ClassedShape &shape, const ClassedHead &head, const ClassedSources &sources,
                    format::ByteReader &in, const codec::IndexOutput &q, ClassedUpdate &update) {
  if (shape.own == nullptr && head.levels != 1) corrupt("levels of a classed section without history");
  if (head.has_rules)
    update.rules.emplace().read(shape.components, in);
  else if (shape.own == nullptr || !shape.state->rules)
    corrupt("a classed section without rules");
  const ClassedRules &rules = update.rules ? *update.rules : *shape.state->rules;
  check_rules(rules, sources);
  const ClassedContexts contexts(head, rules);
  const std::size_t segments = segments_of(shape.particles);
  if (segments > in.left() / sizeof(std::uint32_t)) corrupt("segments of a classed section", in.position());
  std::vector<std::uint32_t> counts(segments);
  std::uint64_t all = 0;
  for (std::uint32_t &count : counts) all += count = in.u32();
  for (; in.position() % 8 != 0;)
    if (in.u8() != 0) corrupt("padding of a classed section", in.position());
  if (all > in.left() / sizeof(std::int64_t)) corrupt("number of exceptions", in.position());
  const std::uint8_t *const exceptions = in.take(static_cast<std::size_t>(all) * sizeof(std::int64_t));
  const std::size_t left = in.left();
  std::vector<codec::NumberDecoder> streams = codec::open_segments(in.take(left), left, contexts.count, segments);
  take_scale(shape, update);
  codec::parallel_ranges(threads_of(shape), segments, [&](int, std::uint64_t from, std::uint64_t to) {
    const auto first_count = counts.begin() + static_cast<std::ptrdiff_t>(from);
    const std::uint8_t *exception =
        exceptions + std::accumulate(counts.begin(), first_count, std::size_t{0}) * sizeof(std::int64_t);
    ClassedPass pass(shape, contexts, rules, sources, shape.own == nullptr ? nullptr : update.scale.data());
    for_segments(shape.particles, from, to, [&](std::size_t s, std::size_t first, std::size_t n) {
      ClassedDecodeSide side{q, streams[s], exception, counts[s]};
      pass.run(first, n, side);
      if (side.exceptions != 0) corrupt("fewer exceptions than a segment has");
      streams[s].end();
      exception += std::size_t{counts[s]} * sizeof(std::int64_t);
    });
  });
}

}  // namespace gpz::model
