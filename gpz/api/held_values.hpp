// SPDX-License-Identifier: BSD-3-Clause
// Values of a frame that was decoded ahead.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "gpz/codec/target.hpp"
#include "gpz/format/budget.hpp"
#include "gpz/frame.hpp"
#include "gpz/reader.hpp"

namespace gpz::api {

// The requested columns of a frame.
struct FrameRequest {
  struct Column {
    std::size_t field;
    std::size_t component;
    ConstArray::Type type;  // of the caller's array
  };
  std::vector<Column> columns;
  bool sort_by_id = false;
  std::shared_ptr<const Selection> selection;

  // `targets` has one entry per field.
  FrameRequest(const std::vector<codec::Target> &targets, const ReadOptions &options);
  FrameRequest() = default;
};
bool operator==(const FrameRequest &a, const FrameRequest &b);

class HeldValues {
 public:
  // Allocates columns of `rows` rows for a frame with this many particles and these fields. Returns one target per
  // field; targets stay valid when the object is moved. Throws not_found (fewer fields than the request names),
  // limit_exceeded, std::bad_alloc.
  std::vector<codec::Target> make_room(const FrameRequest &request, const std::vector<Field> &fields,
                                       std::uint64_t particles, std::uint64_t rows);
  // The number of values of a column.
  std::uint64_t rows() const { return rows_; }
  // Whether the frame has the fields and the number of particles of these values.
  bool are_of(const FrameInfo &info) const;
  // Copies all columns to the targets of the same request.
  void copy_to(const std::vector<codec::Target> &targets) const;

 private:
  struct Column {
    FrameRequest::Column of;
    std::size_t at;  // offset in bytes
  };

  std::vector<Column> columns_;
  std::vector<Field> fields_;
  std::uint64_t particles_ = 0;
  std::uint64_t rows_ = 0;
  std::unique_ptr<std::uint8_t[]> bytes_;
  std::size_t room_ = 0;
  format::Charge charge_;  // for the columns
};

// A request for the columns of these fields (an empty list: all), as a Frame holds them.
FrameRequest request_of(const Frame &frame, const std::vector<bool> &wanted, const ReadOptions &options);

// Bytes of the requested values of a frame.
std::uint64_t size_of(const FrameRequest &request, std::uint64_t particles);

}  // namespace gpz::api
