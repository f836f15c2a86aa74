// SPDX-License-Identifier: BSD-3-Clause
// Particles at a fixed distance and a given number of slots apart show as sharp peaks among the distances, widened only
// by rounding to the grid. The search finds peaks in a sample of the particles, then bonds among all particles.
#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <memory>
#include <numeric>
#include <utility>
#include <vector>

#include "gpz/codec/parallel.hpp"
#include "gpz/model/bonds.hpp"

namespace gpz::model {
namespace {

constexpr std::size_t max_lag = 15;
constexpr std::size_t runs = 16;  // stretches of consecutive particles in the sample
constexpr std::size_t run_length = 256;
constexpr std::size_t least_members = 24;  // distances in a peak
constexpr int max_failures = 10;           // consecutive candidates without a peak that end the search at one lag
// In grid steps. Rounding to the grid gives distances a standard deviation of sqrt(1 / 6).
constexpr float core_width = 1.2F;         // width of the window that finds the centre of a peak
constexpr float half_width = 1.4F;         // almost no member of a peak is farther from its centre
constexpr float valley_width = 1.6F;       // width of the valleys beside a peak
constexpr float largest_variance = 0.26F;  // of the distances within 1 step of the centre
constexpr std::size_t sharpness = 12;      // distances in the centre for each distance in the emptier valley
constexpr float tolerance = 1.0F / 4096;   // relative error of simulations that keep distances fixed

constexpr std::size_t max_spheres = 24;
// The parent of an unbound particle is the nearest of the last `loose_tried` unbound particles, if its distance is at
// most `loose_length` times the longest fixed bond.
constexpr std::size_t loose_tried = 8;
constexpr std::uint32_t max_loose_lag = 30;
constexpr float loose_length = 1.7F;

float scale_at(float distance) { return 1 + distance * tolerance; }
bool is_near(float distance, float length) { return std::fabs(distance - length) <= half_width * scale_at(length); }
std::uint32_t in_units(float length) { return static_cast<std::uint32_t>(std::lround(length * (1 << fraction_bits))); }

struct Sphere {
  std::uint32_t lag;
  float length;  // steps
};

// Positions in 32 bits, for fast distances.
class Places {
 public:
  // Returns false if the positions do not fit.
  bool load(const codec::IndexColumns &q, std::size_t n, const core::GridBox &box, int threads) {
    constexpr std::int64_t most = 1 << 29;
    std::atomic<bool> fit{true};
    for (std::size_t d = 0; d < q.size(); ++d) {
      const core::GridAxis axis = core::checked_axis(box[d]);
      if (axis.period > most) return false;
      period_[d] = static_cast<std::int32_t>(axis.period);
      half_[d] = axis.period != 0 ? static_cast<std::int32_t>(axis.period / 2) : INT32_MAX;
      x_[d].reset(new std::int32_t[n]);  // not set to zero
      codec::parallel_particles(threads, n, [&, d](std::size_t first, std::size_t last) {
        std::int64_t beyond = 0;
        for (std::size_t i = first; i < last; ++i) {
          const std::int64_t from = core::difference_of(q[d][i], q[d][0]);
          beyond |= std::abs(from | 1);
          x_[d][i] = static_cast<std::int32_t>(from);
        }
        if (beyond < 0 || beyond > most) fit = false;
      });
      if (!fit) return false;
    }
    return true;
  }

  float distance(std::size_t i, std::size_t j) const { return std::sqrt(square(i, j)); }
  // Squared distances of the particles first, first + 1, ... from the particles `lag` slots earlier.
  void squares(std::size_t first, std::size_t count, std::size_t lag, float *__restrict out) const {
    std::fill_n(out, count, 0.0F);
    for (std::size_t d = 0; d < x_.size(); ++d) {
      const std::int32_t *const x = x_[d].get() + first;
      const std::int32_t period = period_[d];
      const std::int32_t half = half_[d];
      for (std::size_t k = 0; k < count; ++k) {
        const auto step = static_cast<float>(shorter(x[k] - *(x + k - lag), period, half));
        out[k] += step * step;
      }
    }
  }

