#include "gpz/trajectory/values.hpp"

#include <algorithm>
#include <array>

#include "gpz/core/keys.hpp"
#include "gpz/core/quantize.hpp"

namespace gpz::trajectory {
namespace {

constexpr std::size_t at_once = 1024;  // values of three components in the L1 cache

template <typename T>
void to_floats(const std::int64_t *index, std::size_t n, double step, double *out) {
  if (step == 0)
    for (std::size_t i = 0; i < n; ++i)
      out[i] = static_cast<double>(core::value_of<T>(static_cast<std::uint64_t>(index[i])));
  else
    for (std::size_t i = 0; i < n; ++i)
      out[i] = static_cast<double>(core::grid_value<T>(static_cast<double>(index[i]), step));
}

void to_floats(const Field &field, const std::int64_t *index, std::size_t n, double *out) {
  if (field.type == ValueType::float32)
    to_floats<float>(index, n, field.step, out);
  else
    to_floats<double>(index, n, field.step, out);
}

double from_bits(std::uint64_t bits, const Field &field) {
  if (field.type == ValueType::float64) return core::bit_cast<double>(bits);
  return static_cast<double>(core::bit_cast<float>(static_cast<std::uint32_t>(bits)));
}

void write_grid_values(const Field &field, const cpu::IndexColumns &indices, std::size_t n, const cpu::Target &target) {
  double memory[core::max_components][at_once];
  for (std::size_t first = 0; first < n; first += at_once) {
    const std::size_t count = std::min(at_once, n - first);
    const cpu::Target here = target.from(first);
    cpu::FloatValues staged{};
    cpu::Target rest = here;
    for (std::size_t d = 0; d < field.components.size(); ++d) {
      if (here.components[d].data == nullptr) continue;
      auto *const straight = static_cast<double *>(here.contiguous(d, ConstArray::Type::float64));
      to_floats(field, indices[d] + first, count, straight != nullptr ? straight : memory[d]);
      if (straight != nullptr) rest.components[d].data = nullptr;
      staged[d] = memory[d];
    }
    cpu::store(staged, count, rest);
  }
}

}  // namespace

void write_values(const Field &field, const cpu::IndexColumns &indices, std::size_t n,
                  const std::vector<format::ExactValue> &exact, const cpu::Target &target) {
  if (field.type == ValueType::integer) {
    cpu::store(indices, n, target);
    return;
  }
  write_grid_values(field, indices, n, target);
  for (const format::ExactValue &value : exact) {
    const std::size_t d = value.place >> format::exact_component_shift;
    const double exactly = from_bits(value.bits, field);
    cpu::Target one = target.from(value.place & format::exact_row_mask);
    for (std::size_t e = 0; e < one.components.size(); ++e)
      if (e != d) one.components[e].data = nullptr;
    cpu::FloatValues values{};
    values[d] = &exactly;
    cpu::store(values, 1, one);
  }
}

}  // namespace gpz::trajectory
