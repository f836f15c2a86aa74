// SPDX-License-Identifier: BSD-3-Clause
#include "gpz/lanes/classes.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <unordered_map>
#include <utility>
#include <vector>

#include "gpz/lanes/layout.hpp"
#include "gpz/lanes/stream.hpp"

namespace gpz::lanes {

namespace {

using Key = std::uint64_t;

// Number of bonds, as far as it matters.
format::Column<std::uint8_t> bonds_of(const molecule::Tree &tree) {
  format::Column<std::uint8_t> bonds(tree.particles());
  for (std::size_t i = 0; i < bonds.size(); ++i) {
    if (tree[i].parent == 0) continue;
    for (const std::size_t p : {i, i - tree[i].parent}) bonds[p] = static_cast<std::uint8_t>(std::min(bonds[p] + 1, 7));
  }
  return bonds;
}

// Particles with one bond: the particle that it leads to, and how that one is bound.
class Ends {
 public:
  explicit Ends(const molecule::Tree &tree)
      : bonds_(bonds_of(tree)), other_(tree.particles()), around_(tree.particles()), number_(tree.particles()) {
    for (std::size_t i = 0; i < tree.particles(); ++i) {
      if (tree[i].parent == 0) continue;
      const std::size_t parent = i - tree[i].parent;
      add(i, parent);
      add(parent, i);
    }
    format::Column<std::uint8_t> ends(tree.particles());
    each([&](std::size_t end) {
      std::uint8_t &before = ends[other(end)];
      number_[end] = before;
      before = std::min<std::uint8_t>(before + 1, most);
    });
  }

  bool has(std::size_t particle) const { return bonds_[particle] == 1; }
  // The other end of the same bond.
  std::size_t other(std::size_t end) const { return other_[end]; }
  // How many neighbours of the other one have one bond, two bonds, and so on; and which of its ends this is.
  std::uint32_t surroundings(std::size_t end) const { return around_[other(end)] | number_[end]; }
  template <typename Use>
  void each(const Use &use) const {
    for (std::size_t i = 0; i < bonds_.size(); ++i)
      if (has(i)) use(i);
  }

 private:
  static constexpr unsigned bits = 4, most = (1U << bits) - 1;  // of a number; that of no bonds is not used

  void add(std::size_t to, std::size_t neighbour) {
    other_[to] = static_cast<std::uint32_t>(neighbour);
    const unsigned shift = bits * bonds_[neighbour];
    if ((around_[to] >> shift & most) < most) around_[to] += 1U << shift;
  }

  format::Column<std::uint8_t> bonds_;
  format::Column<std::uint32_t> other_, around_;
  format::Column<std::uint8_t> number_;
};

// Lengths of the bonds of ends. Hydrogen is bound by shorter bonds than oxygen: two kinds of particles, if a gap in the
// lengths tells them apart.
class EndLengths {
 public:
  EndLengths(const molecule::Tree &tree, const Ends &ends, const codec::IndexColumns &q, const molecule::Cell &cell) {
    ends.each([&](std::size_t end) {
      // Two particles that are bound to each other alone are one bond.
      if (tree[end].parent == 0 && ends.has(ends.other(end))) return;
      molecule::GridVector vector =
          molecule::difference_of(molecule::position_of(q, end), molecule::position_of(q, ends.other(end)));
      cell.shorten(vector);
      double squared = 0;
      for (const std::int64_t x : vector) squared += static_cast<double>(x) * static_cast<double>(x);
      bonds_.push_back({static_cast<std::uint32_t>(end), std::sqrt(squared)});
    });
    find_gap();
  }

  template <typename Use>
  void each_short(const Use &use) const {
    for (const Bond &bond : bonds_)
      if (bond.length < longest_short_) use(bond.end);
  }

 private:
  struct Bond {
    std::uint32_t end;
    double length;
  };

