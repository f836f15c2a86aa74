// SPDX-License-Identifier: BSD-3-Clause
#include "frame_range.hpp"

#include <algorithm>
#include <charconv>
#include <limits>

#include "exit_code.hpp"

namespace gpz::tool {
namespace {

std::optional<std::int64_t> parse_part(const std::string &text, const std::string &part) {
  if (part.empty()) return std::nullopt;
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(part.data(), part.data() + part.size(), value);
  if (error != std::errc() || end != part.data() + part.size())
    throw Failure(ExitCode::usage, "", "--frames " + text + ": '" + part + "' is no number; expected A:B:S");
  return value;
}

}  // namespace

FrameRange::FrameRange(const std::string &text) {
  std::vector<std::string> parts(1);
  for (const char c : text)
    if (c == ':')
      parts.emplace_back();
    else
      parts.back() += c;
  if (parts.size() > 3 || text.empty()) throw Failure(ExitCode::usage, "", "--frames " + text + ": expected A:B:S");
  begin_ = parse_part(text, parts[0]);
  if (parts.size() == 1) {
    is_single_ = true;
    if (begin_ != -1 && *begin_ < std::numeric_limits<std::int64_t>::max()) end_ = *begin_ + 1;
    return;
  }
  end_ = parse_part(text, parts[1]);
  if (parts.size() == 3) step_ = parse_part(text, parts[2]).value_or(1);
  if (step_ == 0) throw Failure(ExitCode::usage, "", "--frames " + text + ": a step of 0");
}

std::vector<std::size_t> FrameRange::select(std::size_t frames) const {
  const auto count = static_cast<std::int64_t>(frames);
  const std::int64_t lowest = step_ > 0 ? 0 : -1;
  const std::int64_t highest = step_ > 0 ? count : count - 1;
  const auto from_start = [&](std::int64_t i) {
    return std::clamp(i < 0 ? std::max(i, -count - 1) + count : i, lowest, highest);
  };
  const std::int64_t begin = begin_ ? from_start(*begin_) : (step_ > 0 ? lowest : highest);
  const std::int64_t end = end_ ? from_start(*end_) : (step_ > 0 ? highest : lowest);

  std::vector<std::size_t> taken;
  const std::int64_t step = std::clamp(step_, -count - 1, count + 1);
  for (std::int64_t i = begin; step > 0 ? i < end : i > end; i += step) taken.push_back(static_cast<std::size_t>(i));
  return taken;
}

bool FrameRange::forward() const { return step_ > 0 && begin_.value_or(0) >= 0 && end_.value_or(0) >= 0; }

bool FrameRange::takes(std::uint64_t i) const {
  const auto begin = static_cast<std::uint64_t>(begin_.value_or(0));
  return i >= begin && !ends_before(i) && (i - begin) % static_cast<std::uint64_t>(step_) == 0;
}

bool FrameRange::ends_before(std::uint64_t i) const { return end_ && i >= static_cast<std::uint64_t>(*end_); }

}  // namespace gpz::tool
