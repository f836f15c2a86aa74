// SPDX-License-Identifier: BSD-3-Clause
#include "gpz/kernels/number_kernels.hpp"

#include <cstring>

#include "gpz/kernels/lanes.hpp"
// Must follow the lane types and functions that its templates use.
#include "gpz/kernels/side_formulas.hpp"

namespace gpz::codec {
namespace GPZ_ISA {
namespace {

// Words are vectors where these can load from different addresses, single integers elsewhere.
#if defined(__AVX2__)

using Word = Bits;
using Unsigned = std::uint64_t __attribute__((vector_size(sizeof(Word))));
inline constexpr std::size_t words = lanes;

inline Word all_words(std::int64_t x) { return Word{} + x; }
constexpr bool is_idle(Word) { return false; }
// -1 in lanes whose bits are set.
inline Word flags_of(unsigned mask, std::size_t) {
#if defined(__AVX512F__)
  const Word bits{1, 2, 4, 8, 16, 32, 64, 128};
#else
  const Word bits{1, 2, 4, 8};
#endif
  return (all_words(mask) & bits) != 0 ? all_words(-1) : all_words(0);
}
#if defined(__AVX512F__)
inline Word load_at(Word address) {
  // Masked, because GCC 12 warns about the other intrinsic.
  return reinterpret_cast<Word>(
      _mm512_mask_i64gather_epi64(_mm512_setzero_si512(), every, reinterpret_cast<__m512i>(address), nullptr, 1));
}
// Of the low 32 bits.
inline Word product(Word a, Word b) {
  return reinterpret_cast<Word>(
      _mm512_maskz_mul_epu32(every, reinterpret_cast<__m512i>(a), reinterpret_cast<__m512i>(b)));
}
#else
inline Word load_at(Word address) {
  return reinterpret_cast<Word>(
      _mm256_i64gather_epi64(static_cast<const long long *>(nullptr), reinterpret_cast<__m256i>(address), 1));
}
inline Word product(Word a, Word b) {
  return reinterpret_cast<Word>(_mm256_mul_epu32(reinterpret_cast<__m256i>(a), reinterpret_cast<__m256i>(b)));
}
#endif
inline Word load_word(const std::int32_t *from) {
  Integers x;
  std::memcpy(&x, from, sizeof x);
  return __builtin_convertvector(x, Word);
}
inline Word whole_word(const double *from) {
  return __builtin_convertvector(__builtin_convertvector(load(from), Integers), Word);
}
inline void store_word(std::int32_t *to, Word x) {
  const Integers narrow = __builtin_convertvector(x, Integers);
  std::memcpy(to, &narrow, sizeof narrow);
}

#else

using Word = std::int64_t;
using Unsigned = std::uint64_t;
inline constexpr std::size_t words = 1;

inline Word all_words(std::int64_t x) { return x; }
inline bool is_idle(Word is_coded) { return is_coded == 0; }
inline Word flags_of(unsigned mask, std::size_t lane) { return -static_cast<Word>(mask >> lane & 1); }
inline Word load_at(Word address) {
  Word x;
  // As gathers take them: vectors have no pointers.
  std::memcpy(&x, reinterpret_cast<const void *>(address), sizeof x);  // NOLINT(performance-no-int-to-ptr)
  return x;
}
inline Word product(Word a, Word b) { return a * b; }
inline Word load_word(const std::int32_t *from) { return *from; }
// Lanes without a side may hold a NaN, which C++ does not convert.
inline Word whole_word(const double *from) { return *from > 0 ? static_cast<Word>(*from) : 0; }
inline void store_word(std::int32_t *to, Word x) { *to = static_cast<std::int32_t>(x); }

#endif

template <typename T>
Word word_of(const Lanes<T> &from, std::size_t lane) {
  static_assert(sizeof(T) == sizeof(std::int64_t));
  Word x;
  std::memcpy(&x, from.of.data() + lane, sizeof x);
  return x;
}
template <typename T>
void put(Lanes<T> &to, std::size_t lane, Word x) {
  std::memcpy(to.of.data() + lane, &x, sizeof x);
}
inline Word address_of(const void *p) { return all_words(reinterpret_cast<std::intptr_t>(p)); }
template <typename By>
Word shifted_down(Word x, By by) {
  return (Word)((Unsigned)x >> by);
}
inline Word least(Word a, Word b) { return a < b ? a : b; }

// NumberCursor::get() of the lanes that are coded.
inline Word next_number(NumberLanes &n, std::size_t lane, Word context, Word is_coded) {
  if (is_idle(is_coded)) return all_words(0);
  const Word state = word_of(n.state, lane);
  const Word rest = state & (core::ans_total - 1);
  const Word slot = load_at(address_of(n.slots) + (context << core::ans_bits) + rest) & 255;
  const Word token = load_at(address_of(n.tokens) + ((product(context, all_words(tokens_of_context)) + slot) << 3));
  const Word start = shifted_down(token, 32) & ((1 << NumberToken::start_bits) - 1);
  const Word frequency = shifted_down(token, 32 + NumberToken::start_bits) & ((1 << NumberToken::frequency_bits) - 1);
  const Word bits = shifted_down(token, 32 + NumberToken::start_bits + NumberToken::frequency_bits) &
                    ((1 << NumberToken::bits_bits) - 1);

  const Word next = product(frequency, shifted_down(state, core::ans_bits)) + rest - start;
  const Word word = word_of(n.word, lane);
  // The two bytes are the last ones of those that are loaded: states are in front of the words.
  const Word place = least(word, word_of(n.last_word, lane));
  const Word read = shifted_down(load_at(word_of(n.words, lane) + place + place - 6), 48);
  const auto takes = next < core::ans_low;
  const Word other = word_of(n.other_state, lane);
  const auto coded = is_coded != 0;
  put(n.state, lane, coded ? other : state);
  put(n.other_state, lane, coded ? (takes ? next << 16 | read : next) : other);
  put(n.word, lane, word + ((takes ? all_words(1) : all_words(0)) & is_coded));

  const Word bit = word_of(n.bit, lane);
  const Word raw = load_at(word_of(n.last_raw, lane) - least(shifted_down(bit, 3), word_of(n.last_byte, lane)));
  put(n.bit, lane, bit + (bits & is_coded));
  const Word low = shifted_down(shifted_down((Word)((Unsigned)raw << (Unsigned)(bit & 7)), 1), (Unsigned)(63 - bits));
  return (token + low) & 0xFFFFFFFF;
}

// core::numbered_residual() behind an expected number, limited.
inline Word component_of(Word number, Word expected, std::int64_t limit) {
  const Word residual = shifted_down(number, 1) ^ -(number & 1);
  const Word component = (expected >> 6) + ((expected & 32) != 0 ? -residual : residual);
  const Word most = all_words(limit);
  const Word below = least(component, most);
  return below < -most ? -most : below;
}

// Place of the context of a component.
inline Word place_of_component(const WayBatch &b, unsigned step, std::size_t lane) {
  // Flags are doubles: 0 or 1.
  const Word framed = word_of(b.framed, lane);
  Word wide = word_of(b.is_wide, lane);
  if (step != 0) wide = framed != 0 ? all_words(0) : wide;
  constexpr std::int64_t of_group = places_of_group;
  const Word group = step == 2 ? all_words(of_group) : wide != 0 ? all_words(2 * of_group) : all_words(0);
  return group + word_of(b.level, lane) * std::int64_t{ExpectedNumber::parts} + word_of(b.part, lane);
}
// -1 in lanes whose step is along axis d.
inline Word is_along(const WayBatch &b, unsigned step, std::size_t lane, double d) {
  const Word axis = word_of(b.axis[step], lane);
  return axis == all_words(core::bit_cast<std::int64_t>(d)) ? all_words(-1) : all_words(0);
}

void write(const ComponentCoding &coding, const WayBatch &b, NumberItems &items, Lanes<std::int32_t> &value) {
  for (std::size_t l = 0; l < static_cast<std::size_t>(lanes); l += words) {
    const Word component = is_along(b, coding.step, l, 0) != 0   ? load_word(&b.way[0].of[l])
                           : is_along(b, coding.step, l, 1) != 0 ? load_word(&b.way[1].of[l])
                                                                 : load_word(&b.way[2].of[l]);
    // core::residual_number()
    const Word expected = word_of(b.number, l);
    const Word off = component - (expected >> 6);
    const Word residual = (expected & 32) != 0 ? -off : off;
    const Word number = ((Word)((Unsigned)residual << 1) ^ residual >> 63) & 0xFFFFFFFF;
    put(items.item, l, (Word)((Unsigned)place_of_component(b, coding.step, l) << item_place_shift) | number);
    store_word(&value.of[l], component);
    const Word is_coded = flags_of(coding.coded, l);
    const Word level = word_of(b.level, l);
    const Word least_level = word_of(items.least_level, l);
    const Word most_level = word_of(items.most_level, l);
    put(items.least_level, l, is_coded != 0 ? least(least_level, level) : least_level);
    put(items.most_level, l, is_coded != 0 ? -least(-most_level, -level) : most_level);
  }
}

// Goes to the other side in lanes that are -1: the other of 0 and 1, or of -1 and 1.
inline void change_side(unsigned step, std::size_t lane, Word is_other, WayBatch &b) {
  WayBatch::LaneValues &side = step == 0 ? b.near : b.side;
  const Word one = all_words(core::bit_cast<std::int64_t>(1.0));
  put(side, lane, word_of(side, lane) ^ ((step == 0 ? one : all_words(INT64_MIN)) & is_other));
}
inline Word has_side(const WayBatch &b, unsigned coded, std::size_t lane) {
  return (word_of(b.has_side, lane) != 0 ? all_words(-1) : all_words(0)) & flags_of(coded, lane);
}
inline Word level_of_side(const WayBatch &b, std::size_t lane) {
  static_assert((way_side_levels & (way_side_levels - 1)) == 0);
  return whole_word(&b.side_level.of[lane]) & (way_side_levels - 1);
}

unsigned write_sides(const ComponentCoding &coding, WayBatch &b, NumberItems &items) {
  if (!any(less(all(0.5), load(b.has_side.of.data())))) return 0;
  WayBatch::LaneValues other;
  store(other.of.data(), select(is_other_side(b), all(1), all(0)));
  unsigned found = 0;
  for (std::size_t l = 0; l < static_cast<std::size_t>(lanes); l += words) {
    const Word has = has_side(b, coding.coded, l);
    const Word is_other = (word_of(other, l) != 0 ? all_words(-1) : all_words(0)) & has;
    put(items.item, l,
        (Word)((Unsigned)(level_of_side(b, l) + std::int64_t{place_of_sides}) << item_place_shift) | (is_other & 1));
    change_side(coding.step, l, is_other, b);
  }
  for (std::size_t l = 0; l < static_cast<std::size_t>(lanes); ++l) found |= (b.has_side.of[l] != 0 ? 1u : 0u) << l;
  return found & coding.coded;
}

void read(NumberLanes &n, const ComponentCoding &coding, WayBatch &b, Lanes<std::int32_t> &value) {
  const unsigned step = coding.step;
  for (std::size_t l = 0; l < static_cast<std::size_t>(lanes); l += words) {
    const Word context = load_at(address_of(coding.contexts) + place_of_component(b, step, l)) & 255;
    const Word is_coded = flags_of(coding.coded, l);
    const Word number = next_number(n, l, context, is_coded);

    const Word first = is_along(b, step, l, 0);
    const Word second = is_along(b, step, l, 1);
    const Word third = is_along(b, step, l, 2);
    const Word x = load_word(&b.way[0].of[l]);
    const Word y = load_word(&b.way[1].of[l]);
    const Word z = load_word(&b.way[2].of[l]);
    const Word given = first != 0 ? x : second != 0 ? y : z;
    const Word component = is_coded != 0 ? component_of(number, word_of(b.number, l), coding.most) : given;
    store_word(&value.of[l], component);
    store_word(&b.way[0].of[l], first != 0 ? component : x);
    store_word(&b.way[1].of[l], second != 0 ? component : y);
    store_word(&b.way[2].of[l], third != 0 ? component : z);
  }
}

void read_sides(NumberLanes &n, const ComponentCoding &coding, WayBatch &b) {
  if (!any(less(all(0.5), load(b.has_side.of.data())))) return;
  for (std::size_t l = 0; l < static_cast<std::size_t>(lanes); l += words) {
    const Word has = has_side(b, coding.coded, l);
    const Word number = next_number(n, l, level_of_side(b, l) + coding.first_side, has);
    change_side(coding.step, l, number != 0 ? has : all_words(0), b);
  }
}

std::uint32_t get(NumberLanes &n, unsigned context, unsigned coded, Lanes<std::int64_t> &numbers) {
  std::uint32_t all_bits = 0;
  for (std::size_t l = 0; l < static_cast<std::size_t>(lanes); l += words) {
    const Word is_coded = flags_of(coded, l);
    put(numbers, l, next_number(n, l, all_words(context), is_coded) & is_coded);
  }
  for (std::size_t l = 0; l < static_cast<std::size_t>(lanes); ++l)
    all_bits |= static_cast<std::uint32_t>(numbers.of[l]);
  return all_bits;
}

}  // namespace

constexpr NumberKernels number_kernels{write, write_sides, read, read_sides, get};

}  // namespace GPZ_ISA
}  // namespace gpz::codec
