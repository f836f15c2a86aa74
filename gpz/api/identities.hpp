// SPDX-License-Identifier: BSD-3-Clause
// The integer column `id`, for frames whose ids are floating-point numbers or missing.
//
// Rows keep their order unless the user wants a set (Order::place): a frame without ids gets the numbers of its rows as
// ids if its chunk may be sorted.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "gpz/frame.hpp"
#include "gpz/trajectory.hpp"

namespace gpz::api {

// Added arrays are valid until the next call. `rows` is as in ChunkEncoder::encode.
class Identities {
 public:
  // Replaces ids of a float type by integers, except decoded values (FieldInput::decoded). Throws invalid_argument if
  // an id is not a whole number.
  void make_whole(std::vector<FieldInput> &fields, std::size_t particles, const int *rows);
  // Whether the order of rows could be lost: the frame has positions and no ids, so a chunk may be sorted by position.
  static bool may_lose_rows(const std::vector<FieldInput> &fields);
  // Adds the ids 1, 2, ... if may_lose_rows().
  void number(std::vector<FieldInput> &fields, std::size_t particles, const int *rows);
  // Throws invalid_argument if frame `frame` has ids and the first frame has none, or vice versa: readers would match
  // the particles of both by id. Frame 0 decides. Frames without positions or particles, and decoded frames, are
  // accepted. So are frames whose ids are the numbers of their rows, as from number(), except with Order::place: a file
  // in the order of memory has them in some frames. `in_any_order`: the rows come from a file, which may have changed
  // their order.
  void check_same(const std::vector<FieldInput> &fields, std::size_t particles, const int *rows, std::size_t frame,
                  Order order, bool in_any_order);

  // For a continued file: its next frames have no ids if `last` is a set of particles without ids. If `last` has ids,
  // they may be numbers of rows, and frames without ids may follow.
  void continue_after(const FrameInfo &last);

 private:
  // Resizes `values_` to one value for each used row, and returns it as an array.
  ConstArray resized(std::size_t particles, const int *rows);

  std::vector<std::int64_t> values_;  // by row
  std::optional<std::size_t> first_;  // first frame that was checked
  bool first_has_ids_ = false;
  bool continues_a_set_ = false;
};

}  // namespace gpz::api
