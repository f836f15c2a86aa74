// SPDX-License-Identifier: BSD-3-Clause
#include "gpz/kernels/step_kernels.hpp"

#include "gpz/core/step_motion.hpp"
#include "gpz/kernels/float_lanes.hpp"
#include "gpz/kernels/normal.hpp"
#include "gpz/kernels/step_coders.hpp"

namespace gpz::codec {
namespace GPZ_ISA {
namespace {

inline core::Vector<Floats> between(const Row &to, const Row &from) { return core::reals_of(to - from); }

// Steps of one block.
template <typename Coder, bool is_key>
class Pass {
 public:
  Pass(const StepTable &table, std::int32_t *rows, unsigned now, const StepMeans &means, Coder &coder)
      : table_(table), now_(rows + now), before_(rows + 4 - now), means_(means), coder_(coder) {}

  void run(std::size_t step) {
    const StepKind kind = table_.steps[step].kind;
    if constexpr (!is_key)
      if (means_.are_motions) return unbound(step);
    if (kind == StepKind::root) return roots(step);
    if (kind == StepKind::sphere) return bound<StepKind::sphere>(step);
    if constexpr (!is_key)
      if (kind == StepKind::narrow) return bound<StepKind::narrow>(step);
    bound<StepKind::wide>(step);
  }

 private:
  // Rows of the lanes of vector j.
  static std::size_t slot_of(std::size_t step, std::size_t j) { return step * core::step_lanes + j * float_lanes; }
  static Each<Choice> active_lanes(const Step &step) {
    Each<Choice> active;
    for (std::size_t j = 0; j < vectors; ++j)
      active[j] = more(Integers{step.lanes - static_cast<int>(j) * float_lanes}, counted());
    return active;
  }

  __attribute__((noinline)) void roots(std::size_t step) {
    const Each<Choice> active = active_lanes(table_.steps[step]);
    const float *const constants = columns(step);
    Each<Floats> variance;
    Each<core::Vector<Floats>> expected;
    Each<Row> row;
    Each<Integers> image;
    for (std::size_t j = 0; j < vectors; ++j) {
      if constexpr (is_key) {
        const std::int32_t *const root = table_.key_root;
        row[j] = {Integers{root[0]}, Integers{root[1]}, Integers{root[2]}};
        image[j] = Integers{0};
      } else {
        const FullRow last = full_rows_from(before_ + 8 * slot_of(step, j));
        row[j] = last.row;
        image[j] = last.rest;
      }
      const Floats none{0.0F};
      expected[j] = {none, none, none};
      variance[j] = load_floats(constants + core::length_variance * core::step_lanes + j * float_lanes);
    }
    code_displacement(
        step, active, expected, [&](unsigned, std::size_t j) { return variance[j]; }, row);
    if constexpr (Coder::decodes)
      for (std::size_t j = 0; j < vectors; ++j) store_rows(now_ + 8 * slot_of(step, j), {row[j], image[j]});
  }

  // The displacement from `row`, which a decoder moves.
  template <typename VarianceOf>
  void code_displacement(std::size_t step, const Each<Choice> &active, const Each<core::Vector<Floats>> &expected,
                         const VarianceOf &variance_of, Each<Row> &row) {
    const auto component = [&](unsigned d, Floats core::Vector<Floats>::*part, Integers Row::*of) {
      Each<Floats> expected_part, variance;
      Each<Integers> value;
      for (std::size_t j = 0; j < vectors; ++j) {
        expected_part[j] = expected[j].*part;
        variance[j] = variance_of(d, j);
        if constexpr (!Coder::decodes) value[j] = rows_from(now_ + 8 * slot_of(step, j)).*of - row[j].*of;
      }
      coder_.template component<StepNumber::of_root>(active, expected_part, variance, value);
      if constexpr (Coder::decodes)
        for (std::size_t j = 0; j < vectors; ++j) row[j].*of = row[j].*of + value[j];
    };
    component(0, &core::Vector<Floats>::x, &Row::x);
    component(1, &core::Vector<Floats>::y, &Row::y);
    component(2, &core::Vector<Floats>::z, &Row::z);
  }

