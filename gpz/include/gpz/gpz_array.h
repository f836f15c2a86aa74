// SPDX-License-Identifier: BSD-3-Clause
/* Arrays of frames in memory, without a file: a part of the C interface of gpz. Programs include gpz/gpz.h, which
 * explains statuses and structures. */
#ifndef GPZ_GPZ_ARRAY_H
#define GPZ_GPZ_ARRAY_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "gpz/export.h"
#include "gpz/gpz_frame.h"
#include "gpz/gpz_status.h"
#include "gpz/gpz_write.h"

#ifdef __cplusplus
extern "C" {
#endif

/* An array of frames x particles x components, in C order: value d of particle i in frame t is element (t * particles +
 * i) * components + d. Rows are particles: their order is kept. */
typedef struct gpz_frame_array {
  size_t struct_size;
  uint64_t frames;
  uint64_t particles;
  double bound;        /* absolute error bound of every value, in the units of the values; 0: lossless */
  gpz_type type;       /* GPZ_FLOAT32 or GPZ_FLOAT64 */
  uint32_t components; /* 1 to 3 */
  /* How it is compressed. gpz_frame_array_info leaves these members as they are. */
  gpz_effort effort;
  uint32_t key_interval; /* frames from one key frame to the next: a frame is decompressed from its key frame on */
  /* Frames whose boxes help the prediction; nothing else of them is used, and they are not stored. NULL: none. */
  const gpz_frame *boxes;
  uint64_t box_count; /* 0, 1 for all frames, or as many as there are frames */
  int threads;           /* 1: the caller's thread, 0: all cores; the bytes do not depend on it */
  uint32_t reserved;     /* 0 */
} gpz_frame_array;

static inline gpz_frame_array gpz_new_frame_array(gpz_type type, uint64_t frames, uint64_t particles,
                                                  uint32_t components, double bound) {
  gpz_frame_array array;
  memset(&array, 0, sizeof array);
  array.struct_size = sizeof array;
  array.frames = frames;
  array.particles = particles;
  array.bound = bound;
  array.type = type;
  array.components = components;
  array.effort = GPZ_EFFORT_STANDARD;
  array.key_interval = 100;
  array.threads = 1;
  return array;
}

/* Compresses `values`, which `array` describes, into newly allocated bytes: free them with gpz_free. NaN, infinities
 * and values that the grid cannot hold keep their bits. On failure *bytes is NULL and *size is 0.
 * GPZ_INVALID_ARGUMENT (bound, type, components, key interval, number of boxes), GPZ_LIMIT_EXCEEDED,
 * GPZ_OUT_OF_MEMORY. */
GPZ_API gpz_status gpz_compress_frames(const gpz_frame_array *array, const void *values, void **bytes, size_t *size);

/* What was compressed: frames, particles, bound, type and components. GPZ_NOT_GPZ, GPZ_UNSUPPORTED (the bytes are a
 * file: gpz_reader_open_memory), GPZ_UNSUPPORTED_VERSION, GPZ_CORRUPT, GPZ_TRUNCATED, GPZ_LIMIT_EXCEEDED. */
GPZ_API gpz_status gpz_frame_array_info(const void *bytes, size_t size, gpz_frame_array *array);

/* Decompresses frames first, ..., first + count - 1 into `values`, an array of `capacity` bytes. `threads` as above;
 * values do not depend on it. `max_memory` as gpz_read_options.max_memory; 0: the default. Errors as of
 * gpz_frame_array_info, and GPZ_NOT_FOUND (no such frames), GPZ_LIMIT_EXCEEDED (more values than `capacity`). After an
 * error the contents of `values` are unspecified. */
GPZ_API gpz_status gpz_decompress_frames(const void *bytes, size_t size, uint64_t first, uint64_t count, void *values,
                                         size_t capacity, int threads, uint64_t max_memory);

#ifdef __cplusplus
}
#endif

#endif
