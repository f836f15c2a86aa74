// SPDX-License-Identifier: BSD-3-Clause
#include "gpz/trajectory/field_references.hpp"

#include "gpz/format/bytes.hpp"
#include "gpz/format/corrupt.hpp"
#include "gpz/format/section_head.hpp"

namespace gpz::trajectory {

std::vector<std::size_t> field_references(const std::uint8_t *section, std::size_t size) {
  std::vector<std::size_t> found;
  if (size == 0) return found;
  if (section[0] == format::few_values) found.push_back(format::field_coding_size + 2);
  if (section[0] == format::classed_values) {
    format::ByteReader in(section, size);
    in.take(format::field_coding_size);
    const std::uint64_t exact = in.u64();
    if (exact > in.left() / format::exact_value_size) format::corrupt("number of exact values", in.position());
    in.take(static_cast<std::size_t>(exact) * format::exact_value_size + 3);
    const std::size_t sources = in.u8();
    for (std::size_t k = 0; k <= sources; ++k) found.push_back(in.position() + k * field_reference_size);
  }
  for (const std::size_t at : found)
    if (at + field_reference_size > size) format::corrupt("a section that ends before the fields that it names", size);
  return found;
}

}  // namespace gpz::trajectory