  // Particles without bonds.
  __attribute__((noinline)) void unbound(std::size_t step) {
    const Each<Choice> active = active_lanes(table_.steps[step]);
    const float *const constants = columns(step);
    const auto constant = [&](core::StepConstant c, std::size_t j) {
      return load_floats(constants + c * core::step_lanes + j * float_lanes);
    };
    const auto column = [&](unsigned c, std::size_t j) { return core::index_of_motion(slot_of(step, j), c); };
    Each<core::Motion<Floats>> motion;
    Each<core::Vector<Floats>> expected;
    Each<Row> row, last;
    Each<Integers> image;
    for (std::size_t j = 0; j < vectors; ++j) {
      const FullRow full = full_rows_from(before_ + 8 * slot_of(step, j));
      row[j] = last[j] = full.row;
      image[j] = full.rest;
      const auto vector = [&](unsigned c) {
        const auto at = [&](unsigned d) { return load_floats(means_.before + column(c + d, j)); };
        return core::Vector<Floats>{at(0), at(1), at(2)};
      };
      motion[j] = {vector(core::motion_last), vector(core::motion_before), vector(core::motion_to_mean)};
      expected[j] = motion[j].expected([&](core::StepConstant c) { return constant(c, j); });
    }
    constexpr std::array<core::StepConstant, 3> variances{core::variance_x, core::variance_y, core::variance_z};
    code_displacement(
        step, active, expected, [&](unsigned d, std::size_t j) { return constant(variances[d], j); }, row);
    const Floats rest = Floats{1.0F} - Floats{means_.gain};
    for (std::size_t j = 0; j < vectors; ++j) {
      const Row now = Coder::decodes ? row[j] : rows_from(now_ + 8 * slot_of(step, j));
      const core::Motion<Floats> after = motion[j].after(between(now, last[j]), rest);
      const auto keep = [&](unsigned c, const core::Vector<Floats> &v) {
        store(means_.after + column(c, j), v.x);
        store(means_.after + column(c + 1, j), v.y);
        store(means_.after + column(c + 2, j), v.z);
      };
      keep(core::motion_last, after.last);
      keep(core::motion_before, after.before);
      keep(core::motion_to_mean, after.to_mean);
      if constexpr (Coder::decodes) store_rows(now_ + 8 * slot_of(step, j), {row[j], image[j]});
    }
  }

  template <StepKind kind>
  __attribute__((noinline)) void bound(std::size_t step) {
    constexpr bool has_axis = kind != StepKind::sphere;
    const Each<Choice> active = active_lanes(table_.steps[step]);
    const float *const constants = columns(step);
    const auto of_vector = [&](std::size_t j) {
      return [from = constants + j * float_lanes](core::StepConstant c) {
        return load_floats(from + c * core::step_lanes);
      };
    };
    Each<core::BondStep<FloatLanes, kind>> bond;
    Each<Row> parent, vector;
    Each<Integers> image;
    const bool is_regular = table_.steps[step].is_regular;
    for (std::size_t j = 0; j < vectors; ++j) {
      const std::size_t slot = slot_of(step, j);
      core::BondVectors<Floats> v;
      const auto rows = [&](const std::int32_t *frame, const std::uint32_t *of) {
        return is_regular ? rows_from(frame + of[slot]) : rows_at(frame, of + slot);
      };
      parent[j] = rows(now_, table_.parent);
      if constexpr (has_axis) {
        v.axis = between(rows(now_, table_.axis), parent[j]);
        v.has_second = table_.steps[step].has_seconds;
        if (v.has_second) v.second = between(rows(now_, table_.second), parent[j]);
      }
      if constexpr (is_key) {
        image[j] = Integers{0};
        core::start_from_class<has_axis>(v, of_vector(j));
        const Floats none{0.0F};
        core::BondMeans<Floats> means{none, none, none, none};
        bond[j].expect(v, of_vector(j), none, means);
      } else {
        const Row last_parent = rows(before_, table_.parent);
        const FullRow last = full_rows_from(before_ + 8 * slot);
        image[j] = last.rest;
        v.last = between(last.row, last_parent);
        v.moved = between(parent[j], last_parent);
        if constexpr (has_axis) {
          v.last_axis = between(rows(before_, table_.axis), last_parent);
          if (v.has_second) v.last_second = between(rows(before_, table_.second), last_parent);
        }
        const auto mean = [&](core::StepMean m) { return load_floats(means_.before + core::index_of_mean(slot, m)); };
        core::BondMeans<Floats> means{mean(core::mean_length), mean(core::mean_along), mean(core::mean_towards),
                                      mean(core::mean_aside)};
        bond[j].expect(v, of_vector(j), Floats{means_.gain}, means);
        const auto keep = [&](core::StepMean m, Floats x) { store(means_.after + core::index_of_mean(slot, m), x); };
        keep(core::mean_length, means.length);
        keep(core::mean_along, means.along);
        keep(core::mean_towards, means.towards);
        keep(core::mean_aside, means.aside);
      }
      if constexpr (!Coder::decodes) vector[j] = bond[j].turn.in(rows_from(now_ + 8 * slot) - parent[j]);
    }
    core::code_bonds<FloatLanes, kind>(bond, active, of_vector, coder_, vector);
    if constexpr (Coder::decodes)
      for (std::size_t j = 0; j < vectors; ++j)
        store_rows(now_ + 8 * slot_of(step, j), {parent[j] + bond[j].turn.out(vector[j]), image[j]});
  }