  void find_gap() {
    // Range of the histogram, relative to the length of a short bond. The limit of short bonds lies between C-H and C-O
    // bonds.
    constexpr double least = 1.06, step = 0.02;
    constexpr std::size_t steps = 14, least_part = 64, most_in_gap = 200, depth = 4;
    if (bonds_.empty()) return;
    std::vector<double> lengths;
    lengths.reserve(bonds_.size());
    for (const Bond &bond : bonds_) lengths.push_back(bond.length);
    const auto at = lengths.begin() + static_cast<std::ptrdiff_t>(lengths.size() / least_part);
    std::nth_element(lengths.begin(), at, lengths.end());
    const double shortest = *at;
    std::array<std::size_t, steps> count{};
    for (const double length : lengths) {
      const double of = (length / std::max(shortest, 1.0) - least) / step;
      if (of >= 0 && of < static_cast<double>(steps)) ++count[static_cast<std::size_t>(of)];
    }
    // The last gap: bonds of hydrogen to oxygen are shorter than those to carbon. Where a peak falls off at the end of
    // the range, there is none.
    const auto is_few = [&](std::size_t of) { return of * most_in_gap <= bonds_.size(); };
    for (auto end = count.rbegin();;) {
      end = std::find_if(end, count.rend(), is_few);
      if (end == count.rend()) return;
      const auto first = std::find_if_not(end, count.rend(), is_few);
      const auto fewest = std::min_element(first.base(), end.base());
      const std::size_t peak_before = first == count.rend() ? SIZE_MAX : *first;
      const std::size_t peak_behind = *std::max_element(fewest, end == count.rbegin() ? count.end() : end.base() + 1);
      if (depth * *fewest <= std::min(peak_before, peak_behind)) {
        longest_short_ = shortest * (least + (static_cast<double>(fewest - count.begin()) + 0.5) * step);
        return;
      }
      end = first;
    }
  }

  std::vector<Bond> bonds_;
  double longest_short_ = 0;
};

// Labels particles by their bonds: by the number of bonds, and by how many of these end at particles with short bonds.
format::Column<std::uint8_t> labels_of(const molecule::Tree &tree, const ShortBonds &ends) {
  const std::size_t n = tree.particles();
  const format::Column<std::uint8_t> bonds = bonds_of(tree);
  format::Column<std::uint8_t> label(n);
  const auto add = [&](std::size_t p, std::size_t other) {
    if (ends.has(other) && label[p] < 3) ++label[p];
  };
  for (std::size_t i = 0; i < n; ++i) {
    if (tree[i].parent == 0) continue;
    add(i, i - tree[i].parent);
    add(i - tree[i].parent, i);
  }
  for (std::size_t i = 0; i < n; ++i)
    label[i] = static_cast<std::uint8_t>((label[i] << 3 | bonds[i]) << 1 | (ends.has(i) ? 1 : 0));
  return label;
}

// Keys in the order in which they come first, and how often each comes.
class NumberedKeys {
 public:
  std::uint32_t add(Key key) {
    // Molecules repeat: most keys are among the last ones.
    Recent &recent = recent_[(key * UINT64_C(0x9E3779B97F4A7C15)) >> 56];
    if (recent.key != key || recent.number == UINT32_MAX) {
      const auto added = numbers_.try_emplace(key, static_cast<std::uint32_t>(keys_.size()));
      if (added.second) {
        keys_.push_back(key);
        counts_.push_back(0);
      }
      recent = {key, added.first->second};
    }
    ++counts_[recent.number];
    return recent.number;
  }
  std::uint32_t size() const { return static_cast<std::uint32_t>(keys_.size()); }
  Key key(std::uint32_t number) const { return keys_[number]; }
  std::uint32_t count(std::uint32_t number) const { return counts_[number]; }

 private:
  struct Recent {
    Key key = 0;
    std::uint32_t number = UINT32_MAX;
  };

