// SPDX-License-Identifier: BSD-3-Clause
// Labels of particles in the order of slots, predicted from those before: molecules repeat (docs/format.md, section
// 9d).
#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

namespace gpz::lanes {

class PatternHistory {
 public:
  static constexpr unsigned contexts = 3;

  // Call first for each particle. `lag` is that of its parent.
  void go_to(std::uint8_t lag) {
    const std::uint32_t by_two = before_ << 8 | lag;
    by_one_ = &of_one_[(before_ & 0xFF) << 8 | lag];
    const auto added = of_two_.try_emplace(by_two, std::uint8_t{0});
    by_two_ = &added.first->second;
    context_ = !added.second ? 0 : *by_one_ != unknown ? 1 : 2;
    expected_ = context_ == 0 ? *by_two_ : context_ == 1 ? static_cast<std::uint8_t>(*by_one_) : std::uint8_t{0};
  }
  unsigned context() const { return context_; }
  std::uint8_t expected() const { return expected_; }
  // Call then for this particle.
  void add(std::uint8_t label) {
    *by_two_ = label;
    *by_one_ = label;
    before_ = (before_ << 8 | label) & 0xFFFF;
  }

 private:
  static constexpr std::uint16_t unknown = UINT16_MAX;

  // By the labels of the two particles before, or of the one before, and the lag.
  std::unordered_map<std::uint32_t, std::uint8_t> of_two_;
  std::vector<std::uint16_t> of_one_ = std::vector<std::uint16_t>(std::size_t{1} << 16, unknown);
  std::uint8_t *by_two_ = nullptr;  // in the maps: of the particle now
  std::uint16_t *by_one_ = nullptr;
  std::uint32_t before_ = 0;
  unsigned context_ = 0;
  std::uint8_t expected_ = 0;
};

}  // namespace gpz::lanes
