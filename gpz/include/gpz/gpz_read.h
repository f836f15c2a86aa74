// SPDX-License-Identifier: BSD-3-Clause
/* Reading files, images in memory and streams: a part of the C interface of gpz. Programs include gpz/gpz.h, which
 * explains statuses, handles and structures. */
#ifndef GPZ_GPZ_READ_H
#define GPZ_GPZ_READ_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "gpz/export.h"
#include "gpz/gpz_frame.h"
#include "gpz/gpz_status.h"

#ifdef __cplusplus
extern "C" {
#endif

/* --- Reading files and images: any frame, in any order --- */

typedef struct gpz_reader gpz_reader;

/* Open a file, or an image in memory. The image is not copied: it has to outlive the reader. A file that ends inside a
 * frame opens with its complete frames (see gpz_reader_scan). On failure *reader is NULL. Errors: GPZ_IO_ERROR,
 * GPZ_NOT_GPZ, GPZ_UNSUPPORTED_VERSION, GPZ_CORRUPT, GPZ_TRUNCATED. */
GPZ_API gpz_status gpz_reader_open(const char *path, int threads, gpz_reader **reader);
GPZ_API gpz_status gpz_reader_open_memory(const void *image, size_t size, int threads, gpz_reader **reader);

/* How a file, image or stream is read. */
typedef struct gpz_read_options {
  size_t struct_size;
  /* The most memory, in bytes, that is allocated at once for sizes that the file states (decoded values, chunks,
   * heads). Arrays of the caller do not count. Beyond it: GPZ_LIMIT_EXCEEDED. 0: half of the memory of this machine, or
   * of the control group limit of the process; UINT64_MAX: no limit. */
  uint64_t max_memory;
  int threads;       /* 1: the caller's thread, 0: all cores */
  uint32_t reserved; /* 0 */
} gpz_read_options;

static inline gpz_read_options gpz_new_read_options(void) {
  gpz_read_options options;
  memset(&options, 0, sizeof options);
  options.struct_size = sizeof options;
  options.threads = 1;
  return options;
}

/* As gpz_reader_open, gpz_reader_open_memory and gpz_stream_open, with options. */
GPZ_API gpz_status gpz_reader_open_with(const char *path, const gpz_read_options *options, gpz_reader **reader);
GPZ_API gpz_status gpz_reader_open_memory_with(const void *image, size_t size, const gpz_read_options *options,
                                               gpz_reader **reader);

/* A range of a file, and the memory that it is read into. */
typedef struct gpz_piece {
  uint64_t position; /* of the first byte in the file */
  void *data;
  size_t size; /* bytes */
} gpz_piece;

/* The bytes of a file that has no path and is not in memory: an object store, a part of another file. Several threads
 * may call its functions at once. They return 0 (GPZ_OK), or a number of errno.h (EIO, ...), which becomes
 * GPZ_IO_ERROR. */
typedef struct gpz_source {
  size_t struct_size;
  void *context;    /* first argument of the functions */
  const char *name; /* in error messages; copied. NULL: "source" */
  uint64_t size;    /* bytes of the whole file */
  /* Reads all of `size` bytes from `position` on. */
  int (*read_at)(void *context, uint64_t position, void *data, size_t size);
  /* Reads `count` pieces in ascending positions, in one request. If it is NULL, read_at is called for each piece. */
  int (*read_pieces)(void *context, const gpz_piece *pieces, size_t count);
  /* Called once: when the reader is closed, or when gpz_reader_open_source fails. May be NULL. */
  void (*close)(void *context);
  /* Bytes that are kept of what was read, for sources whose requests take long. Ranges that are close are then read as
   * one. 0: nothing is kept. */
  uint64_t cache_bytes;
} gpz_source;

static inline gpz_source gpz_new_source(void) {
  gpz_source source;
  memset(&source, 0, sizeof source);
  source.struct_size = sizeof source;
  return source;
}

/* Opens a file through a source. `options` may be NULL. */
GPZ_API gpz_status gpz_reader_open_source(const gpz_source *source, const gpz_read_options *options,
                                          gpz_reader **reader);

GPZ_API void gpz_reader_close(gpz_reader *reader);

GPZ_API size_t gpz_reader_frames(const gpz_reader *reader);
GPZ_API gpz_status gpz_reader_metadata(const gpz_reader *reader, gpz_metadata *metadata);

/* The state of a file: complete, torn or damaged. */
typedef struct gpz_scan {
  size_t struct_size;
  uint64_t file_size;     /* bytes */
  uint64_t complete_size; /* bytes up to the end of the last complete frame: an appending writer cuts here */
  int has_index;          /* not 0: the file was closed */
  int torn;               /* not 0: the file ends with bytes that are no complete record */
  int damaged;            /* not 0: unreadable bytes between complete frames were skipped */
  uint32_t reserved;      /* 0 */
} gpz_scan;

static inline gpz_scan gpz_new_scan(void) {
  gpz_scan scan;
  memset(&scan, 0, sizeof scan);
  scan.struct_size = sizeof scan;
  return scan;
}
GPZ_API gpz_status gpz_reader_scan(const gpz_reader *reader, gpz_scan *scan);

/* Timestep, time (time units; NaN: unknown) and number of particles of every frame, without reading the frames. Each
 * array is NULL or has room for `capacity` elements. GPZ_LIMIT_EXCEEDED if there are more frames. */
GPZ_API gpz_status gpz_reader_index(const gpz_reader *reader, int64_t *timesteps, double *times, uint64_t *particles,
                                    size_t capacity);

/* Describes a frame, without reading its particles. Frames count from 0. Here and below: GPZ_NOT_FOUND if there is no
 * such frame. */
GPZ_API gpz_status gpz_reader_frame(const gpz_reader *reader, size_t frame, gpz_frame *info);

typedef struct gpz_column_info {
  size_t struct_size;
  char name[256];       /* the bytes of the file, up to the first zero: not to be printed as they are */
  gpz_type type;        /* as stored: GPZ_INT64 (all integers), GPZ_FLOAT32 or GPZ_FLOAT64 */
  gpz_display display;  /* how a text writer shows it */
  double bound;         /* absolute error bound, units of the column; 0: lossless */
  double largest_error; /* of the column's field in this frame, units of the column */
  uint32_t field;       /* columns with one number here were compressed together (x, y, z) */
  uint32_t component;   /* its index in the field, 0 to 2 */
  uint32_t column;      /* its index among the columns of a text dump, from 0 */
  uint32_t reserved;    /* 0 */
  double step;          /* distance of the values that the grid of the field holds, units of the column; 0: lossless */
} gpz_column_info;

static inline gpz_column_info gpz_new_column_info(void) {
  gpz_column_info info;
  memset(&info, 0, sizeof info);
  info.struct_size = sizeof info;
  return info;
}

/* Declares that the values of a field to be written were read from this column, with the column's type, and since then
 * were rounded to float32 or converted, which changed them by `rounding` at most (units of the column; 0: not at all).
 * The field then keeps its values and the bound of the column, plus rounding, unless it gets a larger bound
 * (gpz_bound_kind). */
static inline void gpz_set_origin(gpz_field *field, const gpz_column_info *column, double rounding) {
  field->origin_bound = column->bound;
  field->origin_step = column->step;
  field->origin_error = column->largest_error;
  field->origin_rounding = rounding;
  field->origin_type = column->type;
  if (field->bound_kind == GPZ_LOSSLESS && (column->bound > 0 || rounding > 0)) field->bound_kind = GPZ_AS_STORED;
}

/* The columns of a frame, from 0. GPZ_NOT_FOUND if there is no such column. */
GPZ_API gpz_status gpz_reader_column_count(const gpz_reader *reader, size_t frame, size_t *count);
GPZ_API gpz_status gpz_reader_column(const gpz_reader *reader, size_t frame, size_t column, gpz_column_info *info);

/* The order of particles in the caller's arrays. GPZ_SORT_BY_ID: by ascending id, equal ids in stored order. Without
 * it: in stored order, which differs from frame to frame. */
typedef enum gpz_read_flag { GPZ_SORT_BY_ID = 1 } gpz_read_flag;

/* Decodes columns of a frame straight into the caller's arrays. Other columns are skipped where the format allows.
 * `capacity`: the number of particles that each array has room for; GPZ_LIMIT_EXCEEDED if the frame has more. `flags`:
 * a sum of gpz_read_flag. GPZ_NOT_FOUND: no such column, or GPZ_SORT_BY_ID without an integer column "id".
 * GPZ_INVALID_ARGUMENT: floats into integers or integers into floats, a column that is named twice. GPZ_CORRUPT: a
 * checksum is wrong or the bytes contradict the format, in this frame or an earlier one that it needs. After a failure
 * the contents of the arrays are unspecified.
 *
 * For speed, read all columns of a frame in one call, and frames in ascending order. Every call decodes a key frame
 * again. A difference frame is decoded from its key frame on, or from the frame read last, if that is in between. */
GPZ_API gpz_status gpz_reader_read(gpz_reader *reader, size_t frame, const gpz_output *outputs, size_t output_count,
                                   size_t capacity, unsigned flags);
/* As gpz_reader_read, for one column into one array, in stored order. */
GPZ_API gpz_status gpz_reader_read_double(gpz_reader *reader, size_t frame, const char *name, double *values,
                                          size_t capacity);
GPZ_API gpz_status gpz_reader_read_int64(gpz_reader *reader, size_t frame, const char *name, int64_t *values,
                                         size_t capacity);

/* Reads only the particles with these ids from now on: the three functions above write one row for each different id,
 * in the order that they have otherwise, and `capacity` counts these rows. GPZ_NOT_FOUND, from them, if a frame has no
 * integer column "id", or not as many particles with these ids. Where the coding allows it, blocks without these
 * particles are not decoded. The ids are copied. `ids` NULL: all particles again. To follow several selections in turn,
 * use a reader for each: with another selection, frames are decoded from the key frame on. */
GPZ_API gpz_status gpz_reader_select_ids(gpz_reader *reader, const int64_t *ids, size_t count);

/* Verifies all checksums and the structure of a frame by decoding it. GPZ_CORRUPT if one is wrong. */
GPZ_API gpz_status gpz_reader_verify(gpz_reader *reader, size_t frame);

/* The number of records in front of a frame that are neither frames nor indices; after the last frame, if `frame` is
 * gpz_reader_frames(). GPZ_CORRUPT if bytes between frames are not records. */
GPZ_API gpz_status gpz_reader_record_count(gpz_reader *reader, size_t frame, size_t *count);
/* Reads one of these records, counted from 0. Its head and body are valid until the next call of this function, or
 * until the reader is closed. GPZ_NOT_FOUND if there is no such record. */
GPZ_API gpz_status gpz_reader_record(gpz_reader *reader, size_t frame, size_t record, gpz_record *info);

/* How a chunk is coded. Block chunks are independent, with particles sorted by position within each block. Difference
 * chunks need the chunk of the previous frame. Ordered chunks are independent, with particles in the order of ids. Cell
 * chunks are independent, and hold a set of particles without ids. Sequence chunks are independent, with particles in
 * the order of memory. gpz_cuda_codec decodes block chunks only. */
typedef enum gpz_chunk_kind {
  GPZ_CHUNK_BLOCK = 0,
  GPZ_CHUNK_DIFFERENCE = 1,
  GPZ_CHUNK_ORDERED = 2,
  GPZ_CHUNK_CELLS = 3,
  GPZ_CHUNK_SEQUENCE = 4
} gpz_chunk_kind;
/* The kind of a chunk of `size` bytes in host memory, from its first 8 bytes. GPZ_TRUNCATED if there are fewer,
 * GPZ_CORRUPT if the format has no such kind. */
GPZ_API gpz_status gpz_chunk_kind_of(const void *chunk, size_t size, gpz_chunk_kind *kind);

/* The chunks of a frame as stored in the file, one per writing process, for another decoder such as gpz_cuda.h. The
 * particles of the frame are those of chunk 0, then those of chunk 1, and so on. gpz_reader_read_chunk verifies the
 * checksum; GPZ_LIMIT_EXCEEDED if the chunk has more than `capacity` bytes. GPZ_NOT_FOUND if there is no such chunk. */
GPZ_API gpz_status gpz_reader_chunk_count(const gpz_reader *reader, size_t frame, size_t *count);
GPZ_API gpz_status gpz_reader_chunk(const gpz_reader *reader, size_t frame, size_t chunk, uint64_t *particles,
                                    size_t *size);
/* The kind of a chunk, from its first bytes. The checksum is not verified. */
GPZ_API gpz_status gpz_reader_chunk_kind(const gpz_reader *reader, size_t frame, size_t chunk, gpz_chunk_kind *kind);
GPZ_API gpz_status gpz_reader_read_chunk(const gpz_reader *reader, size_t frame, size_t chunk, void *bytes,
                                         size_t capacity);

/* --- Reading streams: one frame after the other --- */

typedef struct gpz_stream gpz_stream;

/* Opens a file descriptor, seekable or not, and reads the file header. The descriptor is not closed. Error messages
 * call it `name`. On failure *stream is NULL. */
GPZ_API gpz_status gpz_stream_open(int descriptor, const char *name, int threads, gpz_stream **stream);
GPZ_API gpz_status gpz_stream_open_with(int descriptor, const char *name, const gpz_read_options *options,
                                        gpz_stream **stream);
GPZ_API void gpz_stream_close(gpz_stream *stream);

/* Valid until the stream is closed. */
GPZ_API gpz_status gpz_stream_metadata(const gpz_stream *stream, gpz_metadata *metadata);
/* Reads and decodes the next frame. *found: 1, or 0 at the end of the stream. `info` may be NULL. Errors: GPZ_TRUNCATED
 * if the stream ends inside a frame, GPZ_CORRUPT, GPZ_IO_ERROR, GPZ_OUT_OF_MEMORY. After an error nothing more can be
 * read. */
GPZ_API gpz_status gpz_stream_next(gpz_stream *stream, gpz_frame *info, int *found);
/* As gpz_reader_column_count, gpz_reader_column and gpz_reader_read, for the frame of the last gpz_stream_next.
 * GPZ_NOT_FOUND if there is none. After an error in the arguments the call can be repeated. */
GPZ_API gpz_status gpz_stream_column_count(const gpz_stream *stream, size_t *count);
GPZ_API gpz_status gpz_stream_column(const gpz_stream *stream, size_t column, gpz_column_info *info);
GPZ_API gpz_status gpz_stream_read(const gpz_stream *stream, const gpz_output *outputs, size_t output_count,
                                   size_t capacity, unsigned flags);

#ifdef __cplusplus
}
#endif

#endif
