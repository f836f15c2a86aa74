// SPDX-License-Identifier: BSD-3-Clause
// What the tables of a .gpz file say of the atoms of its first frame (docs/format.md, section 11a).
#pragma once

#include <gpz/gpz.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace gpz::molfile {

struct Bonds {
  std::vector<int> from, to;  // atoms, counted from 1
};

class Tables {
 public:
  Tables() = default;
  // Takes the handle. `ids` ascend, and have to outlive this object.
  Tables(gpz_tables *tables, const std::vector<std::int64_t> &ids) : tables_(tables), ids_(&ids) {}

  // A column of the table `atoms`, for each atom; empty if there is none or it lacks an atom.
  std::vector<std::int64_t> integers(const char *column) const;
  std::vector<double> floats(const char *column) const;
  std::vector<std::string> texts(const char *column) const;
  // Masses of the table `types`; empty if it lacks one of these types.
  std::vector<double> masses(const std::vector<std::int64_t> &types) const;
  // Those between atoms of the frame.
  Bonds bonds() const;

 private:
  struct Free {
    void operator()(gpz_tables *tables) const { gpz_tables_free(tables); }
  };

  bool find(const char *table, const char *column, gpz_table_type type, gpz_table_column &found) const;
  // The row of `atoms` for each atom; empty if one is missing.
  std::vector<std::size_t> rows() const;

  std::unique_ptr<gpz_tables, Free> tables_;
  const std::vector<std::int64_t> *ids_ = nullptr;
};

}  // namespace gpz::molfile
