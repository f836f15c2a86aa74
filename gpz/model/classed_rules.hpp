// SPDX-License-Identifier: BSD-3-Clause
// How classed sections predict values: sums of weighted terms, with weights for each group of classes (docs/format.md,
// section 10i).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "gpz/codec/difference_codec.hpp"
#include "gpz/format/bytes.hpp"

namespace gpz::model {

enum class TermKind : std::uint8_t { last_index, displacement, displacement_before, way_to_mean, constant };

// A number of each particle: of a component of one of the fields that a section names.
struct ClassedTerm {
  std::uint8_t source = 0;  // of the section
  std::uint8_t component = 0;
  TermKind kind = TermKind::constant;
  std::int8_t shift = 0;  // weights are in units of 2^-shift / 64
};

struct ClassedRules {
  static constexpr std::size_t most_classes = 255;
  static constexpr unsigned most_groups = 64;
  static constexpr std::size_t most_terms = 32;
  static constexpr int least_shift = -12;
  static constexpr int largest_shift = 40;

  // The group of classes base, base + 1, ...; others are in group 0.
  std::int64_t base = 0;
  std::vector<std::uint8_t> group;
  unsigned groups = 1;
  std::array<std::vector<ClassedTerm>, core::max_components> terms;
  std::array<std::vector<std::int16_t>, core::max_components> weights;  // those of group 0, of group 1, ...

  std::uint8_t group_of(std::int64_t particle_class) const {
    const std::uint64_t k = static_cast<std::uint64_t>(particle_class) - static_cast<std::uint64_t>(base);
    return k < group.size() ? group[static_cast<std::size_t>(k)] : std::uint8_t{0};
  }
  void append(std::size_t components, format::ByteWriter &out) const;
  // Throws corrupt.
  void read(std::size_t components, format::ByteReader &in);
};

// What a section is predicted from.
struct ClassedSources {
  const std::int64_t *classes = nullptr;             // of each particle; nullptr: all are in class 0
  std::vector<const cpu::DifferenceState *> fields;  // by number of the source
};

// The values of a term.
class TermValues {
 public:
  static constexpr std::int64_t largest = std::int64_t{1} << 28;
  static constexpr std::int32_t one = 64;  // the constant

  TermValues(const ClassedTerm &term, const ClassedSources &sources);
  // Calls use(value), value(i) being that of particle i: loops know the kind before they begin.
  template <typename Use>
  void visit(const Use &use) const {
    switch (kind_) {
      case TermKind::last_index:
        use([last = last_](std::size_t i) { return core::limited(last[i], largest); });
        return;
      case TermKind::way_to_mean:
        use([column = column_, reciprocal = reciprocal_](std::size_t i) {
          return core::way_to_mean(column[i], reciprocal);
        });
        return;
      case TermKind::constant:
        use([](std::size_t) { return one; });
        return;
      default:
        use([column = column_](std::size_t i) { return column[i]; });
    }
  }
  std::int32_t of(std::size_t i) const {
    std::int32_t found = 0;
    visit([&](const auto &value) { found = value(i); });
    return found;
  }
  // Whether a source has such a term.
  static bool fits(const ClassedTerm &term, const ClassedSources &sources);

 private:
  TermKind kind_;
  const std::int64_t *last_ = nullptr;
  const std::int32_t *column_ = nullptr;
  std::int32_t reciprocal_ = 0;
};

// The groups of the particles [first, first + n).
void find_groups(const ClassedRules &rules, const ClassedSources &sources, std::size_t first, std::size_t n,
                 std::uint8_t *group);
// What is expected of component d of these particles, in 1/64 steps from the origin, plus a half. The rules fit the
// sources (check_rules).
void expect_classed(const ClassedRules &rules, const ClassedSources &sources, std::size_t d, std::size_t first,
                    std::size_t n, const std::uint8_t *group, std::int64_t *expected);
// Throws corrupt if the rules have terms that the sources do not have.
void check_rules(const ClassedRules &rules, const ClassedSources &sources);

}  // namespace gpz::model
