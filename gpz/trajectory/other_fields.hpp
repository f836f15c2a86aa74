// SPDX-License-Identifier: BSD-3-Clause
// Access of a section to other fields of its chunk (docs/format.md, sections 10g and 10h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <utility>
#include <vector>

#include "gpz/codec/difference_codec.hpp"
#include "gpz/format/budget.hpp"
#include "gpz/format/corrupt.hpp"
#include "gpz/frame.hpp"

namespace gpz::trajectory {

// Thrown if a section needs a field that the history does not follow. Reader catches it and also follows the field.
struct FieldNotFollowed {
  std::size_t field;
};

using codec::AllSlotsNeeded;

// True for integers with one component, which give each particle a class.
inline bool may_be_classes(const Field &field) {
  return field.type == ValueType::integer && !field.leading && field.components.size() == 1;
}

class OtherFields {
 public:
  // Functions that return the values of an integer field with one component, and the state of a followed field.
  using Integers = std::function<const std::int64_t *(std::size_t field)>;
  using Followed = std::function<const codec::DifferenceState *(std::size_t field)>;

  // `own`: number of the section's field. `followed` is empty if there is no history.
  OtherFields(const std::vector<Field> &fields, std::size_t own, Integers integers, Followed followed = nullptr)
      : fields_(fields), own_(own), integers_(std::move(integers)), followed_(std::move(followed)) {}

  const std::vector<Field> &fields() const { return fields_; }
  std::size_t own() const { return own_; }
  // Values of an integer field with a lower number than the section's field. Throws corrupt if `field` is not one,
  // FieldNotFollowed.
  const std::int64_t *classes(std::size_t field) {
    if (field >= own_ || !may_be_classes(fields_[field])) format::corrupt("field of the classes of a section");
    return integers_(field);
  }
  // Current state of a field: of this frame for fields with lower numbers than the section's, of the previous frame for
  // others. Throws corrupt if there is no such field, FieldNotFollowed.
  const codec::DifferenceState &history(std::size_t field) {
    if (field >= fields_.size() || !followed_) format::corrupt("a field that a section is predicted from");
    return *followed_(field);
  }

 private:
  const std::vector<Field> &fields_;
  std::size_t own_;
  Integers integers_;
  Followed followed_;
};

// Integer columns of an independent chunk, each decoded or loaded once.
using IntegerColumns = std::map<std::size_t, format::Column<std::int64_t>>;

}  // namespace gpz::trajectory
