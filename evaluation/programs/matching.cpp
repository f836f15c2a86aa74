// SPDX-License-Identifier: BSD-3-Clause
#include "matching.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <tuple>

namespace evaluation {

namespace {

constexpr std::uint32_t nobody = UINT32_MAX;

// NaN sorts after all numbers, so that the order is one.
double sortable(float x) { return std::isnan(x) ? std::numeric_limits<double>::infinity() : static_cast<double>(x); }

}  // namespace

// The largest difference of a coordinate; infinity with NaN.
double Matching::distance(std::uint32_t original, std::uint32_t decoded) const {
  double largest = 0;
  for (int d = 0; d < components_; ++d) {
    const std::uint64_t column = static_cast<std::uint64_t>(d) * stride_;
    const double difference =
        std::fabs(static_cast<double>(original_[column + original]) - static_cast<double>(decoded_[column + decoded]));
    if (!(difference <= largest))
      largest = std::isnan(difference) ? std::numeric_limits<double>::infinity() : difference;
  }
  return largest;
}

void Matching::find_points() {
  const auto key = [this](std::uint32_t i) {
    return std::make_tuple(sortable(decoded_[i]), sortable(decoded_[(components_ > 1 ? stride_ : 0) + i]),
                           sortable(decoded_[(components_ > 2 ? 2 * stride_ : 0) + i]));
  };
  order_.resize(particles_);
  std::iota(order_.begin(), order_.end(), 0u);
  std::sort(order_.begin(), order_.end(), [&](std::uint32_t a, std::uint32_t b) { return key(a) < key(b); });
  points_.clear();
  for (std::uint32_t k = 0; k < particles_; ++k) {
    if (points_.empty() || key(order_[points_.back().first]) != key(order_[k])) points_.push_back({k, k, {}});
    points_.back().end = k + 1;
  }
}

void Matching::find_candidates() {
  candidates_.resize(particles_);
  for (std::uint32_t i = 0; i < particles_; ++i) {
    std::vector<Candidate> &found = candidates_[i];
    found.clear();
    const auto x = static_cast<double>(original_[i]);
    const auto from = std::partition_point(points_.begin(), points_.end(), [&](const Point &point) {
      return sortable(decoded_[order_[point.first]]) < x - reach_;
    });
    for (auto point = from; point != points_.end(); ++point) {
      const std::uint32_t there = order_[point->first];
      if (sortable(decoded_[there]) > x + reach_) break;
      const double away = distance(i, there);
      if (away <= reach_) found.push_back({away, static_cast<std::uint32_t>(point - points_.begin())});
    }
    std::sort(found.begin(), found.end(),
              [](const Candidate &a, const Candidate &b) { return a.distance < b.distance; });
  }
}

bool Matching::has_room(std::uint32_t point) const {
  return points_[point].owners.size() < points_[point].end - points_[point].first;
}

// A place for this original, for which others may move to another place within their reach: the shortest chain of
// moves that ends at a point with room (an augmenting path).
bool Matching::place(std::uint32_t original) {
  std::vector<std::uint32_t> asked_by(points_.size(), nobody);  // the original that would move to the point
  std::vector<std::uint32_t> came_from(particles_, nobody);     // the point that an original would leave
  std::vector<std::uint32_t> queue = {original};
  for (std::size_t k = 0; k < queue.size(); ++k)
    for (const Candidate &candidate : candidates_[queue[k]]) {
      std::uint32_t point = candidate.point;
      if (asked_by[point] != nobody) continue;
      asked_by[point] = queue[k];
      if (!has_room(point)) {
        for (const std::uint32_t owner : points_[point].owners) {
          came_from[owner] = point;
          queue.push_back(owner);
        }
        continue;
      }
      for (;;) {
        const std::uint32_t mover = asked_by[point];
        points_[point].owners.push_back(mover);
        if (mover == original) return true;
        point = came_from[mover];
        std::vector<std::uint32_t> &owners = points_[point].owners;
        owners.erase(std::find(owners.begin(), owners.end(), mover));
      }
    }
  return false;
}

void Matching::place_leftovers() {
  std::vector<std::uint32_t> open;
  for (std::uint32_t p = 0; p < points_.size(); ++p)
    if (has_room(p)) open.push_back(p);
  for (const std::uint32_t original : left_) {
    const auto nearest = std::min_element(open.begin(), open.end(), [&](std::uint32_t a, std::uint32_t b) {
      return distance(original, order_[points_[a].first]) < distance(original, order_[points_[b].first]);
    });
    points_[*nearest].owners.push_back(original);
    if (!has_room(*nearest)) open.erase(nearest);
  }
}

// Most have their nearest point for themselves; the others may need chains of moves.
void Matching::place_all() {
  for (Point &point : points_) point.owners.clear();
  left_.clear();
  std::vector<std::uint32_t> waiting;
  for (std::uint32_t i = 0; i < particles_; ++i) {
    if (!candidates_[i].empty() && has_room(candidates_[i].front().point))
      points_[candidates_[i].front().point].owners.push_back(i);
    else
      waiting.push_back(i);
  }
  for (const std::uint32_t i : waiting)
    if (!place(i)) left_.push_back(i);
}

const std::vector<std::uint32_t> &Matching::match(const float *original, const float *decoded, std::uint64_t stride,
                                                  std::uint64_t particles) {
  original_ = original;
  decoded_ = decoded;
  stride_ = stride;
  particles_ = static_cast<std::uint32_t>(particles);
  find_points();
  for (const double reach : reaches_) {
    reach_ = reach;
    find_candidates();
    place_all();
    if (left_.empty()) break;
  }
  place_leftovers();
  partner_.resize(particles_);
  for (const Point &point : points_)
    for (std::uint32_t k = 0; k < point.owners.size(); ++k) partner_[point.owners[k]] = order_[point.first + k];
  return partner_;
}

}  // namespace evaluation
