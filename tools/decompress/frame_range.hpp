// SPDX-License-Identifier: BSD-3-Clause
// The value of --frames: a Python slice.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace gpz::tool {

// A:B:S takes frames A, A+S, ... before B; a negative A or B counts from the end, a negative S walks backwards. Any of
// them may be left out. A single number takes that frame.
class FrameRange {
 public:
  FrameRange() = default;
  // Throws Failure (usage).
  explicit FrameRange(const std::string &text);

  // The number, if it is a single one.
  std::optional<std::int64_t> single() const { return is_single_ ? begin_ : std::nullopt; }

  // The frames taken of `frames`.
  std::vector<std::size_t> select(std::size_t frames) const;

  // Whether the selection can be made while frames arrive one by one.
  bool forward() const;
  // For a forward range: whether frame i is taken, and whether frames from i on can be.
  bool takes(std::uint64_t i) const;
  bool ends_before(std::uint64_t i) const;

 private:
  std::optional<std::int64_t> begin_, end_;
  std::int64_t step_ = 1;
  bool is_single_ = false;
};

}  // namespace gpz::tool
