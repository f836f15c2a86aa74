// SPDX-License-Identifier: BSD-3-Clause
#include "gpz/cuda/host/c_inputs.hpp"

#include "gpz/c/c_api.hpp"
#include "gpz/c/structures.hpp"

namespace gpz::cuda {

std::vector<FieldInput> device_inputs(const std::vector<gpz_field> &fields, std::uint64_t particles) {
  std::vector<FieldInput> inputs = c::unbounded_inputs(fields, particles);
  for (std::size_t f = 0; f < fields.size(); ++f) {
    c::require(c::number(fields[f].bound_kind) != GPZ_RELATIVE,
               "a relative bound needs the range of the values, which are in device memory: find it there, and give an "
               "absolute bound");
    c::require(inputs[f].field.origin.bound == 0 && inputs[f].field.origin.rounding == 0,
               "values with an origin are written by gpz_writer_write, from host memory");
    inputs[f].field.bound = c::given_bound(fields[f]);
  }
  return inputs;
}

std::vector<FieldInput> device_inputs(const gpz_field *fields, std::size_t count, std::uint64_t particles) {
  return device_inputs(c::taken_fields(fields, count), particles);
}

}  // namespace gpz::cuda
