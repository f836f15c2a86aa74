// SPDX-License-Identifier: BSD-3-Clause
#include "gpz/kernels/way_rows.hpp"

#include "gpz/kernels/lanes.hpp"

namespace gpz::codec {
namespace GPZ_ISA {
namespace {

using Columns = std::array<Integers, 4>;

// Four words of each row, as four vectors of one word of all rows, and back.
#if defined(__AVX__)

struct Square {
  __m128i a, b, c, d;
};
inline Square transposed(const Square &s) {
  const __m128i ab = _mm_unpacklo_epi32(s.a, s.b);
  const __m128i AB = _mm_unpackhi_epi32(s.a, s.b);
  const __m128i cd = _mm_unpacklo_epi32(s.c, s.d);
  const __m128i CD = _mm_unpackhi_epi32(s.c, s.d);
  return {_mm_unpacklo_epi64(ab, cd), _mm_unpackhi_epi64(ab, cd), _mm_unpacklo_epi64(AB, CD),
          _mm_unpackhi_epi64(AB, CD)};
}
template <typename Rows>
Square square_of(const Rows &rows, std::size_t first, std::size_t word) {
  const auto row = [&](std::size_t k) {
    return _mm_loadu_si128(
        reinterpret_cast<const __m128i *>(static_cast<const std::int32_t *>(rows[first + k]) + word));
  };
  return transposed({row(0), row(1), row(2), row(3)});
}
inline void put_square(const Square &columns, const std::array<void *, most_lanes> &rows, std::size_t first,
                       std::size_t word) {
  const Square s = transposed(columns);
  const auto put = [&](std::size_t k, __m128i x) {
    _mm_storeu_si128(reinterpret_cast<__m128i *>(static_cast<std::int32_t *>(rows[first + k]) + word), x);
  };
  put(0, s.a);
  put(1, s.b);
  put(2, s.c);
  put(3, s.d);
}

#if defined(__AVX512F__)
inline Integers joined(__m128i low, __m128i high) { return reinterpret_cast<Integers>(_mm256_set_m128i(high, low)); }
inline __m128i low(Integers x) { return _mm256_castsi256_si128(reinterpret_cast<__m256i>(x)); }
inline __m128i high(Integers x) { return _mm256_extracti128_si256(reinterpret_cast<__m256i>(x), 1); }
template <typename Rows>
Columns columns_of(const Rows &rows, std::size_t word) {
  const Square s = square_of(rows, 0, word);
  const Square t = square_of(rows, 4, word);
  return {joined(s.a, t.a), joined(s.b, t.b), joined(s.c, t.c), joined(s.d, t.d)};
}
inline void put_columns(const Columns &c, const std::array<void *, most_lanes> &rows, std::size_t word) {
  put_square({low(c[0]), low(c[1]), low(c[2]), low(c[3])}, rows, 0, word);
  put_square({high(c[0]), high(c[1]), high(c[2]), high(c[3])}, rows, 4, word);
}
#else
template <typename Rows>
Columns columns_of(const Rows &rows, std::size_t word) {
  const Square s = square_of(rows, 0, word);
  const auto column = [](__m128i x) { return reinterpret_cast<Integers>(x); };
  return {column(s.a), column(s.b), column(s.c), column(s.d)};
}
inline void put_columns(const Columns &c, const std::array<void *, most_lanes> &rows, std::size_t word) {
  const auto column = [&](std::size_t k) { return reinterpret_cast<__m128i>(c[k]); };
  put_square({column(0), column(1), column(2), column(3)}, rows, 0, word);
}
#endif

#else

template <typename Rows>
Columns columns_of(const Rows &rows, std::size_t word) {
  Columns columns;
  for (std::size_t l = 0; l < lanes; ++l)
    for (std::size_t k = 0; k < columns.size(); ++k)
      columns[k][l] = static_cast<const std::int32_t *>(rows[l])[word + k];
  return columns;
}
inline void put_columns(const Columns &columns, const std::array<void *, most_lanes> &rows, std::size_t word) {
  for (std::size_t l = 0; l < lanes; ++l)
    for (std::size_t k = 0; k < columns.size(); ++k) static_cast<std::int32_t *>(rows[l])[word + k] = columns[k][l];
}

#endif

template <typename T>
void put(Lanes<T> &to, Integers x) {
  static_assert(sizeof(T) == sizeof(std::int32_t));
  std::memcpy(to.of.data(), &x, sizeof x);
}
template <typename T>
Integers word_of(const Lanes<T> &from) {
  static_assert(sizeof(T) == sizeof(std::int32_t));
  Integers x;
  std::memcpy(&x, from.of.data(), sizeof x);
  return x;
}

using Three = std::array<Integers, 3>;
inline Three with_sign(const Columns &way, Integers is_negative) {
  return {(way[0] ^ is_negative) - is_negative, (way[1] ^ is_negative) - is_negative,
          (way[2] ^ is_negative) - is_negative};
}
inline void put(WayBatch::LaneSteps &to, const Three &x) {
  for (std::size_t d = 0; d < x.size(); ++d) put(to[d], x[d]);
}

// The class value k of all lanes.
inline Real value_of(const WayRows &rows, std::size_t k) {
  Real x;
  for (std::size_t l = 0; l < lanes; ++l) x[l] = rows.classes[l]->of[k];
  return x;
}

template <typename Value>
void put_classes(const Value &value, WayBatch &b) {
  std::size_t k = 0;
  for (WayBatch::LaneValues &weight : b.motion_weights) store(weight.of.data(), value(k++));
  for (auto &weights : b.shape_weights)
    for (WayBatch::LaneValues &weight : weights) store(weight.of.data(), value(k++));
  for (WayBatch::LaneValues *const to :
       {&b.length_deviation, &b.along_deviation, &b.bend, &b.bend2, &b.mean_length, &b.mean_along, &b.has_along})
    store(to->of.data(), value(k++));
}

void take_classes(const WayRows &rows, WayBatch &b) {
  bool is_same = true;
  for (std::size_t l = 1; l < lanes; ++l) is_same = is_same && rows.classes[l] == rows.classes[0];
  const ClassRow &first = *rows.classes[0];
  if (is_same)
    put_classes([&](std::size_t k) { return all(first.of[k]); }, b);
  else
    put_classes([&](std::size_t k) { return value_of(rows, k); }, b);
}

void take(const WayRows &rows, WayBatch &b) {
  // In fours, as give() stores them: a load from two recent stores waits for both.
  const Columns parent = columns_of(rows.parent, 0);
  const Columns parent_next = columns_of(rows.parent, 4);
  const Columns parent_last = {parent_next[2], parent_next[3], columns_of(rows.parent, 8)[0]};
  put(b.first, with_sign(columns_of(rows.along, WayRow::way), word_of(rows.along_is_negative)));
  Three second = with_sign(columns_of(rows.across, WayRow::way), word_of(rows.across_is_negative));
  const Integers from_parent = word_of(rows.across_from_parent);
  for (std::size_t d = 0; d < second.size(); ++d) second[d] -= parent[d] & from_parent;
  put(b.second, second);

  const Columns way_moved = columns_of(rows.last, 0);
  const Columns moved_before = columns_of(rows.last, 4);
  const Columns before_place = columns_of(rows.last, 8);
  const Columns mean_length = columns_of(rows.last, 12);
  const Columns others = columns_of(rows.last, 16);
  const Columns parent_before = columns_of(rows.parent_older, 0);
  put(b.last_way, {way_moved[0], way_moved[1], way_moved[2]});
  put(b.motion[0], {way_moved[3] - parent_last[0], moved_before[0] - parent_last[1], moved_before[1] - parent_last[2]});
  put(b.motion[1],
      {moved_before[2] - parent_before[0], moved_before[3] - parent_before[1], before_place[0] - parent_before[2]});
  put(b.motion[2], {parent[3], parent_next[0], parent_next[1]});
  put(b.motion[3], {parent_last[0], parent_last[1], parent_last[2]});
  for (std::size_t d = 0; d < b.last_place.size(); ++d) {
    put(b.last_place[d], before_place[1 + d]);
    put(b.last_mean[d], mean_length[d]);
  }
  put(b.last_length, mean_length[3]);
  put(b.last_mean_length, others[0]);
  put(b.last_scale, others[1]);
  put(b.last_known, others[2] >> 24);
  put(b.last_frames, others[3] & 255);
  put(b.last_sizes, others[3] >> 8 & 255);
  take_classes(rows, b);
}

inline void put_scale(const WayBatch &b, std::size_t lane, unsigned char *row) {
  std::memcpy(row + WayRow::scale * sizeof(float), &b.scale.of[lane], sizeof(float));
  row[WayRow::sizes_byte] = static_cast<unsigned char>(b.sizes.of[lane]);
}

void give(const WayBatch &b, const WayRows &rows) {
  const auto word = [](const auto &from) { return word_of(from); };
  const Integers most = Integers{} + rows.longest_move;
  Three way, moved, before;
  for (std::size_t d = 0; d < way.size(); ++d) {
    way[d] = word(b.way[d]);
    const Integers sum = word(b.motion[2][d]) + way[d] - word(b.last_way[d]);
    const Integers limited = sum > most ? most : sum;
    moved[d] = limited < -most ? -most : limited;
    before[d] = word(b.motion[0][d]) + word(b.motion[3][d]);
  }
  put_columns({way[0], way[1], way[2], moved[0]}, rows.now, 0);
  put_columns({moved[1], moved[2], before[0], before[1]}, rows.now, 4);
  put_columns({before[2], word(b.place[0]), word(b.place[1]), word(b.place[2])}, rows.now, 8);
  put_columns({word(b.mean[0]), word(b.mean[1]), word(b.mean[2]), word(b.now_length)}, rows.now, 12);
  for (std::size_t l = 0; l < lanes; ++l) {
    auto *const row = static_cast<unsigned char *>(rows.now[l]);
    std::memcpy(row + WayRow::mean_length * sizeof(float), &b.now_mean_length.of[l], sizeof(float));
    row[WayRow::known_byte] = static_cast<unsigned char>(b.known.of[l]);
    row[WayRow::frames_byte] = static_cast<unsigned char>(b.frames.of[l]);
    put_scale(b, l, row);
  }
}

void take_roots(const WayRows &rows, WayBatch &b) {
  const Columns way_moved = columns_of(rows.last, 0);
  const Columns moved_before = columns_of(rows.last, 4);
  const Columns before_place = columns_of(rows.last, 8);
  const Columns others = columns_of(rows.last, 16);
  put(b.motion[0], {way_moved[3], moved_before[0], moved_before[1]});
  put(b.motion[1], {moved_before[2], moved_before[3], before_place[0]});
  put(b.motion[2], {});
  put(b.motion[3], {});
  put(b.last_scale, others[1]);
  put(b.last_sizes, others[3] >> 8 & 255);
  take_classes(rows, b);
}

void give_roots(const WayBatch &b, const WayRows &rows) {
  const auto word = [](const auto &from) { return word_of(from); };
  // The rest of the words remains.
  const Columns way = columns_of(rows.now, 0);
  const Columns place = columns_of(rows.now, 8);
  const auto &before = b.motion[0];
  put_columns({way[0], way[1], way[2], word(b.way[0])}, rows.now, 0);
  put_columns({word(b.way[1]), word(b.way[2]), word(before[0]), word(before[1])}, rows.now, 4);
  put_columns({word(before[2]), place[1], place[2], place[3]}, rows.now, 8);
  for (std::size_t l = 0; l < lanes; ++l) put_scale(b, l, static_cast<unsigned char *>(rows.now[l]));
}

}  // namespace

constexpr RowKernels row_kernels{take, give, take_roots, give_roots};

}  // namespace GPZ_ISA
}  // namespace gpz::codec
