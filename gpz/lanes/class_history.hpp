// SPDX-License-Identifier: BSD-3-Clause
// Classes of particles in the order of slots, predicted from those before: molecules repeat (docs/format.md, section
// 9d).
#pragma once

#include <cstdint>
#include <unordered_map>

namespace gpz::lanes {

class ClassHistory {
 public:
  static constexpr unsigned contexts = 3;

  // Call first for each particle. `lag` is that of its parent.
  void go_to(std::uint8_t lag) {
    long_ = before_ << 8 | lag;
    short_ = (before_ & 0xFF) << 8 | lag;
    const auto by_two = of_two_.find(long_);
    const auto by_one = of_one_.find(short_);
    context_ = by_two != of_two_.end() ? 0 : by_one != of_one_.end() ? 1 : 2;
    expected_ = context_ == 0 ? by_two->second : context_ == 1 ? by_one->second : std::uint8_t{0};
  }
  unsigned context() const { return context_; }
  // 0: as expected; otherwise 1 more than the class.
  std::uint32_t number_of(std::uint8_t of_class) const { return of_class == expected_ ? 0 : of_class + 1U; }
  std::uint8_t class_of(std::uint32_t number) const {
    return number == 0 ? expected_ : static_cast<std::uint8_t>(number - 1);
  }
  void add(std::uint8_t of_class) {
    of_two_[long_] = of_one_[short_] = of_class;
    before_ = (before_ << 8 | of_class) & 0xFFFF;
  }

 private:
  // By the classes of the two particles before, or of the one before, and the lag.
  std::unordered_map<std::uint32_t, std::uint8_t> of_two_, of_one_;
  std::uint32_t before_ = 0;
  std::uint32_t long_ = 0, short_ = 0;
  unsigned context_ = 0;
  std::uint8_t expected_ = 0;
};

}  // namespace gpz::lanes
