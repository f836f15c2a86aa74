// SPDX-License-Identifier: BSD-3-Clause
/* C interface of gpz: error-bounded compression of particle trajectories. C99, or C++.
 *
 * Every function that can fail returns a status; gpz_last_error() returns the reason as text. No function prints,
 * aborts or throws. One thread at a time may use a handle. All arrays of a frame have one element per particle. The
 * terms are those of docs/glossary.md.
 *
 * Include this header, which includes the others of the C interface: gpz_status.h, gpz_frame.h (fields, boxes,
 * metadata), gpz_write.h, gpz_read.h, gpz_tables.h (topology, energies).
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
 * so an id stays with its position. Without an id column, frames get the ids 1, 2, ... (gpz_writer_set_order).
 *
 * Structures that the caller allocates begin with `struct_size`: the sizeof of the structure in the caller's program.
 * gpz_new_frame, gpz_column and the other functions that make a structure set it, and set every member to its default.
 * They are inline, so that the size is the one of the caller's program. Later versions of gpz add members at the end
 * only. A program can therefore run with a library of another version:
 * - Members that the program does not know have their default, 0. They are not written.
 * - Members that the library does not know must be 0 in structures that it reads (GPZ_INVALID_ARGUMENT otherwise). In
 *   structures that it fills they are unchanged.
 * - All elements of an array have the same struct_size.
 *
 * Enumerations are checked: an unknown number is GPZ_INVALID_ARGUMENT. */
#ifndef GPZ_GPZ_H
#define GPZ_GPZ_H

#include <stddef.h>

#include "gpz/export.h"
#include "gpz/gpz_array.h"
#include "gpz/gpz_frame.h"
#include "gpz/gpz_read.h"
#include "gpz/gpz_status.h"
#include "gpz/gpz_tables.h"
#include "gpz/gpz_write.h"
#include "gpz/version.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Writes frame `frame` of `reader` to another file with the bytes and checksums of its chunks; nothing is decoded. The
 * records in front of the frame are not copied (gpz_reader_record, gpz_writer_write_record). A difference frame must
 * follow the frame that it builds on: the last frame of `writer` must be a copy of its predecessor
 * (GPZ_INVALID_ARGUMENT). The frame may not need features that the header of the written file does not name
 * (GPZ_INVALID_ARGUMENT). GPZ_CORRUPT if the checksum of a chunk is wrong. */
GPZ_API gpz_status gpz_writer_copy(gpz_writer *writer, const gpz_reader *reader, size_t frame);

#ifdef __cplusplus
}
#endif

#endif
