// SPDX-License-Identifier: BSD-3-Clause
// Data of a file that are not values of particles in a frame: tables such as topology, masses and charges, which are
// valid until the next table of their name (docs/format.md, section 11a), and the observables of a frame, such as its
// temperature and energies (section 11b).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "gpz/container.hpp"
#include "gpz/export.h"
#include "gpz/limits.hpp"

namespace gpz {

// A column of a table. Its values are stored without loss, the bits of floats too.
struct TableColumn {
  using Values = std::variant<std::vector<std::int64_t>, std::vector<double>, std::vector<std::string>>;

  std::string name;  // 1 to 255 bytes, different from the names of the other columns
  std::string unit;  // 0 to 255 bytes: a LAMMPS unit such as "grams/mole", or empty
  Values values;

  GPZ_API std::size_t rows() const;
};

// Names of tables and columns that programs share are listed in docs/format.md, section 11a: `atoms`, `types`, `bonds`.
struct Table {
  std::string name;                  // 1 to 255 bytes
  std::vector<TableColumn> columns;  // all of the same number of rows

  GPZ_API std::size_t rows() const;
  // nullptr if there is none.
  GPZ_API const TableColumn *column(const std::string &name) const;
};

// The type of a record of tables, and of a record of observables.
inline constexpr std::uint32_t tables_record_type = 0x80000001u;
inline constexpr std::uint32_t observables_record_type = 0x80000002u;

// A record of these tables, for Writer::write. Throws invalid_argument (names, units and rows as above; two tables of
// one name), limit_exceeded, out_of_memory.
GPZ_API StoredRecord tables_record(const std::vector<Table> &tables);
// The tables of a record of this type. `limits` bound the memory of this call, and that of the result. Throws corrupt,
// limit_exceeded, invalid_argument (a record of another type).
GPZ_API std::vector<Table> tables_of(const StoredRecord &record, const Limits &limits = {});

// A table without its values.
struct TableHead {
  std::string name;
  std::uint64_t rows = 0;
  std::vector<std::string> columns;  // their names
};
// The heads of the tables of a record. Verifies its checksum, and decodes nothing. Throws as tables_of.
GPZ_API std::vector<TableHead> table_heads(const StoredRecord &record);

// A number that belongs to a whole frame.
struct Observable {
  std::string name;  // 1 to 255 bytes
  std::string unit;  // 0 to 255 bytes
  double value = 0;
};

// The table `observables`, which gives names and units to the values of the frames after it. Throws as tables_record.
GPZ_API Table observables_table(const std::vector<Observable> &observables);
// The record of the values for the frame of this timestep that follows it. Throws invalid_argument (a name or a unit).
GPZ_API StoredRecord observables_record(std::int64_t timestep, const std::vector<Observable> &observables);

}  // namespace gpz
