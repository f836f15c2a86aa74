// SPDX-License-Identifier: BSD-3-Clause
/* C interface of gpz: error-bounded compression of particle trajectories. C99, or C++.
 *
 * Every function that can fail returns a status; gpz_last_error() has the reason in words. No function prints, aborts
 * or throws. One thread at a time may use a handle. All arrays of a frame have one element per particle. The terms are
 * those of docs/glossary.md.
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
 *   float back[3 * N];                                           // x y z of frame 0, in the order of ids
 *   gpz_output positions = gpz_into_interleaved("x y z", GPZ_FLOAT32, back);
 *   gpz_reader *reader;
 *   if (gpz_reader_open("traj.gpz", 1, &reader) != GPZ_OK) puts(gpz_last_error());
 *   gpz_reader_read(reader, 0, &positions, 1, N, GPZ_SORT_BY_ID);
 *   gpz_reader_close(reader);
 *
 * The codec may sort the particles by the first field, if that is a float field. All other fields are sorted with it,
 * so an id stays with its position. Without an id column the caller's order is lost.
 *
 * Structures that the caller allocates begin with `struct_size`: the sizeof of the structure in the caller's program.
 * gpz_new_frame, gpz_column and the other functions that make a structure set it, and give every member its default.
 * They are inline, so that they are part of the caller's program. Later versions of gpz add members at the end only. A
 * program can therefore run with a library of another version:
 * - Members that the program does not have count as 0, their default. They are not written.
 * - Members that the library does not have must be 0 in structures that it reads (GPZ_INVALID_ARGUMENT otherwise). In
 *   structures that it fills they stay as they are.
 * - All elements of an array have the same struct_size.
 *
 * Enumerations are checked: a number that is none of theirs is GPZ_INVALID_ARGUMENT.
 */
#ifndef GPZ_GPZ_H
#define GPZ_GPZ_H

#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "gpz/export.h"
#include "gpz/version.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The numbers never change, nor do those of the other enumerations. */
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

/* gpz_status_text: a few words for a status. gpz_last_error: what went wrong in the last call of this thread that
 * failed ("" if none did); the text is valid until this thread's next failing call. */
GPZ_API const char *gpz_status_text(gpz_status status);
GPZ_API const char *gpz_last_error(void);

/* --- Describing a frame --- */

typedef enum gpz_type { GPZ_INT32 = 1, GPZ_INT64 = 2, GPZ_FLOAT32 = 3, GPZ_FLOAT64 = 4 } gpz_type;

typedef enum gpz_bound_kind {
  GPZ_LOSSLESS = 0, /* `bound` has to be 0 */
  GPZ_ABSOLUTE = 1, /* in units of the field */
  GPZ_RELATIVE = 2  /* a fraction of the largest distance between two values of one component; lossless if that is 0 */
} gpz_bound_kind;

/* How a text writer shows an integer column of atom types. */
typedef enum gpz_display {
  GPZ_NUMBER = 0,
  GPZ_ELEMENT = 2,   /* by the file's element names */
  GPZ_TYPE_LABEL = 4 /* by the file's type labels */
} gpz_display;

/* A field to compress: one quantity with 1 to 3 components. The address of component c of particle i is (const char
 * *)data[c] + i * stride. */
typedef struct gpz_field {
  size_t struct_size;
  const char *names; /* column names, separated by blanks, one per component: "x y z" */
  const void *data[3];
  ptrdiff_t stride; /* bytes */
  gpz_type type;
  gpz_bound_kind bound_kind; /* integers are always lossless */
  double bound;              /* > 0, and finite; 0 for GPZ_LOSSLESS */
  gpz_display display;       /* of integers */
  uint32_t reserved;         /* 0 */
} gpz_field;

/* Arrays for one quantity to read. Component c of particle i goes to (char *)data[c] + i * stride, which need not be
 * aligned. Integer columns go into integers: GPZ_LIMIT_EXCEEDED if a value does not fit into 32 bits. Float columns go
 * into floats: float64 values are rounded to the nearest float32 if `type` is GPZ_FLOAT32. */
typedef struct gpz_output {
  size_t struct_size;
  const char *names; /* column names, separated by blanks, one per component: "x y z" */
  void *data[3];
  ptrdiff_t stride;  /* bytes */
  gpz_type type;     /* of the values in memory */
  uint32_t reserved; /* 0 */
} gpz_output;

