// SPDX-License-Identifier: BSD-3-Clause
// Rules of classed sections: a value is predicted by a sum of weighted terms, with separate weights for each group of
// classes (docs/format.md, section 10i).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "gpz/codec/difference_codec.hpp"
#include "gpz/format/bytes.hpp"

namespace gpz::model {

enum class TermKind : std::uint8_t { last_index, displacement, displacement_before, offset_to_mean, constant };

// A term: one number of each particle, from one component of a source field.
struct ClassedTerm {
  std::uint8_t source = 0;  // position in the section's list of sources
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

  // Groups of the classes base, base + 1, ...; all other classes are in group 0.
  std::int64_t base = 0;
  std::vector<std::uint8_t> group;
  unsigned groups = 1;
  std::array<std::vector<ClassedTerm>, core::max_components> terms;
  std::array<std::vector<std::int16_t>, core::max_components> weights;  // weights of group 0, then of group 1, ...

  std::uint8_t group_of(std::int64_t particle_class) const {
    const std::uint64_t k = static_cast<std::uint64_t>(particle_class) - static_cast<std::uint64_t>(base);
    return k < group.size() ? group[static_cast<std::size_t>(k)] : std::uint8_t{0};
  }
  void append(std::size_t components, format::ByteWriter &out) const;
  // Throws corrupt.
  void read(std::size_t components, format::ByteReader &in);
};

// Inputs of the prediction.
struct ClassedSources {
  const std::int64_t *classes = nullptr;               // class of each particle; null: all are in class 0
  std::vector<const codec::DifferenceState *> fields;  // by ClassedTerm::source
};

// Values of one term for all particles.
class TermValues {
 public:
  static constexpr std::int64_t largest = std::int64_t{1} << 28;
  static constexpr std::int32_t one = 64;  // value of the constant term

  TermValues(const ClassedTerm &term, const ClassedSources &sources);
  // Calls use(value), where value(i) is the term of particle i. The kind is dispatched once, outside of the caller's
  // loop.
  template <typename Use>
  void visit(const Use &use) const {
    switch (kind_) {
      case TermKind::last_index:
        use([last = last_](std::size_t i) { return core::limited(last[i], largest); });
        return;
      case TermKind::offset_to_mean:
        use([column = column_, reciprocal = reciprocal_](std::size_t i) {
          return core::offset_to_mean(column[i], reciprocal);
        });
        return;
      case TermKind::constant:
        use([](std::size_t) { return one; });
        return;
      default:
        use([column = column_](std::size_t i) { return column[i]; });
    }
  }
  std::int32_t value(std::size_t i) const {
    std::int32_t found = 0;
    visit([&](const auto &value) { found = value(i); });
    return found;
  }
  // True if the sources can provide this term.
  static bool fits(const ClassedTerm &term, const ClassedSources &sources);

 private:
  TermKind kind_;
  const std::int64_t *last_ = nullptr;
  const std::int32_t *column_ = nullptr;
  std::int32_t reciprocal_ = 0;
};

// Finds the groups of the particles [first, first + n).
void find_groups(const ClassedRules &rules, const ClassedSources &sources, std::size_t first, std::size_t n,
                 std::uint8_t *group);
// Computes the expected values of component d of these particles, relative to the origin, in 1/64 steps, plus a half.
// The rules must have passed check_rules.
void expect_classed(const ClassedRules &rules, const ClassedSources &sources, std::size_t d, std::size_t first,
                    std::size_t n, const std::uint8_t *group, std::int64_t *expected);
// Throws corrupt if the sources cannot provide a term of the rules.
void check_rules(const ClassedRules &rules, const ClassedSources &sources);

}  // namespace gpz::model
