// SPDX-License-Identifier: BSD-3-Clause
/* gpz::cuda::Reader used from C. Returns 0, or the number of the step that failed. */
#include <cuda_runtime_api.h>
#include <stdlib.h>
#include <string.h>

#include "gpz/gpz_cuda.h"

enum { capacity = 3000 };

/* Reads all frames of a file with columns x and id; the last x go to x_of_last, in the order of ids. */
int reader_in_c(const char *path, double *x_of_last) {
  int step = 0;
  double *x = NULL;
  int *id = NULL;
  int on_device = 0;
  size_t frame = 0;
  size_t frames = 0;
  size_t count = 0;
  size_t bytes = 0;
  uint64_t allocations = 0;
  gpz_cuda_reader *reader = NULL;
  gpz_cuda_reader_options options = gpz_cuda_new_reader_options();
  gpz_frame info = gpz_new_frame(0, 0);
  gpz_column_info column = gpz_new_column_info();
  gpz_output outputs[2];

  if (cudaMalloc((void **)&x, capacity * sizeof *x) != cudaSuccess) step = 1;
  if (!step && cudaMalloc((void **)&id, capacity * sizeof *id) != cudaSuccess) step = 2;
  outputs[0] = gpz_into_column("x", GPZ_FLOAT64, x);
  outputs[1] = gpz_into_column("id", GPZ_INT32, id);
  if (!step && gpz_cuda_reader_open("/no/such/file", NULL, &reader) != GPZ_IO_ERROR) step = 3;
  if (!step && reader != NULL) step = 4;
  options.threads = 2;
  options.ahead = 1;
  if (!step && gpz_cuda_reader_open(path, &options, &reader) != GPZ_OK) step = 5;
  frames = gpz_cuda_reader_frames(reader);
  if (!step && frames == 0) step = 6;
  for (frame = 0; !step && frame < frames; ++frame) {
    if (gpz_cuda_reader_frame(reader, frame, &info) != GPZ_OK || info.particles != capacity) step = 7;
    if (!step && gpz_cuda_reader_read(reader, frame, outputs, 2, capacity, GPZ_SORT_BY_ID, NULL, &on_device) != GPZ_OK)
      step = 8;
    if (!step && (on_device != 1 || strcmp(gpz_cuda_reader_reason(reader), "") != 0)) step = 9;
  }
  if (!step && gpz_cuda_reader_column_count(reader, 0, &count) != GPZ_OK) step = 10;
  if (!step && gpz_cuda_reader_column(reader, 0, count, &column) != GPZ_NOT_FOUND) step = 11;
  if (!step && gpz_cuda_reader_column(reader, 0, 0, &column) != GPZ_OK) step = 12;
  if (!step && strcmp(column.name, "x") != 0) step = 13;
  if (!step && gpz_cuda_reader_read(reader, 0, outputs, 2, capacity - 1, 0, NULL, NULL) != GPZ_LIMIT_EXCEEDED)
    step = 14;
  if (!step && gpz_cuda_reader_read(reader, frames, outputs, 2, capacity, 0, NULL, NULL) != GPZ_NOT_FOUND) step = 15;
  if (!step && gpz_cuda_reader_read(NULL, 0, outputs, 2, capacity, 0, NULL, NULL) != GPZ_INVALID_ARGUMENT) step = 16;
  if (!step && gpz_cuda_reader_memory(reader, &bytes, &allocations) != GPZ_OK) step = 17;
  if (!step && (bytes == 0 || allocations == 0)) step = 18;
  if (!step && gpz_cuda_reader_release(reader) != GPZ_OK) step = 19;
  if (!step && gpz_cuda_reader_memory(reader, &bytes, NULL) != GPZ_OK) step = 20;
  if (!step && bytes != 0) step = 21;
  if (!step && cudaMemcpy(x_of_last, x, capacity * sizeof *x, cudaMemcpyDeviceToHost) != cudaSuccess) step = 22;
  gpz_cuda_reader_close(reader);
  gpz_cuda_reader_close(NULL);
  cudaFree(x);
  cudaFree(id);
  return step;
}
