// SPDX-License-Identifier: BSD-3-Clause
// Encoder: some particles of a section, as the section of a smaller frame.
#pragma once

#include <cstddef>
#include <cstdint>

#include "gpz/codec/difference_codec.hpp"
#include "gpz/format/budget.hpp"
#include "gpz/trajectory/codings.hpp"
#include "gpz/trajectory/indices.hpp"

namespace gpz::trajectory {

// Ranges of neighbours in the order of the chunk: most molecules are within a range. For codings that use the indices,
// the ids and the motion of a field alone.
class SectionSample {
 public:
  // At least two ranges, which have fewer particles than the section. The section must outlive this object.
  SectionSample(const SectionSource &section, std::size_t ranges, std::size_t particles_a_range);
  SectionSample(const SectionSample &) = delete;
  SectionSample &operator=(const SectionSample &) = delete;
  ~SectionSample() = default;

  const SectionSource &source() const { return source_; }

 private:
  Indices indices_;
  codec::DifferenceState state_;
  format::Column<std::int64_t> ids_;
  SectionSource source_;
};

}  // namespace gpz::trajectory
