// SPDX-License-Identifier: BSD-3-Clause
#include "gpz/kernels/step_kernels.hpp"

#include "gpz/kernels/float_lanes.hpp"
#include "gpz/kernels/normal.hpp"

namespace gpz::codec {
namespace GPZ_ISA {
namespace {

using core::StepKind, core::StepNumber;

constexpr int vectors = static_cast<int>(core::step_lanes) / float_lanes;
template <typename T>
using Each = std::array<T, vectors>;

inline Choice none() { return less(Floats{1.0F}, Floats{0.0F}); }

// A block has a state for each lane, or for each lane of half a step: then the halves are coded in two rounds.
template <int rounds>
class Decoder {
 public:
  static constexpr bool decodes = true;

  Decoder(const StepCodes &codes, const std::uint16_t *words) : codes_(codes), words_(words + sizeof state_ / 2) {
    std::memcpy(state_.data(), words, sizeof state_);
  }

  template <StepNumber number>
  void component(const Each<Choice> &active, const Each<Floats> &expected, const Each<Floats> &variance,
                 Each<Integers> &value) {
    for (int round = 0; round < rounds; ++round) {
      Each<Integers> token, bits, low;
      Each<Choice> is_below;
      Choice escapes = none(), many = none();
      for (int k = 0; k < states; ++k) {
        const int j = round * states + k;
        const core::StepContext<FloatLanes> context = core::step_context<FloatLanes, number>(expected[j], variance[j]);
        value[j] = context.near;
        is_below[j] = context.is_below;
        const Integers x = state_[k];
        const Integers entry = gather(codes_.entries, shifted_up(context.index, core::step_table_bits) +
                                                          (x & Integers{core::step_table_size - 1}));
        token[j] = signed_down(entry, 24);
        const Choice is_escape = equal(token[j], Integers{core::step_escape});
        bits[j] = select(is_escape, Integers{0}, context.bits);
        const Integers next = (entry & Integers{0xFFF}) * shifted_down(x, core::step_table_bits) +
                              (shifted_down(entry, 12) & Integers{0xFFF});
        const Integers taken = smaller(bits[j], Integers{core::step_low_bits});
        low[j] = next & (shifted_up(Integers{1}, taken) - Integers{1});
        state_[k] = select(active[j], shifted_down(next, taken), x);
        escapes = either(escapes, both(is_escape, active[j]));
        many = either(many, both(more(bits[j], Integers{core::step_low_bits}), active[j]));
      }
      take_words();
      if (any(many)) take_more_bits(round, active, bits, low);
      for (int j = round * states; j < (round + 1) * states; ++j) token[j] = shifted_up(token[j], bits[j]) + low[j];
      if (__builtin_expect(any(escapes), 0)) take_escapes(round, active, bits, token);
      for (int j = round * states; j < (round + 1) * states; ++j)
        value[j] = value[j] + select(is_below[j], Integers{0} - token[j], token[j]);
    }
  }

  void side(const Each<Choice> &active, const Each<Integers> &level, Each<Choice> &other) {
    constexpr int all = 1 << core::step_side_bits;
    for (int round = 0; round < rounds; ++round) {
      for (int k = 0; k < states; ++k) {
        const int j = round * states + k;
        const Integers near = gather(codes_.sides, level[j]), x = state_[k], slot = x & Integers{all - 1};
        const Choice is_near = more(near, slot);
        const Integers frequency = select(is_near, near, Integers{all} - near);
        const Integers start = select(is_near, Integers{0}, near);
        state_[k] = select(active[j], frequency * shifted_down(x, core::step_side_bits) + slot - start, x);
        other[j] = both(more(slot + Integers{1}, near), active[j]);
      }
      take_words();
    }
  }

  const std::uint16_t *words() const { return words_; }
  // States below 2^16 would take words that belong to others.
  bool can_begin() const {
    unsigned low = 0;
    for (const Integers &x : state_)
      for (int l = 0; l < float_lanes; ++l) low |= x.u()[l] >> 16 == 0 ? 1U : 0U;
    return low == 0;
  }
  bool has_ended() const {
    unsigned wrong = 0;
    for (const Integers &x : state_)
      for (int l = 0; l < float_lanes; ++l) wrong |= x.u()[l] ^ 1U << 16;
    return wrong == 0;
  }

 private:
  static constexpr int states = vectors / rounds;  // vectors of them