  const float *columns(std::size_t step) const {
    return table_.constants + std::size_t{table_.steps[step].constants} * core::step_constants * core::step_lanes;
  }

  const StepTable &table_;
  std::int32_t *now_;
  const std::int32_t *before_;
  const StepMeans &means_;
  Coder &coder_;
};

template <int rounds, bool is_key>
bool decode_in(const StepTable &table, const StepCodes &codes, std::size_t first, std::size_t end, std::int32_t *rows,
               unsigned now, const StepMeans &means, const std::uint16_t *words, std::size_t count) {
  if (count < 2 * core::step_lanes / rounds) return false;
  Decoder<rounds> decoder(codes, words);
  if (!decoder.can_begin()) return false;
  Pass<Decoder<rounds>, is_key> pass(table, rows, now, means, decoder);
  for (std::size_t s = first; s < end; ++s) {
    if (decoder.words() > words + count) return false;
    pass.run(s);
  }
  return decoder.words() == words + count && decoder.has_ended();
}
bool decode(const StepTable &table, const StepCodes &codes, std::size_t first, std::size_t end, std::int32_t *rows,
            unsigned now, const StepMeans &means, const std::uint16_t *words, std::size_t count) {
  const bool is_key = table.key_root != nullptr;
  const auto of_block = core::step_rounds(end - first) == 1 ? (is_key ? decode_in<1, true> : decode_in<1, false>)
                                                            : (is_key ? decode_in<2, true> : decode_in<2, false>);
  return of_block(table, codes, first, end, rows, now, means, words, count);
}

std::size_t find(const StepTable &table, std::size_t first, std::size_t end, std::int32_t *rows, unsigned now,
                 const StepMeans &means, StepItems *items) {
  Finder finder(items);
  const auto run = [&](auto pass) {
    for (std::size_t s = first; s < end; ++s) pass.run(s);
  };
  if (table.key_root != nullptr)
    run(Pass<Finder, true>(table, rows, now, means, finder));
  else
    run(Pass<Finder, false>(table, rows, now, means, finder));
  return static_cast<std::size_t>(finder.end() - items);
}

template <int rounds>
std::size_t encode_in(const StepShares &shares, const StepItems *items, std::size_t count, std::uint16_t *end) {
  Encoder<rounds> encoder(shares, end);
  while (count-- > 0) encoder.put(items[count]);
  return static_cast<std::size_t>(end - encoder.put_states());
}
std::size_t encode(const StepShares &shares, std::size_t steps, const StepItems *items, std::size_t count,
                   std::uint16_t *end) {
  return (core::step_rounds(steps) == 1 ? encode_in<1> : encode_in<2>)(shares, items, count, end);
}

void add_below(double weight, double over, const double *edges, std::size_t count, double *sums) {
  for (std::size_t k = 0; k < count; ++k) sums[k] += weight * core::normal_below(edges[k] * over);
}

Integers byte_of(Integers x, int byte) { return signed_down(shifted_up(x, 24 - 8 * byte), 24); }
Row repeated(const core::Vector<std::int32_t> &v) { return {Integers{v.x}, Integers{v.y}, Integers{v.z}}; }
Choice is_beyond(const Row &at, const Row &least, const Row &most) {
  return either(
      either(either(more(least.x, at.x), more(at.x, most.x)), either(more(least.y, at.y), more(at.y, most.y))),
      either(more(least.z, at.z), more(at.z, most.z)));
}

std::size_t find_positions(const StepFrame &from, std::size_t first, std::size_t end,
                           const std::array<std::int64_t *, 3> &positions, std::uint32_t *left) {
  const Row edges[3] = {repeated(from.edges[0]), repeated(from.edges[1]), repeated(from.edges[2])};
  const Row least = repeated(from.least), most = repeated(from.most);
  const auto all = [](std::int32_t x) { return Row{Integers{x}, Integers{x}, Integers{x}}; };
  const Row least_row = all(-StepFrame::most_row), most_row = all(StepFrame::most_row);
  const Row least_image = all(-StepFrame::most_image), most_image = all(StepFrame::most_image);
  std::size_t count = 0, i = first;
  for (; i + float_lanes <= end; i += float_lanes) {
    const std::uint32_t *const slot = from.slot_of + i;
    const FullRow full = full_rows_of([&](int l) { return from.rows + 8 * std::size_t{slot[l]}; });
    const Row &row = full.row;
    const Row image{byte_of(full.rest, 0), byte_of(full.rest, 1), byte_of(full.rest, 2)};
    const Row at =
        row + core::times(image.x, edges[0]) + core::times(image.y, edges[1]) + core::times(image.z, edges[2]);
    unsigned others =
        bits_of(either(either(is_beyond(row, least_row, most_row), is_beyond(image, least_image, most_image)),
                       is_beyond(at, least, most)));
    store_wide(positions[0] + i, at.x);
    store_wide(positions[1] + i, at.y);
    store_wide(positions[2] + i, at.z);
    for (; others != 0; others &= others - 1)
      left[count++] = static_cast<std::uint32_t>(i) + static_cast<std::uint32_t>(__builtin_ctz(others));
  }
  for (; i < end; ++i) left[count++] = static_cast<std::uint32_t>(i);
  return count;
}

bool are_within(const std::int64_t *x, std::size_t count) {
  constexpr auto most = static_cast<std::uint64_t>(StepPositions::most);
  std::uint64_t beyond = 0;
  for (std::size_t k = 0; k < count; ++k) beyond |= static_cast<std::uint64_t>(x[k]) + most > 2 * most ? 1U : 0U;
  return beyond == 0;
}

class RowFinder {
 public:
  RowFinder(const StepTable &table, const StepPositions &from, std::int32_t *rows, unsigned now, std::uint32_t *left)
      : table_(table),
        from_(from),
        now_(rows + now),
        before_(rows + 4 - now),
        left_(left),
        edges_{repeated(from.edges[0]), repeated(from.edges[1]), repeated(from.edges[2])},
        half_(repeated(from.half)),
        least_(repeated(from.least)),
        most_(repeated(from.most_inside)),
        misfits_(none()) {}

