// SPDX-License-Identifier: BSD-3-Clause
#include "gpz/model/classed_choice.hpp"

#include <algorithm>
#include <cmath>

#include "gpz/codec/functions.hpp"
#include "gpz/crystal/least_squares.hpp"
#include "gpz/model/scale_levels.hpp"
#include "gpz/model/walk.hpp"

namespace gpz::model {
namespace {

using crystal::LeastSquares;

constexpr double ridge = 1e-9;
constexpr std::size_t search_sample = 2048;  // particles
constexpr std::size_t fit_sample = 16384;    // particles, for many groups
constexpr std::size_t most_sources = 4;      // in addition to the field itself
constexpr double least_bits_saved = 0.01;    // bits per value that a source or a field of classes must save
constexpr double sections_of_rules = 3;      // expected number of sections that share one set of rules
constexpr std::size_t least_of_group = 128;  // particles
constexpr unsigned most_own_groups = 15;

// Searches are frequent at first, while the history is short.
bool is_search_due(unsigned sections) { return sections < 4 || sections == 6 || sections % 16 == 0; }

// Between fits, the rules of an earlier frame are reused.
bool is_fit_due(unsigned sections) { return sections < 8 || sections % 8 == 0; }

// Calls take(i) for about `most` of n particles, one from each stretch. Offsets in the stretches vary, so that the
// sample does not always hit the same atom of a molecule.
template <typename Take>
void for_sample(std::size_t n, std::size_t most, const Take &take) {
  const std::uint64_t stride = crystal::sample_stride(n, most);
  for (std::uint64_t k = 0, begin = 0; begin < n; ++k, begin += stride) {
    const std::uint64_t i = begin + (k * 0x9E3779B97F4A7C15u >> 40) % stride;
    if (i < n) take(static_cast<std::size_t>(i));
  }
}

// Target of a fit: the difference of an index from its origin, which is the last index or 0.
class FitTarget {
 public:
  FitTarget(const ClassedShape &shape, const codec::IndexColumns &q, std::size_t d)
      : q_(q[d]), last_(shape.own == nullptr ? nullptr : shape.own->axes[d].last.data()) {
    std::size_t bits = 0;
    std::size_t count = 0;
    for_sample(shape.particles, search_sample, [&](std::size_t i) {
      bits += static_cast<std::size_t>(core::bit_length(core::zigzag(whole(i))));
      ++count;
    });
    limit_ = std::int64_t{1} << std::min<std::size_t>((bits + count / 2) / std::max<std::size_t>(count, 1) + 5, 40);
  }
  std::int64_t whole(std::size_t i) const { return last_ == nullptr ? q_[i] : core::difference_of(q_[i], last_[i]); }
  // Returns false for values far beyond the usual size, which would dominate a fit.
  bool find(std::size_t i, double &target) const {
    const std::int64_t y = whole(i);
    target = static_cast<double>(y);
    return y <= limit_ && y >= -limit_;
  }

 private:
  const std::int64_t *q_;
  const std::int64_t *last_;
  std::int64_t limit_;
};

class ClassedChooser {
 public:
  ClassedChooser(const ClassedShape &shape, const ClassedCandidates &candidates, const codec::IndexColumns &q)
      : shape_(shape), candidates_(candidates) {
    for (std::size_t d = 0; d < shape.components; ++d) targets_.emplace_back(shape, q, d);
    if (shape.own != nullptr) choice_.search = shape.state->search;
    ClassedSearch &search = choice_.search;
    const bool due = shape.own == nullptr || is_search_due(search.sections);
    // A search is always followed by a fit.
    if (due) find_classes();
    if (due && has_terms())
      for (std::size_t d = 0; d < shape.components; ++d) search.sources[d] = find_sources(d);
    name_fields();
    choose_rules();
    ++search.sections;
    choose_contexts();
  }

  ClassedChoice take() { return std::move(choice_); }

 private:
  bool has_terms() const { return shape_.own != nullptr && !shape_.own->plain; }