 private:
  static std::int32_t shorter(std::int32_t way, std::int32_t period, std::int32_t half) {
    const std::int32_t below = way > half ? period : 0;
    const std::int32_t above = way < -half ? period : 0;
    return way - below + above;
  }
  float square(std::size_t i, std::size_t j) const {
    float sum = 0;
    for (std::size_t d = 0; d < x_.size(); ++d) {
      const auto step = static_cast<float>(shorter(x_[d][i] - x_[d][j], period_[d], half_[d]));
      sum += step * step;
    }
    return sum;
  }

  std::array<std::unique_ptr<std::int32_t[]>, core::max_components> x_;
  std::array<std::int32_t, core::max_components> period_{};
  std::array<std::int32_t, core::max_components> half_{};
};

// Removes sharp peaks from sorted distances, the largest peak first. Returns the mean of each peak.
std::vector<float> take_peaks(std::vector<float> &sorted, std::size_t least) {
  std::vector<float> peaks;
  std::vector<char> tried(sorted.size());
  const auto count_below = [&](float end) {
    return std::lower_bound(sorted.begin(), sorted.end(), end) - sorted.begin();
  };
  for (int failures = 0; failures < max_failures;) {
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
    const auto begin = count_below(middle - scale);
    const auto end = count_below(middle + scale);
    double sum = 0;
    double squares = 0;
    for (auto i = begin; i < end; ++i) {
      const double off = double{sorted[static_cast<std::size_t>(i)]} - double{middle};
      sum += off;
      squares += off * off;
    }
    const double mean = sum / static_cast<double>(end - begin);
    const double variance = squares / static_cast<double>(end - begin) - mean * mean;
    const float near = half_width * scale;
    const float far = near + valley_width * scale;
    const auto valley = std::min(count_below(middle - near) - count_below(middle - far),
                                 count_below(middle + far) - count_below(middle + near));
    if (variance <= double{largest_variance * scale * scale} && best >= sharpness * static_cast<std::size_t>(valley)) {
      peaks.push_back(middle + static_cast<float>(mean));
      sorted.erase(sorted.begin() + begin, sorted.begin() + end);
      // Removing this peak may uncover others.
      tried.assign(sorted.size(), 0);
      failures = 0;
    } else {
      ++failures;
      std::fill(tried.begin() + begin, tried.begin() + end, char{1});
    }
  }
  return peaks;
}

class Search {
 public:
  Search(const Places &places, std::size_t n, int threads) : places_(places), n_(n), threads_(threads) {}

  std::vector<BondKind> kinds;
  format::Column<std::uint8_t> kind_of;

  void run() {
    find_sample();
    find_spheres();
    drop_coincidences();
    if (spheres_.empty()) return;
    for (const Sphere &sphere : spheres_) kinds.push_back({{sphere.lag, 0}, {in_units(sphere.length), 0}});
    find_circles();
    assign();
    find_loose_parents();
  }

 private:
  struct Run {
    std::size_t first, count;
  };

  void find_sample() {
    if (n_ <= runs * run_length) {
      sample_.push_back({0, n_});
      sampled_ = n_;
      return;
    }
    for (std::size_t r = 0; r < runs; ++r)
      sample_.push_back({(2 * r + 1) * n_ / (2 * runs) - run_length / 2, run_length});
    sampled_ = runs * run_length;
  }

