// What every encoder asks of the fields it is given.
#pragma once

#include <cstdint>
#include <vector>

#include "gpz/core/types.hpp"
#include "gpz/frame.hpp"

namespace gpz::format {

// Checks the fields and gives those with a bound but no step their step. Throws invalid_argument.
void prepare_fields(std::vector<FieldInput> &fields, std::uint64_t particles);

// The grid of a prepared field.
core::Grid grid_of(const Field &field);

}  // namespace gpz::format
