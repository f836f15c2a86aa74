// SPDX-License-Identifier: BSD-3-Clause
// Positions in steps of 32 particles of one kind (docs/format.md, section 9d): the expected position of a particle,
// from the frame before and from particles of earlier steps. Written once for vectors of lanes and for single ones.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "gpz/core/config.hpp"
#include "gpz/core/lane_vectors.hpp"

namespace gpz::core {

inline constexpr unsigned step_lanes = 32;

// The references from which the position of a particle is predicted.
enum class StepKind : std::uint8_t {
  root,    // its last position
  sphere,  // a parent
  wide,    // a parent and an axis; the circle that is left is long
  narrow,  // the same; the circle is short
};
inline constexpr unsigned step_kinds = 4;

// The context of a component chooses its table. It has the kind of number, the octave of the variance, and the distance
// of the expected value from the grid.
enum class StepNumber : std::uint8_t { of_root, first, last };
inline constexpr unsigned step_numbers = 3;
inline constexpr int step_first_octave = -4;
inline constexpr unsigned step_levels = 40;
inline constexpr unsigned step_parts = 4;        // of half a grid step
inline constexpr unsigned step_most_parted = 5;  // highest level that has parts
inline constexpr unsigned step_contexts = step_numbers * step_levels * step_parts;
// Raw bits after a token: half of the level, less this.
inline constexpr int step_fewer_bits = 3;
constexpr unsigned step_bits_of_context(std::size_t context) {
  const std::size_t level = context / step_parts % step_levels;
  return level < 2 * step_fewer_bits ? 0 : static_cast<unsigned>(level / 2 - step_fewer_bits);
}
inline constexpr unsigned step_side_levels = 16;
inline constexpr int step_table_bits = 9;
inline constexpr unsigned step_table_size = 1u << step_table_bits;
inline constexpr int step_side_bits = 7;
// A state takes 3 bytes more than it holds: small blocks have one for two lanes, which code in turn.
inline constexpr std::size_t step_few = 256;  // steps of a small block, less than
constexpr int step_rounds(std::size_t steps) { return steps < step_few ? 2 : 1; }
// Bits that leave a state together with a token: more would leave too little of it.
inline constexpr int step_low_bits = 7;
inline constexpr int step_last_token = 126;
inline constexpr int step_escape = 127;
inline constexpr float step_farthest = 4194304;  // largest expected value, grid steps: exact when it is rounded

// Constants of a class that formulas need, in the order of the columns in memory.
enum StepConstant : unsigned {
  carried,         // part of the parent's displacement that the bond vector takes up
  length_of_last,  // weights of the lengths of the last bond vector and of the carried one, a constant, and the weight
                   // of the mean length
  length_of_carried,
  length_of_class,
  length_of_mean,
  along_of_last,  // the same of its component along the axis
  along_of_carried,
  along_of_class,
  along_of_mean,
  headed,           // part of the turn from the last heading to the mean one
  turned,           // part of the turn by the carried bond vector
  length_variance,  // of roots: variance of a component
  along_variance,
  over_length_variance,
  over_along_variance,
  across_part,   // variance across the expected direction, in parts of the squared radius
  towards_part,  // variance of the component in the expected direction, in the same
  shrinkage,     // of the expected direction
  limit,         // of corrections, grid steps; of a sphere: deviation of the length
  // For key frames: the heading of the class, towards the second reference and aside.
  class_towards,
  class_aside,
  // Of particles without bonds, in the columns of constants that they do not need: weights of their motion, and the
  // variance of each component.
  of_last_displacement = carried,
  of_displacement_before = length_of_last,
  of_offset_to_mean = length_of_carried,
  variance_x = length_variance,
  variance_y = along_variance,
  variance_z = across_part,
};
inline constexpr unsigned step_constants = 21;

inline namespace GPZ_ISA {

// Vectors from the parent, in grid steps, in the frame before and in this one.
template <typename R>
struct BondVectors {
  Vector<R> last;             // bond vector, frame before
  Vector<R> moved;            // displacement of the parent
  Vector<R> last_axis, axis;  // to the particle that gives the axis
  bool has_second = false;    // otherwise these are not used:
  Vector<R> last_second{}, second{};
  bool is_key = false;  // there is no frame before
};

// In a key frame, vectors that have the heading of the class replace those of the frame before.
template <bool has_axis, typename R, typename Constants>
GPZ_HD void start_from_class(BondVectors<R> &v, const Constants &k) {
  const R none(0.0F);
  v.is_key = true;
  v.moved = {none, none, none};
  if constexpr (has_axis) {
    v.last = {none, k(class_towards), k(class_aside)};
    v.last_axis = {R(1.0F), none, none};
    v.last_second = {none, R(2.0F), none};
  } else {
    v.last = {R(1.0F), none, none};
  }
}

// Means of a particle over the frames so far: length of its bond vector, component along the axis, and the two
// components of its heading in the frame of the second reference.
template <typename R>
struct BondMeans {
  R length, along, towards, aside;
};
enum StepMean : unsigned { mean_length, mean_along, mean_towards, mean_aside };
inline constexpr unsigned step_means = 4;
// Means of a step are columns of its lanes.
constexpr std::size_t index_of_mean(std::size_t slot, StepMean mean) {
  return (slot / step_lanes * step_means + mean) * step_lanes + slot % step_lanes;
}

template <typename R>
GPZ_HD void take(R &mean, R value, R gain) {
  mean = mean + gain * (value - mean);
}

// One particle that has a parent: the expectation of each component of its bond vector, given those before it. Call
// expect(), cut() with the first component, settle() where there is a side to tell, tangent() for the second, and so
// on; `expected` and `variance` are of the next component.
template <typename V, StepKind kind>
class BondStep {
 public:
  using R = typename V::Real;
  using I = typename V::Integer;
  using M = typename V::Mask;
  static constexpr bool is_narrow = kind == StepKind::narrow;

  R expected, variance;
  // Whether a side is told, how likely it is the nearer one.
  M has_side;
  R side_level;
  Turn<M> turn;

  template <typename Constants>
  GPZ_HD void expect(const BondVectors<R> &v, const Constants &k, R gain, BondMeans<R> &means) {
    const Vector<R> carried_bond = v.last + times(k(carried), v.moved);
    const R last2 = dot(v.last, v.last), carried2 = dot(carried_bond, carried_bond);
    const R last_length = root_of(last2);
    take(means.length, last_length, gain);
    length_ = larger(k(length_of_last) * last_length + k(length_of_carried) * root_of(carried2) + k(length_of_class) +
                         k(length_of_mean) * means.length,
                     R(1.0F));
    Vector<R> direction;
    if constexpr (kind == StepKind::sphere) {
      direction = times(over_root_of(larger(carried2, R(0.25F))), carried_bond);
      radius_ = length_;
      along_ = over_radius_ = R(0.0F);
    } else {
      direction = direction_on_circle(v, carried_bond, k, gain, means);
    }
    over_length_ = R(1.0F) / length_;
    const R radius2 = radius_ * radius_;
    across_ = smaller(larger(radius2 * k(across_part), R(0.17F)), R(0.5F) * radius2);
    towards_ = smaller(radius2 * k(towards_part), R(0.5F) * radius2);
    if constexpr (!is_narrow) side_scale_ = R(4.0F) * radius_ / across_;
    // Both sides are as likely for a class without a heading.
    if (kind == StepKind::sphere && v.is_key) side_scale_ = R(0.0F);
    shrinkage_ = k(shrinkage);
    if constexpr (kind == StepKind::sphere) {
      turn = least_first<M>(direction);
      p_ = turn.circle(direction);
      turn.exchanged = less(magnitude(p_.z), magnitude(p_.y));
      p_ = turn.exchange(p_);
      const R xx = p_.x * p_.x;
      variance = (k(length_variance) + towards_) * xx + R(0.5F) * across_ * (R(1.0F) - xx) + R(0.1F);
      expected = shrinkage_ * radius_ * p_.x;
    } else {
      turn = is_narrow ? greatest_first<M>(cross(axis_, direction)) : least_first<M>(axis_);
      a_ = turn.circle(axis_);
      p_ = turn.circle(direction);
      turn.exchanged = less(magnitude(along_ * a_.z + radius_ * p_.z), magnitude(along_ * a_.y + radius_ * p_.y));
      a_ = turn.exchange(a_);
      p_ = turn.exchange(p_);
      c_ = cross(a_, p_);
      const R by_length = length_ * over_radius_ * p_.x, by_along = a_.x - along_ * over_radius_ * p_.x;
      const R without_rounding = k(length_variance) * by_length * by_length + k(along_variance) * by_along * by_along +
                                 across_ * c_.x * c_.x + towards_ * p_.x * p_.x;
      expected = first_ = shrinkage_ * radius_ * p_.x + along_ * a_.x;
      if constexpr (is_narrow) {
        over_variance_ = R(1.0F) / without_rounding;
        over_across_ = R(1.0F) / across_;
      }
      variance = without_rounding + R(0.1F);
    }
  }

  // Call with the first component.
  template <typename Constants>
  GPZ_HD void cut(I first, const Constants &k) {
    x_ = real_of(first);
    rest_ = length_ * length_ - x_ * x_;
    if constexpr (kind == StepKind::sphere) {
      const R left = root_of(larger(rest_, R(0.01F)));
      const R over = over_root_of(larger(p_.y * p_.y + p_.z * p_.z, R(1e-6F)));
      const R y = p_.y * over, z = p_.z * over;
      expected = shrinkage_ * left * y;
      const R by_length = expected * over_length_;
      variance = R(0.5F) * across_ * z * z + k(length_variance) * by_length * by_length + towards_ * y * y + R(0.1F);
    } else if constexpr (kind == StepKind::wide) {
      const R q = larger(a_.y * a_.y + a_.z * a_.z, R(1e-6F)), over_q = R(1.0F) / q;
      const R along_left = along_ - x_ * a_.x, left = rest_ * q - along_left * along_left;
      const R high = root_of(larger(left, R(0.0F))) * over_q, middle = along_left * over_q;
      y_ = middle * a_.y;
      z_ = middle * a_.z;
      high_y_ = R(0.0F) - high * a_.z;
      high_z_ = high * a_.y;
      const R towards = high_y_ * p_.y + high_z_ * p_.z;
      const M is_back = less(towards, R(0.0F));
      high_y_ = select(is_back, R(0.0F) - high_y_, high_y_);
      high_z_ = select(is_back, R(0.0F) - high_z_, high_z_);
      has_side = less(R(4.0F) * (k(length_variance) + k(along_variance)) * q, left);
      side_level = magnitude(towards) * side_scale_;
    }
  }
  // Encoder, wide: whether the other side is nearer to these components.
  GPZ_HD M is_other_of_circle(I y, I z) const {
    const R at_y = real_of(y) - y_, at_z = real_of(z) - z_;
    return less(magnitude(at_y + high_y_) + magnitude(at_z + high_z_),
                magnitude(at_y - high_y_) + magnitude(at_z - high_z_));
  }
  GPZ_HD void settle_circle(M other) {
    y_ = y_ + select(other, R(0.0F) - high_y_, high_y_);
    z_ = z_ + select(other, R(0.0F) - high_z_, high_z_);
  }

  // Wide and narrow: expects the second component. Wide: y_, z_ is on the circle. Narrow: the position that is most
  // likely if lengths were linear, then a step of Newton.
  template <typename Constants>
  GPZ_HD void expect_second(const Constants &k) {
    const R over_l = k(over_length_variance), over_a = k(over_along_variance);
    if constexpr (is_narrow) {
      const R off = (x_ - first_) * over_variance_, k1 = length_ * over_radius_, k2 = along_ * over_radius_;
      const R by_length = k(length_variance) * k1 * k1 * p_.x;
      const R by_along = k(along_variance) * (a_.x - k2 * p_.x);
      const R by_across = across_ * c_.x;
      const R ka = along_ + off * by_along, kp = radius_ + off * (by_length - k2 * by_along), kc = off * by_across;
      y_ = ka * a_.y + kp * p_.y + kc * c_.y;
      z_ = ka * a_.z + kp * p_.z + kc * c_.z;
    }
    const R ny = y_ * over_length_, nz = z_ * over_length_;
    const R nyw = ny * over_l, nzw = nz * over_l, ayw = a_.y * over_a, azw = a_.z * over_a;
    R yy = ny * nyw + a_.y * ayw, zz = nz * nzw + a_.z * azw, yz = nz * nyw + a_.z * ayw;
    R cyw, czw;
    if constexpr (is_narrow) {
      cyw = c_.y * over_across_;
      czw = c_.z * over_across_;
      yy = yy + c_.y * cyw;
      yz = yz + c_.z * cyw;
      zz = zz + c_.z * czw;
    }
    zz = larger(zz, R(1e-6F));
    R det = larger(yy * zz - yz * yz, larger(R(0.02F) * zz * over_length_, R(1e-4F) * yy * zz));
    det = larger(det, R(1e-9F));
    const R over = R(1.0F) / (det * zz), over_det = zz * over;
    slope_ = yz * (det * over);
    if constexpr (is_narrow) {
      const R h = (rest_ - y_ * y_ - z_ * z_) * R(0.5F) * over_length_;
      const R ha = along_ - x_ * a_.x - y_ * a_.y - z_ * a_.z;
      const R hc = R(0.0F) - (x_ * c_.x + y_ * c_.y + z_ * c_.z);
      const R gy = nyw * h + ayw * ha + cyw * hc, gz = nzw * h + azw * ha + czw * hc, s = slope_ * zz;
      const R most = length_, least = R(0.0F) - length_;
      y_ = y_ + clamped((zz * gy - s * gz) * over_det, least, most);
      z_ = z_ + clamped((yy * gz - s * gy) * over_det, least, most);
    }
    expected = y_;
    variance = smaller(zz * over_det, R(2.0F) * radius_ * radius_) + R(0.1F);
  }

  // Call with the second component.
  template <typename Constants>
  GPZ_HD void expect_last(I second, const Constants &k) {
    const R y = real_of(second);
    if constexpr (kind == StepKind::sphere) {
      rest_ = larger(rest_ - y * y, R(0.0F));
      z_ = root_of(rest_);
      has_side = less(R(4.0F) * length_ * k(limit), rest_);
      side_level = z_ * magnitude(p_.z) * side_scale_;
    } else {
      const R z = z_ - slope_ * (y - y_);
      const R h = (rest_ - y * y - z * z) * R(0.5F) * over_length_, nz = z * over_length_;
      const R ha = along_ - x_ * a_.x - y * a_.y - z * a_.z;
      const R nzw = nz * k(over_length_variance), azw = a_.z * k(over_along_variance);
      R zz = nz * nzw + a_.z * azw, g = nzw * h + azw * ha;
      if constexpr (is_narrow) {
        const R czw = c_.z * over_across_;
        zz = zz + c_.z * czw;
        g = g - czw * (x_ * c_.x + y * c_.y + z * c_.z);
      }
      const R over = R(1.0F) / larger(zz, R(1e-6F));
      const R most = k(limit), least = R(0.0F) - most;
      expected = z + clamped(g * over, least, most);
      variance = over + R(0.1F);
    }
  }
  // Sphere. Encoder: whether the last component is on the other side.
  GPZ_HD M is_other_of_sphere(I z) const {
    const R at = real_of(z);
    return less(select(less(p_.z, R(0.0F)), R(0.0F) - at, at), R(0.0F));
  }
  template <typename Constants>
  GPZ_HD void settle_sphere(M other, const Constants &k) {
    const M is_negative = differ(less(p_.z, R(0.0F)), other);
    expected = select(is_negative, R(0.0F) - z_, z_);
    variance = length_ * length_ * k(length_variance) / (rest_ + R(0.25F) * length_ * k(limit)) + R(0.1F);
  }

 private:
  // The direction from the axis to where the particle is expected; sets axis, length along it, and radius.
  template <typename Constants>
  GPZ_HD Vector<R> direction_on_circle(const BondVectors<R> &v, const Vector<R> &carried_bond, const Constants &k,
                                       R gain, BondMeans<R> &means) {
    const Vector<R> a0 = times(over_root_of(larger(dot(v.last_axis, v.last_axis), R(1.0F))), v.last_axis);
    const Vector<R> a1 = times(over_root_of(larger(dot(v.axis, v.axis), R(1.0F))), v.axis);
    const R last_along = dot(v.last, a0), most = R(0.98F) * length_;
    take(means.along, last_along, gain);
    along_ = clamped(k(along_of_last) * last_along + k(along_of_carried) * dot(carried_bond, a1) + k(along_of_class) +
                         k(along_of_mean) * means.along,
                     R(0.0F) - most, most);
    const R radius2 = length_ * length_ - along_ * along_;
    over_radius_ = over_root_of(radius2);
    radius_ = radius2 * over_radius_;
    axis_ = a1;

    Vector<R> heading, sideways{R(0.0F), R(0.0F), R(0.0F)};
    R turned_by(0.0F);
    const Vector<R> towards = v.is_key ? least_first<M>(a1).unit(R(1.0F)) : carried_bond;
    if (v.has_second) {
      const M framed = see_from_second(v, a0, last_along, carried_bond, k, gain, means, heading, sideways, turned_by);
      if (!all(framed)) heading = select(framed, heading, straight_heading(towards));
    } else {
      heading = straight_heading(towards);
    }
    return times(over_radius_ * turned_by, sideways) +
           times(over_radius_ * root_of(radius2 - turned_by * turned_by), heading);
  }

  // Without a second reference, or where it is on the axis.
  GPZ_HD Vector<R> straight_heading(const Vector<R> &towards) const {
    const Vector<R> t = cross(axis_, towards);
    return cross(times(over_root_of(larger(dot(t, t), R(0.25F))), t), axis_);
  }

  // Where it was, seen from axis and second reference; true where these are a frame. Elsewhere there is no turn.
  template <typename Constants>
  GPZ_HD M see_from_second(const BondVectors<R> &v, const Vector<R> &a0, R last_along, const Vector<R> &carried_bond,
                           const Constants &k, R gain, BondMeans<R> &means, Vector<R> &heading, Vector<R> &sideways,
                           R &turned_by) const {
    const Vector<R> &a1 = axis_;
    const Vector<R> &s0 = v.last_second, &s1 = v.second;
    const R e0 = dot(a0, s0), e1 = dot(a1, s1);
    const R ss0 = dot(s0, s0), ss1 = dot(s1, s1), across0 = ss0 - e0 * e0;
    const Vector<R> t1 = cross(a1, s1);
    const R across1 = dot(t1, t1);
    R p = dot(v.last, s0) - last_along * e0, q = dot(v.last, cross(a0, s0));
    take(means.towards, p, gain);
    take(means.aside, q, gain);
    p = p + k(headed) * (means.towards - p);
    q = q + k(headed) * (means.aside - q);
    const R far = p * p + q * q;
    const M framed = both(both(less(R(0.01F) * ss0, across0), less(R(0.01F) * ss1, across1)),
                          both(less(R(1.0F), smaller(across0, across1)), less(R(0.25F) * across0, far)));
    const R over = over_root_of(larger(far, R(0.25F)) * larger(across1, R(1.0F)));
    p = over * p;
    q = over * q;
    const Vector<R> b1 = s1 - times(e1, a1);
    heading = times(p, b1) + times(q, t1);
    const Vector<R> across = times(p, t1) - times(q, b1);
    sideways = select(framed, across, sideways);
    const R most_turned = R(0.98F) * radius_;
    turned_by =
        select(framed, clamped(k(turned) * dot(carried_bond, across), R(0.0F) - most_turned, most_turned), turned_by);
    return framed;
  }

  R length_, along_, radius_, over_radius_, over_length_;
  R across_, towards_, side_scale_, shrinkage_;
  R first_, over_variance_, over_across_;
  R x_, rest_, y_, z_, high_y_, high_z_, slope_;
  Vector<R> axis_, a_, p_, c_;
};

// A float to the nearest integer, halves to even, for magnitudes up to step_farthest.
template <typename R>
GPZ_HD R rounded(R x) {
  const R shift(12582912.0F);  // 1.5 * 2^23
  return (x + shift) - shift;
}

// Raw bits after a token of a level.
template <typename I>
GPZ_HD I step_bits_of_level(I level) {
  return larger(shifted_down(level, 1) - I{step_fewer_bits}, I{0});
}

// Where a component is looked up, and what is expected of it on the grid.
template <typename V>
struct StepContext {
  typename V::Integer near;
  typename V::Mask is_below;  // the nearest integer is above what is expected: numbers change sign
  typename V::Integer index;
  typename V::Integer bits;  // raw bits after a token
};
template <typename V, StepNumber number>
GPZ_HD StepContext<V> step_context(typename V::Real expected, typename V::Real variance) {
  using R = typename V::Real;
  using I = typename V::Integer;
  const R most(step_farthest), least(-step_farthest);
  expected = select(less(expected, most), expected, most);
  expected = select(less(least, expected), expected, least);
  const R near = rounded(expected), off = expected - near;
  const I part = smaller(whole_part(magnitude(off) * R(8.0F)), I{static_cast<int>(step_parts) - 1});
  constexpr int bias = 127 + step_first_octave;
  const I octave = shifted_down(integers_of_bits(variance), 23) - I{bias};
  const I level = smaller(larger(octave, I{0}), I{static_cast<int>(step_levels) - 1});
  const auto is_parted = more(I{static_cast<int>(step_most_parted) + 1}, level);
  const I of_level = shifted_up(level, 2) + select(is_parted, part, I{0});
  constexpr int first = static_cast<int>(number) * static_cast<int>(step_levels * step_parts);
  return {whole_part(near), less(off, R(0.0F)), of_level + I{first}, step_bits_of_level(level)};
}

template <typename R>
GPZ_HD auto step_side_level(R x) {
  const R most(static_cast<float>(step_side_levels - 1));
  x = select(less(x, most), x, most);
  return whole_part(select(less(R(0.0F), x), x, R(0.0F)));
}

// The numbers of a step of `n` vectors of lanes, in the order of the format, for which expect() was called.
// `vector`: bond vectors in the order of components. A decoder sets them; an encoder has them. `constants_of(j)`: those
// of vector j. A coder has component<number>(active, expected, variance, value) and side(active, level, is_other), both
// for all vectors at once.
template <typename V, StepKind kind, std::size_t n, typename ConstantsOf, typename Coder>
GPZ_HD void code_bonds(std::array<BondStep<V, kind>, n> &bond, const std::array<typename V::Mask, n> &active,
                       const ConstantsOf &constants_of, Coder &coder,
                       std::array<Vector<typename V::Integer>, n> &vector) {
  using I = typename V::Integer;
  std::array<typename V::Real, n> expected, variance;
  std::array<I, n> value, level;
  std::array<typename V::Mask, n> has_side, other;
  const auto code = [&](auto number, I Vector<I>::*component) {
    for (std::size_t j = 0; j < n; ++j) {
      expected[j] = bond[j].expected;
      variance[j] = bond[j].variance;
      if constexpr (!Coder::decodes) value[j] = vector[j].*component;
    }
    coder.template component<decltype(number)::value>(active, expected, variance, value);
    if constexpr (Coder::decodes)
      for (std::size_t j = 0; j < n; ++j) vector[j].*component = value[j];
  };
  const auto tell_side = [&]([[maybe_unused]] const auto &is_other) {
    for (std::size_t j = 0; j < n; ++j) {
      has_side[j] = both(bond[j].has_side, active[j]);
      level[j] = step_side_level(bond[j].side_level);
      if constexpr (!Coder::decodes) other[j] = both(is_other(j), has_side[j]);
    }
    coder.side(has_side, level, other);
  };
  using First = std::integral_constant<StepNumber, StepNumber::first>;
  using Last = std::integral_constant<StepNumber, StepNumber::last>;

  code(First{}, &Vector<I>::x);
  for (std::size_t j = 0; j < n; ++j) bond[j].cut(vector[j].x, constants_of(j));
  if constexpr (kind == StepKind::wide) {
    tell_side([&](std::size_t j) { return bond[j].is_other_of_circle(vector[j].y, vector[j].z); });
    for (std::size_t j = 0; j < n; ++j) bond[j].settle_circle(other[j]);
  }
  if constexpr (kind != StepKind::sphere)
    for (std::size_t j = 0; j < n; ++j) bond[j].expect_second(constants_of(j));
  code(First{}, &Vector<I>::y);
  for (std::size_t j = 0; j < n; ++j) bond[j].expect_last(vector[j].y, constants_of(j));
  if constexpr (kind == StepKind::sphere) {
    tell_side([&](std::size_t j) { return bond[j].is_other_of_sphere(vector[j].z); });
    for (std::size_t j = 0; j < n; ++j) bond[j].settle_sphere(other[j], constants_of(j));
  }
  code(Last{}, &Vector<I>::z);
}

}  // namespace GPZ_ISA
}  // namespace gpz::core
