// SPDX-License-Identifier: BSD-3-Clause
// What a section may take from other fields of its chunk (docs/format.md, sections 10g and 10h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

#include "gpz/codec/difference_codec.hpp"
#include "gpz/format/budget.hpp"
#include "gpz/format/corrupt.hpp"
#include "gpz/frame.hpp"

namespace gpz::trajectory {

// Thrown where a section needs a field that the history does not follow. A Reader catches it, and follows the field as
// well.
struct FieldNotFollowed {
  std::size_t field;
};

// Integers with one component: one value of each particle, by which it is in a class.
inline bool may_be_classes(const Field &field) {
  return field.type == ValueType::integer && !field.leading && field.components.size() == 1;
}

class OtherFields {
 public:
  // `own`: the number of the section's field.
  OtherFields(const std::vector<Field> &fields, std::size_t own) : fields_(fields), own_(own) {}
  virtual ~OtherFields() = default;

  const std::vector<Field> &fields() const { return fields_; }
  std::size_t own() const { return own_; }
  // The values of an integer field that comes before the section's field. Throws corrupt if it is no such field,
  // FieldNotFollowed.
  const std::int64_t *classes(std::size_t field) {
    if (field >= own_ || !may_be_classes(fields_[field])) format::corrupt("field of the classes of a section");
    return integers(field);
  }
  // A field as it is known at the moment: those that come before the section's field as they are in the frame, others
  // as they were in the frame before. Throws corrupt if there is none, FieldNotFollowed.
  const cpu::DifferenceState &history(std::size_t field) {
    const cpu::DifferenceState *const state = field < fields_.size() ? followed(field) : nullptr;
    if (state == nullptr) format::corrupt("a field that a section is predicted from");
    return *state;
  }

 private:
  virtual const cpu::DifferenceState *followed(std::size_t /*field*/) { return nullptr; }
  virtual const std::int64_t *integers(std::size_t field) = 0;

  const std::vector<Field> &fields_;
  std::size_t own_;
};

// Integer columns of an independent chunk, each decoded or loaded once.
using IntegerColumns = std::map<std::size_t, format::Column<std::int64_t>>;

}  // namespace gpz::trajectory
