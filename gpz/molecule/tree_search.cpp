// SPDX-License-Identifier: BSD-3-Clause
// Bonds are the shortest distances. The parent of a particle is the nearest particle in earlier slots, if their
// distance is comparable to the shortest distance of one of the two. Among candidates at similar distances, the most
// frequent lag wins.
#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <vector>

#include "gpz/codec/parallel.hpp"
#include "gpz/kernels/bond_kernels.hpp"
#include "gpz/kernels/kernels.hpp"
#include "gpz/molecule/tree.hpp"

namespace gpz::molecule {
namespace {

constexpr std::size_t window = 63;  // in slots
// Relative to the distance of the nearest particle. Carbon and hydrogen of a chain are 1.53 and 1.09 Angstrom from a
// carbon; the bond and the hydrogen bond of water are 0.96 and 1.8.
constexpr double longest_bond = 1.6;
constexpr double nearly_as_near = 1.2;    // relative to the distance of the nearest candidate
constexpr std::size_t more_frequent = 2;  // a lag that is this many times as frequent is preferred
constexpr double farthest = 1048576;      // in grid steps
constexpr double surely_more = 1.000001;  // more than rounding can change
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
        longest_(longest_of_spacing * spacing()) {}

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

  // Finds the candidates of the particles first, first + 1, .... Returns how many particles have one.
  std::size_t find(std::size_t first, std::size_t count) {
    codec::parallel_particles(threads_, count, [&](std::size_t begin, std::size_t end) {
      find_nearest(first, first + count, first + begin, first + end);
    });
    std::atomic<std::size_t> bound{0};
    codec::parallel_particles(threads_, count, [&](std::size_t begin, std::size_t end) {
      std::size_t found = 0;
      for (std::size_t i = first + begin; i < first + end; ++i) {
        lags_[i] = shortest_bond(i, std::min(window, i - first));
        found += lags_[i] != 0 ? 1 : 0;
      }
      bound += found;
    });
    return bound;
  }

  // Distances to the nearest particle, for begin, ... end - 1 in a search of first, ... last - 1. Other threads have
  // the other particles, so that pairs across `begin` and `end` are computed twice.
  void find_nearest(std::size_t first, std::size_t last, std::size_t begin, std::size_t end) {
    std::array<double, window> squared;
    // Roots keep the order, so the nearest particle is that with the least square.
    std::fill(&nearest_[begin], &nearest_[0] + end, farthest * farthest);
    for (std::size_t i = begin; i < std::min(last, end + window); ++i) {
      const std::size_t lags = std::min(window, i - first), other = i - lags;
      square_distances(i, lags, squared.data());
      const std::size_t from = std::max(other, begin), to = std::min(i, end);
      if (from < to) kernels_.lower(&squared[from - other], to - from, &nearest_[from]);
      if (i < end && lags != 0) nearest_[i] = std::min(nearest_[i], kernels_.least(squared.data(), lags));
    }
    for (std::size_t i = begin; i < end; ++i) nearest_[i] = std::sqrt(nearest_[i]);
  }

  // The lag of the nearest particle in the `lags` slots before that is close enough for a bond; 0: none is.
  std::uint8_t shortest_bond(std::size_t i, std::size_t lags) const {
    std::array<double, window> squared;
    square_distances(i, lags, squared.data());
    double best = farthest;
    std::uint8_t found = 0;
    // Most are much too long, which is seen without a root.
    std::uint64_t is_short = kernels_.find_short(squared.data(), lags, nearest_[i], nearest_.data() + (i - lags),
                                                 {longest_bond, longest_, surely_more});
    while (is_short != 0) {
      const auto last = static_cast<std::size_t>(core::bit_length(is_short) - 1);
      is_short ^= std::uint64_t{1} << last;
      const std::size_t lag = lags - last;
      const double d = bond_length(i, lag);
      if (d >= best) continue;
      best = d;
      found = static_cast<std::uint8_t>(lag);
    }
    return found;
  }