  void run(std::size_t step) {
    for (std::size_t j = 0; j < vectors; ++j) place(table_.steps[step], step * core::step_lanes + j * float_lanes, j);
  }
  std::size_t count() const { return any(misfits_) ? SIZE_MAX : count_; }

 private:
  static Row row_of(std::int32_t x) { return {Integers{x}, Integers{x}, Integers{x}}; }
  static Choice is_far(const Row &row) {
    constexpr auto most = static_cast<std::int32_t>(StepPositions::most);
    return is_beyond(row, row_of(-most), row_of(most));
  }

  void place(const Step &step, std::size_t slot, std::size_t j) {
    const Choice active = more(Integers{step.lanes - static_cast<int>(j) * float_lanes}, counted());
    const std::size_t first_lane = slot / core::step_lanes * core::step_lanes;
    const Integers particle =
        select(active, load_integers(reinterpret_cast<const std::int32_t *>(from_.particle_at + slot)),
               Integers{static_cast<std::int32_t>(from_.particle_at[first_lane])});
    // The low halves of integers of 64 bits.
    const auto component = [&](unsigned d) {
      return gather(reinterpret_cast<const std::uint32_t *>(from_.q[d]), particle + particle);
    };
    const Row position{component(0), component(1), component(2)};
    const bool is_key = table_.key_root != nullptr;
    FullRow last{row_of(0), Integers{0}};
    if (!is_key) last = full_rows_from(before_ + 8 * slot);
    FullRow base = last;
    if (step.kind != StepKind::root)
      base = step.is_regular
                 ? full_rows_from(now_ + table_.parent[slot])
                 : full_rows_of([&](int l) { return now_ + table_.parent[slot + static_cast<std::size_t>(l)]; });
    else if (is_key)
      base.row = position;
    Row image{byte_of(base.rest, 0), byte_of(base.rest, 1), byte_of(base.rest, 2)};
    misfits_ =
        either(misfits_, both(active, either(is_far(base.row), is_beyond(image, row_of(-StepPositions::most_image),
                                                                         row_of(StepPositions::most_image)))));
    Row vector = position - base.row;
    subtract(vector, image.x, edges_[0]);
    subtract(vector, image.y, edges_[1]);
    subtract(vector, image.z, edges_[2]);
    shorten(vector, vector.z, half_.z, edges_[2], image.z);
    shorten(vector, vector.y, half_.y, edges_[1], image.y);
    shorten(vector, vector.x, half_.x, edges_[0], image.x);
    const Row row = base.row + vector;
    misfits_ = either(misfits_, both(active, is_far(row)));
    const Integers byte{255};
    const Integers packed = (image.x & byte) | shifted_up(image.y & byte, 8) | shifted_up(image.z & byte, 16);
    store_rows(now_ + 8 * slot, {row, packed});
    const Choice as_before = both(equal(packed, last.rest), active);
    unsigned others = bits_of(active) & ~(bits_of(as_before) & ~bits_of(is_beyond(position, least_, most_)));
    for (; others != 0; others &= others - 1)
      left_[count_++] = static_cast<std::uint32_t>(slot) + static_cast<std::uint32_t>(__builtin_ctz(others));
  }
  static void subtract(Row &vector, Integers count, const Row &edge) { vector = vector - core::times(count, edge); }
  static void shorten(Row &vector, Integers component, Integers half, const Row &edge, Integers &image) {
    const Choice above = more(component, half), below = more(Integers{0} - half, component);
    if (!any(either(above, below))) return;
    const Integers count = select(above, Integers{1}, select(below, Integers{-1}, Integers{0}));
    subtract(vector, count, edge);
    image = image + count;
  }

  const StepTable &table_;
  const StepPositions &from_;
  std::int32_t *now_;
  const std::int32_t *before_;
  std::uint32_t *left_;
  std::size_t count_ = 0;
  Row edges_[3], half_, least_, most_;
  Choice misfits_;
};

std::size_t find_rows(const StepTable &table, const StepPositions &from, std::size_t first, std::size_t end,
                      std::int32_t *rows, unsigned now, std::uint32_t *left) {
  RowFinder finder(table, from, rows, now, left);
  for (std::size_t s = first; s < end; ++s) finder.run(s);
  return finder.count();
}

}  // namespace

const StepKernels step_kernels{decode, find, find_rows, are_within, encode, add_below, find_positions};

}  // namespace GPZ_ISA
}  // namespace gpz::codec