  struct Feature {
    ClassedSource source;
    TermKind kind;
  };

  const codec::DifferenceState *state_of(std::size_t field) const {
    if (field == candidates_.own) return shape_.own;
    for (const ClassedCandidates::Numbers &numbers : candidates_.fields)
      if (numbers.field == field) return numbers.state;
    return nullptr;
  }
  bool are_positions(std::size_t field) const {
    for (const ClassedCandidates::Numbers &numbers : candidates_.fields)
      if (numbers.field == field) return numbers.are_positions;
    return false;
  }

  // Features of the field itself. add_features appends those of a source.
  std::vector<Feature> own_features(std::size_t d) const {
    std::vector<Feature> out{{{candidates_.own, 0}, TermKind::constant}};
    const ClassedSource own{candidates_.own, static_cast<std::uint8_t>(d)};
    if (has_terms())
      for (const TermKind kind :
           {TermKind::last_index, TermKind::displacement, TermKind::displacement_before, TermKind::offset_to_mean})
        out.push_back({own, kind});
    return out;
  }
  void add_features(const ClassedSource &source, std::vector<Feature> &out) const {
    if (!are_positions(source.field)) out.push_back({source, TermKind::last_index});
    out.push_back({source, TermKind::displacement});
    out.push_back({source, TermKind::displacement_before});
    if (are_positions(source.field)) out.push_back({source, TermKind::offset_to_mean});
  }

  std::vector<TermValues> values_of(const std::vector<Feature> &features) const {
    std::vector<TermValues> out;
    for (const Feature &feature : features) {
      const ClassedTerm term{0, feature.source.component, feature.kind, 0};
      ClassedSources of_one;
      of_one.fields = {state_of(feature.source.field)};
      out.emplace_back(term, of_one);
    }
    return out;
  }

  static constexpr std::size_t sizeof_term = 4;
  static constexpr std::size_t sizeof_weight = 2;
  // Bits per value that a component must save to pay for this many bytes of rules.
  double gain_needed(std::size_t bytes) const {
    return std::max(least_bits_saved,
                    8.0 * static_cast<double>(bytes) / sections_of_rules / static_cast<double>(shape_.particles));
  }

  // Chooses sources greedily, each of which makes the residuals of component d smaller.
  std::vector<ClassedSource> find_sources(std::size_t d) const {
    std::vector<Feature> features = own_features(d);
    std::vector<std::size_t> chosen;
    for (std::size_t k = 0; k < features.size(); ++k) chosen.push_back(k);
    std::vector<ClassedSource> sources;
    std::vector<std::size_t> first;  // first feature of each source
    for (const ClassedCandidates::Numbers &numbers : candidates_.fields)
      for (int c = 0; c < numbers.state->components; ++c) {
        sources.push_back({numbers.field, static_cast<std::uint8_t>(c)});
        first.push_back(features.size());
        add_features(sources.back(), features);
      }
    first.push_back(features.size());
    const std::vector<TermValues> values = values_of(features);
    ClassedRules rules;
    const std::int64_t *const classes = classes_of(choice_.search.class_field);
    if (classes != nullptr) find_groups_of(classes, rules);
    std::vector<LeastSquares> all(rules.groups, LeastSquares(features.size()));
    std::vector<double> x(features.size());
    for_sample(shape_.particles, search_sample, [&](std::size_t i) {
      double target = 0;
      if (!targets_[d].find(i, target)) return;
      for (std::size_t k = 0; k < x.size(); ++k) x[k] = values[k].value(i);
      all[rules.group_of(classes == nullptr ? 0 : classes[i])].add(x.data(), target);
    });
    std::vector<ClassedSource> found;
    std::size_t count = 0;
    for (const LeastSquares &group : all) count += is_enough(group, features.size()) ? group.count() : 0;
    if (count == 0) return found;
    // Bits saved per value, averaged over the groups with enough particles.
    const auto gain_with = [&](const std::vector<std::size_t> &unknowns) {
      double sum = 0;
      for (const LeastSquares &group : all) {
        if (!is_enough(group, features.size())) continue;
        const LeastSquares some = group.with(unknowns);
        sum += some.gain(some.solve(ridge)) * static_cast<double>(group.count());
      }
      return sum / static_cast<double>(count);
    };
    double gain = gain_with(chosen);
    std::vector<bool> taken(sources.size());
    while (found.size() < most_sources) {
      double best_gain = gain;
      std::size_t best = sources.size();
      for (std::size_t s = 0; s < sources.size(); ++s) {
        if (taken[s]) continue;
        const double needed =
            gain + gain_needed((first[s + 1] - first[s]) * (sizeof_term + sizeof_weight * rules.groups));
        std::vector<std::size_t> more = chosen;
        for (std::size_t k = first[s]; k < first[s + 1]; ++k) more.push_back(k);
        const double now = gain_with(more);
        if (now <= best_gain || now <= needed) continue;
        best_gain = now;
        best = s;
      }
      if (best == sources.size()) break;
      taken[best] = true;
      for (std::size_t k = first[best]; k < first[best + 1]; ++k) chosen.push_back(k);
      found.push_back(sources[best]);
      gain = best_gain;
    }
    return found;
  }

