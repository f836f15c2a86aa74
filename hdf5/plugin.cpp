// SPDX-License-Identifier: BSD-3-Clause
// The functions that HDF5 calls.
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <new>
#include <string>
#include <vector>

#include "gpz/error.hpp"
#include "hdf5/abi.hpp"
#include "hdf5/chunks.hpp"
#include "hdf5/library.hpp"
#include "hdf5/settings.hpp"

#define GPZ_HDF5_EXPORT extern "C" __attribute__((visibility("default")))
// The address in HDF5 that this function returns to.
#define GPZ_HDF5_CALLER __builtin_return_address(0)

namespace gpz::hdf5 {
namespace {

// Of the range that HDF5 has for filters that are not registered.
constexpr int filter_id = 32800;
constexpr std::size_t most_dimensions = 32;
constexpr std::size_t most_values = 64;

// Calls f(), and reports its exception to HDF5.
template <typename Result, typename F>
Result guarded(const void *caller, Result failure, const F &f) noexcept {
  try {
    try {
      return f();
    } catch (const Error &error) {
      Library(caller).report(error.what());
    } catch (const std::bad_alloc &) {
      Library(caller).report("gpz: out of memory");
    } catch (const std::exception &error) {
      Library(caller).report(error.what());
    }
  } catch (...) {  // no memory for the message
  }
  return failure;
}

Dataset dataset_of(const Library &library, Id properties, Id type) {
  const auto get_class = library.find<GetClass>("H5Tget_class");
  const auto get_order = library.find<GetClass>("H5Tget_order");
  const auto get_size = library.find<GetSize>("H5Tget_size");
  const auto get_chunk = library.find<GetChunk>("H5Pget_chunk");
  if (get_class == nullptr || get_order == nullptr || get_size == nullptr || get_chunk == nullptr)
    throw Error(Status::unsupported, "gpz does not find the functions of this HDF5 library");
  Dataset dataset;
  dataset.type_class = get_class(type);
  if (dataset.type_class != class_float) return dataset;
  dataset.value_size = get_size(type);
  dataset.byte_order = get_order(type);
  Size lengths[most_dimensions];
  const int dimensions = get_chunk(properties, most_dimensions, lengths);
  if (dimensions < 0) throw Error(Status::invalid_argument, "gpz: a dataset without chunks");
  dataset.chunk.assign(lengths, lengths + dimensions);
  return dataset;
}

// Whether HDF5 may use the filter for a dataset. Of an optional filter it does not care for the answer.
int can_apply(Id properties, Id type, Id /*space*/) {
  const void *const caller = GPZ_HDF5_CALLER;
  return guarded(caller, failed, [&] {
    const Library library(caller);
    if (dataset_of(library, properties, type).is_supported()) return yes;
    library.report("gpz compresses float32 and float64 in the byte order of this machine");
    return no;
  });
}

// Adds what chunks have to know to the values that the user gave.
int set_local(Id properties, Id type, Id /*space*/) {
  const void *const caller = GPZ_HDF5_CALLER;
  return guarded(caller, failed, [&] {
    const Library library(caller);
    const auto get_filter = library.find<GetFilter>("H5Pget_filter_by_id2");
    const auto modify_filter = library.find<ModifyFilter>("H5Pmodify_filter");
    if (get_filter == nullptr || modify_filter == nullptr)
      throw Error(Status::unsupported, "gpz does not find the functions of this HDF5 library");
    unsigned flags = 0;
    std::vector<unsigned> values(most_values);
    std::size_t count = values.size();
    if (get_filter(properties, filter_id, &flags, &count, values.data(), 0, nullptr, nullptr) < 0) return failed;
    values.resize(std::min(count, given_values));
    const std::vector<unsigned> stored = values_of(options_of(values), dataset_of(library, properties, type));
    return modify_filter(properties, filter_id, flags, stored.size(), stored.data()) < 0 ? failed : done;
  });
}

std::size_t filter(unsigned flags, std::size_t value_count, const unsigned *values, std::size_t bytes,
                   std::size_t *buffer_size, void **buffer) {
  constexpr std::size_t nothing = 0;
  return guarded(GPZ_HDF5_CALLER, nothing, [&]() -> std::size_t {
    std::size_t size = 0;
    std::size_t capacity = 0;
    void *result = nullptr;
    if ((flags & reverse_flag) != 0) {
      Buffer decoded = decompressed(*buffer, bytes);
      size = capacity = decoded.size();
      result = decoded.release();
    } else {
      const Settings settings = settings_of(values, value_count);
      if (!settings.shape) return nothing;  // HDF5 then stores the chunk as it is, because the filter is optional
      const Bytes encoded = compressed(*buffer, bytes, settings);
      Buffer copy(encoded.size());
      std::memcpy(copy.data(), encoded.data(), encoded.size());
      size = capacity = copy.size();
      result = copy.release();
    }
    std::free(*buffer);
    *buffer = result;
    *buffer_size = capacity;
    return size;
  });
}

constexpr FilterClass filter_class = {class_version, filter_id,   1,        1, "gpz: particles within an error bound",
                                      &can_apply,    &set_local, &filter};

}  // namespace
}  // namespace gpz::hdf5

GPZ_HDF5_EXPORT int H5PLget_plugin_type() { return gpz::hdf5::plugin_type_filter; }
GPZ_HDF5_EXPORT const void *H5PLget_plugin_info() { return &gpz::hdf5::filter_class; }
