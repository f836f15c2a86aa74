// SPDX-License-Identifier: BSD-3-Clause
#include "gpz/codec/few_values.hpp"

#include <algorithm>
#include <array>

#include "gpz/codec/number_coder.hpp"
#include "gpz/format/bytes.hpp"
#include "gpz/format/corrupt.hpp"

namespace gpz::codec {

using format::corrupt;

namespace {

constexpr std::uint64_t most_classes = 65536;
constexpr std::uint64_t most_values = 65536;
constexpr unsigned sources = 4;       // sources of a prediction
constexpr unsigned hit_contexts = 8;  // one per outcome of the last three predictions
constexpr unsigned symbol_contexts = sources * hit_contexts;

std::uint64_t key_at(const IndexColumns &keys, std::size_t d, std::size_t i) {
  return static_cast<std::uint64_t>(keys[d][i]);
}

std::uint64_t read_key(format::ByteReader &in, const FewValuesShape &shape) {
  const std::uint64_t key = in.u64();
  if (key > shape.largest_key) corrupt("value of a table", in.position());
  return key;
}

// Predicts the value number of each particle in one component.
class SymbolExpectation {
 public:
  explicit SymbolExpectation(const std::int64_t *classes) : classes_(classes) {}

  struct Symbol {
    std::uint32_t number;
    unsigned context;
  };
  // Prediction for particle i. `last`: 1 + its number in the previous frame, or 0.
  Symbol expect(std::size_t i, std::uint32_t last) {
    const std::uint64_t of_class = classes_ == nullptr ? 0 : static_cast<std::uint64_t>(classes_[i]);
    std::uint64_t x = of_class;
    for (unsigned j = 0; j < short_memory; ++j) x = mixed(x, j);
    const std::uint64_t few = x;
    for (unsigned j = short_memory; j < long_memory; ++j) x = mixed(x, j);
    slot_ = {bucket(of_class), bucket(few), bucket(x)};
    unsigned source = 0;
    std::uint32_t found = last;
    if (last != 0) {
      source = 3;
    } else {
      for (unsigned k = static_cast<unsigned>(slot_.size()); k-- > 0 && found == 0;) {
        found = table_[k][slot_[k]];
        source = k;
      }
    }
    expected_ = found == 0 ? 0 : found - 1;
    return {expected_, source * hit_contexts + hits_};
  }
  void update(std::uint32_t number) {
    hits_ = (2 * hits_ + (number == expected_ ? 1 : 0)) % hit_contexts;
    for (unsigned k = 0; k < slot_.size(); ++k) table_[k][slot_[k]] = number + 1;
    for (unsigned j = long_memory - 1; j > 0; --j) before_[j] = before_[j - 1];
    before_[0] = number + 1;
  }

 private:
  static constexpr unsigned short_memory = 3;
  static constexpr unsigned long_memory = 8;
  static constexpr int bucket_bits = 12;

  std::uint64_t mixed(std::uint64_t x, unsigned j) const { return (x + before_[j]) * 0xC2B2AE3D27D4EB4Fu; }
  static std::uint64_t bucket(std::uint64_t x) { return x * 0x9E3779B97F4A7C15u >> (64 - bucket_bits); }

