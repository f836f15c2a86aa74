// SPDX-License-Identifier: BSD-3-Clause
/* Writing frames: a part of the C interface of gpz. Programs include gpz/gpz.h, which explains statuses, handles and
 * structures. */
#ifndef GPZ_GPZ_WRITE_H
#define GPZ_GPZ_WRITE_H

#include <stddef.h>
#include <stdint.h>

#include "gpz/export.h"
#include "gpz/gpz_frame.h"
#include "gpz/gpz_status.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Compresses one frame into a newly allocated image: the bytes of a .gpz file with this frame only. Read it with
 * gpz_reader_open_memory, or write it to a file. Free it with gpz_free. `threads`: 1 is the caller's thread, 0 all
 * cores. The bytes never depend on the number of threads. On failure *image is NULL and *size is 0. */
GPZ_API gpz_status gpz_compress(const gpz_frame *frame, const gpz_field *fields, size_t field_count, int threads,
                                void **image, size_t *size);
GPZ_API void gpz_free(void *image);

typedef enum gpz_mode {
  GPZ_CREATE = 0, /* replaces an existing file; GPZ_INVALID_ARGUMENT while a gpz_reader of this process has it open */
  GPZ_APPEND = 1  /* continues an existing file after its last complete frame; creates a missing file */
} gpz_mode;

/* The order in which key frames store particles. Frames without an id column keep the order of their rows, and get the
 * ids 1, 2, ... if the encoder sorts them. With GPZ_ORDER_PLACE they lose their order and get no ids. */
typedef enum gpz_order {
  GPZ_ORDER_PLACE = 0,  /* sorted by position: faster to encode */
  GPZ_ORDER_ID = 1,     /* sorted by id if that is smaller; encoding takes several times as long */
  GPZ_ORDER_MEMORY = 2, /* as in memory if that is smaller */
  GPZ_ORDER_AUTO = 3    /* as GPZ_ORDER_ID (the default) */
} gpz_order;

/* Time spent on making files smaller; decoded values are the same. */
typedef enum gpz_effort {
  GPZ_EFFORT_FAST = 0,     /* block chunks, the order of ids, residuals */
  GPZ_EFFORT_STANDARD = 1, /* also, with ids in order, molecules and a better code (the default) */
  GPZ_EFFORT_DENSE = 2     /* everything that makes files smaller */
} gpz_effort;

/* The bound of positions that gpz uses if the user gives none, for a unit style of LAMMPS: "lj", "real", "metal", "si",
 * "cgs", "electron", "micro" or "nano". It is 0.0005 Angstrom, or 0.0005 sigma in lj, in the style's unit of distance.
 * The library itself never sets a bound: a field without one is lossless. If `units` is NULL or another word:
 * GPZ_INVALID_ARGUMENT, and *bound is 0. */
GPZ_API gpz_status gpz_default_position_bound(const char *units, double *bound);

/* The bound of velocities that leaves observables unchanged: a thousandth of the thermal speed of the slowest species,
 * rounded down to two significant digits, in the units of the velocities. `fields` are the columns of one frame, as for
 * gpz_writer_write. They need at least one of vx, vy and vz (floats), and one of type, typelabel, element and mass; the
 * first of these that exists defines the species. The thermal speed of a species is the root mean square of the
 * components of its velocities, about the mean of each, without a component in which all of them are equal; the slowest
 * species is the heaviest in equilibrium. Bounds of the fields are ignored. Use the result for the velocity fields of
 * every frame: a file has one bound. If such columns are missing, or no species has two particles that differ in
 * velocity: GPZ_INVALID_ARGUMENT, and *bound is 0. */
GPZ_API gpz_status gpz_thermal_bound(const gpz_field *fields, size_t field_count, size_t particles, double *bound);

typedef struct gpz_writer gpz_writer;

/* Opens a writer to a file. `metadata` may be NULL. If an existing file is continued, the units, atom_style, elements,
 * type_labels and timestep_size in `metadata` must be those of the file; items left out are taken from the file. The
 * first new frame must have the file's absolute bounds. Otherwise this function or gpz_writer_write returns
 * GPZ_INVALID_ARGUMENT, and no byte of the file changes. So does this function if another writer has the file open, in
 * this process or another one. On failure *writer is NULL. Errors: GPZ_IO_ERROR; with
 * GPZ_APPEND also those of gpz_reader_open. */