  // Lists the fields that terms use, by number, with their states.
  void name_fields() {
    std::vector<std::uint16_t> &fields = choice_.head.fields;
    if (has_terms()) fields.push_back(static_cast<std::uint16_t>(candidates_.own));
    for (std::size_t d = 0; d < shape_.components; ++d)
      for (const ClassedSource &source : choice_.search.sources[d])
        fields.push_back(static_cast<std::uint16_t>(source.field));
    std::sort(fields.begin(), fields.end());
    fields.erase(std::unique(fields.begin(), fields.end()), fields.end());
    for (const std::uint16_t field : fields) choice_.sources.fields.push_back(state_of(field));
    for (std::size_t d = 0; d < shape_.components; ++d) {
      features_[d] = own_features(d);
      for (const ClassedSource &source : choice_.search.sources[d]) add_features(source, features_[d]);
    }
  }
  std::uint8_t source_of(const Feature &feature) const {
    const std::vector<std::uint16_t> &fields = choice_.head.fields;
    return static_cast<std::uint8_t>(std::lower_bound(fields.begin(), fields.end(), feature.source.field) -
                                     fields.begin());
  }

  // Makes groups for a field of classes: each class with many particles gets its own.
  bool find_groups_of(const std::int64_t *classes, ClassedRules &rules) const {
    const auto [least, most] = std::minmax_element(classes, classes + shape_.particles);
    const std::uint64_t range = static_cast<std::uint64_t>(*most) - static_cast<std::uint64_t>(*least);
    if (range == 0 || range >= ClassedRules::most_classes) return false;
    rules.base = *least;
    rules.group.assign(static_cast<std::size_t>(range) + 1, 0);
    std::vector<std::size_t> count(rules.group.size());
    for (std::size_t i = 0; i < shape_.particles; ++i) ++count[static_cast<std::size_t>(classes[i] - *least)];
    std::vector<std::size_t> by_count;
    for (std::size_t c = 0; c < count.size(); ++c)
      if (count[c] >= std::max(least_of_group, shape_.particles / 64)) by_count.push_back(c);
    std::stable_sort(by_count.begin(), by_count.end(),
                     [&](std::size_t a, std::size_t b) { return count[a] > count[b]; });
    if (by_count.size() > most_own_groups) by_count.resize(most_own_groups);
    rules.groups = 1;
    for (const std::size_t c : by_count) rules.group[c] = static_cast<std::uint8_t>(rules.groups++);
    return rules.groups > 1;
  }

  // Least squares of each group, and of all particles together.
  struct GroupFits {
    std::vector<LeastSquares> of_group;
    LeastSquares all;