/* For the functions below: the number of names in a list separated by blanks, and the bytes of an element. */
static inline size_t gpz_count_names(const char *names) {
  size_t count = 0;
  int in_word = 0;
  for (; names != NULL && *names != '\0'; ++names) {
    const int blank = *names == ' ' || *names == '\t' || *names == '\n';
    count += !blank && !in_word;
    in_word = !blank;
  }
  return count;
}
static inline size_t gpz_size_of(gpz_type type) { return type == GPZ_INT32 || type == GPZ_FLOAT32 ? 4 : 8; }

/* Make a lossless field; set bound_kind and bound afterwards for another. gpz_columns3: three arrays, one per
 * component. gpz_column: one array, one component. gpz_interleaved: one array, in which the components of a particle
 * follow each other. */
static inline gpz_field gpz_columns3(const char *names, gpz_type type, const void *x, const void *y, const void *z) {
  gpz_field field;
  memset(&field, 0, sizeof field);
  field.struct_size = sizeof field;
  field.names = names;
  field.data[0] = x;
  field.data[1] = y;
  field.data[2] = z;
  field.stride = (ptrdiff_t)gpz_size_of(type);
  field.type = type;
  return field;
}
static inline gpz_field gpz_column(const char *name, gpz_type type, const void *data) {
  return gpz_columns3(name, type, data, NULL, NULL);
}
static inline gpz_field gpz_interleaved(const char *names, gpz_type type, const void *data) {
  const size_t components = gpz_count_names(names);
  gpz_field field = gpz_column(names, type, data);
  size_t c;
  for (c = 1; c < components && c < 3 && data != NULL; ++c) field.data[c] = (const char *)data + c * gpz_size_of(type);
  field.stride = (ptrdiff_t)(components * gpz_size_of(type));
  return field;
}

/* Make an output with the layout of gpz_columns3, gpz_column or gpz_interleaved. */
static inline gpz_output gpz_into_columns3(const char *names, gpz_type type, void *x, void *y, void *z) {
  gpz_output output;
  memset(&output, 0, sizeof output);
  output.struct_size = sizeof output;
  output.names = names;
  output.data[0] = x;
  output.data[1] = y;
  output.data[2] = z;
  output.stride = (ptrdiff_t)gpz_size_of(type);
  output.type = type;
  return output;
}
static inline gpz_output gpz_into_column(const char *name, gpz_type type, void *data) {
  return gpz_into_columns3(name, type, data, NULL, NULL);
}
static inline gpz_output gpz_into_interleaved(const char *names, gpz_type type, void *data) {
  const size_t components = gpz_count_names(names);
  gpz_output output = gpz_into_column(names, type, data);
  size_t c;
  for (c = 1; c < components && c < 3 && data != NULL; ++c) output.data[c] = (char *)data + c * gpz_size_of(type);
  output.stride = (ptrdiff_t)(components * gpz_size_of(type));
  return output;
}

typedef enum gpz_box_kind {
  GPZ_BOX_NONE = 0,
  GPZ_BOX_ORTHOGONAL = 1,
  GPZ_BOX_TRICLINIC = 2,
  GPZ_BOX_GENERAL = 3
} gpz_box_kind;

typedef struct gpz_frame {
  size_t struct_size;
  uint64_t particles;
  int64_t timestep;
  double time;   /* time units of the file; NaN: unknown */
  int dimension; /* 2 or 3 */
  gpz_box_kind box_kind;
  double box[12]; /* distance units. Orthogonal, triclinic: xlo xhi ylo yhi zlo zhi xy xz yz 0 0 0; general: vectors a,
                     b, c, origin */
  char boundary[6]; /* p, f, s or m for xlo xhi ylo yhi zlo zhi; 0: unknown */
  /* Frames since the last key frame: 0 for a key frame. Reading this frame decodes as many frames before it, unless the
   * reader has just read some of them. Readers set it; writers decide it themselves. */
  uint16_t since_key;
} gpz_frame;

/* A frame with three dimensions, unknown time and no box. */
static inline gpz_frame gpz_new_frame(uint64_t particles, int64_t timestep) {
  gpz_frame frame;
  memset(&frame, 0, sizeof frame);
  frame.struct_size = sizeof frame;
  frame.particles = particles;
  frame.timestep = timestep;
  frame.time = NAN;
  frame.dimension = 3;
  return frame;
}

