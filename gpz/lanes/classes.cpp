// SPDX-License-Identifier: BSD-3-Clause
#include "gpz/lanes/classes.hpp"

#include <algorithm>
#include <unordered_map>
#include <utility>
#include <vector>

#include "gpz/lanes/layout.hpp"

namespace gpz::lanes {

std::size_t classify(const molecule::Tree &tree, format::Column<std::uint8_t> &of_class) {
  // The constants of a class take 12 bytes, twice in a key interval.
  constexpr std::size_t least_members = 16;
  const std::size_t n = tree.particles();
  // A class of the tree for each reference, with its own in the low bits.
  const auto key_of = [&](std::size_t i) {
    std::uint32_t key = 0;
    const References of = references_of(tree, i);
    for (const std::uint32_t p : {of.second, of.axis, of.parent})
      key = key << 8 | (p == UINT32_MAX ? 0U : tree[p].of_class);
    return key << 8 | tree[i].of_class;
  };
  std::unordered_map<std::uint32_t, std::uint32_t> members;
  for (std::size_t i = 0; i < n; ++i) ++members[key_of(i)];
  std::vector<std::pair<std::uint32_t, std::uint32_t>> frequent;  // members, key
  for (const auto &of : members)
    if (of.second >= least_members) frequent.emplace_back(of.second, of.first);
  std::sort(frequent.begin(), frequent.end(),
            [](const auto &a, const auto &b) { return a.first != b.first ? a.first > b.first : a.second < b.second; });
  const std::size_t others = tree.classes();
  frequent.resize(std::min(frequent.size(), max_classes - others));
  std::unordered_map<std::uint32_t, std::uint8_t> number;
  for (std::size_t k = 0; k < frequent.size(); ++k) number[frequent[k].second] = static_cast<std::uint8_t>(others + k);
  of_class.resize(n);
  std::vector<bool> is_used(max_classes);
  for (std::size_t i = 0; i < n; ++i) {
    const auto found = number.find(key_of(i));
    of_class[i] = found == number.end() ? tree[i].of_class : found->second;
    is_used[of_class[i]] = true;
  }
  // Without those that have no members.
  std::vector<std::uint8_t> place(max_classes);
  std::size_t classes = 0;
  for (std::size_t c = 0; c < max_classes; ++c)
    if (is_used[c]) place[c] = static_cast<std::uint8_t>(classes++);
  for (std::uint8_t &c : of_class) c = place[c];
  return classes;
}

}  // namespace gpz::lanes
