// SPDX-License-Identifier: BSD-3-Clause
#include "gpz/codec/number_choice.hpp"

#include <algorithm>
#include <limits>

#include "gpz/core/residual.hpp"

namespace gpz::codec {

namespace {

// Costs are in units of 1/256 bit.
constexpr int unit_bits = 8;
constexpr std::int64_t bit = 1 << unit_bits;
constexpr std::int64_t many_bits = std::numeric_limits<std::int64_t>::max();

// Table of log2 in units of 1/256, for numbers up to 2^12, computed by squaring.
class Logarithms {
 public:
  Logarithms() {
    for (std::uint32_t x = 1; x < count; ++x) {
      const int whole = core::bit_length(x) - 1;
      std::uint64_t mantissa = std::uint64_t{x} << (31 - whole);
      std::uint32_t log = static_cast<std::uint32_t>(whole);
      for (int i = 0; i < unit_bits; ++i) {
        mantissa = mantissa * mantissa >> 31;
        const bool above = mantissa >> 32 != 0;
        log = 2 * log + (above ? 1 : 0);
        if (above) mantissa >>= 1;
      }
      log_[x] = static_cast<std::uint16_t>(log);
    }
  }
  std::int64_t operator()(std::uint64_t x) const {
    const int more = std::max(0, core::bit_length(x) - 12);
    return log_[x >> more] + more * bit;
  }

 private:
  static constexpr std::uint32_t count = 1u << 12;
  std::uint16_t log_[count] = {};
};

const Logarithms &logarithms() {
  static const Logarithms table;
  return table;
}

// Numbers of a context and their typical size.
struct Context {
  const Histogram *histogram;
  std::uint64_t numbers = 0;
  std::uint32_t first = core::number_tokens;  // first range with numbers
  std::uint32_t end = 0;
  int size = 0;  // typical, log2 in eighths

