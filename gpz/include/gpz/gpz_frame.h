// SPDX-License-Identifier: BSD-3-Clause
/* Descriptions of frames: a part of the C interface of gpz. Programs include gpz/gpz.h, which explains statuses,
 * handles and structures. */
#ifndef GPZ_GPZ_FRAME_H
#define GPZ_GPZ_FRAME_H

#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum gpz_type { GPZ_INT32 = 1, GPZ_INT64 = 2, GPZ_FLOAT32 = 3, GPZ_FLOAT64 = 4 } gpz_type;

typedef enum gpz_bound_kind {
  GPZ_LOSSLESS = 0, /* `bound` has to be 0 */
  GPZ_ABSOLUTE = 1, /* in units of the field */
  GPZ_RELATIVE = 2, /* a fraction, below 1, of the largest distance between two values of one component; lossless if
                       that is 0 */
  GPZ_AS_STORED = 3 /* values read from a file (gpz_set_origin) keep their bits and that file's bound, plus their
                     * rounding since; `bound` has to be 0 */
} gpz_bound_kind;

/* How a text writer shows an integer column of atom types. */
typedef enum gpz_display {
  GPZ_NUMBER = 0,
  GPZ_ELEMENT = 2,   /* by the file's element names */
  GPZ_TYPE_LABEL = 4 /* by the file's type labels */
} gpz_display;

/* A field to compress: one quantity with 1 to 3 components. The address of component c of particle i is (const char
 * *)data[c] + i * stride.
 *
 * The members `origin_...` are 0 for original values. For values read from a file, gpz_set_origin sets them, and the
 * bound of the new file includes the error of the first file. A bound below the first file's is
 * GPZ_INVALID_ARGUMENT. */
typedef struct gpz_field {
  size_t struct_size;
  const char *names; /* column names, separated by blanks, one per component: "x y z" */
  const void *data[3];
  ptrdiff_t stride; /* bytes */
  gpz_type type;
  gpz_bound_kind bound_kind; /* integers are always lossless */
  double bound;              /* finite; 0 is lossless */
  gpz_display display;       /* of integers */
  uint32_t reserved;         /* 0 */
  double origin_bound;       /* of the file that the values were read from, in units of the field */
  double origin_step;        /* of its grid */
  double origin_error;       /* the largest error of the values */
  double origin_rounding;    /* the largest change of a value since it was read, by a conversion of type or units */
  gpz_type origin_type;      /* in that file */
  uint32_t reserved2;        /* 0 */
} gpz_field;

/* Arrays for one quantity to read. Component c of particle i goes to (char *)data[c] + i * stride, which need not be
 * aligned. Integer columns go to integers: GPZ_LIMIT_EXCEEDED if a value does not fit into 32 bits. Float columns go to
 * floats: float64 values are rounded to the nearest float32 if `type` is GPZ_FLOAT32. */
typedef struct gpz_output {
  size_t struct_size;
  const char *names; /* column names, separated by blanks, one per component: "x y z" */
  void *data[3];
  ptrdiff_t stride;  /* bytes */
  gpz_type type;     /* of the values in memory */
  uint32_t reserved; /* 0 */
} gpz_output;

/* The number of names in a list separated by blanks, and the bytes of an element. */
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

/* Make a lossless field; for another bound, set bound_kind and bound afterwards. gpz_columns3: three arrays, one per
 * component. gpz_column: one array, one component. gpz_interleaved: one array, in which the components of a particle
 * are adjacent. */
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
   * reader has just read some of them. Set by readers, ignored by writers. */
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

/* Metadata of a file. Writing: every pointer may be NULL, and is not used after the call. Reading: items that the
 * file does not have are "" or 0. Strings and arrays are valid until the reader is closed. Strings are UTF-8 up to
 * the first zero and may contain control characters: do not print them unchanged. gpz_last_error() returns printable
 * text only. */
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
  /* Required features, GPZ_FEATURE_ bits. Writing: a file that receives frames of other files by gpz_writer_copy needs
   * the features of all of them. gpz_writer_set_effort adds the features of the effort. */
  uint32_t features;
  uint32_t reserved; /* 0 */
  /* Description of the original values. Bounds and largest errors are distances from these. */
  const char *reference;
  /* Spacing of the original positions, in distance units, from their number of decimal places: 0.01 for XTC. 0:
   * unknown, or too fine to matter for bounds. */
  double reference_grid;
} gpz_metadata;

/* A record that is neither a frame nor an index (docs/format.md, section 2): a topology, a table, notes. Readers that
 * do not know its type skip it. */
typedef struct gpz_record {
  size_t struct_size;
  uint32_t type;     /* bit 31 is set */
  uint32_t reserved; /* 0 */
  const void *head;  /* checksummed in the file */
  size_t head_size;  /* bytes, a multiple of 8 */
  const void *body;  /* not checksummed */
  size_t body_size;  /* bytes, a multiple of 8 */
} gpz_record;

static inline gpz_record gpz_new_record(void) {
  gpz_record record;
  memset(&record, 0, sizeof record);
  record.struct_size = sizeof record;
  return record;
}

/* Required features (docs/format.md, section 13). */
#define GPZ_FEATURE_MODELLED_SECTIONS 1u
#define GPZ_FEATURE_CELL_CHUNKS 2u
#define GPZ_FEATURE_SEQUENCE_CHUNKS 4u
#define GPZ_FEATURE_CLASSED_SECTIONS 8u
#define GPZ_FEATURE_STEPS 256u

static inline gpz_metadata gpz_new_metadata(void) {
  gpz_metadata metadata;
  memset(&metadata, 0, sizeof metadata);
  metadata.struct_size = sizeof metadata;
  return metadata;
}

#ifdef __cplusplus
}
#endif

#endif