  void prefer_frequent() {
    std::vector<std::size_t> count(window + 1);
    for (const std::uint8_t lag : lags_) ++count[lag];
    // More frequent lags of each lag, in ascending order.
    std::array<std::vector<std::uint8_t>, window + 1> preferred;
    for (std::size_t own = 1; own <= window; ++own)
      for (std::size_t lag = 1; lag <= window; ++lag)
        if (count[lag] > more_frequent * count[own]) preferred[own].push_back(static_cast<std::uint8_t>(lag));
    codec::parallel_particles(threads_, n_, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) {
        if (lags_[i] == 0) continue;
        const double most = nearly_as_near * bond_length(i, lags_[i]);
        const auto next = [&](std::size_t behind) {
          const std::vector<std::uint8_t> &lags = preferred[lags_[i]];
          const auto found = std::upper_bound(lags.begin(), lags.end(), behind);
          return found == lags.end() ? n_ : std::size_t{*found};
        };
        for (std::size_t lag = next(0); lag <= i; lag = next(lag)) {
          const double d = bond_length(i, lag);
          if (d <= most && d < farthest) lags_[i] = static_cast<std::uint8_t>(lag);
        }
      }
    });
  }

  // An ion that is near another particle by chance, or a short hydrogen bond, has a bond in some frames only. Key
  // frames whose molecules differ take readers longer.
  void drop_longest() {
    constexpr std::size_t few = 8, one_in = 8192, some = 64;
    constexpr double longer = 1.1, much_longer = 1.45;  // than all but a few, and than all but one in `some`
    format::Column<double> lengths;
    for (std::size_t i = 0; i < n_; ++i)
      if (lags_[i] != 0) lengths.push_back(bond_length(i, lags_[i]));
    if (lengths.size() < one_in / few) return;
    format::Column<double> sorted = lengths;
    const auto longest_but = [&](std::size_t count) {
      const auto at = sorted.end() - static_cast<std::ptrdiff_t>(count);
      std::nth_element(sorted.begin(), at, sorted.end());
      return *at;
    };
    const double most = std::min(longer * longest_but(std::max(few, lengths.size() / one_in)),
                                 much_longer * longest_but(lengths.size() / some));
    const double *length = lengths.data();
    for (std::uint8_t &lag : lags_)
      if (lag != 0 && *length++ > most) lag = 0;
  }

  double square_distance(const codec::IndexColumns &q, std::size_t i, std::size_t lag) const {
    GridVector vector;
    for (std::size_t d = 0; d < vector.size(); ++d) vector[d] = core::difference_of(q[d][i], q[d][i - lag]);
    cell_.shorten(vector);
    double squared = 0;
    for (const std::int64_t x : vector) squared += static_cast<double>(x) * static_cast<double>(x);
    return squared;
  }
  double distance(const codec::IndexColumns &q, std::size_t i, std::size_t lag) const {
    return std::min(std::sqrt(square_distance(q, i, lag)), farthest);
  }

  // Squared distances of a particle from those in the slots before it, in the order of slots.
  void square_distances(std::size_t i, std::size_t lags, double *squared) const {
    if (const core::GridBox *const axes = cell_.straight_axes())
      return kernels_.square_distances(now_.data(), i, lags, *axes, squared);
    for (std::size_t lag = 1; lag <= lags; ++lag) squared[lags - lag] = square_distance(now_, i, lag);
  }

  double longest_bond_of(std::size_t i, std::size_t lag) const {
    return std::min(longest_bond * std::max(nearest_[i], nearest_[i - lag]), longest_);
  }

  // The longer of the distances in the two frames; `farthest` if it is too long for a bond.
  double bond_length(std::size_t i, std::size_t lag) const {
    const double most = longest_bond_of(i, lag);
    const double d = distance(now_, i, lag);
    if (d > most) return farthest;
    const double longer = std::max(d, distance(before_, i, lag));
    return longer > most ? farthest : longer;
  }

  const codec::IndexColumns &before_;
  const codec::IndexColumns &now_;
  std::size_t n_;
  const Cell &cell_;
  int threads_;
  const codec::BondKernels &kernels_ = codec::kernels().bonds;
  std::vector<double> nearest_;
  double longest_;
  format::Column<std::uint8_t> lags_;
};

}  // namespace

format::Column<std::uint8_t> Tree::find(const codec::IndexColumns &before, const codec::IndexColumns &now,
                                        std::size_t n, const Cell &cell, int threads) {
  return n == 0 ? format::Column<std::uint8_t>() : Search(before, now, n, cell, threads).run();
}

}  // namespace gpz::molecule
