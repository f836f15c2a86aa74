// SPDX-License-Identifier: BSD-3-Clause
// The formulas of bond vectors (docs/format.md, section 9c), for vectors of particles on CPUs and for one particle of a
// GPU's thread. Whoever includes this file provides, in namespace codec::GPZ_ISA, what gpz/kernels/lanes.hpp does:
// Real, Bits, Mask and their functions.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "gpz/core/config.hpp"
#include "gpz/core/quantize.hpp"
#include "gpz/kernels/way_batch.hpp"

namespace gpz::codec {
namespace GPZ_ISA {
namespace {

inline constexpr double least_length = 1;  // grid steps; shorter vectors define no local axes
inline constexpr double least_square_of_sine = 0.01;
inline constexpr double least_radius = 0.5;  // grid steps
inline constexpr double least_part = 0.05;   // of the length
inline constexpr double most_along = 0.98;   // of the length
inline constexpr double least_variance = 0.17;
inline constexpr double wide_part = 0.1;      // of the squared radius
inline constexpr double anywhere_part = 0.2;  // of the squared radius
inline constexpr double singular = 1e-9;
inline constexpr double mean_frames = 16;
inline constexpr double scale_frames = 12;

struct Vector {
  Real x, y, z;
};
GPZ_HD Vector operator+(const Vector &a, const Vector &b) { return {a.x + b.x, a.y + b.y, a.z + b.z}; }
GPZ_HD Vector operator-(const Vector &a, const Vector &b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
GPZ_HD Vector operator*(Real f, const Vector &a) { return {f * a.x, f * a.y, f * a.z}; }
GPZ_HD Real dot(const Vector &a, const Vector &b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
GPZ_HD Vector cross(const Vector &a, const Vector &b) {
  return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
GPZ_HD Real length(const Vector &a) { return root(dot(a, a)); }
GPZ_HD Vector select(Mask mask, const Vector &a, const Vector &b) {
  return {select(mask, a.x, b.x), select(mask, a.y, b.y), select(mask, a.z, b.z)};
}
GPZ_HD Real square(Real x) { return x * x; }
GPZ_HD Real between(Real x, Real most) { return max(min(x, most), -most); }

template <typename T, std::size_t n>
GPZ_HD Real load(const Lanes<T, n> &from) {
  return load(from.of.data());
}
template <typename Values>
GPZ_HD Vector load(const std::array<Values, 3> &from) {
  return {load(from[0]), load(from[1]), load(from[2])};
}
template <typename T, std::size_t n>
GPZ_HD void store(Lanes<T, n> &to, Real x) {
  store(to.of.data(), x);
}
template <typename Values>
GPZ_HD void store(std::array<Values, 3> &to, const Vector &x) {
  store(to[0], x.x);
  store(to[1], x.y);
  store(to[2], x.z);
}
template <std::size_t n>
GPZ_HD void store(Lanes<std::int64_t, n> &to, Bits x) {
  memcpy(to.of.data(), &x, sizeof x);
}
template <std::size_t n>
GPZ_HD void store(Lanes<double, n> &to, Mask mask) {
  store(to, select(mask, 1, 0));
}
template <std::size_t n>
GPZ_HD Mask is(const Lanes<double, n> &flag) {
  return less(all(0.5), load(flag));
}

// Selects a component in each lane: `axis` is 0, 1 or 2.
GPZ_HD Real at(Real axis, const Vector &v) {
  return select(less(axis, all(0.5)), v.x, select(less(axis, all(1.5)), v.y, v.z));
}

// A divisor of lanes in `mask`; 1 in others, whose quotients are not used: GPUs are slow where they divide by 0.
GPZ_HD Real used(Mask mask, Real divisor) { return select(mask, divisor, all(1)); }

template <typename Batch>
GPZ_HD void find_axes(Batch &b) {
  const Real references = load(b.references);
  const Vector first = load(b.first);
  const Real first_length = length(first);
  const Mask has_along = both(less(all(0.5), references), no(less(first_length, all(least_length))));
  const Vector along = select(has_along, 1 / used(has_along, first_length) * first, Vector{});
  const Vector second = load(b.second);
  const Vector normal = cross(along, second);
  const Real width = length(normal);
  const Mask is_flat =
      either(less(width, all(least_length)), less(width * width, least_square_of_sine * dot(second, second)));
  const Mask has_all = both(both(has_along, less(all(1.5), references)), no(is_flat));
  const Vector across = select(has_all, 1 / used(has_all, width) * normal, Vector{});
  store(b.along, along);
  store(b.across, across);
  store(b.towards, cross(across, along));
  store(b.known, select(has_along, select(has_all, 2, 1), all(0)));
}

template <typename Batch>
GPZ_HD Vector expected_motion(const Batch &b) {
  Vector sum{};
  for (std::size_t k = 0; k < b.motion.size(); ++k) sum = sum + load(b.motion_weights[k]) * load(b.motion[k]);
  return sum;
}

using Features = std::array<Real, way_shape_features>;
template <typename Values>
GPZ_HD Real weighted(const Features &features, const std::array<Values, way_shape_features> &weights) {
  return Real{} + features[0] * load(weights[0]) + features[1] * load(weights[1]) + features[2] * load(weights[2]);
}

// Converts the prediction of a component and its variance, with rounding, to an ExpectedNumber.
template <typename Batch>
GPZ_HD void rounded_number(Batch &b, Real expected, Real variance) {
  const Real steps = 64 * expected;
  const Real nearest = (steps + core::rounding_magic) - core::rounding_magic;
  const Real most = all(ExpectedNumber::most);
  const Real below = select(less(nearest, most), nearest, most);
  const Real limited = select(less(-most, below), below, -most);
  const Bits n = bits_of(limited + core::rounding_magic) - bits_of(all(core::rounding_magic)) + 32;
  const Bits fraction = n & 63;
  const Bits to_next = fraction ^ (((fraction >> 5) - 1) & 31);
  const Bits exponent = ((bits_of(variance) >> 52) & 2047) - 1020;
  const Bits above = exponent & ~(exponent >> 63);
  const Bits beyond = above - (ExpectedNumber::levels - 1);
  store(b.number, n);
  store(b.level, above - (beyond & ~(beyond >> 63)));
  store(b.part, (to_next & 31) >> 3);
}
// Of the next component of a bond vector.
template <typename Batch>
GPZ_HD void number(Batch &b, Real expected, Real variance) {
  rounded_number(b, expected, variance + ExpectedNumber::rounding_variance);
}

// Predicted end of the vector, on a circle around the axis (framed) or on a sphere. `direction` is a unit vector, on a
// circle perpendicular to the axis.
struct Shape {
  Mask framed;
  Real length, along, radius;
  Vector axis, direction;
  Real length_variance, along_variance, across_variance, towards_variance, shrinkage;
};

// Predicts the first component. On a circle it is the least certain one, on a sphere the one that the length determines
// least.
template <typename Batch>
GPZ_HD void begin(const Shape &s, Batch &b) {
  const Mask is_wide = less(wide_part * s.radius * s.radius, s.across_variance);
  const Vector &p = s.direction;
  const Real cosine = s.along / s.length;
  const Real inverse = 1 / (1 - cosine * cosine);
  const Vector sideways = select(s.framed, cross(s.axis, p), Vector{});
  const Vector n = select(s.framed, 1 / s.length * (s.along * s.axis + s.radius * p), p);
  const Vector by_length = select(s.framed, inverse * (n - cosine * s.axis), Vector{});
  const Vector by_along = select(s.framed, inverse * (s.axis - cosine * n), Vector{});

  // Number of the component with the smallest magnitude, or the largest.
  const Mask is_anywhere = less(anywhere_part * s.radius * s.radius, s.across_variance);
  const Vector by = select(s.framed, select(is_anywhere, s.axis, sideways), n);
  const Mask smallest = either(no(s.framed), is_anywhere);
  const auto is_better = [&](Real x, Real best) {
    const Real a = magnitude(x);
    const Real c = magnitude(best);
    return either(both(smallest, less(a, c)), both(no(smallest), less(c, a)));
  };
  const Mask second = is_better(by.y, by.x);
  const Mask third = is_better(by.z, select(second, by.y, by.x));
  const Real x = select(third, all(2), select(second, 1, 0));
  const Real next = select(third, all(0), x + 1);
  const Real last = select(equal(next, all(2)), all(0), next + 1);
  // The component that the length determines best comes last.
  const Mask swapped = less(magnitude(at(last, n)), magnitude(at(next, n)));
  const Real y = select(swapped, last, next);
  const Real z = select(swapped, next, last);
  const auto in_turn = [&](const Vector &v) { return Vector{at(x, v), at(y, v), at(z, v)}; };
  const Vector axle = in_turn(s.axis);
  const Vector heading = in_turn(p);
  const Vector turned_sideways = in_turn(sideways);
  const Vector turned_by_length = in_turn(by_length);
  const Vector turned_by_along = in_turn(by_along);
  const Real nx = at(x, n);

  const Real of_circle = s.length_variance * square(turned_by_length.x) + s.along_variance * square(turned_by_along.x) +
                         s.across_variance * square(turned_sideways.x) + s.towards_variance * square(heading.x);
  const Real of_sphere = (s.length_variance + s.towards_variance) * square(nx) + s.across_variance * (1 - square(nx));
  store(b.axis, {x, y, z});
  store(b.axle, axle);
  store(b.heading, heading);
  store(b.sideways, turned_sideways);
  store(b.by_length, turned_by_length);
  store(b.by_along, turned_by_along);
  const Real variance = select(s.framed, of_circle, of_sphere);
  const Real middle = s.shrinkage * s.radius * heading.x;
  const Real expected = select(s.framed, middle + s.along * axle.x, middle);
  store(b.expected, expected);
  store(b.variance, variance);
  number(b, expected, variance);
  store(b.is_wide, is_wide);
}

template <typename Batch>
GPZ_HD void expect(Batch &b) {
  const Vector along = load(b.along);
  const Real known = load(b.known);
  const Real last_known = load(b.last_known);
  const Vector way = load(b.last_way) + expected_motion(b);
  const Real way_length = length(way);
  const Real last_length = load(b.last_length);
  const Vector last_place = load(b.last_place);
  const Vector last_mean = load(b.last_mean);
  const Real last_along = last_place.x;

  // Rotates the local axes so that the last place has no component along the third.
  const Mask knows_all = both(less(all(1.5), known), less(all(1.5), last_known));
  const Vector towards = load(b.towards);
  const Vector across = load(b.across);
  const Real p = last_place.y;
  const Real q = last_place.z;
  const Real radius = root(p * p + q * q);
  const Mask no_circle = either(less(radius, all(least_radius)), less(radius, least_part * last_length));
  const Mask placed = both(knows_all, no(no_circle));
  const Real placed_radius = used(placed, radius);
  const Vector placed_towards = 1 / placed_radius * (p * towards + q * across);
  const Vector placed_across = 1 / placed_radius * (p * across - q * towards);
  // With only one local axis, the predicted vector defines the plane.
  const Mask knows_one = both(both(less(all(0.5), known), less(all(0.5), last_known)), no(knows_all));
  const Vector normal = cross(along, way);
  const Real width = length(normal);
  const Mask no_plane = either(less(width, all(least_radius)), less(width, least_part * way_length));
  const Mask planar = both(knows_one, no(no_plane));
  const Vector planar_across = 1 / used(planar, width) * normal;
  const Vector planar_towards = cross(planar_across, along);

  const Real mean_along = select(is(b.has_along), load(b.mean_along) - last_along, all(0));
  const Features of_length{way_length - last_length, load(b.last_mean_length) - last_length,
                           load(b.mean_length) - last_length};
  Shape s;
  s.framed = either(placed, planar);
  const Vector turned = select(placed, placed_across, select(planar, planar_across, Vector{}));
  const Vector turned_towards = select(placed, placed_towards, planar_towards);
  const Features of_along{select(s.framed, dot(way, along) - last_along, all(0)),
                          select(s.framed, last_mean.x - last_along, all(0)), select(s.framed, mean_along, all(0))};
  const Features of_turn{select(placed, dot(way, placed_across), all(0)),
                         select(placed, (p * last_mean.z - q * last_mean.y) / placed_radius, all(0)), all(0)};

  const Real scale = load(b.last_scale);
  const Real scale2 = scale * scale;
  const Real bend = load(b.bend);
  const Real bend2 = load(b.bend2);
  s.length = max(last_length + weighted(of_length, b.shape_weights[0]), all(1));
  s.length_variance = max(square(load(b.length_deviation)), all(least_variance));
  s.axis = select(s.framed, along, Vector{});
  s.along =
      select(s.framed, between(last_along + weighted(of_along, b.shape_weights[1]), most_along * s.length), all(0));
  s.along_variance = max(square(load(b.along_deviation)) * scale2, all(least_variance));
  const Real circle = root(s.length * s.length - s.along * s.along);
  const Real turn = between(weighted(of_turn, b.shape_weights[2]), most_along * circle);
  const Vector on_circle = 1 / circle * (turn * turned + root(circle * circle - turn * turn) * turned_towards);
  const Vector on_sphere = select(less(all(0.5), way_length), 1 / way_length * way, Vector{all(1), all(0), all(0)});
  s.radius = select(s.framed, circle, s.length);
  s.direction = select(s.framed, on_circle, on_sphere);
  const Real spread = select(s.framed, bend2, 0.5 * bend2);
  const Real squared = s.radius * s.radius;
  s.across_variance = min(max(squared * spread * scale2, all(least_variance)), 0.5 * squared);
  const Real curve = 2 * bend - bend * bend - bend2;
  s.towards_variance = min(squared * max(curve, all(0)) * scale2 * scale2, 0.5 * squared);
  s.shrinkage = max(1 - bend * scale2, all(0));

  store(b.framed, s.framed);
  store(b.direction, s.direction);
  store(b.turned, turned);
  store(b.length, s.length);
  store(b.length_along, s.along);
  store(b.radius, s.radius);
  store(b.length_variance, s.length_variance);
  store(b.along_variance, s.along_variance);
  store(b.across_variance, s.across_variance);
  store(b.towards_variance, s.towards_variance);
  store(b.shrinkage, s.shrinkage);
  for (std::size_t k = 0; k < way_shape_features; ++k) {
    store(b.features[0][k], of_length[k]);
    store(b.features[1][k], of_along[k]);
    store(b.features[2][k], of_turn[k]);
  }
  begin(s, b);
}

GPZ_HD Real level_of(Real ratio) { return min(2 * ratio, all(way_side_levels - 1.0)); }

// Computes the two points of the circle that have the given first component.
template <typename Batch>
GPZ_HD void cut_circle(Batch &b, Real value) {
  const Real length = load(b.length);
  const Real along = load(b.length_along);
  const Real radius = load(b.radius);
  const Real length_variance = load(b.length_variance);
  const Real along_variance = load(b.along_variance);
  const Real across_variance = load(b.across_variance);
  const Vector e = load(b.axle);
  const Vector p = load(b.heading);
  const Vector c = load(b.sideways);
  const Vector l = load(b.by_length);
  const Vector a = load(b.by_along);
  const Real part = (value - load(b.expected)) / load(b.variance);
  const auto expected = [&](Real ed, Real pd, Real ld, Real ad, Real cd) {
    return along * ed + radius * pd +
           part * (length_variance * l.x * ld + along_variance * a.x * ad + across_variance * c.x * cd);
  };
  const Real ey = expected(e.y, p.y, l.y, a.y, c.y);
  const Real ez = expected(e.z, p.z, l.z, a.z, c.z);
  const Real sine = square(e.y) + square(e.z);
  const Real rest = along - value * e.x;
  const Real left = (square(length) - square(value)) * sine - square(rest);
  const Real half = select(less(all(0), left), root(left), all(0));
  const Real y0 = (rest * e.y - half * e.z) / sine;
  const Real z0 = (rest * e.z + half * e.y) / sine;
  const Real y1 = (rest * e.y - -half * e.z) / sine;
  const Real z1 = (rest * e.z + -half * e.y) / sine;
  const Real off0 = magnitude(y0 - ey) + magnitude(z0 - ez);
  const Real off1 = magnitude(y1 - ey) + magnitude(z1 - ez);
  store(b.y[0], y0);
  store(b.y[1], y1);
  store(b.z[0], z0);
  store(b.z[1], z1);
  store(b.near, less(off1, off0));
  const Real narrow = length_variance + along_variance;
  store(b.has_side, both(both(is(b.framed), is(b.is_wide)), less(4 * narrow * sine, square(half))));
  store(b.side_level, level_of(magnitude(off1 - off0) / (0.5 * root(across_variance) + 1)));
  // Rounding dominates the variance where the two points nearly coincide.
  const Real off_cut = 2 * length * root(length_variance) * sine + 2 * magnitude(rest) * root(along_variance);
  store(b.cut_variance, square(e.z / sine) * (square(off_cut) / (4 * max(left, all(0)) + 2 * off_cut)) +
                            square(e.y / sine) * along_variance + 0.2 * length_variance);
}

// Intersects the sphere with the given first component and takes the point in the predicted direction.
template <typename Batch>
GPZ_HD void cut_sphere(Batch &b, Real value) {
  const Mask framed = is(b.framed);
  const Real length = load(b.length);
  const Vector heading = load(b.heading);
  const Real rest = square(length) - square(value);
  const Real radius = select(less(all(0.01), rest), root(rest), all(0.1));
  const Real p = root(heading.y * heading.y + heading.z * heading.z);
  const Mask is_clear = less(all(0.01), p);
  const Real py = select(is_clear, heading.y / p, all(0));
  const Real pz = select(is_clear, heading.z / p, all(1));
  const Real expected = load(b.shrinkage) * radius * py;
  const Real ny = expected / length;
  const Real variance =
      max(load(b.across_variance) * pz * pz + load(b.length_variance) * ny * ny + load(b.towards_variance) * py * py,
          all(ExpectedNumber::rounding_variance));
  store(b.way_z, radius * pz);
  store(b.expected, select(framed, load(b.expected), expected));
  store(b.variance, select(framed, load(b.variance), variance));
}

template <typename Batch, std::size_t n>
GPZ_HD void cut(Batch &b, const Lanes<std::int32_t, n> &value) {
  const Real x = load(value);
  const Mask framed = is(b.framed);
  store(b.way_x, x);
  store(b.has_side, all(0));
  if (any(framed)) cut_circle(b, x);
  if (any(no(framed))) cut_sphere(b, x);
}

// Refines the chosen point to the most likely one nearby, if the angle around the axis is informative.
template <typename Batch>
GPZ_HD void settle(Batch &b) {
  const Mask framed = is(b.framed);
  if (!any(framed)) return number(b, load(b.expected), load(b.variance));
  const Mask other = is(b.near);
  const Mask is_wide = is(b.is_wide);
  const Vector e = load(b.axle);
  const Vector c = load(b.sideways);
  const Real length_variance = load(b.length_variance);
  const Real along_variance = load(b.along_variance);
  const Real across_variance = load(b.across_variance);
  const Vector way{load(b.way_x), select(other, load(b.y[1]), load(b.y[0])), select(other, load(b.z[1]), load(b.z[0]))};
  // Sums run over the components in the order x, y, z, as the format requires.
  const Vector axis = load(b.axis);
  const auto in_order = [&](const Vector &v) {
    const auto of = [&](double d) {
      return select(equal(axis.x, all(d)), v.x, select(equal(axis.y, all(d)), v.y, v.z));
    };
    return of(0) + of(1) + of(2);
  };
  const auto product = [&](const Vector &u, const Vector &v) { return in_order({u.x * v.x, u.y * v.y, u.z * v.z}); };
  const Real most = load(b.length);
  const Real il = 1 / length_variance;
  const Real ia = 1 / along_variance;
  const Real ic = 1 / across_variance;
  const Real way_length = max(root(product(way, way)), all(1));
  const Real ny = way.y / way_length;
  const Real nz = way.z / way_length;
  const Real off_length = (most - way_length) * il;
  const Real off_along = (load(b.length_along) - product(way, e)) * ia;
  const Real off_across = -product(way, c) * ic;
  const Real yy = ny * ny * il + e.y * e.y * ia + c.y * c.y * ic;
  const Real yz = ny * nz * il + e.y * e.z * ia + c.y * c.z * ic;
  const Real zz = nz * nz * il + e.z * e.z * ia + c.z * c.z * ic;
  const Real gy = ny * off_length + e.y * off_along + c.y * off_across;
  const Real gz = nz * off_length + e.z * off_along + c.z * off_across;
  const Real determinant = yy * zz - yz * yz;
  const Mask has_minimum = less(singular * yy * zz, determinant);
  const auto limited = [&](Real x) { return select(less(most, x), most, select(less(x, -most), -most, x)); };
  const Real y = select(has_minimum, way.y + limited((zz * gy - yz * gz) / determinant), way.y);
  const Real z = select(has_minimum, way.z + limited((yy * gz - yz * gy) / determinant), way.z);
  const Real narrow = min(select(has_minimum, zz / determinant, 1 / yy), 2 * square(load(b.radius)));
  const Real expected = select(framed, select(is_wide, way.y, y), load(b.expected));
  const Real variance = select(framed, select(is_wide, load(b.cut_variance), narrow), load(b.variance));

  store(b.way_z, select(framed, select(is_wide, way.z, z), load(b.way_z)));
  store(b.expected, expected);
  number(b, expected, variance);
  store(b.slope, select(is_wide, all(0), yz / zz));
}

template <typename Batch, std::size_t n>
GPZ_HD void cut_again(Batch &b, const Lanes<std::int32_t, n> &value) {
  const Mask framed = is(b.framed);
  const Real y = load(value);
  const Real z = load(b.way_z);
  const Real moved_z = z - load(b.slope) * (y - load(b.expected));
  const Real way_z = select(framed, moved_z, z);
  const Real length = load(b.length);
  const Real left = square(length) - square(load(b.way_x)) - square(y);
  const Real blur = length * root(load(b.length_variance));
  store(b.way_y, y);
  store(b.way_z, way_z);
  store(b.left, left);
  store(b.blur, blur);
  store(b.side, select(less(way_z, all(0)), -1, 1));
  store(b.has_side, both(both(no(framed), is(b.is_wide)), less(4 * blur, left)));
  store(b.side_level, level_of(magnitude(way_z) / (root(load(b.across_variance)) + 0.5)));
}

template <typename Batch>
GPZ_HD void settle_last(Batch &b) {
  const Mask framed = is(b.framed);
  const Real left = load(b.left);
  const Real blur = load(b.blur);
  const Real end = select(less(all(0), left), load(b.side) * root(left), all(0));
  // The closer the point is to the sphere's equator, the less precisely the length determines this component.
  Real weight = select(less(left, -4 * blur), 0.25 / blur,
                       (end * end + 0.25 * blur) / (square(load(b.length)) * load(b.length_variance)));
  Real sum = end * weight;
  if (any(framed)) {
    const Real x = load(b.way_x);
    const Real y = load(b.way_y);
    const auto add = [&](Mask mask, const Vector &e, Real middle, Real variance) {
      weight = select(mask, weight + e.z * e.z / variance, weight);
      sum = select(mask, sum + (middle - x * e.x - y * e.y) * e.z / variance, sum);
    };
    add(framed, load(b.axle), load(b.length_along), load(b.along_variance));
    add(both(framed, no(is(b.is_wide))), load(b.sideways), all(0), load(b.across_variance));
  }
  number(b, sum / weight, 1 / weight);
}

template <typename Batch>
GPZ_HD void remember(Batch &b) {
  const Vector way = load(b.way);
  const Vector place{dot(way, load(b.along)), dot(way, load(b.towards)), dot(way, load(b.across))};
  const Real way_length = length(way);
  const Real frames = min(load(b.last_frames) + 1, all(mean_frames));
  const Mask same = no(less(load(b.last_known), load(b.known)));
  const Real part = 1 / frames;
  const Vector last_mean = load(b.last_mean);
  const Real last_length = load(b.last_mean_length);
  store(b.place, place);
  store(b.mean, select(same, last_mean + part * (place - last_mean), place));
  store(b.now_length, way_length);
  store(b.actual_length, way_length);
  store(b.now_mean_length, last_length + part * (way_length - last_length));
  store(b.frames, frames);
}

// Updates the smoothed size of residuals. `size` is relative to the class.
template <typename Batch>
GPZ_HD void update_scale(Batch &b, Real size) {
  const Real scale = load(b.last_scale);
  const Real sizes = min(load(b.last_sizes) + 1, all(scale_frames));
  const Real limited = max(min(size, all(8)), all(0.05));
  const Real next_scale = scale + (limited - scale) / sizes;
  store(b.sizes, sizes);
  store(b.scale, max(min(next_scale, all(8)), all(0.1)));
}

template <typename Batch>
GPZ_HD void learn(Batch &b) {
  const Mask framed = is(b.framed);
  const Vector way = load(b.way);
  const Vector axis = select(framed, load(b.along), Vector{});
  const Real scale = load(b.last_scale);
  const Real along = select(framed, dot(way, axis), all(0));
  const Real off_along = magnitude(along - load(b.length_along));
  const Vector side = select(framed, way - along * axis, way);
  const Real side_length = length(side);
  const Real cosine = select(less(all(0.1), side_length), dot(side, load(b.direction)) / side_length, all(1));
  const Real bend = max(min(1 - cosine, all(2)), all(0));
  const Real usual_bend = bend * min(1 / (scale * scale), all(1));
  const Real bent = root(bend / load(b.bend));
  const Real size = select(framed, 0.5 * bent + 0.5 * (1.25 * off_along / load(b.along_deviation)), bent);
  store(b.off_length, magnitude(load(b.actual_length) - load(b.length)));
  store(b.off_along, off_along / scale);
  store(b.usual_bend, usual_bend);
  store(b.usual_bend2, 1 - (1 - usual_bend) * (1 - usual_bend));
  store(b.actual_along, along);
  store(b.actual_turned, dot(way, load(b.turned)));
  update_scale(b, 1.2 * size);
}

// Roots.
template <typename Batch>
GPZ_HD void expect_move(Batch &b) {
  store(b.step, expected_motion(b));
  const Real deviation = load(b.last_scale) * load(b.length_deviation);
  store(b.variance, deviation * deviation + 1.0 / 6);
  store(b.is_wide, all(0));
}

template <typename Batch>
GPZ_HD void number_of_move(Batch &b, std::size_t d) {
  store(b.axis[0], all(static_cast<double>(d)));
  rounded_number(b, load(b.step[d]), load(b.variance));
}

template <typename Batch>
GPZ_HD void learn_move(Batch &b) {
  const Vector off = load(b.way) - load(b.step);
  const Real mean = (magnitude(off.x) + magnitude(off.y) + magnitude(off.z)) / 3;
  store(b.off_length, mean / load(b.last_scale));
  update_scale(b, mean / load(b.length_deviation));
}

}  // namespace
}  // namespace GPZ_ISA
}  // namespace gpz::codec
