// SPDX-License-Identifier: BSD-3-Clause
// The binary interface between HDF5 (1.10 to 2.0) and filter plugins: what this plugin needs of it. Written from the
// interface, whose values, types and order of members are all that counts, so that the plugin is built without HDF5.
#pragma once

#include <cstddef>
#include <cstdint>

namespace gpz::hdf5 {

using Id = std::int64_t;    // of objects of HDF5
using Size = std::uint64_t;  // of dimensions

constexpr int plugin_type_filter = 0;
constexpr int class_version = 1;
constexpr unsigned reverse_flag = 0x0100;  // the filter decodes
constexpr int yes = 1;
constexpr int no = 0;
constexpr int done = 0;
constexpr int failed = -1;

constexpr int class_float = 1;
constexpr int order_little = 0;
constexpr int order_big = 1;

// A filter, as H5PLget_plugin_info returns it.
struct FilterClass {
  int version;
  int id;
  unsigned encoder_present;
  unsigned decoder_present;
  const char *name;
  int (*can_apply)(Id properties, Id type, Id space);
  int (*set_local)(Id properties, Id type, Id space);
  // Returns the bytes of the result, which replaces *buffer (malloc) of *buffer_size bytes; 0: failed.
  std::size_t (*filter)(unsigned flags, std::size_t value_count, const unsigned *values, std::size_t bytes,
                        std::size_t *buffer_size, void **buffer);
};

// Functions of HDF5, by their names.
using GetFilter = int (*)(Id properties, int filter, unsigned *flags, std::size_t *value_count, unsigned *values,
                          std::size_t name_size, char *name, unsigned *config);     // H5Pget_filter_by_id2
using ModifyFilter = int (*)(Id properties, int filter, unsigned flags, std::size_t value_count,
                             const unsigned *values);                               // H5Pmodify_filter
using GetChunk = int (*)(Id properties, int most_dimensions, Size *dimensions);     // H5Pget_chunk
using GetClass = int (*)(Id type);                                                  // H5Tget_class, H5Tget_order
using GetSize = std::size_t (*)(Id type);                                           // H5Tget_size
using PushError = int (*)(Id stack, const char *file, const char *function, unsigned line, Id error_class, Id major,
                          Id minor, const char *format, ...);                       // H5Epush2

}  // namespace gpz::hdf5
