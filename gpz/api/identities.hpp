// SPDX-License-Identifier: BSD-3-Clause
// The integer column `id` of frames whose ids are floating-point numbers, or that have none.
//
// Rows keep their order unless the user asks for a set (Order::place): a frame without ids gets the numbers of its rows
// as ids wherever its chunk is sorted.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "gpz/frame.hpp"
#include "gpz/trajectory.hpp"

namespace gpz::api {

// The arrays that it adds are valid until the next call. `rows` is as in ChunkEncoder::encode.
class Identities {
 public:
  // Replaces ids of a float type by integers. Throws invalid_argument if one of them is not a whole number. Decoded
  // values (FieldInput::decoded) stay as they are.
  void make_whole(std::vector<FieldInput> &fields, std::size_t particles, const int *rows);
  // Whether the order of rows could be lost: the frame has positions and no ids, so a chunk may be sorted by position.
  static bool may_lose_rows(const std::vector<FieldInput> &fields);
  // Adds the ids 1, 2, ... to such a frame.
  void number(std::vector<FieldInput> &fields, std::size_t particles, const int *rows);
  // Throws invalid_argument if frame `frame` has ids and the first frame has none, or the other way round: the ids of
  // one would be taken for those of the other. Frame 0 decides. Frames without positions or particles, and decoded
  // ones, may have either. So may, except with Order::place, frames whose ids are the numbers of their rows, as
  // number() gives them: a file in the order of memory has them in some frames. `in_any_order`: the rows are those of a
  // file, which may have them in another order.
  void check_same(const std::vector<FieldInput> &fields, std::size_t particles, const int *rows, std::size_t frame,
                  Order order, bool in_any_order, int threads);

  // Of a file that is continued: its frames behind this one have no ids either, if it is a set of particles without
  // ids. Ids that a file has may be numbers of rows: frames without ids may follow them.
  void continue_after(const FrameInfo &last);

 private:
  // Resizes `values_` to one value for each used row, and returns it as an array.
  ConstArray resized(std::size_t particles, const int *rows);

  std::vector<std::int64_t> values_;  // by row
  std::optional<std::size_t> first_;  // the first frame that was checked
  bool first_has_ids_ = false;
  bool continues_a_set_ = false;
};

}  // namespace gpz::api
