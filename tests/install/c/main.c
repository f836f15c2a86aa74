// SPDX-License-Identifier: BSD-3-Clause
/* main FILE: writes two frames in C, and reads them back. Returns 0, or the number of the step that failed. */
#include <gpz/gpz.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define N 1000

int main(int argc, char **argv) {
  static double x[3 * N], back[N];
  static int id[N];
  static int64_t ids[N];
  gpz_writer *writer = NULL;
  gpz_reader *reader = NULL;
  int i, frame;

  if (argc != 2) return 1;
  if (gpz_version_number() != GPZ_VERSION_NUMBER || strcmp(gpz_version_string(), GPZ_VERSION_STRING) != 0) return 2;
  if (gpz_format_version() != GPZ_FORMAT_VERSION) return 3;

  if (gpz_writer_open(argv[1], GPZ_CREATE, NULL, 1, &writer) != GPZ_OK) return 4;
  for (frame = 0; frame < 2; ++frame) {
    gpz_frame info = gpz_new_frame(N, frame);
    gpz_field fields[2];
    for (i = 0; i < N; ++i) {
      id[i] = i + 1;
      x[3 * i] = i + 0.25 * frame;
      x[3 * i + 1] = x[3 * i + 2] = 0.5 * i;
    }
    fields[0] = gpz_interleaved("x y z", GPZ_FLOAT64, x);
    fields[0].bound_kind = GPZ_ABSOLUTE;
    fields[0].bound = 0.001;
    fields[1] = gpz_column("id", GPZ_INT32, id);
    if (gpz_writer_write(writer, &info, fields, 2) != GPZ_OK) return 5;
  }
  if (gpz_writer_close(writer) != GPZ_OK) return 6;

  if (gpz_reader_open(argv[1], 1, &reader) != GPZ_OK) return 7;
  if (gpz_reader_frames(reader) != 2) return 8;
  for (frame = 0; frame < 2; ++frame) {
    if (gpz_reader_read_double(reader, (size_t)frame, "x", back, N) != GPZ_OK) return 9;
    if (gpz_reader_read_int64(reader, (size_t)frame, "id", ids, N) != GPZ_OK) return 10;
    for (i = 0; i < N; ++i)
      if (fabs(back[i] - ((double)(ids[i] - 1) + 0.25 * frame)) > 0.001) return 11;
  }
  gpz_reader_close(reader);

  if (gpz_reader_open("", 1, &reader) != GPZ_IO_ERROR || gpz_last_error()[0] == '\0') return 12;
  printf("%s\n", gpz_version_string());
  return 0;
}
