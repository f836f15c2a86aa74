// SPDX-License-Identifier: BSD-3-Clause
#include <cstdint>

#include "gpz/api/read_output.hpp"
#include "gpz/codec/target.hpp"
#include "gpz/error.hpp"
#include "gpz/format/allocation.hpp"
#include "gpz/format/arithmetic.hpp"
#include "gpz/format/fields.hpp"
#include "gpz/reader.hpp"
#include "gpz/trajectory/id_order.hpp"

namespace gpz {
namespace {

// Values of one field of a frame. Only wanted components need to be present.
struct DecodedField {
  bool is_integer;
  codec::FloatValues floats{};
  codec::IntegerValues integers{};

  DecodedField(const Frame &frame, std::size_t field, const codec::Target &target)
      : is_integer(frame.info.fields[field].type == ValueType::integer) {
    for (const Frame::Column &column : frame.columns) {
      if (column.field != field || target.components[column.component].data == nullptr) continue;
      if ((is_integer ? column.integers.size() : column.floats.size()) != frame.info.particles)
        throw Error(Status::invalid_argument, "column " + frame.name(column) + " of the frame was not decoded");
      floats[column.component] = column.floats.data();
      integers[column.component] = column.integers.data();
    }
  }
};

void copy_field(const Frame &frame, std::size_t field, const codec::Target &target) {
  if (!target.is_wanted()) return;
  const auto particles = static_cast<std::size_t>(frame.info.particles);
  const DecodedField from(frame, field, target);
  if (from.is_integer)
    codec::store(from.integers, particles, target);
  else
    codec::store(from.floats, particles, target);
}

}  // namespace

void copy_columns(const Frame &frame, const std::vector<ColumnOutput> &columns, std::size_t capacity, bool sort_by_id) {
  const format::UsualArithmetic arithmetic;
  format::in_memory(
      [&] {
        api::require_room(frame.info.particles, capacity);
        std::vector<codec::Target> targets = api::column_targets(frame.info, columns);
        const std::size_t id = api::sort_field(frame.info, {1, sort_by_id});
        trajectory::IdOrder order;
        if (id != format::no_field) {
          copy_field(frame, id, order.target(static_cast<std::size_t>(frame.info.particles)));
          order.rank();
          for (codec::Target &target : targets) target.rows = order.rows();
        }
        for (std::size_t f = 0; f < targets.size(); ++f) copy_field(frame, f, targets[f]);
      },
      [&] { return format::no_memory("copy the columns of", frame.info.particles); });
}

}  // namespace gpz
