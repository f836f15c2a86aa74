// SPDX-License-Identifier: BSD-3-Clause
#include "gpz/cuda/host/c_outputs.hpp"

#include <string>

#include "gpz/c/c_api.hpp"
#include "gpz/c/structures.hpp"
#include "gpz/cuda/common/arguments.hpp"

namespace gpz::cuda {

static_assert(offsetof(gpz_cuda_output, stride) + sizeof(ptrdiff_t) == sizeof(gpz_cuda_output),
              "padding at the end would count as members");

std::vector<FieldOutput> device_outputs(const gpz_cuda_output *outputs, std::size_t count) {
  const std::vector<gpz_cuda_output> given = c::taken(outputs, count, "gpz_cuda_output");
  std::vector<FieldOutput> fields(count);
  for (std::size_t f = 0; f < count; ++f) {
    const gpz_cuda_output &from = given[f];
    c::require(from.components >= 1 && from.components <= 3, "an output has 1 to 3 components");
    Field &field = fields[f].field;
    field.type = c::value_type(from.stored);
    field.leading = from.leading != 0;
    field.bound = from.bound;
    field.step = from.step;
    for (int d = 0; d < from.components; ++d) {
      // Names for messages, because chunks have no names.
      field.components.push_back({std::to_string(f) + " component " + std::to_string(d), 0});
      fields[f].components[d] = {from.data[d], from.stride, c::array_type(from.type)};
    }
  }
  return with_steps(std::move(fields));
}

}  // namespace gpz::cuda
