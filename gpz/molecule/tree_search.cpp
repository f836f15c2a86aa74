// SPDX-License-Identifier: BSD-3-Clause
// Bonds are the shortest distances. The parent of a particle is the nearest particle in earlier slots, if their
// distance is comparable to the shortest distance of one of the two. Among candidates at similar distances, the most
// frequent lag wins.
#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <limits>
#include <vector>

#include "gpz/codec/parallel.hpp"
#include "gpz/kernels/bond_kernels.hpp"
#include "gpz/kernels/kernels.hpp"
#include "gpz/kernels/step_kernels.hpp"
#include "gpz/molecule/tree.hpp"

namespace gpz::molecule {
namespace {

using codec::bond_window;

// All lengths are compared by their squares.
constexpr float square(float x) { return x * x; }
// Relative to the distance of the nearest particle. Carbon and hydrogen of a chain are 1.53 and 1.09 Angstrom from a
// carbon; the bond and the hydrogen bond of water are 0.96 and 1.8.
constexpr float longest_bond = square(1.6F);
constexpr float nearly_as_near = square(1.2F);  // relative to the distance of the nearest candidate
constexpr std::size_t more_frequent = 2;        // a lag that is this many times as frequent is preferred
constexpr float farthest = square(1048576);     // in grid steps
// Relative to the spacing of a simple cubic crystal of equal density. Bonds are shorter than this; neighbours in the
// usual crystals are not.
constexpr double longest_of_spacing = 1.06;
// Large systems are first searched in a sample.
constexpr std::size_t runs = 16;
constexpr std::size_t run_length = 512;
constexpr std::size_t least_part = 8;  // at least one particle in this many must be bound

class Search {
 public:
  Search(const codec::IndexColumns &before, const codec::IndexColumns &now, std::size_t n, const Cell &cell,
         int threads)
      : before_(before),
        now_(now),
        n_(n),
        cell_(cell),
        threads_(threads),
        nearest_(n),
        longest_(static_cast<float>(longest_of_spacing * longest_of_spacing * spacing() * spacing())) {
    narrow();
  }

  format::Column<std::uint8_t> run() {
    lags_.assign(n_, 0);
    if (n_ > 2 * runs * run_length) {
      std::size_t bound = 0;
      for (std::size_t r = 0; r < runs; ++r) bound += find((2 * r + 1) * n_ / (2 * runs), run_length);
      if (bound < runs * run_length / least_part) return {};
      lags_.assign(n_, 0);
    }
    if (find(0, n_) < n_ / least_part) return {};
    prefer_frequent();
    drop_longest();
    return std::move(lags_);
  }

 private:
  double spacing() const {
    double volume = 1;
    for (const std::int64_t *const column : now_) {
      const auto [least, most] = std::minmax_element(column, column + n_);
      volume *= std::max(static_cast<double>(*most) - static_cast<double>(*least), 1.0);
    }
    return std::cbrt(volume / static_cast<double>(n_));
  }

  // Positions for the kernels, if they fit.
  void narrow() {
    const core::GridBox *const axes = cell_.straight_axes();
    if (axes == nullptr) return;
    for (std::size_t d = 0; d < axes->size(); ++d) {
      const std::int64_t period = (*axes)[d].period;
      if (period > INT32_MAX || !codec::kernels().steps.are_within(now_[d], n_)) return;
      column_[d].assign(now_[d], now_[d] + n_);
      column_[d].resize(n_ + codec::bond_row);
      positions_.q[d] = column_[d].data();
      positions_.period[d] = static_cast<std::int32_t>(period);
      positions_.half[d] = period != 0 ? positions_.period[d] / 2 : INT32_MAX;
    }
    is_narrow_ = true;
  }

  // Finds the candidates of the particles first, first + 1, .... Returns how many particles have one.
  std::size_t find(std::size_t first, std::size_t count) {
    std::atomic<std::size_t> bound{0};
    codec::parallel_particles(threads_, count, [&](std::size_t begin, std::size_t end) {
      bound += find(first, first + count, first + begin, first + end);
    });
    return bound;
  }

  // The candidates of begin, ... end - 1 in a search of first, ... last - 1. The distances that tell the nearest
  // neighbours of these particles, and of those in the window before them, are computed by this thread alone.
  std::size_t find(std::size_t first, std::size_t last, std::size_t begin, std::size_t end) {
    const std::size_t start = begin - std::min(bond_window, begin - first), stop = std::min(last, end + bond_window);
    // From the window of particle `start` on.
    std::vector<float> nearest(bond_window + (stop - start) + codec::bond_row, farthest);
    const auto nearest_of = [&](std::size_t i) { return nearest.data() + (i + bond_window - start); };
    // The nearest neighbours of a particle are known when the window after it is done.
    std::array<codec::BondRow, bond_window + 1> rows;
    std::size_t found = 0, next = begin;
    const auto take_until = [&](std::size_t done) {
      for (; next < done; ++next) {
        const std::size_t lags = std::min(bond_window, next - first);
        nearest_[next] = *nearest_of(next);
        lags_[next] = shortest_bond(next, lags, rows[next % rows.size()], nearest_of(next - lags));
        found += lags_[next] != 0 ? 1 : 0;
      }
    };
    for (std::size_t i = start; i < stop; ++i) {
      const std::size_t lags = std::min(bond_window, i - first);
      float &own = *nearest_of(i);
      own = std::min(measure(i, lags, rows[i % rows.size()], nearest_of(i - lags)), own);
      if (i >= begin + bond_window) take_until(i - bond_window + 1);
    }
    take_until(end);
    return found;
  }