  void take_words() {
    for (Integers &x : state_) x = with_words(x, words_);
  }
  // Bits that do not leave a state together with the token.
  __attribute__((noinline)) void take_more_bits(int round, const Each<Choice> &active, const Each<Integers> &bits,
                                                Each<Integers> &low) {
    for (int k = 0; k < states; ++k) {
      const int j = round * states + k;
      const Integers more_bits = larger(bits[j] - Integers{core::step_low_bits}, Integers{0});
      const Integers count = select(active[j], more_bits, Integers{0});
      low[j] = shifted_up(low[j], count) + (state_[k] & (shifted_up(Integers{1}, count) - Integers{1}));
      state_[k] = shifted_down(state_[k], count);
    }
    take_words();
  }
  // Numbers of which all 32 bits are stored.
  __attribute__((noinline)) void take_escapes(int round, const Each<Choice> &active, const Each<Integers> &bits,
                                              Each<Integers> &number) {
    for (int k = 0; k < states; ++k) {
      const int j = round * states + k;
      const Choice is_escape =
          both(both(equal(number[j], Integers{core::step_escape}), equal(bits[j], Integers{0})), active[j]);
      const unsigned lanes = bits_of(is_escape);
      for (int l = 0; l < float_lanes; ++l) {
        if ((lanes >> l & 1U) == 0) continue;
        std::uint32_t x = state_[k].u()[l], all = 0;
        for (int half = 0; half < 2; ++half) {
          all = all << 16 | (x & 0xFFFFU);
          x = x >> 16 << 16 | *words_++;
        }
        state_[k].v[l] = static_cast<std::int32_t>(x);
        number[j].v[l] = static_cast<std::int32_t>(all);
      }
    }
  }

  const StepCodes &codes_;
  const std::uint16_t *words_;
  std::array<Integers, states> state_;
};

class Finder {
 public:
  static constexpr bool decodes = false;

  explicit Finder(StepItems *items) : next_(items) {}

  template <StepNumber number>
  void component(const Each<Choice> &active, const Each<Floats> &expected, const Each<Floats> &variance,
                 const Each<Integers> &value) {
    StepItems &items = *next_++;
    for (std::size_t j = 0; j < vectors; ++j) {
      const core::StepContext<FloatLanes> context = core::step_context<FloatLanes, number>(expected[j], variance[j]);
      const Integers off = value[j] - context.near;
      store(items.number.data() + j * float_lanes, select(context.is_below, Integers{0} - off, off));
      store(items.context.data() + j * float_lanes, select(active[j], context.index, Integers{StepItems::nothing}));
    }
  }
  void side(const Each<Choice> &active, const Each<Integers> &level, const Each<Choice> &other) {
    StepItems &items = *next_++;
    for (std::size_t j = 0; j < vectors; ++j) {
      store(items.number.data() + j * float_lanes, select(other[j], Integers{1}, Integers{0}));
      store(items.context.data() + j * float_lanes,
            select(active[j], level[j] + Integers{StepItems::side}, Integers{StepItems::nothing}));
    }
  }
  const StepItems *end() const { return next_; }

 private:
  StepItems *next_;
};

// From the last number to the first, in the reverse order of what a Decoder takes.
template <int rounds>
class Encoder {
 public:
  Encoder(const StepShares &shares, std::uint16_t *end) : shares_(shares), words_(end) {
    state_.fill(Integers{1 << 16});
  }

  void put(const StepItems &item) {
    Each<Integers> number, context;
    Each<Choice> active;
    for (std::size_t j = 0; j < vectors; ++j) {
      number[j] = load_integers(item.number.data() + j * float_lanes);
      context[j] = load_integers(item.context.data() + j * float_lanes);
      active[j] = more(Integers{StepItems::nothing}, context[j]);
    }
    // In a step, all lanes that are in use have a component, or all that have a side.
    Choice sides = none();
    for (std::size_t j = 0; j < vectors; ++j)
      sides = either(sides, both(active[j], more(context[j], Integers{StepItems::side - 1})));
    if (any(sides))
      put_sides(active, number, context);
    else
      put_component(active, number, context);
  }

  std::uint16_t *put_states() {
    for (int k = states; k-- > 0;)
      for (int l = float_lanes; l-- > 0;) {
        *--words_ = static_cast<std::uint16_t>(state_[k].u()[l] >> 16);
        *--words_ = static_cast<std::uint16_t>(state_[k].u()[l]);
      }
    return words_;
  }

 private:
  static constexpr int states = vectors / rounds;  // vectors of them

  void put_component(const Each<Choice> &active, const Each<Integers> &number, const Each<Integers> &context) {
    constexpr int all_levels = core::step_levels * core::step_parts, row = StepShares::tokens;
    Each<Integers> entry, bits;
    Each<Choice> is_escape, has_more;
    std::array<Choice, rounds> escapes, many;
    escapes.fill(none());
    many.fill(none());
    for (int j = 0; j < vectors; ++j) {
      const Integers p = select(active[j], context[j], Integers{0});
      const Integers first = select(more(p, Integers{2 * all_levels - 1}), Integers{2 * all_levels},
                                    select(more(p, Integers{all_levels - 1}), Integers{all_levels}, Integers{0}));
      const Integers level = shifted_down(p - first, 2);
      bits[j] = core::step_bits_of_level(level);
      const Integers token = signed_down(number[j], bits[j]);
      const Integers most{core::step_last_token};
      const Choice is_far = either(more(token, most), more(Integers{0} - most, token));
      const Integers context_row = p * Integers{row};
      const Integers coded = select(is_far, Integers{row - 1}, token + most);
      entry[j] = gather(shares_.entries, context_row + coded);
      is_escape[j] = both(either(is_far, more(Integers{1 << 16}, entry[j])), active[j]);
      if (any(is_escape[j])) {
        entry[j] = select(is_escape[j], gather(shares_.entries, context_row + Integers{row - 1}), entry[j]);
        bits[j] = select(is_escape[j], Integers{0}, bits[j]);
      }
      has_more[j] = both(more(bits[j], Integers{core::step_low_bits}), active[j]);
      escapes[j / states] = either(escapes[j / states], is_escape[j]);
      many[j / states] = either(many[j / states], has_more[j]);
    }
    for (int round = rounds; round-- > 0;) {
      if (__builtin_expect(any(escapes[round]), 0)) put_escapes(round, is_escape, number);
      if (any(many[round])) put_more_bits(round, has_more, bits, number);
      for (int k = states; k-- > 0;) {
        const int j = round * states + k;
        const Integers low = smaller(bits[j], Integers{core::step_low_bits});
        const Integers raw = shifted_down(number[j], bits[j] - low) & (shifted_up(Integers{1}, low) - Integers{1});
        put_token(state_[k], active[j], entry[j], core::step_table_bits, low, raw);
      }
    }
  }