    GroupFits(unsigned groups, std::size_t unknowns) : of_group(groups, LeastSquares(unknowns)), all(unknowns) {}
  };
  GroupFits fit(const ClassedRules &rules, const std::int64_t *classes, std::size_t d, std::size_t sample) const {
    const std::vector<TermValues> values = values_of(features_[d]);
    GroupFits fits(rules.groups, values.size());
    std::vector<double> x(values.size());
    for_sample(shape_.particles, sample, [&](std::size_t i) {
      double target = 0;
      if (!targets_[d].find(i, target)) return;
      for (std::size_t k = 0; k < x.size(); ++k) x[k] = values[k].value(i);
      fits.all.add(x.data(), target);
      fits.of_group[rules.group_of(classes == nullptr ? 0 : classes[i])].add(x.data(), target);
    });
    return fits;
  }
  static bool is_enough(const LeastSquares &fit, std::size_t unknowns) { return fit.count() >= 6 * unknowns + 8; }

  // Estimated bits of the residuals per particle, up to a constant.
  double rough_bits(const ClassedRules &rules, const std::int64_t *classes) const {
    double bits = 0;
    for (std::size_t d = 0; d < shape_.components; ++d) {
      const GroupFits fits = fit(rules, classes, d, search_sample);
      const std::vector<double> common = fits.all.solve(ridge);
      double sum = 0;
      for (const LeastSquares &group : fits.of_group) {
        if (group.count() == 0) continue;
        const auto count = static_cast<double>(group.count());
        const bool own = is_enough(group, features_[d].size());
        const double left = group.squares_left(own ? group.solve(ridge) : common);
        sum += count * 0.5 * codec::log2_of(1.0 / 12 + std::max(left, 0.0) / count);
      }
      if (fits.all.count() != 0) bits += sum / static_cast<double>(fits.all.count());
    }
    return bits;
  }

  const std::int64_t *classes_of(std::size_t class_field) const {
    for (const ClassedCandidates::Classes &classes : candidates_.classes)
      if (classes.field + 1 == class_field) return classes.of_particle;
    return nullptr;
  }

  // Chooses the field of classes, predicting from the field itself only.
  void find_classes() {
    for (std::size_t d = 0; d < shape_.components; ++d) features_[d] = own_features(d);
    choice_.search.class_field = 0;
    double least = rough_bits({}, nullptr);
    const double without = least;
    for (const ClassedCandidates::Classes &classes : candidates_.classes) {
      ClassedRules rules;
      if (!find_groups_of(classes.of_particle, rules)) continue;
      const double bits = rough_bits(rules, classes.of_particle);
      const std::size_t bytes = rules.group.size() + (rules.groups - 1) * sizeof_weight * features_[0].size();
      if (bits >= least || bits >= without - gain_needed(bytes)) continue;
      least = bits;
      choice_.search.class_field = classes.field + 1;
    }
  }

  void choose_rules() {
    ClassedHead &head = choice_.head;
    ClassedRules &rules = choice_.rules;
    head.class_field = choice_.search.class_field;
    choice_.sources.classes = classes_of(head.class_field);
    const bool has_earlier = shape_.own != nullptr && shape_.state->rules;
    if (has_earlier && !is_fit_due(choice_.search.sections)) {
      rules = *shape_.state->rules;
      return;
    }
    if (choice_.sources.classes != nullptr) find_groups_of(choice_.sources.classes, rules);
    for (std::size_t d = 0; d < shape_.components; ++d)
      if (!shape_.own || !shape_.own->plain) {
        const std::size_t sample = std::min<std::size_t>(fit_sample, search_sample * (rules.groups + 1));
        set_weights(fit(rules, choice_.sources.classes, d, sample), d, rules);
      }
    head.has_rules = true;
    if (!has_earlier || !has_same_terms(*shape_.state->rules)) return;
    // Reused rules of an earlier frame take no bytes.
    std::vector<std::uint8_t> bytes;
    format::ByteWriter writer(bytes);
    rules.append(shape_.components, writer);
    if (bits_on_sample(*shape_.state->rules) > bits_on_sample(rules) + 8.0 * static_cast<double>(bytes.size())) return;
    rules = *shape_.state->rules;
    head.has_rules = false;
  }