  std::unordered_map<Key, std::uint32_t> numbers_;
  std::vector<Key> keys_;
  std::vector<std::uint32_t> counts_;
  std::array<Recent, 256> recent_{};
};

}  // namespace

ShortBonds::ShortBonds(const molecule::Tree &tree, const codec::IndexColumns &q, const molecule::Cell &cell)
    : is_short_(tree.particles()) {
  const Ends ends(tree);
  EndLengths(tree, ends, q, cell).each_short([&](std::size_t end) { is_short_[end] = 1; });
  // Bonds vibrate. One that is short by chance would make other molecules of those of the key frame before, which
  // readers know. Ends with the same surroundings are of one kind, if nearly all of them are.
  constexpr std::uint32_t most_others = 32;
  struct Counts {
    std::uint32_t short_ones = 0, long_ones = 0;
  };
  std::unordered_map<std::uint32_t, Counts> kinds;
  ends.each([&](std::size_t end) {
    Counts &of = kinds[ends.surroundings(end)];
    ++(has(end) ? of.short_ones : of.long_ones);
  });
  ends.each([&](std::size_t end) {
    const Counts &of = kinds[ends.surroundings(end)];
    if (most_others * of.short_ones <= of.long_ones) is_short_[end] = 0;
    if (most_others * of.long_ones <= of.short_ones) is_short_[end] = 1;
  });
}

namespace {

// A bond is expected to be as that of the last end with the same surroundings.
enum ShortContext : unsigned { known_surroundings, new_surroundings, short_contexts };

// Calls is_short(end, expected, context) for all ends, which returns whether the bond is short.
template <typename IsShort>
void expect_short(const molecule::Tree &tree, const IsShort &is_short) {
  const Ends ends(tree);
  std::unordered_map<std::uint32_t, bool> last;
  ends.each([&](std::size_t end) {
    const auto found = last.try_emplace(ends.surroundings(end), false);
    bool &expected = found.first->second;
    expected = is_short(end, bool{expected}, found.second ? new_surroundings : known_surroundings);
  });
}

}  // namespace

void ShortBonds::append(const molecule::Tree &tree, std::vector<std::uint8_t> &bytes) const {
  NumberWriter numbers(short_contexts);
  expect_short(tree, [&](std::size_t end, bool expected, unsigned context) {
    numbers.put(context, has(end) != expected ? 1 : 0);
    return has(end);
  });
  numbers.append(bytes);
}

std::size_t ShortBonds::read(const molecule::Tree &tree, const std::uint8_t *bytes, std::size_t size) {
  NumberReader numbers(bytes, size, short_contexts);
  is_short_.assign(tree.particles(), 0);
  expect_short(tree, [&](std::size_t end, bool expected, unsigned context) {
    const bool is_short = (numbers.get(context, 1) != 0) != expected;
    is_short_[end] = is_short ? 1 : 0;
    return is_short;
  });
  return numbers.end();
}

std::size_t classify(const molecule::Tree &tree, const ShortBonds &bonds, format::Column<std::uint8_t> &of_class) {
  // The constants of a class take some 12 bytes, several times in a key interval.
  constexpr std::size_t least_members = 16;
  const std::size_t n = tree.particles();
  const format::Column<std::uint8_t> label = labels_of(tree, bonds);
  // Labels of the particle, of its parent, axis and second reference, of which `level` are left out.
  constexpr unsigned levels = 4;
  const auto key_of = [&](std::size_t i, unsigned level) {
    const References of = references_of(tree, i);
    const molecule::Links &links = tree[i];
    Key key = level;
    key = key << 2 | static_cast<Key>(links.along);
    key = key << 2 | static_cast<Key>(links.across);
    key = key << 8 | label[i];
    unsigned left = levels - level;
    for (const std::uint32_t p : {of.parent, of.axis, of.second}) {
      if (--left == 0) break;
      key = key << 8 | (p == UINT32_MAX ? 0U : label[p] + 1U);
    }
    return key;
  };
  constexpr std::uint16_t none = UINT16_MAX;
  format::Column<std::uint16_t> number(n, none);
  format::Column<std::uint32_t> key_number(n);
  std::size_t classes = 0;
  for (unsigned level = 0; level < levels; ++level) {
    NumberedKeys keys;
    for (std::size_t i = 0; i < n; ++i)
      if (number[i] == none) key_number[i] = keys.add(key_of(i, level));
    std::vector<std::uint32_t> frequent;
    for (std::uint32_t k = 0; k < keys.size(); ++k)
      if (keys.count(k) >= least_members || level == levels - 1) frequent.push_back(k);
    std::sort(frequent.begin(), frequent.end(), [&](std::uint32_t a, std::uint32_t b) {
      return keys.count(a) != keys.count(b) ? keys.count(a) > keys.count(b) : keys.key(a) < keys.key(b);
    });
    // Coarser classes need room as well.
    const std::size_t room = max_classes - 16 * (levels - 1 - level) - classes;
    const std::size_t taken = level == levels - 1 ? frequent.size() : std::min(frequent.size(), room);
    std::vector<std::uint16_t> class_of(keys.size(), none);
    for (std::size_t k = 0; k < taken; ++k)
      class_of[frequent[k]] = static_cast<std::uint16_t>(classes + std::min(k, room - 1));
    classes += std::min(taken, room);
    for (std::size_t i = 0; i < n; ++i)
      if (number[i] == none) number[i] = class_of[key_number[i]];
  }

  of_class.resize(n);
  for (std::size_t i = 0; i < n; ++i) of_class[i] = static_cast<std::uint8_t>(number[i]);
  return classes;
}

}  // namespace gpz::lanes