  explicit Context(const Histogram &ranges) : histogram(&ranges) {
    std::int64_t sum = 0;
    for (std::uint32_t r = 0; r < core::number_tokens; ++r) {
      const std::uint64_t here = ranges[r];
      if (here == 0) continue;
      first = std::min(first, r);
      end = r + 1;
      numbers += here;
      // Twice the middle of the range; the factor is subtracted below.
      const std::int64_t log = logarithms()(core::token_first(r) + core::token_first(r + 1));
      sum += static_cast<std::int64_t>(here) * (log - bit);
    }
    if (numbers != 0) size = static_cast<int>(sum * 8 / static_cast<std::int64_t>(numbers) >> unit_bits);
  }
};

using TokenCounts = Histogram;

// Adds a context's numbers to the tokens of a shape, scaled down by `scale`.
void add_counts(const Context &context, int scale, TokenCounts &count) {
  // Ends of ranges, scaled to the shape's numbers, times 2^16.
  const int whole = scale >> 3;
  const auto moved = [&](std::uint32_t range) {
    const std::uint64_t at = core::token_first(range) * core::part_of_octave(scale & 7);
    return whole >= 0 ? at >> whole : at << -whole;
  };
  for (std::uint32_t r = context.first; r < context.end; ++r) {
    const std::uint64_t here = (*context.histogram)[r];
    if (here == 0) continue;
    std::uint64_t at = moved(r);
    const std::uint64_t end = std::max(moved(r + 1), at + 1);
    const std::uint64_t width = end - at;
    std::uint64_t left = here;
    for (std::uint32_t t = core::token_of(static_cast<std::uint32_t>(std::min<std::uint64_t>(at >> 16, 0xFFFFFFFFu)));
         left != 0; ++t) {
      const std::uint64_t token_end = core::token_first(t + 1) << 16;
      if (token_end >= end || t + 1 == core::number_tokens) {
        count[t] += left;
        break;
      }
      const std::uint64_t part = std::min(left, here * ((token_end - at) >> 8) / ((width >> 8) + 1));
      count[t] += part;
      left -= part;
      at = token_end;
    }
  }
}

// Cost of a context's numbers with a shape at a scale.
std::int64_t cost_of(const Context &context, const Weights &weights, std::uint32_t tokens, int scale) {
  std::array<core::TokenShare, core::number_tokens + 1> share;
  core::fill_shares(weights.data(), tokens, scale, share.data());
  const std::uint32_t escape = core::tokens_at_scale(tokens, scale);
  const int low = core::low_bits_of_scale(scale);
  std::int64_t sum = 0;
  for (std::uint32_t r = context.first; r < context.end; ++r) {
    const auto here = static_cast<std::int64_t>((*context.histogram)[r]);
    const std::uint32_t token =
        std::min(core::token_of(static_cast<std::uint32_t>(core::token_first(r)) >> low), escape);
    const int raw = token == escape ? 32 : core::token_bits(token) + low;
    sum += here * ((core::ans_bits + raw) * bit - logarithms()(share[token].frequency));
  }
  return sum;
}

// 16 * 2^(log / 16), at most 2^48, so that sums of costs fit.
std::uint64_t sixteenfold(int log) {
  const int whole = (log >> 4) + 4 - (core::weight_bits - 1);
  const std::uint64_t fraction = core::weight_of(16 - (log & 15));
  return whole >= 0 ? fraction << std::min(whole, 48 - core::weight_bits) : fraction >> std::min(-whole, 63);
}

// Cost, up to a constant, of a table that expects 2^(log / 16) numbers if `count` occur.
std::int64_t cost_of_expectation(std::uint64_t count, int log) {
  const std::uint64_t expected = sixteenfold(log);
  constexpr std::uint64_t per_ln2 = 23;  // 256 / ln 2 / 16
  return static_cast<std::int64_t>(expected * per_ln2) - static_cast<std::int64_t>(count) * log * (bit / 16);
}

// 16 log2(count + 1/2): the expectation for `count` numbers, in sixteenths of an octave.
int log_of_count(std::uint64_t count) { return static_cast<int>((logarithms()(2 * count + 1) + 8) >> 4) - 16; }

// Number of tokens that pay for their entry in a table, for numbers without their `low` low bits.
std::uint32_t useful_tokens(const TokenCounts &count, std::uint64_t numbers, int low) {
  const std::int64_t table_cost = static_cast<std::int64_t>(numbers >> 4) * 23 / core::ans_total + 2 * bit;
  std::int64_t gain = 0;
  std::int64_t best = 0;
  std::uint32_t tokens = 1;
  for (std::uint32_t t = 0; t < core::number_tokens; ++t) {
    const int saved = std::max(0, 32 - core::token_bits(t) - low);
    gain += static_cast<std::int64_t>(count[t]) * saved * bit - table_cost;
    if (gain <= best) continue;
    best = gain;
    tokens = t + 1;
  }
  return tokens;
}

// Chooses the Rice parameter of a shape or of the scales of tables.
template <typename Described>
void choose_rice(Described &described) {
  std::uint32_t best = ~std::uint32_t{0};
  std::uint8_t chosen = 0;
  for (std::uint8_t k = 0; k < 8; ++k) {
    described.rice = k;
    const std::uint32_t bits = description_bits(described);
    if (bits < best) chosen = k;
    best = std::min(best, bits);
  }
  described.rice = chosen;
}

// Chooses densities that are cheap to store and close to the counts. Returns the cost.
std::int64_t fit(const TokenCounts &count, NumberShape &shape) {
  const int unit = 1 << shape.precision;
  const int first = log_of_count(count[0]);
  std::int64_t cost = 0;
  for (std::uint32_t i = 1; i < shape.tokens; ++i) {
    const int width = 16 * core::token_bits(i);
    const int found = (log_of_count(count[i]) - width - first) >> shape.precision;
    shape.density[i] = 0;
    const int expected = -static_cast<int>(core::unzigzag(stored_density(shape, i)));
    std::int64_t best = many_bits;
    int chosen = 0;
    const auto attempt = [&](int density) {
      density = std::clamp(density, -core::largest_log_density, core::largest_log_density);
      const auto stored = static_cast<std::uint32_t>(core::zigzag(density - expected));
      const std::int64_t bits =
          rice_bits(stored, shape.rice) * bit + cost_of_expectation(count[i], first + width + density * unit);
      if (bits >= best) return;
      best = bits;
      chosen = density;
    };
    attempt(expected);
    attempt(found);
    attempt(found + 1);
    attempt((found + expected) >> 1);
    shape.density[i] = static_cast<std::int16_t>(chosen);
    cost += best;
  }
  return cost;
}

NumberShape shape_of(const TokenCounts &count, std::uint64_t numbers, int low) {
  NumberShape shape;
  shape.tokens = useful_tokens(count, numbers, low);
  const std::uint64_t each = numbers / shape.tokens;
  shape.precision = static_cast<std::uint8_t>(each > 3200 ? 0 : each > 800 ? 1 : each > 200 ? 2 : 3);
  NumberShape best;
  std::int64_t least = many_bits;
  for (const bool extrapolated : {false, true}) {
    shape.extrapolated = extrapolated;
    shape.rice = 1;
    const std::int64_t cost = fit(count, shape);
    choose_rice(shape);
    if (cost >= least) continue;
    least = cost;
    best = shape;
  }
  return best;
}

// A shape and values derived from it.
struct Candidate {
  NumberShape shape;
  Weights weights;
  int size;  // as Context::size, of its numbers at scale 0

