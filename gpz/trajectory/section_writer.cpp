// SPDX-License-Identifier: BSD-3-Clause
#include "gpz/trajectory/section_writer.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "gpz/model/contest.hpp"
#include "gpz/trajectory/section_sample.hpp"

namespace gpz::trajectory {
namespace {

using When = SectionCandidate::When;
using Try = model::Contest::Try;

bool is_tried(const SectionCandidate &candidate, Try turn, bool there_is_one) {
  if (candidate.when == When::costly) return turn != Try::usual;
  return !there_is_one || (candidate.when == When::always && turn != Try::costly);
}

// Exact values number particles in decoding order.
format::Column<format::ExactValue> renumbered(format::Column<format::ExactValue> exact,
                                              const std::vector<std::uint32_t> &order) {
  if (exact.empty() || order.empty()) return exact;
  std::vector<std::uint32_t> new_row(order.size());
  for (std::size_t i = 0; i < order.size(); ++i) new_row[order[i]] = static_cast<std::uint32_t>(i);
  for (format::ExactValue &value : exact)
    value.value_index =
        (value.value_index & ~format::exact_row_mask) | new_row[value.value_index & format::exact_row_mask];
  return exact;
}

void append_head(const Coding &coding, const SectionSource &source, const format::Crossed &crossed,
                 const std::vector<std::uint32_t> &order, std::vector<std::uint8_t> &bytes) {
  format::append_field_coding({coding.number, coding.counts_crossings ? crossed : format::Crossed{}}, bytes);
  format::append_section_head(coding.head, source.edges, source.context.components(),
                              renumbered(source.indices.exact, order), bytes);
}

// A coding that was tried. SIZE_MAX: it could not code the values.
struct Tried {
  const Coding *coding;
  bool costly;
  bool is_hopeless = false;
  std::size_t bytes = SIZE_MAX;
  std::size_t size = SIZE_MAX;  // bytes less the investment
};

// Whether a sample tells that a coding is much larger than steps, which are chosen then: they are read faster as well.
bool loses_in_sample(const Coding &coding, const SectionSource &source, std::size_t steps) {
  constexpr std::size_t ranges = 4, range = 1024, least_sampled = 4 * ranges * range, much = 8;
  if (!coding.can_be_sampled || source.context.particles < least_sampled) return false;
  const SectionSample sample(source, ranges, range);
  EncodedSection encoded;
  if (!coding.try_encode(sample.source(), {}, encoded)) return false;
  const std::size_t bytes = encoded.payload.size() * source.context.particles / sample.source().context.particles;
  return bytes - bytes / much > steps;
}

// Bytes of the smallest of some sections; SIZE_MAX if there is none.
template <typename Which>
std::size_t smallest(const std::vector<Tried> &all, const Which &is_one) {
  std::size_t bytes = SIZE_MAX;
  for (const Tried &one : all)
    if (is_one(one)) bytes = std::min(bytes, one.bytes);
  return bytes;
}

}  // namespace

WrittenSection append_section(const std::vector<SectionCandidate> &candidates, const SectionSource &source, Try turn,
                              const format::Crossed &crossed, std::vector<std::uint8_t> &bytes) {
  struct Best {
    const Coding *coding;
    EncodedSection encoded;
    ToBeat size;
    bool costly;
    std::size_t bytes;
  };
  std::optional<Best> best;
  std::vector<Tried> all;
  for (const SectionCandidate &candidate : candidates) {
    if (!is_tried(candidate, turn, best.has_value())) continue;
    const Coding &coding = coding_of(candidate.coding);
    if (best && best->coding->number == format::steps && loses_in_sample(coding, source, best->size.section)) continue;
    EncodedSection encoded;
    const bool costly = candidate.when == When::costly;
    const bool is_coded = coding.try_encode(source, best ? best->size : ToBeat{}, encoded);
    all.push_back({&coding, costly, encoded.is_hopeless});
    if (!is_coded) continue;
    const std::size_t head =
        format::section_head_size(coding.head, source.context.components(), source.indices.exact.size());
    const std::size_t section = format::field_coding_size + head + encoded.payload.size();
    ToBeat size{section, encoded.payload.size()};
    size.section -= encoded.investment;
    size.payload -= encoded.investment;
    all.back().bytes = section;
    all.back().size = size.section;
    if (!best || size.section < best->size.section) best = Best{&coding, std::move(encoded), size, costly, section};
  }
  append_head(*best->coding, source, crossed, best->encoded.order, bytes);
  bytes.insert(bytes.end(), best->encoded.payload.begin(), best->encoded.payload.end());
  if (best->encoded.classed) source.context.classed->commit(std::move(*best->encoded.classed));
  if (best->encoded.update) source.context.modelled->commit(std::move(*best->encoded.update));
  const auto is_rival = [&](const Tried &one) { return one.coding != best->coding; };
  const bool beats_usual = best->encoded.ends_contests;
  const bool beats_all = model::is_clear_win(
      best->bytes, smallest(all, [&](const Tried &one) { return is_rival(one) && (one.costly || !beats_usual); }));
  for (const Tried &one : all)
    if (one.coding->settle != nullptr)
      one.coding->settle(source.context, {!is_rival(one), beats_all, best->encoded.update.has_value(), one.is_hopeless,
                                          one.size, best->size.section});
  const std::size_t other = smallest(all, [&](const Tried &one) { return one.costly != best->costly; });
  return {best->costly,
          beats_usual || model::is_clear_win(best->bytes, other),
          model::is_clear_win(best->bytes, other, model::far_part),
          best->coding->head == format::SectionHead::axes_and_exact_values,
          best->encoded.from_neighbours,
          std::move(best->encoded.order),
          best->encoded.largest_error,
          best->encoded.investment};
}

}  // namespace gpz::trajectory
