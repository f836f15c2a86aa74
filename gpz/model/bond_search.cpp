// SPDX-License-Identifier: BSD-3-Clause
// Fixed distances show as sharp peaks among the distances of particles that are a given number of slots apart: only the
// rounding to the grid widens them. A sample of the particles is searched for peaks, then all particles for bonds.
#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "gpz/model/bonds.hpp"

namespace gpz::model {
namespace {

constexpr std::size_t max_lag = 15;
constexpr std::size_t runs = 16;  // of the sample
constexpr std::size_t run_length = 256;
constexpr std::size_t least_members = 24;  // of a peak
constexpr std::size_t tries = 16;          // places for a peak, a lag
// In grid steps. Rounded to the grid, distances have a standard deviation of sqrt(1 / 6).
constexpr float core_width = 1.2F;         // of the window that looks for the middle of a peak
constexpr float half_width = 1.4F;         // a peak has hardly a member beyond it
constexpr float valley_width = 1.6F;       // of the windows beside it
constexpr float largest_variance = 0.25F;  // of those within 1 step
constexpr std::size_t sharpness = 12;      // members of the middle for each distance in the emptier valley
constexpr float tolerance = 1.0F / 4096;   // of the programs that keep distances fixed

float scale_at(float distance) { return 1 + distance * tolerance; }

struct Sphere {
  std::uint32_t lag;
  float length;  // steps
};

class Search {
 public:
  Search(const cpu::IndexColumns &q, std::size_t n, const core::GridBox &box) : q_(q), n_(n), box_(box) {
    for (auto &axis : box_) axis = core::checked_axis(axis);
  }

  std::vector<BondKind> kinds;
  format::Column<std::uint8_t> kind_of;

  void run() {
    find_sample();
    find_spheres();
    if (spheres_.empty()) return;
    for (const Sphere &sphere : spheres_) kinds.push_back({{sphere.lag, 0}, {in_units(sphere.length), 0}});
    find_circles();
    assign();
  }

 private:
  static std::uint32_t in_units(float length) {
    return static_cast<std::uint32_t>(length * (1 << fraction_bits) + 0.5F);
  }

  float distance(std::size_t i, std::size_t j) const {
    float square = 0;
    for (std::size_t d = 0; d < q_.size(); ++d) {
      const auto way = static_cast<float>(core::displacement(q_[d][i], q_[d][j], box_[d]));
      square += way * way;
    }
    return std::sqrt(square);
  }

  void find_sample() {
    if (n_ <= runs * run_length) {
      for (std::size_t i = 0; i < n_; ++i) sample_.push_back(i);
      return;
    }
    for (std::size_t r = 0; r < runs; ++r) {
      const std::size_t first = (2 * r + 1) * n_ / (2 * runs) - run_length / 2;
      for (std::size_t i = first; i < first + run_length; ++i) sample_.push_back(i);
    }
  }

  // Takes sharp peaks out of sorted distances, the largest first; returns the mean of each.
  static std::vector<float> take_peaks(std::vector<float> &sorted, std::size_t least) {
    std::vector<float> peaks;
    std::vector<char> tried(sorted.size());
    const auto count_below = [&](float end) {
      return static_cast<std::size_t>(std::lower_bound(sorted.begin(), sorted.end(), end) - sorted.begin());
    };
    for (std::size_t t = 0; t < tries; ++t) {
      std::size_t best = 0;
      std::size_t first = 0;
      for (std::size_t i = 0, j = 0; i < sorted.size(); ++i) {
        const float end = sorted[i] + core_width * scale_at(sorted[i]);
        while (j < sorted.size() && sorted[j] <= end) ++j;
        if (j - i <= best || tried[i] != 0) continue;
        best = j - i;
        first = i;
      }
      if (best < least) break;
      const float scale = scale_at(sorted[first]);
      const float middle = (sorted[first] + sorted[first + best - 1]) / 2;
      const std::size_t begin = count_below(middle - scale);
      const std::size_t end = count_below(middle + scale);
      double sum = 0;
      double squares = 0;
      for (std::size_t i = begin; i < end; ++i) {
        const double off = double{sorted[i]} - double{middle};
        sum += off;
        squares += off * off;
      }
      const double mean = sum / static_cast<double>(end - begin);
      const double variance = squares / static_cast<double>(end - begin) - mean * mean;
      const float near = half_width * scale;
      const float far = near + valley_width * scale;
      const std::size_t below = count_below(middle - near) - count_below(middle - far);
      const std::size_t above = count_below(middle + far) - count_below(middle + near);
      if (variance <= double{largest_variance * scale * scale} && best >= sharpness * std::min(below, above)) {
        peaks.push_back(middle + static_cast<float>(mean));
        sorted.erase(sorted.begin() + static_cast<std::ptrdiff_t>(begin),
                     sorted.begin() + static_cast<std::ptrdiff_t>(end));
        tried.erase(tried.begin() + static_cast<std::ptrdiff_t>(begin),
                    tried.begin() + static_cast<std::ptrdiff_t>(end));
      } else {
        std::fill(tried.begin() + static_cast<std::ptrdiff_t>(begin), tried.begin() + static_cast<std::ptrdiff_t>(end),
                  char{1});
      }
    }
    return peaks;
  }

