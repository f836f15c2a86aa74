// SPDX-License-Identifier: BSD-3-Clause
/* The C interface of the CUDA backend used from C. Each function returns 0, or the number of the step that failed. */
#include <cuda_runtime_api.h>
#include <math.h>
#include <stdlib.h>

#include "gpz/gpz_cuda.h"

enum { particles = 5000 };

typedef struct cloud {
  double x[3 * particles];
  int id[particles];
} cloud;

static void fill(cloud *c) {
  int i;
  for (i = 0; i < particles; ++i) {
    c->id[i] = i;
    c->x[3 * i] = i * 0.25;
    c->x[3 * i + 1] = i % 100;
    c->x[3 * i + 2] = -i;
  }
}

/* Whether every particle is where its id says, within the bound. */
static int agrees(const cloud *c, double bound) {
  int i;
  for (i = 0; i < particles; ++i) {
    const int id = c->id[i];
    if (id < 0 || id >= particles) return 0;
    if (!(fabs(c->x[3 * i] - id * 0.25) <= bound)) return 0;
    if (!(fabs(c->x[3 * i + 1] - id % 100) <= bound)) return 0;
    if (!(fabs(c->x[3 * i + 2] + id) <= bound)) return 0;
  }
  return 1;
}

static void describe(gpz_field *fields, cloud *device) {
  fields[0] = gpz_interleaved("x y z", GPZ_FLOAT64, device->x);
  fields[0].bound_kind = GPZ_ABSOLUTE;
  fields[0].bound = 0.001;
  fields[1] = gpz_column("id", GPZ_INT32, device->id);
}

static gpz_status describe_back(const gpz_field *fields, cloud *device, gpz_cuda_output *outputs) {
  gpz_status status;
  int d;
  outputs[0] = outputs[1] = gpz_cuda_new_output();
  status = gpz_cuda_outputs_of(fields, 2, outputs);
  for (d = 0; d < 3; ++d) outputs[0].data[d] = device->x + d;
  outputs[0].stride = 3 * sizeof(double);
  outputs[1].data[0] = device->id;
  outputs[1].stride = sizeof(int);
  return status;
}

/* Fetches what was decoded, and compares. */
static int comes_back(cloud *host, const cloud *device) {
  if (cudaMemcpy(host, device, sizeof *host, cudaMemcpyDeviceToHost) != cudaSuccess) return 0;
  return agrees(host, 0.001);
}

int codec_in_c(const char *path) {
  int step = 0;
  cloud *host = (cloud *)malloc(sizeof *host);
  cloud *device = NULL;
  void *bytes = NULL;
  gpz_cuda_codec *codec = NULL;
  gpz_cuda_chunk chunk = gpz_cuda_new_chunk();
  gpz_writer *writer = NULL;
  gpz_frame frame = gpz_new_frame(particles, 3);
  gpz_field fields[2];
  gpz_cuda_output outputs[2];

  fill(host);
  if (cudaMalloc((void **)&device, sizeof *device) != cudaSuccess) step = 1;
  if (!step && cudaMemcpy(device, host, sizeof *host, cudaMemcpyHostToDevice) != cudaSuccess) step = 2;
  describe(fields, device);
  if (!step && describe_back(fields, device, outputs) != GPZ_OK) step = 3;
  if (!step && gpz_cuda_codec_create(0, &codec) != GPZ_OK) step = 4;

  if (!step && gpz_writer_open(path, GPZ_CREATE, NULL, 1, &writer) != GPZ_OK) step = 5;
  if (!step && gpz_cuda_codec_write(codec, writer, &frame, fields, 2, NULL, NULL) != GPZ_OK) step = 6;
  if (gpz_writer_close(writer) != GPZ_OK && !step) step = 7;

  if (!step && gpz_cuda_codec_encode(codec, fields, 2, particles, NULL, NULL, &chunk) != GPZ_OK) step = 8;
  if (!step && (bytes = malloc(chunk.size)) == NULL) step = 9;
  if (!step && gpz_cuda_codec_copy_chunk(codec, bytes, chunk.size - 1) != GPZ_LIMIT_EXCEEDED) step = 10;
  if (!step && gpz_cuda_codec_copy_chunk(codec, bytes, chunk.size) != GPZ_OK) step = 11;

  if (!step && cudaMemset(device, 0, sizeof *device) != cudaSuccess) step = 12;
  if (!step && gpz_cuda_codec_decode(codec, chunk.data, chunk.size, particles, outputs, 2, 0, 0, NULL) != GPZ_OK)
    step = 13;
  if (!step && !comes_back(host, device)) step = 14;
  if (!step && cudaMemset(device, 0, sizeof *device) != cudaSuccess) step = 15;
  if (!step && gpz_cuda_codec_decode_host(codec, bytes, chunk.size, particles, outputs, 2, 0, 0, NULL) != GPZ_OK)
    step = 16;
  if (!step && !comes_back(host, device)) step = 17;

  gpz_cuda_codec_free(codec);
  cudaFree(device);
  free(bytes);
  free(host);
  return step;
}

