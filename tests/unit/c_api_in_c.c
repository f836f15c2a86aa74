// SPDX-License-Identifier: BSD-3-Clause
/* The C interface used from C, as its documentation shows it. Returns 0, or the number of the step that failed. */
#include <math.h>
#include <stdlib.h>

#include "gpz/gpz.h"

int write_and_read_in_c(const char *path) {
  double x[3 * 4] = {0, 0, 0, 1, 1, 1, 2, 2, 2, 3, 3, 3};
  int id[4] = {10, 20, 30, 40};
  double back[4];
  int64_t ids[4];
  int i;
  gpz_writer *writer = NULL;
  gpz_reader *reader = NULL;
  gpz_frame frame = gpz_new_frame(4, 7);
  gpz_field fields[2];
  fields[0] = gpz_interleaved("x y z", GPZ_FLOAT64, x);
  fields[0].bound_kind = GPZ_ABSOLUTE;
  fields[0].bound = 0.001;
  fields[1] = gpz_column("id", GPZ_INT32, id);

  if (gpz_writer_open(path, GPZ_CREATE, NULL, 1, &writer) != GPZ_OK) return 1;
  if (gpz_writer_write(writer, &frame, fields, 2) != GPZ_OK) return 2;
  if (gpz_writer_close(writer) != GPZ_OK) return 3;
  if (gpz_reader_open(path, 1, &reader) != GPZ_OK) return 4;
  if (gpz_reader_frames(reader) != 1) return 5;
  if (gpz_reader_read_double(reader, 0, "x", back, 4) != GPZ_OK) return 6;
  if (gpz_reader_read_int64(reader, 0, "id", ids, 4) != GPZ_OK) return 7;
  for (i = 0; i < 4; ++i) {
    if (fabs(back[i] - ((double)ids[i] / 10 - 1)) > 0.001) return 8;
  }
  gpz_reader_close(reader);
  return 0;
}