  const std::int64_t *classes_;
  // Hash tables of 1 + number (0: empty), keyed by class, and by class and the numbers of the preceding particles.
  std::array<std::array<std::uint32_t, 1u << bucket_bits>, 3> table_{};
  std::array<std::uint64_t, 3> slot_{};
  std::array<std::uint32_t, long_memory> before_{};
  std::uint32_t expected_ = 0;
  unsigned hits_ = 0;
};

// 1 + number of a value in a table, or 0 if it is absent.
std::uint32_t find_number(const std::vector<std::uint64_t> &values, std::uint64_t key) {
  const auto at = std::lower_bound(values.begin(), values.end(), key);
  return at == values.end() || *at != key ? 0 : static_cast<std::uint32_t>(at - values.begin()) + 1;
}

// Calls take(i, d) for all values in stream order.
template <typename Take>
void for_values(const FewValuesShape &shape, const Take &take) {
  for (std::size_t i = 0; i < shape.particles; ++i)
    for (std::size_t d = 0; d < shape.components; ++d) take(i, d);
}

}  // namespace

bool encode_values_of_classes(const FewValuesShape &shape, const IndexColumns &keys, std::vector<std::uint8_t> &bytes) {
  std::int64_t base = 0;
  std::uint64_t count = 1;
  if (shape.classes != nullptr) {
    const auto [least, most] = std::minmax_element(shape.classes, shape.classes + shape.particles);
    base = *least;
    count = static_cast<std::uint64_t>(*most) - static_cast<std::uint64_t>(base) + 1;
    if (count == 0 || count > most_classes) return false;
  }
  const std::size_t classes = static_cast<std::size_t>(count);
  std::vector<std::uint64_t> value(classes * shape.components);
  std::vector<bool> known(classes);
  for (std::size_t i = 0; i < shape.particles; ++i) {
    const std::size_t c =
        shape.classes == nullptr
            ? 0
            : static_cast<std::size_t>(static_cast<std::uint64_t>(shape.classes[i]) - static_cast<std::uint64_t>(base));
    for (std::size_t d = 0; d < shape.components; ++d) {
      std::uint64_t &here = value[d * classes + c];
      const std::uint64_t key = key_at(keys, d, i);
      if (!known[c]) here = key;
      if (here != key) return false;
    }
    known[c] = true;
  }
  format::ByteWriter writer(bytes);
  writer.i64(base);
  writer.u64(count);
  for (const std::uint64_t key : value) writer.u64(key);
  return true;
}

void decode_values_of_classes(const FewValuesShape &shape, const std::uint8_t *bytes, std::size_t size,
                              const IndexOutput &keys) {
  format::ByteReader in(bytes, size);
  const std::int64_t base = in.i64();
  const std::uint64_t count = in.u64();
  if (count == 0 || count > most_classes || count * shape.components * sizeof(std::uint64_t) != in.left())
    corrupt("number of classes", in.position());
  for (std::size_t d = 0; d < shape.components; ++d) {
    std::vector<std::uint64_t> value(static_cast<std::size_t>(count));
    for (std::uint64_t &key : value) key = read_key(in, shape);
    for (std::size_t i = 0; i < shape.particles; ++i) {
      const std::uint64_t c = static_cast<std::uint64_t>(shape.classes == nullptr ? 0 : shape.classes[i]) -
                              static_cast<std::uint64_t>(base);
      if (c >= count) corrupt("a class without a value");
      keys[d][i] = static_cast<std::int64_t>(value[static_cast<std::size_t>(c)]);
    }
  }
}

bool ValueTables::find(const FewValuesShape &shape, const IndexColumns &keys) {
  constexpr std::size_t sample = 4096;
  for (std::size_t d = 0; d < shape.components; ++d) {
    std::vector<std::uint64_t> &values = values_[d];
    const auto collect = [&](std::size_t stride) {
      values.clear();
      for (std::size_t i = 0; i < shape.particles; i += stride) values.push_back(key_at(keys, d, i));
      const std::size_t all = values.size();
      std::sort(values.begin(), values.end());
      values.erase(std::unique(values.begin(), values.end()), values.end());
      return values.size() <= std::min<std::size_t>(most_values, all / 2 + 1);
    };
    if (shape.particles > sample && !collect(shape.particles / sample)) return false;
    if (!collect(1)) return false;
  }
  return true;
}

void ValueTables::encode(const FewValuesShape &shape, const IndexColumns &keys,
                         std::vector<std::uint8_t> &bytes) const {
  format::ByteWriter writer(bytes);
  for (std::size_t d = 0; d < shape.components; ++d) writer.u64(values_[d].size());
  for (std::size_t d = 0; d < shape.components; ++d)
    for (const std::uint64_t key : values_[d]) writer.u64(key);
  std::vector<SymbolExpectation> expected(shape.components, SymbolExpectation(shape.classes));
  NumberEncoder numbers(symbol_contexts);
  numbers.reserve(shape.particles * shape.components);
  for_values(shape, [&](std::size_t i, std::size_t d) {
    const std::uint32_t last = shape.last[d] == nullptr ? 0 : find_number(values_[d], key_at(shape.last, d, i));
    const auto [number, context] = expected[d].expect(i, last);
    const std::uint32_t actual = find_number(values_[d], key_at(keys, d, i)) - 1;
    numbers.put(context, actual == number ? 0 : actual < number ? actual + 1 : actual);
    expected[d].update(actual);
  });
  numbers.finish(bytes);
}

void decode_symbols(const FewValuesShape &shape, const std::uint8_t *bytes, std::size_t size, const IndexOutput &keys) {
  format::ByteReader in(bytes, size);
  std::array<std::vector<std::uint64_t>, core::max_components> values;
  for (std::size_t d = 0; d < shape.components; ++d) {
    const std::uint64_t count = in.u64();
    if (count == 0 || count > most_values || count > in.left() / sizeof(std::uint64_t))
      corrupt("number of values of a table", in.position());
    values[d].resize(static_cast<std::size_t>(count));
  }
  for (std::size_t d = 0; d < shape.components; ++d)
    for (std::size_t k = 0; k < values[d].size(); ++k) {
      values[d][k] = read_key(in, shape);
      if (k > 0 && values[d][k] <= values[d][k - 1]) corrupt("values of a table do not ascend", in.position());
    }
  const std::size_t at = in.position();
  NumberDecoder numbers(bytes + at, size - at, symbol_contexts);
  std::vector<SymbolExpectation> expected(shape.components, SymbolExpectation(shape.classes));
  for_values(shape, [&](std::size_t i, std::size_t d) {
    const std::uint32_t last = shape.last[d] == nullptr ? 0 : find_number(values[d], key_at(shape.last, d, i));
    const auto [number, context] = expected[d].expect(i, last);
    const std::uint32_t u = numbers.get(context);
    const std::uint32_t actual = u == 0 ? number : u <= number ? u - 1 : u;
    if (actual >= values[d].size()) corrupt("number of a value");
    expected[d].update(actual);
    keys[d][i] = static_cast<std::int64_t>(values[d][actual]);
  });
  numbers.end();
}

}  // namespace gpz::codec