/* What a file says about itself. Writing: every pointer may be NULL, and is not used after the call. Reading: where the
 * file says nothing, strings are "" and counts are 0. The strings and arrays are valid until the reader is closed. They
 * are UTF-8, up to the first zero, with whatever control characters the file has: not to be printed as they are. Those
 * of gpz_last_error() have been made printable. */
typedef struct gpz_metadata {
  size_t struct_size;
  const char *generator;      /* program and version */
  const char *units;          /* LAMMPS name: lj, real, metal, ... */
  const char *atom_style;     /* LAMMPS name */
  const char *command;        /* the command that made the file */
  const char *const *columns; /* names of the columns, in the order in which a text dump has them */
  size_t column_count;
  const char *const *elements; /* elements[t - 1] for atom type t */
  size_t element_count;
  const char *const *type_labels; /* type_labels[t - 1] for atom type t */
  size_t type_label_count;
  double timestep_size; /* time units; 0: unknown */
  /* What readers of the file have to know, GPZ_FEATURE_ bits. Writing: a file that gets frames of others by
   * gpz_writer_copy needs the features of all; gpz_writer_set_effort adds its own. */
  uint32_t features;
  uint32_t reserved; /* 0 */
} gpz_metadata;

/* Required features (docs/format.md, section 13). */
#define GPZ_FEATURE_MODELLED_SECTIONS 1u
#define GPZ_FEATURE_CELL_CHUNKS 2u

static inline gpz_metadata gpz_new_metadata(void) {
  gpz_metadata metadata;
  memset(&metadata, 0, sizeof metadata);
  metadata.struct_size = sizeof metadata;
  return metadata;
}

/* --- Writing --- */

/* Compresses one frame into a newly allocated image: the bytes of a .gpz file with this frame only. Read it with
 * gpz_reader_open_memory, or write it to a file. Free it with gpz_free. `threads`: 1 is the caller's thread, 0 all
 * cores; here and below the bytes do not depend on it. On failure *image is NULL and *size is 0. */
GPZ_API gpz_status gpz_compress(const gpz_frame *frame, const gpz_field *fields, size_t field_count, int threads,
                                void **image, size_t *size);
GPZ_API void gpz_free(void *image);

typedef enum gpz_mode {
  GPZ_CREATE = 0, /* replaces an existing file */
  GPZ_APPEND = 1  /* keeps the complete frames of an existing file and cuts a torn one; creates a missing file */
} gpz_mode;

/* The order in which key frames store particles. */
typedef enum gpz_order {
  GPZ_ORDER_PLACE = 0, /* sorted by position: faster to encode */
  GPZ_ORDER_ID = 1,    /* sorted by id where that is smaller: encoding takes several times as long */
  GPZ_ORDER_MEMORY = 2 /* as in memory where that is smaller: readers of earlier versions refuse the file */
} gpz_order;

/* Time that is spent on a smaller file; decoded values are the same. */
typedef enum gpz_effort {
  GPZ_EFFORT_FAST = 0,    /* what every version of gpz reads */
  GPZ_EFFORT_DEFAULT = 1, /* with ids and GPZ_ORDER_ID, bonds and a better code */
  GPZ_EFFORT_DENSE = 2    /* everything that makes files smaller */
} gpz_effort;

typedef struct gpz_writer gpz_writer;

/* Opens a writer to a file. `metadata` may be NULL, and is ignored when an existing file is continued. On failure
 * *writer is NULL. Errors: GPZ_IO_ERROR; with GPZ_APPEND those of gpz_reader_open too. */
GPZ_API gpz_status gpz_writer_open(const char *path, gpz_mode mode, const gpz_metadata *metadata, int threads,
                                   gpz_writer **writer);
/* Opens a writer to a file descriptor, seekable or not: a pipe, a socket, standard output. Writing begins at its
 * current position. The descriptor must be blocking. It is not closed. Error messages call it `name`. Bytes that it has
 * accepted cannot be taken back: after GPZ_IO_ERROR inside a frame, it has the earlier frames and an incomplete record,
 * which readers recognise, and every later write fails. If nobody reads a pipe, the process gets SIGPIPE; only a
 * program that ignores SIGPIPE gets GPZ_IO_ERROR. */
GPZ_API gpz_status gpz_writer_open_descriptor(int descriptor, const char *name, const gpz_metadata *metadata,
                                              int threads, gpz_writer **writer);
