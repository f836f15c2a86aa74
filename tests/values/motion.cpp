// SPDX-License-Identifier: BSD-3-Clause
#include "motion.hpp"

#include <cmath>
#include <cstdlib>
#include <limits>

#include "edge_values.hpp"
#include "gpz/format/bytes.hpp"
#include "gpz/format/opened_chunk.hpp"
#include "gpz/format/section_head.hpp"

namespace gpz::values {
namespace {

constexpr double bound = 0.001;
constexpr double length = 50;  // of the box, which begins at -10
constexpr double begin = -10;
constexpr std::uint64_t turns = 64;  // frames in which a particle of Motion::straight turns twice
constexpr double half = 32;          // of them

// -1/2 to 1/2.
double uniform(std::uint64_t random) { return static_cast<double>(random >> 11) * 0x1p-53 - 0.5; }

// About normal, with a deviation of 1.
double normal(std::uint64_t random) {
  double sum = 0;
  for (int k = 0; k < 12; ++k) sum += uniform(random = hashed(random));
  return sum;
}

}  // namespace

template <typename T>
MovingParticles<T>::MovingParticles(Motion motion, std::size_t particles, std::uint64_t seed)
    : motion_(motion),
      seed_(hashed(seed)),
      step_(grid_step(bound, sizeof(T) == 4 ? ValueType::float32 : ValueType::float64)),
      steps_(3 * particles) {}

template <typename T>
double MovingParticles<T>::place(std::size_t i, std::size_t d) const {
  const std::uint64_t own = hashed(seed_ + 3 * i + d);
  const std::uint64_t now = hashed(own ^ frame_ * 0x9E3779B97F4A7C15u);
  const double first = begin + (uniform(own) + 0.5) * length;
  const double cell = std::floor(first / step_) * step_;  // its middle
  switch (motion_) {
    case Motion::still:
      return cell + 0.4 * step_ * uniform(now);
    case Motion::straight:
      return cell + 300 * step_ * uniform(hashed(own)) * std::fabs(static_cast<double>((frame_ + i) % turns) - half);
    case Motion::crystal:
      return cell + 40 * step_ * normal(now);
    case Motion::calm:
      return cell + 0.45 * step_ * normal(now);
    case Motion::chains:
      return begin + (uniform(hashed(seed_ + 3 * (i / 4 * 4) + d)) + 0.5) * length +
             static_cast<double>(i % (d == 1 ? 2 : 4)) + steps_[3 * i + d];
    default:
      return cell + steps_[3 * i + d];
  }
}

template <typename T>
double MovingParticles<T>::odd_value(std::uint64_t random, double value) const {
  const double limit = std::numeric_limits<T>::max();
  const double odd[] = {std::numeric_limits<double>::quiet_NaN(),
                        std::numeric_limits<double>::infinity(),
                        -limit,
                        std::numeric_limits<T>::denorm_min(),
                        -0.0,
                        step_ * 0x1p33,
                        -step_ * 0x1p50,
                        step_ * 0x1p55};
  return random % 16 == 0 ? odd[(random >> 8) % std::size(odd)] : value;
}

template <typename T>
FrameValues MovingParticles<T>::next() {
  using Other = std::conditional_t<std::is_same_v<T, float>, double, float>;
  const std::size_t n = steps_.size() / 3;
  std::vector<T> x, q;
  std::vector<Other> v;
  std::vector<std::int64_t> images, id, any;
  for (std::size_t i = 0; i < n; ++i) {
    const std::uint64_t now = hashed(hashed(seed_ ^ i) + frame_);
    const bool is_there = motion_ != Motion::exchange || hashed(i + 977 * ((frame_ + i) / 16)) % 4 != 0;
    for (std::size_t d = 0; d < 3; ++d) {
      const std::uint64_t mover = motion_ == Motion::chains ? i / 4 * 4 : i;
      if (frame_ != 0)
        steps_[3 * i + d] += 100 * step_ * normal(hashed(seed_ ^ (3 * mover + d)) + frame_ * 0x9E3779B97F4A7C15u) +
                             (motion_ == Motion::chains ? 2 * step_ * uniform(hashed(now + d)) : 0);
      if (!is_there) continue;
      const double unwrapped = place(i, d);
      const double image = std::floor((unwrapped - begin) / length);
      const double wrapped = unwrapped - image * length;
      images.push_back(static_cast<std::int64_t>(image));
      x.push_back(static_cast<T>(motion_ == Motion::odd ? odd_value(hashed(now + 7 * d), wrapped) : wrapped));
    }
    if (!is_there) continue;
    id.push_back(static_cast<std::int64_t>(3 * i) - 100);
    v.push_back(static_cast<Other>(5 * normal(now)));
    v.push_back(static_cast<Other>(edge_value<T>(seed_ ^ frame_, i, grid_step(0.01), 20)));
    q.push_back(static_cast<T>(uniform(hashed(i + (frame_ / 100)))));
    const std::uint64_t whole = hashed(now + 99) >> (now % 64);
    any.push_back(static_cast<std::int64_t>(now % 2 == 0 ? whole : ~whole));
  }
  ++frame_;

  FrameValues out;
  out.particles = id.size();
  out.box.kind = Box::Kind::orthogonal;
  out.box.boundary = {'p', 'p', 'p', 'p', 'p', 'p'};
  for (std::size_t d = 0; d < 3; ++d) {
    out.box.values[2 * d] = begin;
    out.box.values[2 * d + 1] = begin + length;
  }
  out.fields = {field_of({"x", "y", "z"}, std::move(x), bound),
                field_of({"vx", "vy"}, std::move(v), 0.01),
                field_of({"ix", "iy", "iz"}, std::move(images)),
                field_of({"q"}, std::move(q)),
                field_of({"any"}, std::move(any)),
                field_of({"id"}, std::move(id))};
  out.fields[0].field.leading = true;
  return out;
}

template class MovingParticles<float>;
template class MovingParticles<double>;

std::vector<std::string> predictions_of(const std::vector<std::uint8_t> &chunk, std::uint64_t particles,
                                        std::size_t fields, std::size_t components) {
  const ChunkKind kind = chunk_kind(chunk.data(), chunk.size());
  if (kind != ChunkKind::difference) return {kind == ChunkKind::ordered ? "order of ids" : "order of places"};
  const format::OpenedChunk head = format::open_chunk(chunk.data(), chunk.size(), fields);
  format::check_particles(head, particles);
  std::vector<std::string> found;
  if (head.arriving != 0 && head.leaving != 0) found.emplace_back("arrivals");
  const format::Span section = head.sections.at(0);
  if (section.size == 0) {
    found.emplace_back("nothing");
    return found;
  }
  const std::uint8_t *at = chunk.data() + section.offset;
  if (*at == format::steps) found.emplace_back("molecules");
  if (*at != format::predicted_values || section.size == format::field_coding_size) return found;
  at += format::field_coding_size + 16 * components;
  const auto exact = format::load_little<std::uint64_t>(at);
  if (exact != 0) found.emplace_back("exact values");
  at += 8 + 16 * exact;
  // Weights in units of 1/64 (of the mean place: an eighth of them). Small ones are what a fit to few particles gives.
  const auto is_large = [&](int i) { return std::abs(static_cast<std::int8_t>(at[i])) > 8; };
  if (is_large(1) || is_large(2)) found.emplace_back("velocity");
  if (is_large(3)) found.emplace_back("mean place");
  if (!is_large(1) && !is_large(2) && !is_large(3)) found.emplace_back("last place");
  const std::uint8_t *widths = at + 4;
  if (*at == 2) {
    found.emplace_back("neighbours");
    widths += 2 + widths[0] * widths[1];
  }
  if (components == 3 && widths[components] >= 3) found.emplace_back("triples");  // a head of 4 or more
  const auto no_bits = [&](std::size_t item) { return widths[item] == 0; };
  if (!no_bits(2 * components + 3)) found.emplace_back("exceptions");
  if (no_bits(0) && no_bits(1) && no_bits(2) && no_bits(2 * components)) found.emplace_back("no bits");
  return found;
}

}  // namespace gpz::values
