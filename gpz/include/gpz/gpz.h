/* C interface of gpz: error-bounded compression of particle trajectories.
 *
 * Every function that can fail returns a status; gpz_last_error() has the reason in words. No function prints, aborts
 * or throws. Handles may be used by one thread at a time. "Particles" are rows; all arrays of a frame have one element
 * per particle.
 *
 *   double x[3 * N];                                             // x0 y0 z0 x1 y1 z1 ...
 *   int id[N];
 *   gpz_field fields[2] = {gpz_interleaved("x y z", GPZ_FLOAT64, x), gpz_column("id", GPZ_INT32, id)};
 *   fields[0].bound_kind = GPZ_ABSOLUTE;
 *   fields[0].bound = 0.001;                                     // |x - x'| <= 0.001, always
 *   gpz_frame frame = gpz_new_frame(N, timestep);
 *   gpz_writer *writer;
 *   if (gpz_writer_open("traj.gpz", GPZ_CREATE, NULL, 1, &writer) != GPZ_OK) puts(gpz_last_error());
 *   gpz_writer_write(writer, &frame, fields, 2);
 *   gpz_writer_close(writer);
 *
 * The codec may reorder the particles of the first field if it is a float field; all other fields are reordered with
 * it, so an id stays with its position. Without an id column the order is lost.
 */
#ifndef GPZ_GPZ_H
#define GPZ_GPZ_H

#include <stddef.h>
#include <stdint.h>

#include "gpz/export.h"
#include "gpz/version.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The numbers are pinned, those of the other enumerations too. */
typedef enum gpz_status {
  GPZ_OK = 0,
  GPZ_INVALID_ARGUMENT = 1,
  GPZ_IO_ERROR = 2,
  GPZ_NOT_GPZ = 3,
  GPZ_UNSUPPORTED_VERSION = 4,
  GPZ_CORRUPT = 5,
  GPZ_TRUNCATED = 6,
  GPZ_OUT_OF_MEMORY = 7,
  GPZ_NOT_FOUND = 8,
  GPZ_LIMIT_EXCEEDED = 9,
  GPZ_INTERNAL = 10,
  GPZ_UNSUPPORTED = 11 /* valid, but this function cannot do it: another one can */
} gpz_status;

/* A few words for a status, and what went wrong in the last call of this thread that failed ("" if none did). The text
 * is valid until this thread's next failing call. */
GPZ_API const char *gpz_status_text(gpz_status status);
GPZ_API const char *gpz_last_error(void);

/* --- Describing a frame --- */

typedef enum gpz_type { GPZ_INT32 = 1, GPZ_INT64 = 2, GPZ_FLOAT32 = 3, GPZ_FLOAT64 = 4 } gpz_type;

typedef enum gpz_bound_kind {
  GPZ_LOSSLESS = 0,
  GPZ_ABSOLUTE = 1, /* in units of the field */
  GPZ_RELATIVE = 2  /* a fraction of the largest distance between two values of one component */
} gpz_bound_kind;

/* A quantity with 1 to 3 components. Component c of particle i is at (const char *)data[c] + i * stride. */
typedef struct gpz_field {
  const char *names; /* column names, separated by blanks, one per component: "x y z" */
  gpz_type type;
  const void *data[3];
  ptrdiff_t stride;          /* bytes */
  gpz_bound_kind bound_kind; /* integers are always lossless */
  double bound;              /* > 0 unless lossless */
} gpz_field;

/* Lossless fields to start from. Interleaved: all components of a particle follow each other in `data`. */
GPZ_API gpz_field gpz_interleaved(const char *names, gpz_type type, const void *data);
GPZ_API gpz_field gpz_column(const char *name, gpz_type type, const void *data);
GPZ_API gpz_field gpz_columns3(const char *names, gpz_type type, const void *x, const void *y, const void *z);

typedef enum gpz_box_kind {
  GPZ_BOX_NONE = 0,
  GPZ_BOX_ORTHOGONAL = 1,
  GPZ_BOX_TRICLINIC = 2,
  GPZ_BOX_GENERAL = 3
} gpz_box_kind;

typedef struct gpz_frame {
  uint64_t particles;
  int64_t timestep;
  double time;   /* NaN: unknown */
  int dimension; /* 2 or 3 */
  gpz_box_kind box_kind;
  char boundary[6]; /* p, f, s or m for xlo xhi ylo yhi zlo zhi; 0: unknown */
  double box[12]; /* orthogonal, triclinic: xlo xhi ylo yhi zlo zhi xy xz yz 0 0 0; general: vectors a, b, c, origin */
} gpz_frame;

/* Three dimensions, unknown time, no box. */
GPZ_API gpz_frame gpz_new_frame(uint64_t particles, int64_t timestep);

/* --- Memory --- */

/* Compresses one frame into a newly allocated .gpz image, which gpz_reader_open_memory reads, and so does any program
 * once it is written to a file. Free it with gpz_free. `threads`: 1 is the caller's thread, 0 all cores; here and below
 * the bytes do not depend on it. */
GPZ_API gpz_status gpz_compress(const gpz_frame *frame, const gpz_field *fields, size_t field_count, int threads,
                                void **image, size_t *size);
GPZ_API void gpz_free(void *image);

/* --- Writing files --- */

typedef enum gpz_mode {
  GPZ_CREATE = 0, /* replaces an existing file */
  GPZ_APPEND = 1  /* keeps the complete frames of an existing file and cuts a torn one; creates a missing file */
} gpz_mode;

