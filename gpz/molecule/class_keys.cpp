// SPDX-License-Identifier: BSD-3-Clause
#include "gpz/molecule/class_keys.hpp"

#include <algorithm>

#include "gpz/molecule/tree.hpp"

namespace gpz::molecule {

NumberedClasses number_classes(const std::vector<std::uint32_t> &first_slot) {
  std::vector<std::uint32_t> keys;
  for (std::uint32_t key = 0; key < class_keys; ++key)
    if (key != lone_key && first_slot[key] != UINT32_MAX) keys.push_back(key);
  std::sort(keys.begin(), keys.end(), [&](std::uint32_t a, std::uint32_t b) { return first_slot[a] < first_slot[b]; });
  NumberedClasses classes;
  classes.of_key.assign(class_keys, Tree::lone_class);
  for (const std::uint32_t key : keys) {
    const std::size_t number = std::min(classes.count, Tree::max_classes - 1);
    classes.of_key[key] = static_cast<std::uint8_t>(number);
    classes.count = number + 1;
  }
  return classes;
}

}  // namespace gpz::molecule