  void find_spheres() {
    std::array<std::vector<float>, max_lag + 1> found;
    for (std::size_t lag = 1; lag <= max_lag; ++lag)
      for (const std::size_t i : sample_)
        if (i >= lag) found[lag].push_back(distance(i, i - lag));
    // Bonds are the shortest distances of all.
    std::vector<float> nearest = found[1];
    if (nearest.size() < least_members) return;
    const auto low = nearest.begin() + static_cast<std::ptrdiff_t>(nearest.size() / 20);
    std::nth_element(nearest.begin(), low, nearest.end());
    const float most = std::min(*low * 2.5F, static_cast<float>(longest_bond >> fraction_bits) - 1);
    const std::size_t least = std::max(least_members, sample_.size() / 160);
    for (std::uint32_t lag = 1; lag <= max_lag; ++lag) {
      auto &distances = found[lag];
      distances.erase(std::remove_if(distances.begin(), distances.end(), [&](float x) { return !(x < most); }),
                      distances.end());
      std::sort(distances.begin(), distances.end());
      // Of peaks at the end, one side cannot be seen.
      const float end = most - 2 * (half_width + valley_width) * scale_at(most);
      for (const float length : take_peaks(distances, least))
        if (length < end) spheres_.push_back({lag, length});
    }
    std::sort(spheres_.begin(), spheres_.end(), [](const Sphere &a, const Sphere &b) { return a.length < b.length; });
    drop_coincidences();
    if (spheres_.size() > Bonds::max_kinds / 2) spheres_.resize(Bonds::max_kinds / 2);
  }

  // The shortest sphere that particle i is on; the number of spheres if there is none. `on_others` counts the longer
  // ones.
  std::size_t sphere_of(std::size_t i) const {
    std::size_t found = spheres_.size();
    float error = 0;
    for (std::size_t k = 0; k < spheres_.size(); ++k) {
      const Sphere &sphere = spheres_[k];
      if (found != spheres_.size() && sphere.length > spheres_[found].length + 2 * half_width) break;
      if (sphere.lag > i) continue;
      const float off = std::fabs(distance(i, i - sphere.lag) - sphere.length);
      if (off > half_width * scale_at(sphere.length) || (found != spheres_.size() && off >= error)) continue;
      found = k;
      error = off;
    }
    return found;
  }

  // Distances that are fixed because others are, such as that of the two hydrogens of a water, have hardly a particle
  // of their own.
  void drop_coincidences() {
    std::vector<std::size_t> on(spheres_.size());
    std::vector<std::size_t> first(spheres_.size() + 1);
    for (const std::size_t i : sample_) {
      ++first[sphere_of(i)];
      for (std::size_t k = 0; k < spheres_.size(); ++k)
        if (spheres_[k].lag <= i && std::fabs(distance(i, i - spheres_[k].lag) - spheres_[k].length) < half_width)
          ++on[k];
    }
    std::size_t kept = 0;
    for (std::size_t k = 0; k < spheres_.size(); ++k)
      if (first[k] * 2 > on[k]) spheres_[kept++] = spheres_[k];
    spheres_.resize(kept);
  }

