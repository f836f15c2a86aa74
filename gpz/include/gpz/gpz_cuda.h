// SPDX-License-Identifier: BSD-3-Clause
/* C interface of gpz on NVIDIA GPUs: from device memory to device memory, with the same bytes as on a CPU.
 * docs/gpu_api.md shows the calls in order. Statuses, gpz_last_error(), gpz_field and struct_size are as in gpz.h, with
 * three differences. The data of a field are in device memory. Addresses and strides are multiples of the size of an
 * element. Bounds are lossless or absolute: GPZ_RELATIVE is GPZ_INVALID_ARGUMENT, because the range of the values is
 * not known on the host.
 *
 *   gpz_cuda_codec *codec;
 *   gpz_cuda_chunk chunk = gpz_cuda_new_chunk();
 *   gpz_field fields[2] = {gpz_interleaved("x y z", GPZ_FLOAT32, x), gpz_column("id", GPZ_INT32, id)};
 *   fields[0].bound_kind = GPZ_ABSOLUTE;
 *   fields[0].bound = 0.001;
 *   if (gpz_cuda_codec_create(device, &codec) != GPZ_OK) puts(gpz_last_error());
 *   gpz_cuda_codec_encode(codec, fields, 2, N, NULL, stream, &chunk);       // bytes in device memory, or:
 *   gpz_cuda_codec_write(codec, writer, &frame, fields, 2, NULL, stream);   // a frame of a file
 *   gpz_cuda_codec_free(codec); */
#ifndef GPZ_GPZ_CUDA_H
#define GPZ_GPZ_CUDA_H

#include "gpz/gpz.h"