  Candidate(const NumberShape &of, int typical) : shape(of), weights(weights_of(of)), size(typical) {}
};

// Least count of numbers for which a separate shape, or a search for the best scale, pays.
constexpr std::uint64_t worth_a_shape = 256;
constexpr std::uint64_t worth_a_search = 64;

struct Fit {
  std::int64_t cost = many_bits;
  int scale = 0;
};

// The scale of least cost for a context; the search starts at a likely one.
Fit best_scale(const Context &context, const Candidate &candidate) {
  const auto at = [&](int scale) {
    scale = std::clamp(scale, core::least_scale, core::largest_scale);
    return Fit{cost_of(context, candidate.weights, candidate.shape.tokens, scale), scale};
  };
  Fit best = at(context.size - candidate.size);
  if (context.numbers < worth_a_search && best.scale >= 0) return best;
  for (const int direction : {1, -1}) {
    const int from = best.scale;
    while (true) {
      const Fit next = at(best.scale + direction);
      if (next.cost >= best.cost) break;
      best = next;
    }
    if (best.scale != from) break;
  }
  return best;
}

// Size of typical numbers at scale 0, where they are about 8.
constexpr int typical_size = 20;

Candidate own_shape(const Context &context) {
  const int low = std::max(0, (context.size - typical_size + 4) >> 3);
  TokenCounts count{};
  add_counts(context, 8 * low, count);
  return {shape_of(count, context.numbers, low), context.size - 8 * low};
}

// One shape for all contexts, each at its own scale.
Candidate common_shape(const std::vector<Context> &contexts) {
  TokenCounts count{};
  std::uint64_t numbers = 0;
  std::uint64_t lows = 0;
  int largest = core::least_scale;
  for (const Context &context : contexts)
    if (context.numbers != 0) largest = std::max(largest, context.size - typical_size);
  for (const Context &context : contexts) {
    const int scale = context.size - typical_size;
    // At scales below 0 the shape is finer than the numbers. Contexts far below the largest scale are skipped.
    if (context.numbers == 0 || scale < std::min(0, largest - 8)) continue;
    add_counts(context, scale, count);
    numbers += context.numbers;
    lows += context.numbers * static_cast<std::uint64_t>(core::low_bits_of_scale(scale));
  }
  if (numbers == 0) return {{}, 0};
  return {shape_of(count, numbers, static_cast<int>(lows / numbers)), typical_size};
}

}  // namespace

NumberTables choose_tables(const std::vector<Histogram> &histograms) {
  std::vector<Context> contexts;
  contexts.reserve(histograms.size());
  for (const Histogram &histogram : histograms) contexts.emplace_back(histogram);

  const Candidate common = common_shape(contexts);
  NumberTables tables;
  std::vector<Candidate> shapes;
  if (common.shape.tokens != 0) shapes.push_back(common);
  ContextTable last;
  for (const Context &context : contexts) {
    ContextTable table = last;
    if (context.numbers != 0) {
      std::int64_t least = many_bits;
      for (std::size_t s : {std::size_t{0}, shapes.size() - 1}) {
        if (s >= shapes.size()) continue;
        Fit found = best_scale(context, shapes[s]);
        if (s + 1U != last.shape) found.cost += 10 * bit;
        if (found.cost >= least) continue;
        least = found.cost;
        table = {static_cast<std::uint8_t>(s + 1), static_cast<std::int16_t>(found.scale)};
      }
      if (shapes.empty() || (context.numbers >= worth_a_shape && shapes.size() < 255)) {
        const Candidate own = own_shape(context);
        const int scale = context.size - own.size;
        const std::int64_t cost =
            cost_of(context, own.weights, own.shape.tokens, scale) + (description_bits(own.shape) + 10) * bit;
        if (cost < least) {
          shapes.push_back(own);
          table = {static_cast<std::uint8_t>(shapes.size()), static_cast<std::int16_t>(scale)};
        }
      }
      last = table;
    }
    tables.contexts.push_back(table);
  }
  // An unused context between used ones is cheapest with the previous table; at the end, without a table.
  for (std::size_t c = contexts.size(); c-- > 0 && contexts[c].numbers == 0;) tables.contexts[c] = {};
  for (const Candidate &candidate : shapes) tables.shapes.push_back(candidate.shape);
  choose_rice(tables);
  return tables;
}

}  // namespace gpz::codec
