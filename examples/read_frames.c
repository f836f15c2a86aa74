// SPDX-License-Identifier: BSD-3-Clause
/* Reads a .gpz file from C: what it says about itself, then the positions of every frame, in the order of ids, as
 * single precision, and from them how far particles have moved since the first frame.
 *
 *   read_frames FILE                       prints a line a frame
 *
 *   cc read_frames.c $(pkg-config --cflags --libs gpz) -lm
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "gpz/gpz.h"

/* Prints why the last call failed. */
static int failed(void) {
  fprintf(stderr, "read_frames: %s\n", gpz_last_error());
  return 1;
}

static int print_head(const gpz_reader *reader) {
  gpz_metadata metadata = gpz_new_metadata();
  gpz_scan scan = gpz_new_scan();
  if (gpz_reader_metadata(reader, &metadata) || gpz_reader_scan(reader, &scan)) return failed();
  printf("%zu frames, units %s, written by %s%s\n", gpz_reader_frames(reader),
         *metadata.units ? metadata.units : "unknown", *metadata.generator ? metadata.generator : "an unknown program",
         scan.torn ? ", the last one incomplete" : "");
  return 0;
}

/* The largest number of particles of a frame, without reading one. */
static int largest_frame(const gpz_reader *reader, size_t *particles) {
  const size_t frames = gpz_reader_frames(reader);
  uint64_t *counts = malloc(frames * sizeof *counts + 1);
  size_t i;
  if (counts == NULL || gpz_reader_index(reader, NULL, NULL, counts, frames)) {
    free(counts);
    return failed();
  }
  *particles = 0;
  for (i = 0; i < frames; ++i)
    if (counts[i] > *particles) *particles = (size_t)counts[i];
  free(counts);
  return 0;
}

/* Root mean square of the distances between two sets of positions. */
static double moved(const float *from, const float *to, size_t particles) {
  double sum = 0;
  size_t i;
  for (i = 0; i < 3 * particles; ++i) sum += ((double)to[i] - from[i]) * ((double)to[i] - from[i]);
  return particles == 0 ? 0 : sqrt(sum / (double)particles);
}

static int print_frames(gpz_reader *reader, float *first, float *now, size_t capacity) {
  uint64_t first_particles = 0;
  size_t i;
  for (i = 0; i < gpz_reader_frames(reader); ++i) {
    float *const x = i == 0 ? first : now;
    const gpz_output positions = gpz_into_interleaved("x y z", GPZ_FLOAT32, x);
    gpz_frame frame = gpz_new_frame(0, 0);
    if (gpz_reader_frame(reader, i, &frame)) return failed();
    if (gpz_reader_read(reader, i, &positions, 1, capacity, GPZ_SORT_BY_ID)) return failed();
    if (i == 0) first_particles = frame.particles;
    printf("step %lld: %llu particles, %s", (long long)frame.timestep, (unsigned long long)frame.particles,
           frame.since_key == 0 ? "key frame" : "difference frame");
    if (frame.particles == first_particles)
      printf(", moved by %g\n", moved(first, x, (size_t)frame.particles));
    else
      printf(", not the particles of the first frame\n");
  }
  return 0;
}

int main(int argc, char **argv) {
  gpz_reader *reader = NULL;
  size_t particles = 0;
  float *first = NULL;
  float *now = NULL;
  int result;
  if (argc != 2) {
    fprintf(stderr, "usage: read_frames FILE\n");
    return 2;
  }
  if (gpz_reader_open(argv[1], 0, &reader)) return failed();
  result = print_head(reader) || largest_frame(reader, &particles);
  if (!result) {
    first = malloc(3 * particles * sizeof *first + 1);
    now = malloc(3 * particles * sizeof *now + 1);
    if (first == NULL || now == NULL) {
      fprintf(stderr, "read_frames: no memory for %zu particles\n", particles);
      result = 1;
    } else {
      result = print_frames(reader, first, now, particles);
    }
  }
  free(first);
  free(now);
  gpz_reader_close(reader);
  return result;
}
