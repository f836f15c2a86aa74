// SPDX-License-Identifier: BSD-3-Clause
// A way whose length is known better than its direction, and perhaps its angle with an axis: its components, one after
// the other, each from those before it (docs/format.md, section 9c).
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>

#include "gpz/molecule/local_axes.hpp"

namespace gpz::molecule {

// Distances in grid steps, variances in their squares.
struct WayShape {
  bool framed = false;  // the component along an axis is known too
  double length = 1;    // at least 1
  double along = 0;     // at most 0.98 of the length, in magnitude
  Vector3 axis{};       // only if framed
  // Where the way ends on the circle about the axis, or on the sphere: a unit vector, on the circle square to the axis.
  Vector3 direction{};
  double radius = 1;  // of the circle or sphere
  double length_variance = 0;
  double along_variance = 0;
  double across_variance = 0;   // on the circle or sphere, square to `direction`
  double towards_variance = 0;  // in `direction`, by the curvature
  double shrinkage = 1;         // mean component in `direction`, in radii
};

class ExpectedWay {
 public:
  static constexpr unsigned side_levels = 8;
  static constexpr double rounding_variance = 0.1;

  explicit ExpectedWay(const WayShape &shape) : s_(shape) {
    wide_ = s_.across_variance > wide_part * s_.radius * s_.radius;
    const Vector3 &p = s_.direction;
    Vector3 n = p;  // of the way
    if (s_.framed) {
      across_ = cross(s_.axis, p);
      n = 1 / s_.length * (s_.along * s_.axis + s_.radius * p);
      const double cosine = s_.along / s_.length;
      const double inverse = 1 / (1 - cosine * cosine);
      of_length_ = inverse * (n - cosine * s_.axis);
      of_along_ = inverse * (s_.axis - cosine * n);
      order(s_.across_variance > anywhere_part * s_.radius * s_.radius ? smallest_of(s_.axis) : largest_of(across_), n);
    } else {
      order(smallest_of(n), n);
    }
    const std::size_t x = axis_[0];
    variance_ =
        s_.framed ? s_.length_variance * square(of_length_[x]) + s_.along_variance * square(of_along_[x]) +
                        s_.across_variance * square(across_[x]) + s_.towards_variance * square(p[x])
                  : (s_.length_variance + s_.towards_variance) * square(n[x]) + s_.across_variance * (1 - square(n[x]));
    expected_ = s_.shrinkage * s_.radius * p[x];
    if (s_.framed) expected_ += s_.along * s_.axis[x];
  }

  bool is_wide() const { return wide_; }
  std::size_t axis(int step) const { return axis_[static_cast<std::size_t>(step)]; }
  // Of the component of this step.
  double expected() const { return expected_; }
  double variance() const { return variance_ + rounding_variance; }

  // After each step, with its component.
  void update(int step, double value) {
    way_[axis(step)] = value;
    if (step == 0 && s_.framed) cut_circle(value - expected_);
    if (step == 0 && !s_.framed) cut_sphere();
    if (step == 1) find_last(value);
  }

  // The component of step 1 (on a circle) or 2 (on a sphere) may be on either of two sides.
  bool has_side(int step) const { return has_side_ && step == (s_.framed ? 1 : 2); }
  // How clear it is which one: 0 least.
  unsigned side_level() const { return side_level_; }
  bool is_on_other_side(const Vector3 &way) const {
    if (!s_.framed) return way[axis_[2]] * side_ < 0;
    const auto off = [&](std::size_t k) { return std::fabs(y_[k] - way[axis_[1]]) + std::fabs(z_[k] - way[axis_[2]]); };
    return off(1 - near_) < off(near_);
  }
  void take_other_side() {
    if (s_.framed)
      near_ = 1 - near_;
    else
      side_ = -side_;
  }
  // Before step 1 or 2, when the side is known.
  void prepare(int step) {
    if (step == 1 && s_.framed) settle_on_circle();
    if (step == 2) settle_last();
  }

 private:
  static constexpr double wide_part = 0.1;      // of the squared radius
  static constexpr double anywhere_part = 0.2;  // of the squared radius

