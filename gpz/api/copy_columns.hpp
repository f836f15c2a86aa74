// Columns of a decoded frame, copied to arrays of the caller's.
#pragma once

#include <cstddef>
#include <vector>

#include "gpz/reader.hpp"

namespace gpz::api {

// What Reader::read_columns says of its columns, the capacity and the order holds here.
void copy_columns(const Frame &frame, const std::vector<ColumnOutput> &columns, std::size_t capacity, bool sort_by_id);

}  // namespace gpz::api
