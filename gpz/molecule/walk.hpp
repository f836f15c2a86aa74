// SPDX-License-Identifier: BSD-3-Clause
// The one pass over the particles of a segment that encoder and decoder share (docs/format.md, section 9c).
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "gpz/molecule/class_fit.hpp"
#include "gpz/molecule/contexts.hpp"
#include "gpz/molecule/expected_way.hpp"
#include "gpz/molecule/local_axes.hpp"
#include "gpz/molecule/memory.hpp"
#include "gpz/molecule/tree.hpp"

namespace gpz::molecule {

// What the pass needs to know, of all particles.
struct Walk {
  const Tree *tree = nullptr;
  const Particle *last = nullptr;  // after the frame before
  Particle *now = nullptr;         // of an encoder, with ways, displacements and images of this frame
  const ClassRecord *classes = nullptr;
};

// Remembers where the particle is in its molecule. `axes`: those of now; `before`: what was remembered, or nullptr.
inline void remember_place(Particle &now, const LocalAxes &axes, const Particle *before) {
  const Vector3 way = vector_of(now.way);
  const Vector3 place{dot(way, axes.along), dot(way, axes.towards), dot(way, axes.across)};
  const double length = crystal::length(way);
  const int frames = before == nullptr ? 1 : std::min(before->frames + 1, mean_frames);
  const bool same = before != nullptr && before->known >= axes.known;
  const double part = 1.0 / frames;
  for (std::size_t d = 0; d < place.size(); ++d) {
    now.place[d] = static_cast<float>(place[d]);
    now.mean[d] = same ? static_cast<float>(before->mean[d] + part * (place[d] - before->mean[d])) : now.place[d];
  }
  now.length = static_cast<float>(length);
  now.mean_length =
      before == nullptr ? now.length : static_cast<float>(before->mean_length + part * (length - before->mean_length));
  now.known = static_cast<std::uint8_t>(axes.known);
  now.frames = static_cast<std::uint8_t>(frames);
}

// Of a class of `members` particles, some thousand are enough for a fit.
inline bool is_sampled(std::size_t slot, std::size_t members) {
  constexpr std::uint64_t enough = 256;
  if (members <= enough) return true;
  return (slot * 0x9E3779B1u & 0xFFFFFFFFu) * members < enough << 32;
}

// Side: void particle(i) comes first. bool is_stored(i) says whether the particle is an exception, whose way,
// displacement and image `now` has then. std::int32_t component(d, expected, variance, group) codes component d of a
// way or displacement, which is `expected` steps; bool side(way) the side of an ExpectedWay. void place(i) finds or
// codes the image of the particle, and its index.
template <typename Side>
class Pass {
 public:
  // `sums`: of each class, to which the particles of the segment are added.
  Pass(const Walk &walk, std::vector<ClassSums> &sums, Side &side) : w_(walk), sums_(sums), side_(side) {}

  void run(std::size_t first, std::size_t end) {
    for (std::size_t i = first; i < end; ++i) {
      const Links &links = (*w_.tree)[i];
      side_.particle(i);
      Particle &now = w_.now[i];
      now.before = w_.last[i].moved;
      if (links.parent == 0)
        move_root(i, links, now);
      else
        bind(i, links, now);
      side_.place(i);
    }
  }

 private:
  using Motion = std::array<Vector3, motion_features>;

  const ClassFit &fit_of(const Links &links) const { return w_.classes[links.of_class].fit; }
  bool is_sampled(std::size_t i, const Links &links) const {
    return molecule::is_sampled(i, w_.tree->members(links.of_class));
  }

  static Vector3 expected_of(const Motion &motion, const ClassFit &fit) {
    Vector3 sum{};
    for (std::size_t k = 0; k < motion.size(); ++k) sum = sum + fit.motion[k] * motion[k];
    return sum;
  }
  void add_motion(ClassSums &sums, const Motion &motion, const Vector3 &actual) const {
    for (std::size_t d = 0; d < actual.size(); ++d) {
      std::array<double, motion_features> features;
      for (std::size_t k = 0; k < motion.size(); ++k) features[k] = motion[k][d];
      sums.motion.add(features, actual[d]);
    }
  }

