// SPDX-License-Identifier: BSD-3-Clause
// Parts of a record of tables, for readers of files (docs/format.md, section 11a).
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "gpz/tables.hpp"

namespace gpz::api {

// Verifies the checksum and the heads of all tables. Nothing is decoded. Throws corrupt.
std::vector<std::string> names_of_tables(const StoredRecord &record);
// Decodes the tables whose names are wanted. Memory is charged to the current budget. Throws corrupt, limit_exceeded.
std::vector<Table> read_tables(const StoredRecord &record, const std::function<bool(const std::string &)> &wanted);

}  // namespace gpz::api