  void find_spheres() {
    std::array<std::vector<float>, max_lag + 1> found;
    std::vector<float> distance(std::max(sample_[0].count, run_length));
    for (std::size_t lag = 1; lag <= max_lag; ++lag)
      for (const Run &run : sample_) {
        const std::size_t skipped = run.first < lag ? std::min(lag, run.count) : 0;
        places_.squares(run.first + skipped, run.count - skipped, lag, distance.data());
        found[lag].insert(found[lag].end(), distance.begin(),
                          distance.begin() + static_cast<std::ptrdiff_t>(run.count - skipped));
      }
    // Bonds are the shortest distances: search up to 2.5 times the 5 % quantile at lag 1.
    std::vector<float> nearest = found[1];
    if (nearest.size() < least_members) return;
    const auto low = nearest.begin() + static_cast<std::ptrdiff_t>(nearest.size() / 20);
    std::nth_element(nearest.begin(), low, nearest.end());
    const float most = std::min(std::sqrt(*low) * 2.5F, static_cast<float>(longest_bond >> fraction_bits) - 1);
    // End peaks are ignored: one flank is missing.
    const float end = most - 2 * (half_width + valley_width) * scale_at(most);
    for (std::uint32_t lag = 1; lag <= max_lag; ++lag) {
      auto &distances = found[lag];
      distances.erase(std::remove_if(distances.begin(), distances.end(), [&](float x) { return !(x < most * most); }),
                      distances.end());
      for (float &x : distances) x = std::sqrt(x);
      std::sort(distances.begin(), distances.end());
      for (const float length : take_peaks(distances, std::max(least_members, sampled_ / 160)))
        if (length < end && length > 2 && spheres_.size() < max_spheres) spheres_.push_back({lag, length});
    }
  }

  // For the particles first, first + 1, ...: 1 + the shortest sphere that each is on, 0 if none. If rounding allows
  // several lengths, the nearest is used. `on`, if not null, counts all particles that match each sphere.
  void find_on(std::size_t first, std::size_t count, std::uint8_t *sphere_at, std::size_t *on) const {
    constexpr std::size_t at_once = 1024;  // whose distances stay in the cache
    for (std::size_t done = 0; done < count; done += at_once)
      find_some_on<at_once>(first + done, std::min(at_once, count - done), sphere_at + done, on);
  }
  template <std::size_t most_particles>
  void find_some_on(std::size_t first, std::size_t count, std::uint8_t *sphere_at, std::size_t *on) const {
    std::array<float, most_particles> squares;
    std::array<float, most_particles> error;
    std::fill_n(sphere_at, count, std::uint8_t{0});
    std::array<bool, max_lag + 1> in_use{};
    for (const Sphere &sphere : spheres_) in_use[sphere.lag] = true;
    for (std::uint32_t lag = 1; lag <= max_lag; ++lag) {
      if (!in_use[lag]) continue;
      std::size_t of_lag[max_spheres];
      std::size_t spheres = 0;
      float least = 0;
      float most = 0;
      for (std::size_t k = 0; k < spheres_.size(); ++k) {
        if (spheres_[k].lag != lag) continue;
        const float length = spheres_[k].length;
        const float width = half_width * scale_at(length);
        least = spheres == 0 ? length - width : std::min(least, length - width);
        most = std::max(most, length + width);
        of_lag[spheres++] = k;
      }
      least = least > 0 ? least * least : 0;
      most *= most;
      const std::size_t skipped = first < lag ? std::min<std::size_t>(lag - first, count) : 0;
      places_.squares(first + skipped, count - skipped, lag, squares.data() + skipped);
      for (std::size_t i = skipped; i < count; ++i) {
        if (squares[i] < least || squares[i] > most) continue;
        const float distance = std::sqrt(squares[i]);
        for (std::size_t s = 0; s < spheres; ++s) {
          const Sphere &sphere = spheres_[of_lag[s]];
          if (!is_near(distance, sphere.length)) continue;
          if (on != nullptr) ++on[of_lag[s]];
          const float off = std::fabs(distance - sphere.length);
          if (sphere_at[i] != 0) {
            const float length = spheres_[sphere_at[i] - 1u].length;
            const float clear = 2 * half_width;
            if (sphere.length > length + clear || (sphere.length > length - clear && off >= error[i])) continue;
          }
          sphere_at[i] = static_cast<std::uint8_t>(of_lag[s] + 1);
          error[i] = off;
        }
      }
    }
  }

  // Drops distances that are fixed only because others are, such as the distance between the hydrogens of a water
  // molecule. Most of their particles are also on a shorter sphere.
  void drop_coincidences() {
    std::vector<std::size_t> on(spheres_.size());
    std::vector<std::size_t> own(spheres_.size() + 1);
    std::vector<std::uint8_t> sphere_at;
    for (const Run &run : sample_) {
      sphere_at.resize(run.count);
      find_on(run.first, run.count, sphere_at.data(), on.data());
      for (const std::uint8_t sphere : sphere_at) ++own[sphere];
    }
    std::size_t kept = 0;
    for (std::size_t k = 0; k < spheres_.size(); ++k)
      if (own[k + 1] * 2 > on[k]) spheres_[kept++] = spheres_[k];
    spheres_.resize(kept);
  }