#ifdef __cplusplus
extern "C" {
#endif

struct CUstream_st; /* a cudaStream_t is a pointer to it; NULL is the default stream */

#define GPZ_CUDA_MAX_FIELDS 32 /* GPZ_LIMIT_EXCEEDED for more, and for more than 2^40 particles */

/* How a field is stored, and where its values go. Component c of particle i goes to (char *)data[c] + i * stride in
 * device memory. A component with data[c] NULL is not written. */
typedef struct gpz_cuda_output {
  size_t struct_size;
  gpz_type stored; /* GPZ_INT64 (all integers), GPZ_FLOAT32 or GPZ_FLOAT64 */
  int components;  /* 1 to 3 */
  int leading;     /* not 0: particles were sorted by this field; the first one, if it is a float field */
  double bound;    /* as in compression; 0: lossless */
  double step;     /* grid step, as in the head of a frame; 0: the default for `bound` */
  gpz_type type;   /* of the values in memory: integers go to integers (the low bits), floats to floats (rounded) */
  void *data[3];
  ptrdiff_t stride; /* bytes */
} gpz_cuda_output;

static inline gpz_cuda_output gpz_cuda_new_output(void) {
  gpz_cuda_output output;
  memset(&output, 0, sizeof output);
  output.struct_size = sizeof output;
  return output;
}

/* Sets outputs[0 .. field_count), each made by gpz_cuda_new_output, to the form in which gpz_cuda_codec stores these
 * fields. Then set data and stride, and type if it shall differ from the field's. */
GPZ_API gpz_status gpz_cuda_outputs_of(const gpz_field *fields, size_t field_count, gpz_cuda_output *outputs);

/* --- Device memory --- */

/* Device memory of gpz comes from a pool of its own on each device. Memory that is given back stays in the pool, so
 * that allocating it again takes microseconds. Other processes cannot use it until gpz_cuda_trim_pool gives what is not
 * in use to the driver, which waits for all work of the device. On a device without pools
 * (cudaDevAttrMemoryPoolsSupported), the memory comes from cudaMalloc. GPZ_NOT_FOUND if there is no such device. */
GPZ_API gpz_status gpz_cuda_trim_pool(int device);

/* A compressed chunk. */
typedef struct gpz_cuda_chunk {
  size_t struct_size;
  const void *data;                          /* device memory */
  size_t size;                               /* bytes */
  double largest_error[GPZ_CUDA_MAX_FIELDS]; /* per field, units of the field */
} gpz_cuda_chunk;

static inline gpz_cuda_chunk gpz_cuda_new_chunk(void) {
  gpz_cuda_chunk chunk;
  memset(&chunk, 0, sizeof chunk);
  chunk.struct_size = sizeof chunk;
  return chunk;
}

/* --- A codec --- */

/* A codec belongs to one device. Every call makes it the current device and restores the caller's before it returns.
 * One host thread at a time may use a codec; several codecs are independent. Calls run in the order of `stream` and
 * return when their work is done. Device memory is allocated only when a frame needs more than any earlier one. After
 * GPZ_OUT_OF_MEMORY the codec has given it back, and can be used for smaller frames. Pointers that the device cannot
 * reach are GPZ_INVALID_ARGUMENT. GPZ_INTERNAL is an error of CUDA, whose message gpz_last_error() contains. */
typedef struct gpz_cuda_codec gpz_cuda_codec;

/* GPZ_NOT_FOUND if there is no such device. On failure *codec is NULL. */
GPZ_API gpz_status gpz_cuda_codec_create(int device, gpz_cuda_codec **codec);
GPZ_API void gpz_cuda_codec_free(gpz_cuda_codec *codec);

/* Compresses particles. Particle i is row i of the arrays, or row rows[i] if `rows`, an array in device memory, is not
 * NULL. The chunk is valid until the codec encodes, writes or decodes from host memory again, or is released. */
GPZ_API gpz_status gpz_cuda_codec_encode(gpz_cuda_codec *codec, const gpz_field *fields, size_t field_count,
                                         uint64_t particles, const int *rows, struct CUstream_st *stream,
                                         gpz_cuda_chunk *chunk);
/* Copies the chunk of the last gpz_cuda_codec_encode to host memory; GPZ_LIMIT_EXCEEDED if it has more than `capacity`
 * bytes, GPZ_NOT_FOUND if there is none. */
GPZ_API gpz_status gpz_cuda_codec_copy_chunk(gpz_cuda_codec *codec, void *host, size_t capacity);
/* Compresses frame->particles particles and writes them as a frame, as gpz_writer_write does with host memory. */
GPZ_API gpz_status gpz_cuda_codec_write(gpz_cuda_codec *codec, gpz_writer *writer, const gpz_frame *frame,
                                        const gpz_field *fields, size_t field_count, const int *rows,
                                        struct CUstream_st *stream);
/* Decodes a chunk of `size` bytes from device memory (aligned to 8 bytes) or from host memory. A chunk has blocks of
 * 1,024 particles; the last block may have fewer. block_count blocks from first_block on are decoded, or all from
 * first_block on if block_count is 0. Particle i of these blocks goes to element i of the outputs. GPZ_CORRUPT if the
 * bytes contradict the format. GPZ_UNSUPPORTED if only the CPU decodes the chunk (gpz_reader_read), because its kind is
 * not GPZ_CHUNK_BLOCK (gpz_chunk_kind_of) or its blocks do not have 1,024 particles. After a failure the outputs are
 * unspecified, but nothing outside of them was written. */
GPZ_API gpz_status gpz_cuda_codec_decode(gpz_cuda_codec *codec, const void *chunk, size_t size, uint64_t particles,
                                         const gpz_cuda_output *outputs, size_t output_count, uint64_t first_block,
                                         uint64_t block_count, struct CUstream_st *stream);
GPZ_API gpz_status gpz_cuda_codec_decode_host(gpz_cuda_codec *codec, const void *chunk, size_t size, uint64_t particles,
                                              const gpz_cuda_output *outputs, size_t output_count, uint64_t first_block,
                                              uint64_t block_count, struct CUstream_st *stream);

/* gpz_cuda_codec_release gives the device memory back to the pool. gpz_cuda_codec_memory returns the bytes that the
 * codec holds and the number of its allocations; each pointer may be NULL. */
GPZ_API gpz_status gpz_cuda_codec_release(gpz_cuda_codec *codec);
GPZ_API gpz_status gpz_cuda_codec_memory(const gpz_cuda_codec *codec, size_t *device_bytes, uint64_t *allocations);

/* --- An encoder of trajectories --- */

/* Encodes consecutive frames as key frames and difference frames, on the device. From frame to frame particles may
 * arrive, leave and change their rows; an integer field "id" identifies them. Frames without ids are key frames. Rules
 * are those of gpz_cuda_codec; for the memory that is kept, see gpz/cuda_trajectory.hpp. The bytes are those of
 * gpz_writer with GPZ_ORDER_PLACE and GPZ_EFFORT_FAST, except where the device writes an independent chunk instead of
 * differences. After a failure the next chunk is independent.
 *
 *   gpz_cuda_trajectory *codec;
 *   if (gpz_cuda_trajectory_create(device, &codec) != GPZ_OK) puts(gpz_last_error());
 *   gpz_cuda_trajectory_write(codec, writer, &frame, fields, 2, NULL, stream);   // frame after frame
 *   gpz_cuda_trajectory_free(codec); */
typedef struct gpz_cuda_trajectory gpz_cuda_trajectory;

/* GPZ_NOT_FOUND if there is no such device. On failure *codec is NULL. */
GPZ_API gpz_status gpz_cuda_trajectory_create(int device, gpz_cuda_trajectory **codec);
GPZ_API void gpz_cuda_trajectory_free(gpz_cuda_trajectory *codec);

/* GPUs support GPZ_ORDER_PLACE, which GPZ_ORDER_AUTO means here, and GPZ_EFFORT_FAST. Other values return
 * GPZ_UNSUPPORTED and leave the codec unchanged; gpz_last_error() says what supports them. */
GPZ_API gpz_status gpz_cuda_trajectory_set_order(gpz_cuda_trajectory *codec, gpz_order order);
GPZ_API gpz_status gpz_cuda_trajectory_set_effort(gpz_cuda_trajectory *codec, gpz_effort effort);

/* Encodes the next frame's chunk: frame->particles particles in the frame's box, through whose periodic edges positions
 * are followed. Other members of the frame are ignored. Arrays and `rows` are as in gpz_cuda_codec_encode. If `key` is
 * not 0, the chunk is independent, as a key frame needs. Otherwise it is a difference chunk if that is possible and
 * smaller. The chunk is valid until the next call that encodes or writes, or gpz_cuda_trajectory_release. *kind becomes
 * GPZ_CHUNK_BLOCK or GPZ_CHUNK_DIFFERENCE, unless `kind` is NULL. */
GPZ_API gpz_status gpz_cuda_trajectory_encode(gpz_cuda_trajectory *codec, const gpz_frame *frame,
                                              const gpz_field *fields, size_t field_count, const int *rows, int key,
                                              struct CUstream_st *stream, gpz_cuda_chunk *chunk, gpz_chunk_kind *kind);
/* Copies the chunk of the last gpz_cuda_trajectory_encode to host memory; GPZ_LIMIT_EXCEEDED if it has more than
 * `capacity` bytes, GPZ_NOT_FOUND if there is none. */
GPZ_API gpz_status gpz_cuda_trajectory_copy_chunk(gpz_cuda_trajectory *codec, void *host, size_t capacity);

/* Encodes the next frame and writes it to a file. A key frame comes every 100 frames, or at the interval of
 * gpz_cuda_trajectory_set_key_interval (1 to 65535). The next frame is a key frame after that function, another writer,
 * a frame written to the writer by another function, gpz_cuda_trajectory_encode, and a failure. Key interval, order and
 * effort of the writer are ignored. */
GPZ_API gpz_status gpz_cuda_trajectory_write(gpz_cuda_trajectory *codec, gpz_writer *writer, const gpz_frame *frame,
                                             const gpz_field *fields, size_t field_count, const int *rows,
                                             struct CUstream_st *stream);
GPZ_API gpz_status gpz_cuda_trajectory_set_key_interval(gpz_cuda_trajectory *codec, unsigned frames);

/* gpz_cuda_trajectory_release gives the device memory back to the pool; the next chunk is independent.
 * gpz_cuda_trajectory_memory is as gpz_cuda_codec_memory. */
GPZ_API gpz_status gpz_cuda_trajectory_release(gpz_cuda_trajectory *codec);
GPZ_API gpz_status gpz_cuda_trajectory_memory(const gpz_cuda_trajectory *codec, size_t *device_bytes,
                                              uint64_t *allocations);

/* --- Reading files into device memory --- */

/* Reads any frame of a file, as gpz_reader does, into device memory. Compressed bytes go from the file through pinned
 * host memory to the device, where they are decoded. If frames are requested in file order, threads of the reader read
 * the next ones ahead. One host thread at a time may use a reader. Every call makes its device the current one and
 * restores the caller's before it returns. */
typedef struct gpz_cuda_reader gpz_cuda_reader;

typedef struct gpz_cuda_reader_options {
  size_t struct_size;
  uint64_t max_memory; /* bytes of host and device memory together; otherwise as in gpz_read_options */
  uint64_t ahead;      /* bytes of the file that are read ahead, at least the next frame; 0: 512 MiB */
  int device;
  int threads; /* threads that read the file, and decode frames on the CPU; 0: as in gpz/cuda_reader.hpp */
  /* The CPU decodes frames of efforts standard and dense with fewer particles than this; 0: as in gpz/cuda_reader.hpp
   */
  uint64_t least_chained;
} gpz_cuda_reader_options;

static inline gpz_cuda_reader_options gpz_cuda_new_reader_options(void) {
  gpz_cuda_reader_options options;
  memset(&options, 0, sizeof options);
  options.struct_size = sizeof options;
  return options;
}

/* Opens a file, with the errors of gpz_reader_open; GPZ_NOT_FOUND if there is no such device. `options` may be NULL. On
 * failure *reader is NULL. */
GPZ_API gpz_status gpz_cuda_reader_open(const char *path, const gpz_cuda_reader_options *options,
                                        gpz_cuda_reader **reader);
GPZ_API void gpz_cuda_reader_close(gpz_cuda_reader *reader);

/* As gpz_reader_frames, gpz_reader_frame, gpz_reader_column_count and gpz_reader_column. */
GPZ_API size_t gpz_cuda_reader_frames(const gpz_cuda_reader *reader);
GPZ_API gpz_status gpz_cuda_reader_frame(const gpz_cuda_reader *reader, size_t frame, gpz_frame *info);
GPZ_API gpz_status gpz_cuda_reader_column_count(const gpz_cuda_reader *reader, size_t frame, size_t *count);
GPZ_API gpz_status gpz_cuda_reader_column(const gpz_cuda_reader *reader, size_t frame, size_t column,
                                          gpz_column_info *info);

/* As gpz_reader_read, with three differences. The data of the outputs are in device memory, with addresses and strides
 * that are multiples of the size of an element. An integer that does not fit into 32 bits is no error: its low bits are
 * written. The call runs after the work that is already in `stream`, and returns when it is complete. *on_device
 * becomes 1 if the device has decoded the frame, and 0 if the CPU has, because the device cannot
 * (gpz_cuda_reader_reason); `on_device` may be NULL. */
GPZ_API gpz_status gpz_cuda_reader_read(gpz_cuda_reader *reader, size_t frame, const gpz_output *outputs,
                                        size_t output_count, size_t capacity, unsigned flags,
                                        struct CUstream_st *stream, int *on_device);
/* Why the frame read last was decoded on the CPU; "" if it was not. Valid until the next call. */
GPZ_API const char *gpz_cuda_reader_reason(const gpz_cuda_reader *reader);

/* As gpz_cuda_codec_release and gpz_cuda_codec_memory, for a reader. */
GPZ_API gpz_status gpz_cuda_reader_release(gpz_cuda_reader *reader);
GPZ_API gpz_status gpz_cuda_reader_memory(const gpz_cuda_reader *reader, size_t *device_bytes, uint64_t *allocations);

#ifdef __cplusplus
}
#endif

#endif
