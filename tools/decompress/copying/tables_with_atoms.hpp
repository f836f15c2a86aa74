// SPDX-License-Identifier: BSD-3-Clause
// Tables of a file that keeps some of its particles (docs/format.md, section 11a).
#pragma once

#include "gpz/selection.hpp"
#include "gpz/tables.hpp"

namespace gpz::tool {

// The tables without particles of other ids, and without bonds, angles, dihedrals and impropers that have such
// particles. A damaged record stays as it is, for readers to refuse. Throws gpz::Error: limit_exceeded.
StoredRecord tables_with_atoms(const StoredRecord &record, const NumberRanges &ids, const Limits &limits);

}  // namespace gpz::tool