  // Lag of the second particle to which a particle may have a fixed distance: the nearest earlier particle with the
  // same parent, otherwise the parent's parent. 0 if there is none. `before` is the number of spheres known before
  // `sphere_at`.
  std::uint32_t second_lag(const std::uint8_t *sphere_at, std::size_t before, std::uint32_t lag) const {
    for (std::uint32_t s = 1; s < lag && s <= before; ++s) {
      const std::uint8_t sphere = *(sphere_at - s);
      if (sphere != 0 && spheres_[sphere - 1u].lag + s == lag) return s;
    }
    const std::uint8_t above = lag <= before ? *(sphere_at - lag) : std::uint8_t{0};
    return above == 0 ? 0 : lag + spheres_[above - 1u].lag;
  }
  static constexpr std::size_t reach = 2 * max_lag;

  void find_circles() {
    std::vector<std::vector<float>> second((reach + 1) * spheres_.size());
    std::vector<std::uint8_t> sphere_at;
    for (const Run &run : sample_) {
      sphere_at.resize(run.count);
      find_on(run.first, run.count, sphere_at.data(), nullptr);
      for (std::size_t j = 0; j < run.count; ++j) {
        if (sphere_at[j] == 0) continue;
        const std::size_t found = sphere_at[j] - 1u;
        const std::uint32_t lag = second_lag(&sphere_at[j], j, spheres_[found].lag);
        if (lag != 0) second[found * (reach + 1) + lag].push_back(places_.distance(run.first + j, run.first + j - lag));
      }
    }
    constexpr float longest = (longest_of_circle >> fraction_bits) - 1;
    for (std::size_t k = 0; k < spheres_.size(); ++k)
      for (std::uint32_t lag = 1; lag <= reach; ++lag) {
        auto &distances = second[k * (reach + 1) + lag];
        const std::size_t all = distances.size();
        std::sort(distances.begin(), distances.end());
        for (const float length : take_peaks(distances, std::max(least_members, all / 2)))
          if (spheres_[k].length < longest && length < longest && kinds.size() < Bonds::max_kinds)
            kinds.push_back({{spheres_[k].lag, lag}, {in_units(spheres_[k].length), in_units(length)}});
      }
  }

  void assign() {
    kind_of.resize(n_);
    codec::parallel_particles(threads_, n_, [this](std::size_t first, std::size_t last) {
      find_on(first, last - first, kind_of.data() + first, nullptr);
    });
    if (kinds.size() == spheres_.size()) return;
    const std::vector<std::uint8_t> sphere_at(kind_of.begin(), kind_of.end());
    codec::parallel_particles(threads_, n_,
                              [&](std::size_t first, std::size_t last) { assign_circles(sphere_at, first, last); });
  }
  void assign_circles(const std::vector<std::uint8_t> &sphere_at, std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last; ++i) {
      if (sphere_at[i] == 0) continue;
      const std::size_t found = sphere_at[i] - 1u;
      const std::uint32_t lag = second_lag(&sphere_at[i], i, spheres_[found].lag);
      if (lag == 0) continue;
      for (std::size_t k = spheres_.size(); k < kinds.size(); ++k) {
        const BondKind &kind = kinds[k];
        if (kind.lag[1] != lag || kind.lag[0] != kinds[found].lag[0] || kind.length[0] != kinds[found].length[0])
          continue;
        if (is_near(places_.distance(i, i - lag), static_cast<float>(kind.length[1]) / (1 << fraction_bits)))
          kind_of[i] = static_cast<std::uint8_t>(k + 1);
      }
    }
  }

  // Lags of unbound particles to their loose parents, of a range of particles.
  struct Loose {
    std::vector<std::pair<std::size_t, std::uint8_t>> lags;
    std::vector<std::uint8_t> in_order;  // all lags, by their first particle
  };