/* Opens a writer to memory. gpz_writer_close_memory hands the image over. */
GPZ_API gpz_status gpz_writer_open_memory(const gpz_metadata *metadata, int threads, gpz_writer **writer);

/* Makes the next frame a key frame, and then one of every `frames` frames (1 to 65535). The others are difference
 * frames if they have an integer column "id". Difference frames are smaller, but a reader has to decode from their key
 * frame on. Until this is called, all frames are key frames. */
GPZ_API gpz_status gpz_writer_set_key_interval(gpz_writer *writer, unsigned frames);
/* GPZ_ORDER_PLACE until this is called. */
GPZ_API gpz_status gpz_writer_set_order(gpz_writer *writer, gpz_order order);
/* Call it before the first frame of a new file, whose header then names what its readers have to know. Later, and in a
 * file that is continued, frames are written with what the header names (gpz_metadata.features), whatever the effort.
 * Until this is called: GPZ_EFFORT_FAST. */
GPZ_API gpz_status gpz_writer_set_effort(gpz_writer *writer, gpz_effort effort);
/* Compresses and writes frame->particles particles. When it returns GPZ_OK, the operating system has accepted all
 * bytes. After a failure the file has the earlier frames, and the next frame can be written. Errors:
 * GPZ_INVALID_ARGUMENT (the message names the field), GPZ_LIMIT_EXCEEDED, GPZ_OUT_OF_MEMORY, GPZ_IO_ERROR. */
GPZ_API gpz_status gpz_writer_write(gpz_writer *writer, const gpz_frame *frame, const gpz_field *fields,
                                    size_t field_count);
/* The number of frames so far, with those of a continued file. */
GPZ_API size_t gpz_writer_frames(const gpz_writer *writer);
/* Bytes so far. */
GPZ_API uint64_t gpz_writer_size(const gpz_writer *writer);
/* Returns when all written bytes are on the disk (fsync). Does nothing for memory, pipes and sockets. */
GPZ_API gpz_status gpz_writer_sync(gpz_writer *writer);
/* Writes the index and closes. Frees the handle, whatever the status, and the image of a writer to memory. A NULL
 * writer is GPZ_OK. */
GPZ_API gpz_status gpz_writer_close(gpz_writer *writer);
/* Closes a writer to memory as gpz_writer_close does, and hands the image over: free it with gpz_free. On failure
 * *image is NULL and *size is 0. GPZ_INVALID_ARGUMENT if the writer does not write to memory. */
GPZ_API gpz_status gpz_writer_close_memory(gpz_writer *writer, void **image, size_t *size);

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
  /* Bytes: the most memory that is taken at once for what the numbers of the file ask for (decoded values, chunks,
   * heads). Arrays of the caller do not count. Beyond it: GPZ_LIMIT_EXCEEDED. 0: half of the memory of this machine, or
   * of what the control groups of the process allow; UINT64_MAX: no limit. */
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

/* gpz_reader_open, gpz_reader_open_memory and gpz_stream_open with options. */
GPZ_API gpz_status gpz_reader_open_with(const char *path, const gpz_read_options *options, gpz_reader **reader);
GPZ_API gpz_status gpz_reader_open_memory_with(const void *image, size_t size, const gpz_read_options *options,
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
} gpz_column_info;

static inline gpz_column_info gpz_new_column_info(void) {
  gpz_column_info info;
  memset(&info, 0, sizeof info);
  info.struct_size = sizeof info;
  return info;
}

/* The columns of a frame, from 0. GPZ_NOT_FOUND if there is no such column. */
GPZ_API gpz_status gpz_reader_column_count(const gpz_reader *reader, size_t frame, size_t *count);
GPZ_API gpz_status gpz_reader_column(const gpz_reader *reader, size_t frame, size_t column, gpz_column_info *info);

/* The order of particles in the caller's arrays: by ascending id, equal ids in stored order; without a flag, stored
 * order, which differs from frame to frame. */
typedef enum gpz_read_flag { GPZ_SORT_BY_ID = 1 } gpz_read_flag;

