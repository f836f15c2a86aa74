// SPDX-License-Identifier: BSD-3-Clause
// Traits by which particles of molecules are classed, as numbers, for CPU and GPU (docs/format.md, section 9c).
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "gpz/core/config.hpp"
#include "gpz/molecule/cell.hpp"
#include "gpz/molecule/links.hpp"

namespace gpz::molecule {

inline constexpr std::size_t max_classes = 256;

// Key of a particle without parent and without children.
inline constexpr std::uint32_t lone_key = 0;
inline constexpr std::uint32_t root_keys = 6;
inline constexpr std::uint32_t class_keys = root_keys + (1u << 15);

// Length of a bond in quarter octaves. All lengths beyond the longest bond share a class.
GPZ_HD std::uint32_t length_class(const Way &way) {
  std::uint64_t squared = 0;
  for (const std::int64_t x : way) {
    constexpr std::int64_t most = std::int64_t{1} << 20;
    const std::int64_t near = x > most ? most : x < -most ? -most : x;
    squared += static_cast<std::uint64_t>(near * near);
  }
  const auto bits = static_cast<std::uint32_t>(core::bit_length(squared));
  return bits < 2 ? bits : 2 * bits - ((squared >> (bits - 2) & 1) != 0 ? 1u : 2u);
}

GPZ_HD std::uint32_t key_of_root(std::uint32_t children) { return children < root_keys ? children : root_keys - 1; }

// `way` is the bond vector. Traits of a bound particle: length class (7 bits), 2 * references + 1 if the parent is a
// root (3), children of the parent (3), children (2).
GPZ_HD std::uint32_t key_of_bound(const Way &way, const Links &links, bool hangs_on_root,
                                  std::uint32_t children_of_parent, std::uint32_t children) {
  const std::uint32_t kind = 2 * static_cast<std::uint32_t>(links.references()) + (hangs_on_root ? 1u : 0u);
  const std::uint32_t beside = children_of_parent < 4 ? children_of_parent : 4;
  const std::uint32_t below = children < 3 ? children : 3;
  return root_keys + ((length_class(way) * 8 + kind) * 8 + beside) * 4 + below;
}

// Classes of all keys, in the order of the first particles that have them, as Tree::build numbers them.
struct NumberedClasses {
  std::vector<std::uint8_t> of_key;  // class_keys of them
  std::size_t count = 1;             // classes
};
// first_slot[key] is the first particle with this key, UINT32_MAX if there is none.
NumberedClasses number_classes(const std::vector<std::uint32_t> &first_slot);

}  // namespace gpz::molecule
