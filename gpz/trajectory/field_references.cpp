// SPDX-License-Identifier: BSD-3-Clause
#include "gpz/trajectory/field_references.hpp"

#include "gpz/format/corrupt.hpp"
#include "gpz/format/section_head.hpp"

namespace gpz::trajectory {

std::vector<std::size_t> field_references(const std::uint8_t *section, std::size_t size) {
  std::vector<std::size_t> found;
  if (size == 0) return found;
  if (section[0] == format::few_values) found.push_back(format::field_coding_size + 2);
  for (const std::size_t at : found)
    if (at + field_reference_size > size) format::corrupt("a section that ends before the fields that it names", size);
  return found;
}

}  // namespace gpz::trajectory
