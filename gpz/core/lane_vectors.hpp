// SPDX-License-Identifier: BSD-3-Clause
// Vectors of three components, and the order of their components, for vectors of lanes and for single ones.
//
// A type of lanes `V` has the types V::Real, V::Integer, V::Mask. For these there are the operators, and the functions
// of "single lanes" below, each of which is one operation of IEEE 754.
#pragma once

#include <cmath>
#include <cstdint>

#include "gpz/core/config.hpp"

namespace gpz::core {

inline namespace GPZ_ISA {

// Single lanes.
struct OneLane {
  using Real = float;
  using Integer = std::int32_t;
  using Mask = bool;
};
GPZ_HD bool less(float a, float b) { return a < b; }
GPZ_HD bool both(bool a, bool b) { return a && b; }
GPZ_HD bool either(bool a, bool b) { return a || b; }
GPZ_HD bool more(std::int32_t a, std::int32_t b) { return a > b; }
GPZ_HD bool differ(bool a, bool b) { return a != b; }
GPZ_HD float select(bool mask, float a, float b) { return mask ? a : b; }
GPZ_HD std::int32_t select(bool mask, std::int32_t a, std::int32_t b) { return mask ? a : b; }
GPZ_HD bool all(bool a) { return a; }
GPZ_HD float root_of(float x) { return sqrtf(x); }
GPZ_HD float magnitude(float x) { return fabsf(x); }
// NaN becomes b.
GPZ_HD float smaller(float a, float b) { return a < b ? a : b; }
GPZ_HD float larger(float a, float b) { return b < a ? a : b; }
GPZ_HD float real_of(std::int32_t x) { return static_cast<float>(x); }
GPZ_HD std::int32_t whole_part(float x) { return static_cast<std::int32_t>(x); }
GPZ_HD std::int32_t smaller(std::int32_t a, std::int32_t b) { return a < b ? a : b; }
GPZ_HD std::int32_t larger(std::int32_t a, std::int32_t b) { return a > b ? a : b; }
GPZ_HD std::int32_t integers_of_bits(float x) { return bit_cast<std::int32_t>(x); }
GPZ_HD std::int32_t shifted_up(std::int32_t x, int n) {
  return static_cast<std::int32_t>(static_cast<std::uint32_t>(x) << n);
}
GPZ_HD std::int32_t shifted_down(std::int32_t x, int n) {
  return static_cast<std::int32_t>(static_cast<std::uint32_t>(x) >> n);
}
GPZ_HD std::int32_t signed_down(std::int32_t x, int n) { return x >> n; }

template <typename T>
struct Vector {
  T x, y, z;
};
template <typename T>
GPZ_HD Vector<T> operator+(const Vector<T> &a, const Vector<T> &b) {
  return {a.x + b.x, a.y + b.y, a.z + b.z};
}
template <typename T>
GPZ_HD Vector<T> operator-(const Vector<T> &a, const Vector<T> &b) {
  return {a.x - b.x, a.y - b.y, a.z - b.z};
}
template <typename R>
GPZ_HD Vector<R> times(R k, const Vector<R> &a) {
  return {k * a.x, k * a.y, k * a.z};
}
template <typename R>
GPZ_HD R dot(const Vector<R> &a, const Vector<R> &b) {
  return a.x * b.x + a.y * b.y + a.z * b.z;
}
template <typename R>
GPZ_HD Vector<R> cross(const Vector<R> &a, const Vector<R> &b) {
  return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
template <typename I>
GPZ_HD auto reals_of(const Vector<I> &a) {
  return Vector<decltype(real_of(a.x))>{real_of(a.x), real_of(a.y), real_of(a.z)};
}
template <typename M, typename R>
GPZ_HD Vector<R> select(M mask, const Vector<R> &a, const Vector<R> &b) {
  return {select(mask, a.x, b.x), select(mask, a.y, b.y), select(mask, a.z, b.z)};
}
template <typename R>
GPZ_HD R clamped(R x, R least, R most) {
  return larger(smaller(x, most), least);
}
template <typename R>
GPZ_HD R over_root_of(R x) {
  return R(1.0F) / root_of(x);
}

// The order in which components are coded: one comes first, then the next ones in a circle, and the last two may be
// exchanged.
template <typename M>
struct Turn {
  M first_is_y, first_is_z;  // the latter decides
  M exchanged;

  template <typename T>
  GPZ_HD Vector<T> circle(const Vector<T> &v) const {
    return {select(first_is_z, v.z, select(first_is_y, v.y, v.x)),
            select(first_is_z, v.x, select(first_is_y, v.z, v.y)),
            select(first_is_z, v.y, select(first_is_y, v.x, v.z))};
  }
  // The unit vector of the component that comes first.
  template <typename T>
  GPZ_HD Vector<T> unit(T one) const {
    const T none = one - one;
    const T y = select(first_is_y, one, none);
    return {select(first_is_z, none, one - y), select(first_is_z, none, y), select(first_is_z, one, none)};
  }
  template <typename T>
  GPZ_HD Vector<T> exchange(const Vector<T> &v) const {
    return {v.x, select(exchanged, v.z, v.y), select(exchanged, v.y, v.z)};
  }
  template <typename T>
  GPZ_HD Vector<T> in(const Vector<T> &v) const {
    return exchange(circle(v));
  }
  template <typename T>
  GPZ_HD Vector<T> out(const Vector<T> &turned) const {
    const Vector<T> v = exchange(turned);
    return {select(first_is_z, v.y, select(first_is_y, v.z, v.x)),
            select(first_is_z, v.z, select(first_is_y, v.x, v.y)),
            select(first_is_z, v.x, select(first_is_y, v.y, v.z))};
  }
};
template <typename M, typename R>
GPZ_HD Turn<M> least_first(const Vector<R> &v) {
  const R x = magnitude(v.x), y = magnitude(v.y), z = magnitude(v.z);
  return {less(y, x), less(z, smaller(y, x)), {}};
}
template <typename M, typename R>
GPZ_HD Turn<M> greatest_first(const Vector<R> &v) {
  const R x = magnitude(v.x), y = magnitude(v.y), z = magnitude(v.z);
  return {less(x, y), less(larger(y, x), z), {}};
}

}  // namespace GPZ_ISA
}  // namespace gpz::core