  // The size of residuals, one more frame long: `size` in units of what is usual.
  static void update_scale(Particle &now, const Particle &last, double size) {
    now.sizes = static_cast<std::uint8_t>(std::min(last.sizes + 1, scale_frames));
    const double limited = std::max(std::min(size, 8.0), 0.05);
    const double scale = last.scale + (limited - last.scale) / now.sizes;
    now.scale = static_cast<float>(std::max(std::min(scale, 8.0), 0.1));
  }
  static void keep_scale(Particle &now, const Particle &last) {
    now.scale = last.scale;
    now.sizes = last.sizes;
  }

  void move_root(std::size_t i, const Links &links, Particle &now) {
    const Particle &last = w_.last[i];
    keep_scale(now, last);
    if (side_.is_stored(i)) return;
    const ClassFit &fit = fit_of(links);
    const Motion motion{vector_of(last.moved), vector_of(last.before)};
    const Vector3 expected = expected_of(motion, fit);
    const double scale = last.scale;
    const double deviation = scale * fit.length_deviation;
    const double variance = deviation * deviation + 1.0 / 6;
    double off = 0;
    for (std::size_t d = 0; d < expected.size(); ++d) {
      now.moved[d] = side_.component(d, expected[d], variance, Group::usual);
      off += std::fabs(now.moved[d] - expected[d]);
    }
    off /= 3;
    ClassSums &sums = sums_[links.of_class];
    sums.count += 1;
    sums.off_length += off / scale;
    if (is_sampled(i, links)) {
      add_motion(sums, motion, vector_of(now.moved));
      sums.samples += 1;
    }
    update_scale(now, last, off / fit.length_deviation);
  }

  // What is expected of a way, and the features it is expected from.
  struct Expectation {
    WayShape shape;
    Motion motion;
    Vector3 across{};              // the third axis, of which the mean is expected
    double length = 0, along = 0;  // before features
    std::array<std::array<double, shape_features>, 3> features{};
  };

  static double weighted(const std::array<double, shape_features> &features,
                         const std::array<double, shape_features> &weights) {
    double sum = 0;
    for (std::size_t k = 0; k < features.size(); ++k) sum += features[k] * weights[k];
    return sum;
  }

  Expectation expect(std::size_t i, const Links &links, const LocalAxes &axes) const {
    const Particle &last = w_.last[i];
    const Particle &parent = w_.now[i - links.parent];
    const Particle &last_parent = w_.last[i - links.parent];
    const ClassFit &fit = fit_of(links);
    Expectation e;
    e.motion = {vector_of(last.moved) - vector_of(last_parent.moved),
                vector_of(last.before) - vector_of(last_parent.before), vector_of(parent.moved),
                vector_of(last_parent.moved)};
    const Vector3 way = vector_of(last.way) + expected_of(e.motion, fit);
    const double way_length = crystal::length(way);
    e.length = last.length;
    e.along = last.place[0];
    Vector3 towards{};
    int known = std::min(axes.known, static_cast<int>(last.known));
    if (known == 2) {
      // The axes turn so that the last place has no part in the third.
      const double p = last.place[1];
      const double q = last.place[2];
      const double radius = std::sqrt(p * p + q * q);
      if (radius < least_radius || radius < least_part * e.length) {
        known = 0;
      } else {
        towards = 1 / radius * (p * axes.towards + q * axes.across);
        e.across = 1 / radius * (p * axes.across - q * axes.towards);
        e.features[2] = {dot(way, e.across), (p * last.mean[2] - q * last.mean[1]) / radius, 0};
      }
    } else if (known == 1) {
      const Vector3 normal = cross(axes.along, way);
      const double width = crystal::length(normal);
      if (width < least_radius || width < least_part * way_length) {
        known = 0;
      } else {
        e.across = 1 / width * normal;
        towards = cross(e.across, axes.along);
      }
    }
    WayShape &shape = e.shape;
    shape.framed = known != 0;
    if (shape.framed)
      e.features[1] = {dot(way, axes.along) - e.along, last.mean[0] - e.along,
                       fit.has_along ? fit.mean_along - e.along : 0};
    e.features[0] = {way_length - e.length, last.mean_length - e.length, fit.mean_length - e.length};
    shape.length = std::max(e.length + weighted(e.features[0], fit.shape[0]), 1.0);
    const double scale = last.scale;
    const double scale2 = scale * scale;
    shape.length_variance = std::max(fit.length_deviation * fit.length_deviation, least_variance);
    double bend2 = fit.bend2;
    if (shape.framed) {
      const double most = most_along * shape.length;
      shape.axis = axes.along;
      shape.along = std::max(std::min(e.along + weighted(e.features[1], fit.shape[1]), most), -most);
      shape.along_variance = std::max(fit.along_deviation * fit.along_deviation * scale2, least_variance);
      shape.radius = std::sqrt(shape.length * shape.length - shape.along * shape.along);
      const double most_across = most_along * shape.radius;
      const double across = std::max(std::min(weighted(e.features[2], fit.shape[2]), most_across), -most_across);
      shape.direction =
          1 / shape.radius * (across * e.across + std::sqrt(shape.radius * shape.radius - across * across) * towards);
    } else {
      shape.radius = shape.length;
      shape.direction = way_length > 0.5 ? 1 / way_length * way : Vector3{1, 0, 0};
      bend2 = 0.5 * bend2;
    }
    const double square = shape.radius * shape.radius;
    shape.across_variance = std::min(std::max(square * bend2 * scale2, least_variance), 0.5 * square);
    const double curve = 2 * fit.bend - fit.bend * fit.bend - fit.bend2;
    shape.towards_variance = std::min(square * std::max(curve, 0.0) * scale2 * scale2, 0.5 * square);
    shape.shrinkage = std::max(1 - fit.bend * scale2, 0.0);
    return e;
  }

