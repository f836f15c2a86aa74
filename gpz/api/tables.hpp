// SPDX-License-Identifier: BSD-3-Clause
// Parts of a record of tables, for readers of files (docs/format.md, section 11a).
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "gpz/format/budget.hpp"
#include "gpz/tables.hpp"

namespace gpz::api {

// The part of a memory budget that tables take, as long as the object exists.
using Charges = std::vector<format::Charge>;

// Decodes the tables whose names are wanted. Memory is charged to the current budget; `charges` receives what the
// result takes. Throws corrupt, limit_exceeded.
std::vector<Table> read_tables(const StoredRecord &record, const std::function<bool(const std::string &)> &wanted,
                               Charges &charges);

}  // namespace gpz::api