  // The particle that a particle bound to `parent` may have a second fixed distance to: the nearest before it that is
  // bound to the same one, or else the parent's own parent. Slots before i; 0: none.
  std::uint32_t second_lag(std::size_t i, std::uint32_t lag, const std::vector<std::uint8_t> &sphere_at,
                           std::size_t first) const {
    const auto sphere = [&](std::size_t j) { return j >= first ? sphere_at[j - first] : std::uint8_t{0}; };
    for (std::uint32_t s = 1; s < lag; ++s)
      if (sphere(i - s) != 0 && spheres_[sphere(i - s) - 1u].lag + s == lag) return s;
    const std::uint8_t above = sphere(i - lag);
    return above == 0 ? 0 : lag + spheres_[above - 1u].lag;
  }
  static constexpr std::size_t reach = 2 * max_lag;

  void find_circles() {
    std::vector<std::vector<float>> second((reach + 1) * spheres_.size());
    std::vector<std::uint8_t> sphere_at;
    for (std::size_t s = 0; s < sample_.size(); s += run_length) {
      const std::size_t first = sample_[s];
      const std::size_t count = std::min(run_length, sample_.size() - s);
      sphere_at.assign(count, 0);
      for (std::size_t j = 0; j < count; ++j) {
        const std::size_t found = sphere_of(first + j);
        if (found == spheres_.size() || spheres_[found].lag > j) continue;
        sphere_at[j] = static_cast<std::uint8_t>(found + 1);
        const std::uint32_t lag = second_lag(first + j, spheres_[found].lag, sphere_at, first);
        if (lag != 0) second[found * (reach + 1) + lag].push_back(distance(first + j, first + j - lag));
      }
    }
    constexpr float longest = (longest_of_circle >> fraction_bits) - 1;
    for (std::size_t k = 0; k < spheres_.size(); ++k)
      for (std::uint32_t lag = 1; lag <= reach; ++lag) {
        auto &distances = second[k * (reach + 1) + lag];
        const std::size_t all = distances.size();
        std::sort(distances.begin(), distances.end());
        for (const float length : take_peaks(distances, std::max(least_members, all / 2))) {
          if (spheres_[k].length < longest && length < longest && kinds.size() < Bonds::max_kinds)
            kinds.push_back({{spheres_[k].lag, lag}, {in_units(spheres_[k].length), in_units(length)}});
        }
      }
  }

  void assign() {
    kind_of.assign(n_, 0);
    std::vector<std::uint8_t> sphere_at(n_);
    for (std::size_t i = 0; i < n_; ++i) {
      const std::size_t found = sphere_of(i);
      if (found == spheres_.size()) continue;
      sphere_at[i] = kind_of[i] = static_cast<std::uint8_t>(found + 1);
      const std::uint32_t lag = second_lag(i, spheres_[found].lag, sphere_at, 0);
      for (std::size_t k = spheres_.size(); k < kinds.size() && lag != 0; ++k) {
        if (kinds[k].lag[0] != spheres_[found].lag || kinds[k].length[0] != kinds[found].length[0]) continue;
        const float length = static_cast<float>(kinds[k].length[1]) / (1 << fraction_bits);
        if (kinds[k].lag[1] == lag && std::fabs(distance(i, i - lag) - length) < half_width * scale_at(length))
          kind_of[i] = static_cast<std::uint8_t>(k + 1);
      }
    }
  }

  const cpu::IndexColumns &q_;
  std::size_t n_;
  core::GridBox box_;
  std::vector<std::size_t> sample_;
  std::vector<Sphere> spheres_;  // by length
};

}  // namespace

Bonds Bonds::find(const cpu::IndexColumns &q, std::size_t n, const core::GridBox &box) {
  Search search(q, n, box);
  search.run();
  Bonds bonds;
  bonds.kinds_ = std::move(search.kinds);
  bonds.kind_ = std::move(search.kind_of);
  if (bonds.kinds_.empty()) bonds.kind_.assign(n, 0);
  return bonds;
}

}  // namespace gpz::model
