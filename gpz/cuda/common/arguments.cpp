// SPDX-License-Identifier: BSD-3-Clause
#include "gpz/cuda/common/arguments.hpp"

#include <string>

#include "gpz/chunk.hpp"
#include "gpz/core/types.hpp"
#include "gpz/cuda/common/memory.hpp"
#include "gpz/error.hpp"

namespace gpz::cuda {
namespace {

void require(bool condition, const Field &field, const char *cause) {
  if (condition) return;
  const std::string name = field.components.empty() ? "without a name" : field.components.front().name;
  throw Error(Status::invalid_argument, "field " + name + ": " + cause);
}

bool is_aligned(const void *data, std::size_t alignment) {
  return reinterpret_cast<std::uintptr_t>(data) % alignment == 0;
}

void check_elements(const Field &field, const void *data, std::ptrdiff_t stride, ConstArray::Type type) {
  const std::size_t size = element_size(type);
  require(is_aligned(data, size) && stride % static_cast<std::ptrdiff_t>(size) == 0, field,
          "data and stride have to be multiples of the size of an element on a GPU");
}

}  // namespace

void check_size(std::size_t fields, std::uint64_t particles) {
  if (fields > max_fields) throw Error(Status::limit_exceeded, "more fields than the CUDA codec takes in one call");
  if (particles > max_particles) throw Error(Status::limit_exceeded, "more than 2^40 particles");
}

void check_inputs(const std::vector<FieldInput> &fields, std::uint64_t particles) {
  check_size(fields.size(), particles);
  for (const FieldInput &input : fields)
    for (std::size_t d = 0; d < input.field.components.size() && d < core::max_components; ++d)
      check_elements(input.field, input.components[d].data, input.components[d].stride, input.components[d].type);
}

void check_reachable(const std::vector<FieldInput> &fields, const int *rows, int device) {
  if (rows != nullptr) require_reachable(rows, device, "rows");
  for (const FieldInput &input : fields)
    for (std::size_t d = 0; d < input.field.components.size() && d < core::max_components; ++d)
      require_reachable(input.components[d].data, device, "field " + input.field.components[d].name);
}

void check_outputs(const std::vector<FieldOutput> &fields, std::uint64_t particles) {
  check_size(fields.size(), particles);
  for (std::size_t f = 0; f < fields.size(); ++f) {
    const Field &field = fields[f].field;
    const bool integer = field.type == ValueType::integer;
    require(!field.components.empty() && field.components.size() <= core::max_components, field,
            "1 to 3 components are possible");
    require(!field.leading || (f == 0 && !integer), field, "only the first field, of floats, can be the leading one");
    for (std::size_t d = 0; d < field.components.size(); ++d) {
      const DeviceArray &array = fields[f].components[d];
      if (array.data == nullptr) continue;
      require(is_integer(array.type) == integer, field, "integers go into integers, floats into floats");
      require(array.stride != 0 || particles <= 1, field, "the stride is 0");
      check_elements(field, array.data, array.stride, array.type);
    }
  }
}

bool is_wanted(const FieldOutput &output) {
  for (std::size_t d = 0; d < output.field.components.size(); ++d)
    if (output.components[d].data != nullptr) return true;
  return false;
}

void check_memory(const void *memory, std::size_t size, std::size_t alignment, const char *name) {
  if (memory == nullptr && size != 0) throw Error(Status::invalid_argument, std::string(name) + " is a null pointer");
  if (!is_aligned(memory, alignment))
    throw Error(Status::invalid_argument, std::string(name) + " is not aligned to " + std::to_string(alignment));
}

void check_workspace(const void *workspace, std::size_t size, std::size_t needed) {
  check_memory(workspace, size, workspace_alignment, "the workspace");
  if (size < needed) throw Error(Status::invalid_argument, "the workspace is too small");
}

std::vector<FieldOutput> with_steps(std::vector<FieldOutput> fields) {
  // Decoding needs only the step: a caller that sets the step need not know the bound.
  for (FieldOutput &output : fields)
    if (output.field.bound != 0) fill_step(output.field);
  return fields;
}

}  // namespace gpz::cuda