GPZ_API gpz_status gpz_writer_open(const char *path, gpz_mode mode, const gpz_metadata *metadata, int threads,
                                   gpz_writer **writer);
/* Opens a writer to a file descriptor, seekable or not: a pipe, a socket, standard output. Writing begins at its
 * current position. The descriptor must be blocking. It is not closed. Error messages call it `name`. Accepted bytes
 * cannot be withdrawn: after GPZ_IO_ERROR inside a frame, the output holds the earlier frames and an incomplete record,
 * which readers recognise, and every later write fails. If the reading end of a pipe is closed, the process gets
 * SIGPIPE; GPZ_IO_ERROR is returned only if the program ignores SIGPIPE. */
GPZ_API gpz_status gpz_writer_open_descriptor(int descriptor, const char *name, const gpz_metadata *metadata,
                                              int threads, gpz_writer **writer);
/* Opens a writer to memory. gpz_writer_close_memory returns the image. */
GPZ_API gpz_status gpz_writer_open_memory(const gpz_metadata *metadata, int threads, gpz_writer **writer);

/* Makes the next frame a key frame, and from then on every `frames`th frame (1 to 65535; default 100). Frames in
 * between are difference frames if they have an integer column "id". Difference frames are smaller, but a reader has to
 * decode from their key frame on. */
GPZ_API gpz_status gpz_writer_set_key_interval(gpz_writer *writer, unsigned frames);
/* Makes the next frame a key frame, and chooses a key interval by the sizes of the first six frames: the shortest one
 * that makes the file at most 2 % larger than 100 does, if later frames are as large as these. */
GPZ_API gpz_status gpz_writer_choose_key_interval(gpz_writer *writer);
/* The default is GPZ_ORDER_AUTO. */
GPZ_API gpz_status gpz_writer_set_order(gpz_writer *writer, gpz_order order);
/* The default is GPZ_EFFORT_STANDARD. Call it before the first frame of a new file, so that the file header can name
 * the features that readers need. Later, and in a continued file, frames use only features that the header names
 * (gpz_metadata.features), whatever the effort. */
GPZ_API gpz_status gpz_writer_set_effort(gpz_writer *writer, gpz_effort effort);
/* Compresses and writes frame->particles particles. When it returns GPZ_OK, the operating system has accepted all
 * bytes. After a failure the file has the earlier frames, and more frames can be written. Errors: GPZ_INVALID_ARGUMENT
 * (the message names the field), GPZ_LIMIT_EXCEEDED, GPZ_OUT_OF_MEMORY, GPZ_IO_ERROR. */
GPZ_API gpz_status gpz_writer_write(gpz_writer *writer, const gpz_frame *frame, const gpz_field *fields,
                                    size_t field_count);
/* Writes a record that is neither a frame nor an index, between the last frame and the next one. In a new file, records
 * in front of the first frame are kept in memory until it is written, or until gpz_writer_sync or gpz_writer_close.
 * GPZ_INVALID_ARGUMENT: a type without bit 31, a length that is no multiple of 8. */
GPZ_API gpz_status gpz_writer_write_record(gpz_writer *writer, const gpz_record *record);
/* The number of frames in the file, including those of a continued file. */
GPZ_API size_t gpz_writer_frames(const gpz_writer *writer);
/* The number of bytes in the file. */
GPZ_API uint64_t gpz_writer_size(const gpz_writer *writer);
/* Returns when all written bytes are on the disk (fsync). Does nothing for memory, pipes and sockets. */
GPZ_API gpz_status gpz_writer_sync(gpz_writer *writer);
/* Writes the index and closes. Frees the handle, and the image of a writer to memory, even on failure. If `writer` is
 * NULL: GPZ_OK. */
GPZ_API gpz_status gpz_writer_close(gpz_writer *writer);
/* Closes a writer to memory as gpz_writer_close does, and returns the image: free it with gpz_free. On failure *image
 * is NULL and *size is 0. GPZ_INVALID_ARGUMENT if the writer does not write to memory. */
GPZ_API gpz_status gpz_writer_close_memory(gpz_writer *writer, void **image, size_t *size);

#ifdef __cplusplus
}
#endif

#endif