  // As codec::BondKernels::measure.
  float measure(std::size_t i, std::size_t lags, codec::BondRow &squared, float *nearest) const {
    if (is_narrow_) return kernels_.measure(positions_, i, lags, squared, nearest);
    squared.fill(std::numeric_limits<float>::infinity());
    for (std::size_t k = 0; k < lags; ++k) {
      squared[k] = square_distance(now_, i, lags - k);
      nearest[k] = std::min(nearest[k], squared[k]);
    }
    return *std::min_element(squared.begin(), squared.end());
  }

  // The lag of the nearest particle in the `lags` slots before that is close enough for a bond; 0: none is.
  std::uint8_t shortest_bond(std::size_t i, std::size_t lags, const codec::BondRow &squared,
                             const float *nearest) const {
    float best = farthest;
    std::uint8_t found = 0;
    std::uint64_t is_short = kernels_.find_short(squared, nearest_[i], nearest, {longest_bond, longest_});
    while (is_short != 0) {
      const auto last = static_cast<std::size_t>(core::bit_length(is_short) - 1);
      is_short ^= std::uint64_t{1} << last;
      const float d = longer_of(squared[last], i, lags - last);
      if (d >= best || d > std::min(longest_bond * std::max(nearest_[i], nearest[last]), longest_)) continue;
      best = d;
      found = static_cast<std::uint8_t>(lags - last);
    }
    return found;
  }

  void prefer_frequent() {
    std::vector<std::size_t> count(bond_window + 1);
    for (const std::uint8_t lag : lags_) ++count[lag];
    // More frequent lags of each lag, in ascending order.
    std::array<std::vector<std::uint8_t>, bond_window + 1> preferred;
    for (std::size_t own = 1; own <= bond_window; ++own)
      for (std::size_t lag = 1; lag <= bond_window; ++lag)
        if (count[lag] > more_frequent * count[own]) preferred[own].push_back(static_cast<std::uint8_t>(lag));
    codec::parallel_particles(threads_, n_, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) {
        if (lags_[i] == 0) continue;
        const float most = nearly_as_near * squared_bond(i, lags_[i]);
        const auto next = [&](std::size_t behind) {
          const std::vector<std::uint8_t> &lags = preferred[lags_[i]];
          const auto found = std::upper_bound(lags.begin(), lags.end(), behind);
          return found == lags.end() ? n_ : std::size_t{*found};
        };
        for (std::size_t lag = next(0); lag <= i; lag = next(lag)) {
          const float d = squared_bond(i, lag);
          if (d <= most && d < farthest) lags_[i] = static_cast<std::uint8_t>(lag);
        }
      }
    });
  }

  // An ion that is near another particle by chance, or a short hydrogen bond, has a bond in some frames only. Key
  // frames whose molecules differ take readers longer.
  void drop_longest() {
    constexpr std::size_t few = 8, one_in = 8192, some = 64;
    // Than all but a few, and than all but one in `some`.
    constexpr float longer = square(1.1F), much_longer = square(1.45F);
    format::Column<float> lengths;
    for (std::size_t i = 0; i < n_; ++i)
      if (lags_[i] != 0) lengths.push_back(squared_bond(i, lags_[i]));
    if (lengths.size() < one_in / few) return;
    format::Column<float> sorted = lengths;
    const auto longest_but = [&](std::size_t count) {
      const auto at = sorted.end() - static_cast<std::ptrdiff_t>(count);
      std::nth_element(sorted.begin(), at, sorted.end());
      return *at;
    };
    const float most = std::min(longer * longest_but(std::max(few, lengths.size() / one_in)),
                                much_longer * longest_but(lengths.size() / some));
    const float *length = lengths.data();
    for (std::uint8_t &lag : lags_)
      if (lag != 0 && *length++ > most) lag = 0;
  }

  float square_distance(const codec::IndexColumns &q, std::size_t i, std::size_t lag) const {
    GridVector vector;
    for (std::size_t d = 0; d < vector.size(); ++d) vector[d] = core::difference_of(q[d][i], q[d][i - lag]);
    cell_.shorten(vector);
    float squared = 0;
    for (const std::int64_t x : vector) squared += static_cast<float>(x) * static_cast<float>(x);
    return squared;
  }
  // The longer one of the distances in the two frames.
  float longer_of(float now, std::size_t i, std::size_t lag) const {
    return before_ == now_ ? now : std::max(now, square_distance(before_, i, lag));
  }
  // The square of a bond's length; `farthest` if it is too long for a bond.
  float squared_bond(std::size_t i, std::size_t lag) const {
    const float most = std::min(longest_bond * std::max(nearest_[i], nearest_[i - lag]), longest_);
    const float d = square_distance(now_, i, lag);
    if (d > most) return farthest;
    const float longer = longer_of(d, i, lag);
    return longer > most ? farthest : longer;
  }

  const codec::IndexColumns &before_;
  const codec::IndexColumns &now_;
  std::size_t n_;
  const Cell &cell_;
  int threads_;
  const codec::BondKernels &kernels_ = codec::kernels().bonds;
  std::vector<float> nearest_;  // squared distances
  float longest_;
  bool is_narrow_ = false;
  codec::BondPositions positions_{};
  std::array<format::Column<std::int32_t>, core::max_components> column_;
  format::Column<std::uint8_t> lags_;
};

}  // namespace

format::Column<std::uint8_t> Tree::find(const codec::IndexColumns &before, const codec::IndexColumns &now,
                                        std::size_t n, const Cell &cell, int threads) {
  return n == 0 ? format::Column<std::uint8_t>() : Search(before, now, n, cell, threads).run();
}

}  // namespace gpz::molecule