  void put_sides(const Each<Choice> &active, const Each<Integers> &number, const Each<Integers> &context) {
    for (int j = vectors; j-- > 0;) {
      const Integers level = select(active[j], context[j] - Integers{StepItems::side}, Integers{0});
      const Integers near = gather(shares_.sides, level);
      const Choice is_near = equal(number[j], Integers{0});
      const Integers start = select(is_near, Integers{0}, near);
      const Integers frequency = select(is_near, near, Integers{1 << core::step_side_bits} - near);
      put_token(state_[j % states], active[j], start | shifted_up(frequency, 16), core::step_side_bits, Integers{0},
                Integers{0});
    }
  }

  // A token and its low bits.
  void put_token(Integers &state, Choice active, Integers entry, int slot_bits, Integers low, Integers raw) {
    const Integers frequency = shifted_down(entry, 16), start = entry & Integers{0xFFFF};
    Integers x = state;
    // Afterwards it has to be below 2^32.
    const Choice spills = both(more(shifted_down(x, Integers{32 - slot_bits} - low), frequency - Integers{1}), active);
    put_words(x, spills, words_);
    x = select(spills, shifted_down(x, 16), x);
    x = shifted_up(x, low) | raw;
    // Quotients are below 2^25. Those of floats are off by a few, and those of the rest by one at most.
    const Integers divisor = select(active, frequency, Integers{1});
    const Floats over = Floats{1.0F} / real_of(divisor);
    const Floats dividend = real_of(shifted_down(x, 8)) * Floats{256.0F} + real_of(x & Integers{255});
    Integers quotient = whole_part(dividend * over);
    Integers rest = x - quotient * divisor;
    const Integers change = whole_part(real_of(rest) * over);
    quotient = quotient + change;
    rest = rest - change * divisor;
    const Choice is_below = more(Integers{0}, rest), is_above = more(rest, divisor - Integers{1});
    quotient = select(is_below, quotient - Integers{1}, select(is_above, quotient + Integers{1}, quotient));
    rest = select(is_below, rest + divisor, select(is_above, rest - divisor, rest));
    state = select(active, shifted_up(quotient, slot_bits) + rest + start, state);
  }

  // Bits that do not leave a state together with the token.
  __attribute__((noinline)) void put_more_bits(int round, const Each<Choice> &has_more, const Each<Integers> &bits,
                                               const Each<Integers> &number) {
    for (int k = states; k-- > 0;) {
      const int j = round * states + k;
      const Integers more_bits = select(has_more[j], bits[j] - Integers{core::step_low_bits}, Integers{0});
      Integers x = state_[k];
      const Choice spills =
          both(more(shifted_down(x, Integers{32} - larger(more_bits, Integers{1})), Integers{0}), has_more[j]);
      put_words(x, spills, words_);
      x = select(spills, shifted_down(x, 16), x);
      const Integers raw = number[j] & (shifted_up(Integers{1}, more_bits) - Integers{1});
      state_[k] = select(has_more[j], shifted_up(x, more_bits) | raw, state_[k]);
    }
  }
  // Numbers of which all 32 bits are stored.
  __attribute__((noinline)) void put_escapes(int round, const Each<Choice> &is_escape, const Each<Integers> &number) {
    for (int k = states; k-- > 0;) {
      const int j = round * states + k;
      const unsigned lanes = bits_of(is_escape[j]);
      for (int l = float_lanes; l-- > 0;) {
        if ((lanes >> l & 1U) == 0) continue;
        std::uint32_t x = state_[k].u()[l];
        for (int half = 0; half < 2; ++half) {
          *--words_ = static_cast<std::uint16_t>(x);
          x = x >> 16 << 16 | (number[j].u()[l] >> 16 * half & 0xFFFFU);
        }
        state_[k].v[l] = static_cast<std::int32_t>(x);
      }
    }
  }

  const StepShares &shares_;
  std::uint16_t *words_;
  std::array<Integers, states> state_;
};

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

}  // namespace

const StepKernels step_kernels{decode, find, encode, add_below, find_positions};

}  // namespace GPZ_ISA
}  // namespace gpz::codec
