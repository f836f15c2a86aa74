// SPDX-License-Identifier: BSD-3-Clause
#include "gpz/model/classed_rules.hpp"

#include <algorithm>

#include "gpz/format/corrupt.hpp"

namespace gpz::model {

using format::corrupt;

void ClassedRules::append(std::size_t components, format::ByteWriter &out) const {
  out.i64(base);
  out.u8(static_cast<std::uint8_t>(group.size()));
  out.u8(static_cast<std::uint8_t>(groups));
  for (const std::uint8_t of_class : group) out.u8(of_class);
  for (std::size_t d = 0; d < components; ++d) {
    out.u8(static_cast<std::uint8_t>(terms[d].size()));
    for (const ClassedTerm &term : terms[d]) {
      out.u8(term.source);
      out.u8(term.component);
      out.u8(static_cast<std::uint8_t>(term.kind));
      out.u8(static_cast<std::uint8_t>(term.shift));
    }
    for (const std::int16_t weight : weights[d]) out.u16(static_cast<std::uint16_t>(weight));
  }
}

void ClassedRules::read(std::size_t components, format::ByteReader &in) {
  base = in.i64();
  group.resize(in.u8());
  groups = in.u8();
  if (groups == 0 || groups > most_groups) corrupt("groups of a classed section", in.position());
  for (std::uint8_t &of_class : group) {
    of_class = in.u8();
    if (of_class >= groups) corrupt("group of a class", in.position());
  }
  for (std::size_t d = 0; d < components; ++d) {
    terms[d].resize(in.u8());
    if (terms[d].size() > most_terms) corrupt("terms of a classed section", in.position());
    for (ClassedTerm &term : terms[d]) {
      term.source = in.u8();
      term.component = in.u8();
      const std::uint8_t kind = in.u8();
      term.kind = static_cast<TermKind>(kind);
      term.shift = static_cast<std::int8_t>(in.u8());
      if (kind > static_cast<std::uint8_t>(TermKind::constant) || term.shift < least_shift ||
          term.shift > largest_shift)
        corrupt("term of a classed section", in.position());
    }
    weights[d].resize(terms[d].size() * groups);
    for (std::int16_t &weight : weights[d]) weight = static_cast<std::int16_t>(in.u16());
  }
}

bool TermValues::fits(const ClassedTerm &term, const ClassedSources &sources) {
  if (term.kind == TermKind::constant) return true;
  if (term.source >= sources.fields.size()) return false;
  const codec::DifferenceState &field = *sources.fields[term.source];
  return term.component < field.components && (term.kind == TermKind::last_index || !field.plain);
}

TermValues::TermValues(const ClassedTerm &term, const ClassedSources &sources) : kind_(term.kind) {
  if (kind_ == TermKind::constant) return;
  const codec::DifferenceState &field = *sources.fields[term.source];
  const codec::DifferenceState::Axis &axis = field.axes[term.component];
  last_ = axis.last.data();
  reciprocal_ = core::reciprocal_of(field.frames);
  column_ = kind_ == TermKind::displacement          ? axis.velocity.data()
            : kind_ == TermKind::displacement_before ? axis.previous.data()
                                                     : axis.deviation.data();
}

void check_rules(const ClassedRules &rules, const ClassedSources &sources) {
  for (const auto &terms : rules.terms)
    for (const ClassedTerm &term : terms)
      if (!TermValues::fits(term, sources)) corrupt("source of a term of a classed section");
}

void find_groups(const ClassedRules &rules, const ClassedSources &sources, std::size_t first, std::size_t n,
                 std::uint8_t *group) {
  for (std::size_t i = 0; i < n; ++i)
    group[i] = rules.group_of(sources.classes == nullptr ? 0 : sources.classes[first + i]);
}

void expect_classed(const ClassedRules &rules, const ClassedSources &sources, std::size_t d, std::size_t first,
                    std::size_t n, const std::uint8_t *group, std::int64_t *expected) {
  std::fill_n(expected, n, std::int64_t{32});
  const std::vector<ClassedTerm> &terms = rules.terms[d];
  for (std::size_t k = 0; k < terms.size(); ++k) {
    const TermValues values(terms[k], sources);
    const int right = std::max<int>(terms[k].shift, 0);
    const std::int64_t unit = std::int64_t{1} << (right - terms[k].shift);
    const std::int16_t *const weight = rules.weights[d].data() + k;
    const std::size_t step = terms.size();
    const bool is_one = rules.groups == 1;
    values.visit([&](const auto &value) {
      const std::int64_t common = *weight * unit;
      if (is_one)
        for (std::size_t i = 0; i < n; ++i) expected[i] += common * value(first + i) >> right;
      else
        for (std::size_t i = 0; i < n; ++i) expected[i] += weight[group[i] * step] * unit * value(first + i) >> right;
    });
  }
}

}  // namespace gpz::model
