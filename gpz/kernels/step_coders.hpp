// SPDX-License-Identifier: BSD-3-Clause
// How the numbers of a step are taken from words, found in rows, and put into words (docs/format.md, section 9d).
#pragma once

#include "gpz/kernels/float_lanes.hpp"
#include "gpz/kernels/step_kernels.hpp"

namespace gpz::codec {
namespace GPZ_ISA {
namespace {

using core::StepKind, core::StepNumber;

inline constexpr int vectors = static_cast<int>(core::step_lanes) / float_lanes;
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

}  // namespace
}  // namespace GPZ_ISA
}  // namespace gpz::codec