  static double square(double x) { return x * x; }
  static std::size_t largest_of(const Vector3 &v) {
    std::size_t best = 0;
    for (std::size_t d = 1; d < v.size(); ++d)
      if (std::fabs(v[d]) > std::fabs(v[best])) best = d;
    return best;
  }
  static std::size_t smallest_of(const Vector3 &v) {
    std::size_t best = 0;
    for (std::size_t d = 1; d < v.size(); ++d)
      if (std::fabs(v[d]) < std::fabs(v[best])) best = d;
    return best;
  }
  static std::size_t next(std::size_t d) { return d == 2 ? 0 : d + 1; }
  // The component that the length tells best comes last.
  void order(std::size_t first, const Vector3 &n) {
    axis_ = {first, next(first), next(next(first))};
    if (std::fabs(n[axis_[1]]) > std::fabs(n[axis_[2]])) std::swap(axis_[1], axis_[2]);
  }
  void set_side_level(double ratio) { side_level_ = static_cast<unsigned>(std::min(2 * ratio, side_levels - 1.0)); }

  // The two points of the circle that have the first component.
  void cut_circle(double off) {
    const std::size_t x = axis_[0], y = axis_[1], z = axis_[2];
    const Vector3 &e = s_.axis;
    const double part = off / variance_;
    const auto expected = [&](std::size_t d) {
      return s_.along * e[d] + s_.radius * s_.direction[d] +
             part * (s_.length_variance * of_length_[x] * of_length_[d] +
                     s_.along_variance * of_along_[x] * of_along_[d] + s_.across_variance * across_[x] * across_[d]);
    };
    const double ey = expected(y);
    const double ez = expected(z);
    const double sine = square(e[y]) + square(e[z]);
    const double rest = s_.along - way_[x] * e[x];
    const double cut = (square(s_.length) - square(way_[x])) * sine - square(rest);
    const double root = cut > 0 ? std::sqrt(cut) : 0;
    double off_by[2];
    for (std::size_t k = 0; k < 2; ++k) {
      const double r = k == 0 ? root : -root;
      y_[k] = (rest * e[y] - r * e[z]) / sine;
      z_[k] = (rest * e[z] + r * e[y]) / sine;
      off_by[k] = std::fabs(y_[k] - ey) + std::fabs(z_[k] - ez);
    }
    near_ = off_by[1] < off_by[0] ? 1 : 0;
    const double narrow = s_.length_variance + s_.along_variance;
    has_side_ = wide_ && square(root) > 4 * narrow * sine;
    if (has_side_) set_side_level(std::fabs(off_by[1] - off_by[0]) / (0.5 * std::sqrt(s_.across_variance) + 1));
    // Where the points meet, rounding counts most.
    const double off_cut =
        2 * s_.length * std::sqrt(s_.length_variance) * sine + 2 * std::fabs(rest) * std::sqrt(s_.along_variance);
    cut_variance_ = square(e[z] / sine) * (square(off_cut) / (4 * std::max(cut, 0.0) + 2 * off_cut)) +
                    square(e[y] / sine) * s_.along_variance + 0.2 * s_.length_variance;
  }