/* Decodes columns of a frame straight into the caller's arrays. The other columns are skipped as far as the format
 * allows. `capacity`: the number of particles that each array has room for; GPZ_LIMIT_EXCEEDED if the frame has more.
 * `flags`: a sum of gpz_read_flag. GPZ_NOT_FOUND: no such column, or GPZ_SORT_BY_ID without an integer column "id".
 * GPZ_INVALID_ARGUMENT: floats into integers or integers into floats, a column that is named twice. GPZ_CORRUPT: a
 * checksum is wrong or the bytes contradict the format, in this frame or one that it needs. After a failure the
 * contents of the arrays are unspecified.
 *
 * For speed, ask for all columns of a frame in one call, and for frames in ascending order. Every call decodes a key
 * frame again. A difference frame is decoded from its key frame on, or from the frame that was read last, if that is
 * between the two. */
GPZ_API gpz_status gpz_reader_read(gpz_reader *reader, size_t frame, const gpz_output *outputs, size_t output_count,
                                   size_t capacity, unsigned flags);
/* gpz_reader_read of one column into one array, in stored order. */
GPZ_API gpz_status gpz_reader_read_double(gpz_reader *reader, size_t frame, const char *name, double *values,
                                          size_t capacity);
GPZ_API gpz_status gpz_reader_read_int64(gpz_reader *reader, size_t frame, const char *name, int64_t *values,
                                         size_t capacity);

/* Decodes a frame to check all its checksums and its structure. GPZ_CORRUPT if one is wrong. */
GPZ_API gpz_status gpz_reader_verify(gpz_reader *reader, size_t frame);

/* How a chunk is coded. Block chunks are independent, with particles sorted by position within each block. Difference
 * chunks need the chunk of the previous frame. Ordered chunks are independent, with particles in the order of ids. Cell
 * chunks are independent, a set of particles without ids. Sequence chunks are independent, with particles in the order
 * of memory. On a GPU, gpz_cuda_codec decodes block chunks, and gpz_cuda_decoder difference and ordered chunks as well:
 * GPZ_UNSUPPORTED for the others. */
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

/* The chunks of a frame as they are in the file, one for each writing process, for another decoder such as gpz_cuda.h.
 * The particles of the frame are those of chunk 0, then those of chunk 1, and so on. gpz_reader_read_chunk checks the
 * checksum; GPZ_LIMIT_EXCEEDED if the chunk has more than `capacity` bytes. GPZ_NOT_FOUND if there is no such chunk. */
GPZ_API gpz_status gpz_reader_chunk_count(const gpz_reader *reader, size_t frame, size_t *count);
GPZ_API gpz_status gpz_reader_chunk(const gpz_reader *reader, size_t frame, size_t chunk, uint64_t *particles,
                                    size_t *size);
/* The kind of a chunk, from its first bytes; its checksum is not checked. */
GPZ_API gpz_status gpz_reader_chunk_kind(const gpz_reader *reader, size_t frame, size_t chunk, gpz_chunk_kind *kind);
GPZ_API gpz_status gpz_reader_read_chunk(const gpz_reader *reader, size_t frame, size_t chunk, void *bytes,
                                         size_t capacity);

/* Writes frame `frame` of `reader` to another file with the bytes and checksums of its chunks; nothing is decoded. A
 * difference frame has to follow the frame that it builds on: the last frame of `writer` has to be a copy of that one
 * (GPZ_INVALID_ARGUMENT), and a frame of another file may not need features that the header of this one does not name
 * (GPZ_INVALID_ARGUMENT). GPZ_CORRUPT if the checksum of a chunk does not hold. */
GPZ_API gpz_status gpz_writer_copy(gpz_writer *writer, const gpz_reader *reader, size_t frame);

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
 * if the stream ends inside a frame, GPZ_CORRUPT, GPZ_IO_ERROR, GPZ_OUT_OF_MEMORY. After one of these nothing more can
 * be read. */
GPZ_API gpz_status gpz_stream_next(gpz_stream *stream, gpz_frame *info, int *found);
/* As gpz_reader_column_count, gpz_reader_column and gpz_reader_read, for the frame that gpz_stream_next has found.
 * GPZ_NOT_FOUND if there is none. After a refused argument the call can be repeated. */
GPZ_API gpz_status gpz_stream_column_count(const gpz_stream *stream, size_t *count);
GPZ_API gpz_status gpz_stream_column(const gpz_stream *stream, size_t column, gpz_column_info *info);
GPZ_API gpz_status gpz_stream_read(const gpz_stream *stream, const gpz_output *outputs, size_t output_count,
                                   size_t capacity, unsigned flags);

#ifdef __cplusplus
}
#endif

#endif