  bool has_same_terms(const ClassedRules &before) const {
    const auto is_same = [](const ClassedTerm &a, const ClassedTerm &b) {
      return a.source == b.source && a.component == b.component && a.kind == b.kind;
    };
    for (std::size_t d = 0; d < shape_.components; ++d)
      if (!std::equal(before.terms[d].begin(), before.terms[d].end(), choice_.rules.terms[d].begin(),
                      choice_.rules.terms[d].end(), is_same))
        return false;
    return before.group.empty() == choice_.rules.group.empty();
  }

  double bits_on_sample(const ClassedRules &rules) const {
    double bits = 0;
    std::size_t count = 0;
    for_sample(shape_.particles, search_sample, [&](std::size_t i) {
      ++count;
      std::uint8_t group = 0;
      find_groups(rules, choice_.sources, i, 1, &group);
      for (std::size_t d = 0; d < shape_.components; ++d) {
        std::int64_t expected = 0;
        expect_classed(rules, choice_.sources, d, i, 1, &group, &expected);
        const std::uint64_t twice = core::zigzag(core::difference_of(targets_[d].whole(i), expected >> 6));
        bits += codec::log2_of(1.0 + static_cast<double>(twice));
      }
    });
    return bits * static_cast<double>(shape_.particles) / static_cast<double>(std::max<std::size_t>(count, 1));
  }

  void set_weights(const GroupFits &fits, std::size_t d, ClassedRules &rules) const {
    const std::vector<Feature> &features = features_[d];
    std::vector<std::vector<double>> solved;
    const std::vector<double> common = fits.all.solve(ridge);
    for (const LeastSquares &group : fits.of_group)
      solved.push_back(is_enough(group, features.size()) ? group.solve(ridge) : common);
    rules.weights[d].assign(features.size() * rules.groups, 0);
    for (std::size_t k = 0; k < features.size(); ++k) {
      double largest = 0;
      for (const std::vector<double> &x : solved) largest = std::max(largest, std::fabs(x[k]));
      int shift = ClassedRules::least_shift;
      double scale = 64.0 / (1 << -ClassedRules::least_shift);
      // At most half of the largest 16-bit number, so that rounding cannot overflow.
      while (shift < ClassedRules::largest_shift && largest * scale < 16383) {
        scale *= 2;
        ++shift;
      }
      rules.terms[d].push_back(
          {source_of(features[k]), features[k].source.component, features[k].kind, static_cast<std::int8_t>(shift)});
      if (features[k].kind == TermKind::constant) rules.terms[d].back().source = 0;
      for (std::size_t g = 0; g < solved.size(); ++g)
        rules.weights[d][g * features.size() + k] = crystal::rounded_coefficient(solved[g][k] * scale);
    }
  }

  // Chooses levels for the residual sizes of earlier frames.
  void choose_contexts() {
    ClassedHead &head = choice_.head;
    head.base = 64;
    const bool has_scales = shape_.own != nullptr && !shape_.state->scale.empty();
    head.by_group = !has_scales && choice_.rules.groups > 1;
    if (!has_scales) return;
    Contexts contexts;
    choose_levels(shape_.state->scale, contexts);
    head.base = static_cast<std::uint8_t>(contexts.base);
    head.levels = static_cast<std::uint8_t>(contexts.levels);
  }

  const ClassedShape &shape_;
  const ClassedCandidates &candidates_;
  std::vector<FitTarget> targets_;
  std::array<std::vector<Feature>, core::max_components> features_;
  ClassedChoice choice_;
};

}  // namespace

ClassedChoice choose_classed(const ClassedShape &shape, const ClassedCandidates &candidates,
                             const codec::IndexColumns &q) {
  return ClassedChooser(shape, candidates, q).take();
}

}  // namespace gpz::model