/* Frames that move, as a file with a key frame every 3 frames, then as chunks; `kinds` gets those of the chunks. */
int trajectory_in_c(const char *path, int frames, gpz_chunk_kind *kinds) {
  int step = 0;
  int f;
  cloud *host = (cloud *)malloc(sizeof *host);
  cloud *device = NULL;
  void *bytes = malloc(sizeof *host);
  void *in_file = malloc(sizeof *host);
  size_t held = 0;
  gpz_cuda_trajectory *codec = NULL;
  gpz_cuda_chunk chunk = gpz_cuda_new_chunk();
  gpz_writer *writer = NULL;
  gpz_reader *reader = NULL;
  gpz_field fields[2];

  if (cudaMalloc((void **)&device, sizeof *device) != cudaSuccess) step = 1;
  describe(fields, device);
  if (!step && gpz_cuda_trajectory_create(0, &codec) != GPZ_OK) step = 3;
  if (!step && gpz_cuda_trajectory_copy_chunk(codec, bytes, sizeof *host) != GPZ_NOT_FOUND) step = 5;
  if (!step && gpz_writer_open(path, GPZ_CREATE, NULL, 1, &writer) != GPZ_OK) step = 6;
  if (!step && gpz_cuda_trajectory_set_key_interval(codec, 3) != GPZ_OK) step = 7;
  for (f = 0; f < frames && !step; ++f) {
    const gpz_frame frame = gpz_new_frame(particles, f);
    int i;
    fill(host);
    for (i = 0; i < particles; ++i) host->x[3 * i] += f;
    if (cudaMemcpy(device, host, sizeof *host, cudaMemcpyHostToDevice) != cudaSuccess) step = 8;
    if (!step && gpz_cuda_trajectory_write(codec, writer, &frame, fields, 2, NULL, NULL) != GPZ_OK) step = 9;
  }
  if (gpz_writer_close(writer) != GPZ_OK && !step) step = 10;
  if (!step && gpz_reader_open(path, 1, &reader) != GPZ_OK) step = 2;

  for (f = 0; f < frames && !step; ++f) {
    const gpz_frame frame = gpz_new_frame(particles, f);
    int i;
    fill(host);
    for (i = 0; i < particles; ++i) host->x[3 * i] += f;
    if (cudaMemcpy(device, host, sizeof *host, cudaMemcpyHostToDevice) != cudaSuccess) step = 11;
    if (!step && gpz_cuda_trajectory_encode(codec, &frame, fields, 2, NULL, f == 0, NULL, &chunk, &kinds[f]) != GPZ_OK)
      step = 12;
    if (!step && gpz_cuda_trajectory_copy_chunk(codec, bytes, chunk.size - 1) != GPZ_LIMIT_EXCEEDED) step = 13;
    if (!step && gpz_cuda_trajectory_copy_chunk(codec, bytes, chunk.size) != GPZ_OK) step = 14;
    if (!step && !(chunk.largest_error[0] > 0 && chunk.largest_error[0] <= 0.001)) step = 15;
    if (f >= 3) continue; /* a key frame in the file */
    if (!step && gpz_reader_read_chunk(reader, (size_t)f, 0, in_file, chunk.size) != GPZ_OK) step = 16;
    if (!step && memcmp(in_file, bytes, chunk.size) != 0) step = 17;
  }

  if (!step && gpz_cuda_trajectory_memory(codec, &held, NULL) != GPZ_OK) step = 20;
  if (!step && held == 0) step = 21;
  if (!step && gpz_cuda_trajectory_release(codec) != GPZ_OK) step = 22;
  if (!step && gpz_cuda_trajectory_memory(codec, &held, NULL) != GPZ_OK) step = 23;
  if (!step && held != 0) step = 24;
  if (!step && gpz_cuda_trajectory_copy_chunk(codec, bytes, sizeof *host) != GPZ_NOT_FOUND) step = 25;
  gpz_reader_close(reader);
  gpz_cuda_trajectory_free(codec);
  free(in_file);
  cudaFree(device);
  free(bytes);
  free(host);
  return step;
}