  void find_loose_parents() {
    float longest = 0;
    for (const Sphere &sphere : spheres_) longest = std::max(longest, sphere.length);
    longest *= loose_length;
    const int used = codec::threads_for_particles(threads_, n_);
    std::vector<std::size_t> unbound(static_cast<std::size_t>(used) + 1);  // before each range
    codec::parallel_ranges(used, n_, [&](int t, std::uint64_t first, std::uint64_t last) {
      unbound[static_cast<std::size_t>(t) + 1] =
          static_cast<std::size_t>(std::count(kind_of.data() + first, kind_of.data() + last, std::uint8_t{0}));
    });
    std::partial_sum(unbound.begin(), unbound.end(), unbound.begin());
    std::vector<Loose> ranges(static_cast<std::size_t>(used));
    codec::parallel_ranges(used, n_, [&](int t, std::uint64_t first, std::uint64_t last) {
      const auto range = static_cast<std::size_t>(t);
      find_loose(static_cast<std::size_t>(first), static_cast<std::size_t>(last), unbound[range], longest,
                 ranges[range]);
    });
    std::array<std::uint8_t, max_loose_lag + 1> kind_of_lag{};
    for (const Loose &range : ranges)
      for (const std::uint8_t lag : range.in_order) {
        if (kind_of_lag[lag] != 0 || kinds.size() == Bonds::max_kinds) continue;
        kinds.push_back({{lag, 0}, {0, 0}});
        kind_of_lag[lag] = static_cast<std::uint8_t>(kinds.size());
      }
    codec::parallel_ranges(used, ranges.size(), [&](int, std::uint64_t from, std::uint64_t to) {
      for (std::uint64_t r = from; r < to; ++r)
        for (const auto &[i, lag] : ranges[r].lags) kind_of[i] = kind_of_lag[lag];
    });
  }
  // `count`: unbound particles before the range.
  void find_loose(std::size_t first, std::size_t end, std::size_t count, float longest, Loose &found) const {
    // The last unbound particles, in turn. Those that are not known here are too far away.
    std::array<std::size_t, loose_tried> unbound;
    unbound.fill(end + max_loose_lag);
    std::size_t left = std::min(count, loose_tried);
    for (std::size_t lag = 1, number = count; left != 0 && lag <= max_loose_lag && lag <= first; ++lag) {
      if (kind_of[first - lag] != 0) continue;
      unbound[--number % loose_tried] = first - lag;
      --left;
    }
    std::array<bool, max_loose_lag + 1> seen{};
    for (std::size_t i = first; i < end; ++i) {
      if (kind_of[i] != 0) continue;
      float nearest = longest;
      std::uint32_t best = 0;
      for (std::size_t k = 0; k < std::min(count, loose_tried); ++k) {
        const std::size_t j = unbound[k];
        if (i - j > max_loose_lag) continue;
        const float distance = places_.distance(i, j);
        if (!(distance < nearest)) continue;
        nearest = distance;
        best = static_cast<std::uint32_t>(i - j);
      }
      unbound[count++ % loose_tried] = i;
      if (best == 0) continue;
      const auto lag = static_cast<std::uint8_t>(best);
      if (!seen[lag]) found.in_order.push_back(lag);
      seen[lag] = true;
      found.lags.emplace_back(i, lag);
    }
  }

  const Places &places_;
  std::size_t n_;
  int threads_;
  std::vector<Run> sample_;
  std::size_t sampled_ = 0;
  std::vector<Sphere> spheres_;
};

}  // namespace

Bonds Bonds::find(const codec::IndexColumns &q, std::size_t n, const core::GridBox &box, int threads) {
  Bonds bonds;
  Places places;
  if (n != 0 && places.load(q, n, box, threads)) {
    Search search(places, n, threads);
    search.run();
    bonds.kinds_ = std::move(search.kinds);
    bonds.kind_ = std::move(search.kind_of);
  }
  if (bonds.kinds_.empty()) bonds.kind_.assign(n, 0);
  bonds.sort_kinds();
  return bonds;
}

}  // namespace gpz::model