  // The most likely point near the one that was taken, where the angle about the axis says something.
  void settle_on_circle() {
    const std::size_t y = axis_[1], z = axis_[2];
    const Vector3 &e = s_.axis;
    way_[y] = y_[near_];
    way_[z] = z_[near_];
    slope_ = 0;
    if (wide_) {
      expected_ = way_[y];
      variance_ = cut_variance_;
      return;
    }
    const double il = 1 / s_.length_variance;
    const double ia = 1 / s_.along_variance;
    const double ic = 1 / s_.across_variance;
    const double length = std::max(crystal::length(way_), 1.0);
    const double ny = way_[y] / length;
    const double nz = way_[z] / length;
    const double off_length = (s_.length - length) * il;
    const double off_along = (s_.along - dot(way_, e)) * ia;
    const double off_across = -dot(way_, across_) * ic;
    const double yy = ny * ny * il + e[y] * e[y] * ia + across_[y] * across_[y] * ic;
    const double yz = ny * nz * il + e[y] * e[z] * ia + across_[y] * across_[z] * ic;
    const double zz = nz * nz * il + e[z] * e[z] * ia + across_[z] * across_[z] * ic;
    const double gy = ny * off_length + e[y] * off_along + across_[y] * off_across;
    const double gz = nz * off_length + e[z] * off_along + across_[z] * off_across;
    const double determinant = yy * zz - yz * yz;
    variance_ = 2 * square(s_.radius);
    if (determinant > singular * yy * zz) {
      way_[y] += limited((zz * gy - yz * gz) / determinant);
      way_[z] += limited((yy * gz - yz * gy) / determinant);
      variance_ = std::min(zz / determinant, variance_);
    } else {
      variance_ = std::min(1 / yy, variance_);
    }
    expected_ = way_[y];
    slope_ = yz / zz;
  }
  static constexpr double singular = 1e-9;
  double limited(double x) const { return x > s_.length ? s_.length : x < -s_.length ? -s_.length : x; }

  // The circle of the sphere that has the first component: the point in the expected direction.
  void cut_sphere() {
    const std::size_t x = axis_[0], y = axis_[1], z = axis_[2];
    const double rest = square(s_.length) - square(way_[x]);
    const double radius = rest > 0.01 ? std::sqrt(rest) : 0.1;
    double py = s_.direction[y];
    double pz = s_.direction[z];
    const double p = std::sqrt(py * py + pz * pz);
    py = p > 0.01 ? py / p : 0;
    pz = p > 0.01 ? pz / p : 1;
    way_[z] = radius * pz;
    expected_ = s_.shrinkage * radius * py;
    const double ny = expected_ / s_.length;
    variance_ = std::max(s_.across_variance * pz * pz + s_.length_variance * ny * ny + s_.towards_variance * py * py,
                         rounding_variance);
  }

  void find_last(double value) {
    const std::size_t x = axis_[0], z = axis_[2];
    if (s_.framed) way_[z] -= slope_ * (value - expected_);
    left_ = square(s_.length) - square(way_[x]) - square(value);
    side_ = way_[z] < 0 ? -1 : 1;
    blur_ = s_.length * std::sqrt(s_.length_variance);
    if (s_.framed) {
      has_side_ = false;
    } else {
      has_side_ = wide_ && left_ > 4 * blur_;
      if (has_side_) set_side_level(std::fabs(way_[z]) / (std::sqrt(s_.across_variance) + 0.5));
    }
  }

  void settle_last() {
    const std::size_t x = axis_[0], y = axis_[1], z = axis_[2];
    const double root = left_ > 0 ? side_ * std::sqrt(left_) : 0;
    // The flatter the sphere is there, the less the length says.
    double weight =
        left_ < -4 * blur_ ? 0.25 / blur_ : (root * root + 0.25 * blur_) / (square(s_.length) * s_.length_variance);
    double sum = root * weight;
    if (s_.framed) {
      const auto add = [&](const Vector3 &e, double middle, double variance) {
        weight += e[z] * e[z] / variance;
        sum += (middle - way_[x] * e[x] - way_[y] * e[y]) * e[z] / variance;
      };
      add(s_.axis, s_.along, s_.along_variance);
      if (!wide_) add(across_, 0, s_.across_variance);
    }
    expected_ = sum / weight;
    variance_ = 1 / weight;
  }

  WayShape s_;
  bool wide_ = false;
  Vector3 across_{};     // along the circle
  Vector3 of_length_{};  // how the way changes with its length alone
  Vector3 of_along_{};   // and with its component along the axis
  std::array<std::size_t, 3> axis_{};
  double expected_ = 0;
  double variance_ = 0;
  Vector3 way_{};  // known or most likely components
  std::array<double, 2> y_{};
  std::array<double, 2> z_{};
  std::size_t near_ = 0;
  bool has_side_ = false;
  unsigned side_level_ = 0;
  double cut_variance_ = 0;
  double slope_ = 0;
  double left_ = 0;
  double side_ = 1;
  double blur_ = 1;
};

}  // namespace gpz::molecule
