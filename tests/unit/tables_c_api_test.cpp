// SPDX-License-Identifier: BSD-3-Clause
// Tables and observables through the C API.
#include <cstring>
#include <string>
#include <vector>

#include "container_support.hpp"
#include "gpz/gpz.h"

namespace gpz::test::tables_c_api_test {
namespace {

void require_ok(gpz_status status) { ASSERT_EQ(status, GPZ_OK) << gpz_last_error(); }

const std::int64_t types[] = {1, 1, 2};
const double masses[] = {15.9994, 1.008, -0.0};
const char *const names[] = {"O", "", "a name"};

// A file with the table `atoms` in front of frame 0, and observables of frame 1.
void write_file(const char *path) {
  gpz_writer *writer = nullptr;
  require_ok(gpz_writer_open(path, GPZ_CREATE, nullptr, 1, &writer));
  const gpz_table_column columns[] = {gpz_integer_column("type", types, 3),
                                      gpz_float_column("mass", "grams/mole", masses, 3),
                                      gpz_text_column("name", names, 3)};
  require_ok(gpz_writer_write_table(writer, "atoms", columns, 3));
  double x[3] = {1, 2, 3};
  const gpz_field position = gpz_interleaved("x y z", GPZ_FLOAT64, x);
  for (int f = 0; f < 2; ++f) {
    const gpz_observable observables[] = {gpz_new_observable("Temp", "K", 300.25),
                                          gpz_new_observable("PotEng", nullptr, -1)};
    if (f == 1) require_ok(gpz_writer_write_observables(writer, 10, observables, 2));
    const gpz_frame frame = gpz_new_frame(1, 10 * f);
    require_ok(gpz_writer_write(writer, &frame, &position, 1));
  }
  require_ok(gpz_writer_close(writer));
}

TEST(TablesInC, AreWrittenAndRead) {
  const TemporaryFile file;
  write_file(file.path().c_str());
  gpz_reader *reader = nullptr;
  require_ok(gpz_reader_open(file.path().c_str(), 1, &reader));
  gpz_tables *tables = nullptr;
  require_ok(gpz_reader_tables(reader, 1, &tables));
  ASSERT_EQ(gpz_tables_count(tables), 2u);
  const char *name = nullptr;
  size_t columns = 0;
  require_ok(gpz_tables_table(tables, 0, &name, &columns));
  EXPECT_STREQ(name, "atoms");
  EXPECT_EQ(columns, 3u);

  gpz_table_column column = gpz_new_table_column();
  require_ok(gpz_tables_column(tables, 0, 0, &column));
  ASSERT_EQ(column.rows, 3u);
  EXPECT_TRUE(column.type == GPZ_TABLE_INTEGER && column.floats == nullptr && column.texts == nullptr);
  EXPECT_EQ(std::memcmp(column.integers, types, sizeof types), 0);
  require_ok(gpz_tables_find(tables, "atoms", "mass", &column));
  EXPECT_STREQ(column.unit, "grams/mole");
  EXPECT_EQ(std::memcmp(column.floats, masses, sizeof masses), 0);
  require_ok(gpz_tables_find(tables, "atoms", "name", &column));
  for (int i = 0; i < 3; ++i) EXPECT_STREQ(column.texts[i], names[i]);

  EXPECT_EQ(gpz_tables_find(tables, "atoms", "q", &column), GPZ_NOT_FOUND);
  EXPECT_EQ(gpz_tables_find(tables, "bonds", "type", &column), GPZ_NOT_FOUND);
  EXPECT_EQ(gpz_tables_column(tables, 0, 3, &column), GPZ_NOT_FOUND);
  EXPECT_EQ(gpz_tables_table(tables, 2, nullptr, nullptr), GPZ_NOT_FOUND);
  gpz_tables_free(tables);
  EXPECT_EQ(gpz_reader_tables(reader, 3, &tables), GPZ_NOT_FOUND);
  EXPECT_EQ(tables, nullptr);

  size_t count = 7;
  require_ok(gpz_reader_observable_count(reader, 0, &count));
  EXPECT_EQ(count, 0u);
  require_ok(gpz_reader_observable_count(reader, 1, &count));
  ASSERT_EQ(count, 2u);
  gpz_observable observable = gpz_new_observable(nullptr, nullptr, 0);
  require_ok(gpz_reader_observable(reader, 1, 0, &observable));
  EXPECT_STREQ(observable.name, "Temp");
  EXPECT_STREQ(observable.unit, "K");
  EXPECT_EQ(observable.value, 300.25);
  EXPECT_EQ(gpz_reader_observable(reader, 1, 2, &observable), GPZ_NOT_FOUND);
  gpz_reader_close(reader);
}

TEST(TablesInC, RefuseWrongArguments) {
  const TemporaryFile file;
  gpz_writer *writer = nullptr;
  require_ok(gpz_writer_open(file.path().c_str(), GPZ_CREATE, nullptr, 1, &writer));
  const auto refused = [&](const gpz_table_column &column) {
    return gpz_writer_write_table(writer, "t", &column, 1) == GPZ_INVALID_ARGUMENT;
  };
  EXPECT_TRUE(refused(gpz_integer_column(nullptr, types, 3)));
  EXPECT_TRUE(refused(gpz_integer_column("", types, 3)));
  EXPECT_TRUE(refused(gpz_integer_column("a", nullptr, 3)));
  gpz_table_column column = gpz_integer_column("a", types, 3);
  const int unknown_type = 2;
  std::memcpy(&column.type, &unknown_type, sizeof unknown_type);
  EXPECT_TRUE(refused(column));
  column = gpz_integer_column("a", types, 3);
  column.struct_size = 3;
  EXPECT_TRUE(refused(column));
  const char *const hole[] = {"a", nullptr};
  EXPECT_TRUE(refused(gpz_text_column("a", hole, 2)));
  EXPECT_EQ(gpz_writer_write_table(writer, nullptr, nullptr, 0), GPZ_INVALID_ARGUMENT);
  EXPECT_EQ(gpz_writer_write_table(nullptr, "t", nullptr, 0), GPZ_INVALID_ARGUMENT);
  const gpz_observable observable = gpz_new_observable(nullptr, nullptr, 1);
  EXPECT_EQ(gpz_writer_write_observables(writer, 0, &observable, 1), GPZ_INVALID_ARGUMENT);
  require_ok(gpz_writer_close(writer));
  EXPECT_EQ(gpz_tables_count(nullptr), 0u);
  gpz_tables_free(nullptr);
}

}  // namespace
}  // namespace gpz::test::tables_c_api_test