  void bind(std::size_t i, const Links &links, Particle &now) {
    const LocalAxes axes(*w_.tree, w_.now, i);
    const Particle &last = w_.last[i];
    if (side_.is_stored(i)) {
      keep_scale(now, last);
      remember_place(now, axes, &last);
      return;
    }
    const Expectation e = expect(i, links, axes);
    ExpectedWay way(e.shape);
    for (int step = 0; step < 3; ++step) {
      if (way.has_side(step) && side_.side(way)) way.take_other_side();
      way.prepare(step);
      const Group group = step == 2                                         ? Group::last
                          : way.is_wide() && (step == 0 || !e.shape.framed) ? Group::wide
                                                                            : Group::usual;
      const std::size_t d = way.axis(step);
      now.way[d] = side_.component(d, way.expected(), way.variance(), group);
      way.update(step, now.way[d]);
    }
    const Particle &parent = w_.now[i - links.parent];
    for (std::size_t d = 0; d < now.way.size(); ++d)
      now.moved[d] = core::limited(std::int64_t{parent.moved[d]} + now.way[d] - last.way[d], longest_move);
    learn(i, links, e, now);
    remember_place(now, axes, &last);
  }

  void learn(std::size_t i, const Links &links, const Expectation &e, Particle &now) {
    const Particle &last = w_.last[i];
    const ClassFit &fit = fit_of(links);
    const WayShape &shape = e.shape;
    const Vector3 way = vector_of(now.way);
    const double length = crystal::length(way);
    const double along = shape.framed ? dot(way, shape.axis) : 0;
    const double off_along = std::fabs(along - shape.along);
    const Vector3 side = shape.framed ? way - along * shape.axis : way;
    const double side_length = crystal::length(side);
    const double cosine = side_length > 0.1 ? dot(side, shape.direction) / side_length : 1;
    const double bend = std::max(std::min(1 - cosine, 2.0), 0.0);
    const double scale = last.scale;
    const double usual_bend = bend * std::min(1 / (scale * scale), 1.0);
    ClassSums &sums = sums_[links.of_class];
    sums.count += 1;
    sums.off_length += std::fabs(length - shape.length);
    sums.length += length;
    sums.bend += usual_bend;
    sums.bend2 += 1 - (1 - usual_bend) * (1 - usual_bend);
    double size = std::sqrt(bend / fit.bend);
    if (shape.framed) {
      sums.off_along += off_along / scale;
      sums.along += along;
      size = 0.5 * size + 0.5 * (1.25 * off_along / fit.along_deviation);
    }
    update_scale(now, last, 1.2 * size);
    if (!is_sampled(i, links)) return;
    sums.samples += 1;
    add_motion(sums, e.motion, way - vector_of(last.way));
    sums.shape[0].add(e.features[0], length - e.length);
    if (!shape.framed) return;
    sums.shape[1].add(e.features[1], along - e.along);
    sums.shape[2].add(e.features[2], dot(way, e.across));
  }

  static constexpr double least_radius = 0.5;  // steps
  static constexpr double least_part = 0.05;   // of the length
  static constexpr double most_along = 0.98;   // of the length
  static constexpr double least_variance = 0.17;

  const Walk &w_;
  std::vector<ClassSums> &sums_;
  Side &side_;
};

}  // namespace gpz::molecule
