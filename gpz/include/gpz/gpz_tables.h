// SPDX-License-Identifier: BSD-3-Clause
/* Tables (topology, masses, charges) and observables (temperature, energies): a part of the C interface of gpz.
 * Programs include gpz/gpz.h, which explains statuses, handles and structures. The names of tables and columns that
 * programs share are in docs/format.md, section 11a. */
#ifndef GPZ_GPZ_TABLES_H
#define GPZ_GPZ_TABLES_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "gpz/export.h"
#include "gpz/gpz_read.h"
#include "gpz/gpz_status.h"
#include "gpz/gpz_write.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The type of the values of a column, with the numbers of the format. */
typedef enum gpz_table_type { GPZ_TABLE_INTEGER = 1, GPZ_TABLE_FLOAT64 = 3, GPZ_TABLE_TEXT = 4 } gpz_table_type;

/* A column of a table. `type` says which of the three arrays has its `rows` values; the others are NULL. */
typedef struct gpz_table_column {
  size_t struct_size;
  const char *name;
  const char *unit; /* NULL or "": none */
  gpz_table_type type;
  int reserved; /* 0 */
  size_t rows;
  const int64_t *integers;
  const double *floats;
  const char *const *texts; /* of a file, up to the first byte of 0 */
} gpz_table_column;

static inline gpz_table_column gpz_new_table_column(void) {
  gpz_table_column column;
  memset(&column, 0, sizeof column);
  column.struct_size = sizeof column;
  return column;
}
static inline gpz_table_column gpz_integer_column(const char *name, const int64_t *values, size_t rows) {
  gpz_table_column column = gpz_new_table_column();
  column.name = name;
  column.type = GPZ_TABLE_INTEGER;
  column.rows = rows;
  column.integers = values;
  return column;
}
static inline gpz_table_column gpz_float_column(const char *name, const char *unit, const double *values, size_t rows) {
  gpz_table_column column = gpz_new_table_column();
  column.name = name;
  column.unit = unit;
  column.type = GPZ_TABLE_FLOAT64;
  column.rows = rows;
  column.floats = values;
  return column;
}
static inline gpz_table_column gpz_text_column(const char *name, const char *const *values, size_t rows) {
  gpz_table_column column = gpz_new_table_column();
  column.name = name;
  column.type = GPZ_TABLE_TEXT;
  column.rows = rows;
  column.texts = values;
  return column;
}

/* A number that belongs to a whole frame. */
typedef struct gpz_observable {
  size_t struct_size;
  const char *name;
  const char *unit; /* NULL or "": none */
  double value;
} gpz_observable;

static inline gpz_observable gpz_new_observable(const char *name, const char *unit, double value) {
  gpz_observable observable;
  memset(&observable, 0, sizeof observable);
  observable.struct_size = sizeof observable;
  observable.name = name;
  observable.unit = unit;
  observable.value = value;
  return observable;
}

typedef struct gpz_tables gpz_tables;

/* The tables that are valid for a frame: for each name the last one in front of the frame, or else the last one behind
 * all frames. `frame` may be gpz_reader_frames(). On failure *tables is NULL. GPZ_NOT_FOUND: no such frame;
 * GPZ_CORRUPT. Free them with gpz_tables_free. */
GPZ_API gpz_status gpz_reader_tables(gpz_reader *reader, size_t frame, gpz_tables **tables);
GPZ_API void gpz_tables_free(gpz_tables *tables);
/* The number of tables; 0 for NULL. */
GPZ_API size_t gpz_tables_count(const gpz_tables *tables);
/* The name of a table, counted from 0, ascending, and its number of columns; both pointers may be NULL. */
GPZ_API gpz_status gpz_tables_table(const gpz_tables *tables, size_t table, const char **name, size_t *columns);
/* A column of a table. Its arrays and texts are valid until gpz_tables_free. */
GPZ_API gpz_status gpz_tables_column(const gpz_tables *tables, size_t table, size_t column, gpz_table_column *info);
/* The same by names. GPZ_NOT_FOUND if there is no such column. */
GPZ_API gpz_status gpz_tables_find(const gpz_tables *tables, const char *table, const char *column,
                                   gpz_table_column *info);

/* The observables of a frame; 0 if it has none. The texts of `info` are valid until the next call for another frame, or
 * until the reader is closed. */
GPZ_API gpz_status gpz_reader_observable_count(gpz_reader *reader, size_t frame, size_t *count);
GPZ_API gpz_status gpz_reader_observable(gpz_reader *reader, size_t frame, size_t number, gpz_observable *info);

/* Writes a table, which replaces the table of its name for the frames behind it. GPZ_INVALID_ARGUMENT: columns of
 * different lengths, names of no or more than 255 bytes, two columns of one name. */
GPZ_API gpz_status gpz_writer_write_table(gpz_writer *writer, const char *name, const gpz_table_column *columns,
                                          size_t column_count);
/* Writes the observables of the next frame, which must have this timestep. */
GPZ_API gpz_status gpz_writer_write_observables(gpz_writer *writer, int64_t timestep, const gpz_observable *observables,
                                                size_t count);

#ifdef __cplusplus
}
#endif

#endif