/* What a file says about itself; every pointer may be NULL. Ignored when appending to an existing file. */
typedef struct gpz_metadata {
  const char *generator;       /* program and version */
  const char *units;           /* LAMMPS name: lj, real, metal, ... */
  const char *const *elements; /* elements[t - 1] for atom type t */
  size_t element_count;
  double timestep_size; /* time units; 0: unknown */
} gpz_metadata;

typedef struct gpz_writer gpz_writer;

/* `metadata` may be NULL. On failure *writer is NULL. */
GPZ_API gpz_status gpz_writer_open(const char *path, gpz_mode mode, const gpz_metadata *metadata, int threads,
                                   gpz_writer **writer);
/* When it returns GPZ_OK, the operating system has accepted all bytes; after a failure the file has the frames before.
 */
GPZ_API gpz_status gpz_writer_write(gpz_writer *writer, const gpz_frame *frame, const gpz_field *fields,
                                    size_t field_count);
/* A key frame, which stands alone, every `frames` frames (1 to 65535), the next one first; the others are stored as
 * differences if frames have an integer column "id": much smaller, but read from their key frame on. Until this is
 * called, all are key frames. `order_by_id` not 0: their particles may be in the order of their ids where that is
 * smaller, which takes several times as long. */
GPZ_API gpz_status gpz_writer_set_key_interval(gpz_writer *writer, unsigned frames, int order_by_id);
GPZ_API size_t gpz_writer_frames(const gpz_writer *writer);
/* Makes what was written durable (fsync). */
GPZ_API gpz_status gpz_writer_sync(gpz_writer *writer);
/* Writes the index, closes, and frees the handle whatever the status. NULL is GPZ_OK. */
GPZ_API gpz_status gpz_writer_close(gpz_writer *writer);

/* --- Reading files and images --- */

typedef struct gpz_reader gpz_reader;

/* The image is not copied: it has to outlive the reader. On failure *reader is NULL. */
GPZ_API gpz_status gpz_reader_open(const char *path, int threads, gpz_reader **reader);
GPZ_API gpz_status gpz_reader_open_memory(const void *image, size_t size, int threads, gpz_reader **reader);
GPZ_API void gpz_reader_close(gpz_reader *reader);

GPZ_API size_t gpz_reader_frames(const gpz_reader *reader);
/* LAMMPS name of the units, "" if the file does not say. Valid until the reader is closed. */
GPZ_API const char *gpz_reader_units(const gpz_reader *reader);
GPZ_API gpz_status gpz_reader_frame(gpz_reader *reader, size_t frame, gpz_frame *info);

typedef struct gpz_column_info {
  char name[256];
  gpz_type type;        /* as stored: GPZ_INT64, GPZ_FLOAT32 or GPZ_FLOAT64 */
  double bound;         /* absolute error bound; 0: lossless */
  double largest_error; /* of the column's field in this frame */
} gpz_column_info;

/* The chunks of a frame as they are in the file, one for each writing process, for a decoder of one's own (gpz_cuda.h);
 * their particles are those of the frame, in this order. gpz_reader_read_chunk sees to the checksum; `capacity` is the
 * room in `bytes`, GPZ_LIMIT_EXCEEDED if it is less than the size. GPZ_NOT_FOUND if there is no such chunk. */
GPZ_API gpz_status gpz_reader_chunk_count(gpz_reader *reader, size_t frame, size_t *count);
GPZ_API gpz_status gpz_reader_chunk(gpz_reader *reader, size_t frame, size_t chunk, uint64_t *particles, size_t *size);
GPZ_API gpz_status gpz_reader_read_chunk(gpz_reader *reader, size_t frame, size_t chunk, void *bytes, size_t capacity);

/* How a chunk is coded: by itself, in blocks; as differences from the chunk of the frame before; by itself, in the
 * order of ids. Decoders for chunks of blocks alone (gpz_cuda.h) answer GPZ_UNSUPPORTED to the others. */
typedef enum gpz_chunk_kind { GPZ_CHUNK_BLOCK = 0, GPZ_CHUNK_DIFFERENCE = 1, GPZ_CHUNK_ORDERED = 2 } gpz_chunk_kind;
/* The kind of a chunk of `size` bytes in host memory, from its first 8 bytes. GPZ_TRUNCATED if there are fewer,
 * GPZ_CORRUPT if the format has no such kind. */
GPZ_API gpz_status gpz_chunk_kind_of(const void *chunk, size_t size, gpz_chunk_kind *kind);

GPZ_API gpz_status gpz_reader_column_count(gpz_reader *reader, size_t frame, size_t *count);
/* GPZ_NOT_FOUND if there is no such column. */
GPZ_API gpz_status gpz_reader_column(gpz_reader *reader, size_t frame, size_t column, gpz_column_info *info);

/* Decodes a column into `values`, which has room for `capacity` elements; GPZ_LIMIT_EXCEEDED if that is less than the
 * particles of the frame. Doubles are for float columns, int64 for integer columns: GPZ_INVALID_ARGUMENT otherwise. The
 * columns of one frame are in step. What was decoded is kept until another frame is asked for. */
GPZ_API gpz_status gpz_reader_read_double(gpz_reader *reader, size_t frame, const char *name, double *values,
                                          size_t capacity);
GPZ_API gpz_status gpz_reader_read_int64(gpz_reader *reader, size_t frame, const char *name, int64_t *values,
                                         size_t capacity);

#ifdef __cplusplus
}
#endif

#endif
