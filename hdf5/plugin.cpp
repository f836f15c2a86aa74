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
      Library(caller).report("the filter gpz is out of memory");
    } catch (const std::exception &error) {
      Library(caller).report(error.what());
    }
  } catch (...) {  // no memory for the message
  }
  return failure;
}

// A function or variable of the library. Throws unsupported.
template <typename T>
T required(const Library &library, const char *name) {
  const T found = library.find<T>(name);
  if (found == nullptr)
    throw Error(Status::unsupported, std::string("the filter gpz does not find ") + name + " of this HDF5 library");
  return found;
}

// Bytes of a value that gpz compresses; 0 for values of any other type. Types that only have the size of a float, such
// as those with fewer bits or in the other byte order, are others.
std::size_t float_size(const Library &library, Id type) {
  const auto equal = required<Equal>(library, "H5Tequal");
  if (equal(type, *required<const Id *>(library, "H5T_NATIVE_FLOAT_g")) > 0) return sizeof(float);
  if (equal(type, *required<const Id *>(library, "H5T_NATIVE_DOUBLE_g")) > 0) return sizeof(double);
  return 0;
}

Dataset dataset_of(const Library &library, Id properties, Id type) {
  Dataset dataset;
  Size lengths[most_dimensions];
  const int dimensions = required<GetChunk>(library, "H5Pget_chunk")(properties, most_dimensions, lengths);
  if (dimensions <= 0) throw Error(Status::invalid_argument, "the filter gpz needs a dataset with chunks");
  dataset.chunk.assign(lengths, lengths + dimensions);
  dataset.value_size = float_size(library, type);
  return dataset;
}

// Bytes that another filter made of the values are no values: errors in them are not bounded.
void require_first(const Library &library, Id properties) {
  unsigned flags = 0;
  std::size_t count = 0;
  constexpr int first = 0;
  if (required<GetFilter>(library, "H5Pget_filter2")(properties, first, &flags, &count, nullptr, 0, nullptr, nullptr) !=
      filter_id)
    throw Error(Status::invalid_argument,
                "gpz has to be the first filter of a dataset: leave out shuffle and other filters before it");
}

// Whether HDF5 may use the filter for a dataset. Of an optional filter it does not care for the answer.
int can_apply(Id /*properties*/, Id type, Id /*space*/) {
  const void *const caller = GPZ_HDF5_CALLER;
  return guarded(caller, failed, [&] {
    const Library library(caller);
    if (float_size(library, type) != 0) return yes;
    library.report("the filter gpz compresses float32 and float64 in the byte order of this machine");
    return no;
  });
}

// Adds what chunks have to know to the values that the user gave.
int set_local(Id properties, Id type, Id /*space*/) {
  const void *const caller = GPZ_HDF5_CALLER;
  return guarded(caller, failed, [&] {
    const Library library(caller);
    const auto get_filter = required<GetFilter>(library, "H5Pget_filter_by_id2");
    const auto modify_filter = required<ModifyFilter>(library, "H5Pmodify_filter");
    unsigned flags = 0;
    std::vector<unsigned> values(most_values);
    std::size_t count = values.size();
    if (get_filter(properties, filter_id, &flags, &count, values.data(), 0, nullptr, nullptr) < 0) return failed;
    values.resize(std::min(count, given_values));
    const Dataset dataset = dataset_of(library, properties, type);
    if (dataset.value_size != 0) require_first(library, properties);
    // HDF5 stores chunks as they are if an optional filter fails, without a word: what the user can mend fails here.
    require_threads();
    const std::vector<unsigned> stored = values_of(options_of(values), dataset);
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
    const Settings settings = settings_of(values, value_count);
    if ((flags & reverse_flag) != 0) {
      Buffer decoded = decompressed(*buffer, bytes, settings);
      size = capacity = decoded.size();
      result = decoded.release();
    } else {
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

constexpr FilterClass filter_class = {class_version, filter_id,  1,      1, "gpz: particles within an error bound",
                                      &can_apply,    &set_local, &filter};

}  // namespace
}  // namespace gpz::hdf5

GPZ_HDF5_EXPORT int H5PLget_plugin_type() { return gpz::hdf5::plugin_type_filter; }
GPZ_HDF5_EXPORT const void *H5PLget_plugin_info() { return &gpz::hdf5::filter_class; }
