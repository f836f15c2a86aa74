// SPDX-License-Identifier: BSD-3-Clause
// gpz._cuda: frames decoded into memory of an NVIDIA GPU, for gpz.cuda. Nothing of it is for users.
#include <cuda_runtime_api.h>
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "arrays.hpp"
#include "gpz/cuda_reader.hpp"
#include "gpz/error.hpp"
#include "interpreter.hpp"
#include "module.hpp"
#include "text.hpp"

namespace nb = nanobind;
using nb::literals::operator""_a;

namespace gpz::python {
namespace {

using DeviceArray = nb::ndarray<nb::array_api, nb::device::cuda>;

void check(cudaError_t error) {
  if (error == cudaSuccess) return;
  (void)cudaGetLastError();  // an error stays until somebody asks for it, and the next call would report it
  throw Error(error == cudaErrorMemoryAllocation ? Status::out_of_memory : Status::internal,
              std::string("CUDA: ") + cudaGetErrorString(error));
}

// Makes a device the current one, and restores that of the caller.
class Current {
 public:
  explicit Current(int device) {
    check(cudaGetDevice(&before_));
    check(cudaSetDevice(device));
  }
  ~Current() { (void)cudaSetDevice(before_); }
  Current(const Current &) = delete;
  Current &operator=(const Current &) = delete;

 private:
  int before_ = 0;
};

nb::dlpack::dtype type_named(const std::string &name) {
  if (name == "float32") return nb::dtype<float>();
  if (name == "float64") return nb::dtype<double>();
  if (name == "int32") return nb::dtype<std::int32_t>();
  return nb::dtype<std::int64_t>();
}

// Zeros, in C order. The array frees its memory.
DeviceArray zeros(const std::vector<std::size_t> &shape, const std::string &type_name, int device) {
  const nb::dlpack::dtype type = type_named(type_name);
  std::size_t bytes = type.bits / 8;
  for (const std::size_t extent : shape) bytes *= extent;
  void *data = nullptr;
  {
    const Released released;
    const Current current(device);
    check(cudaMalloc(&data, std::max<std::size_t>(bytes, 1)));
    if (const cudaError_t error = cudaMemset(data, 0, bytes); error != cudaSuccess) {
      (void)cudaFree(data);
      check(error);
    }
    check(cudaStreamSynchronize(nullptr));  // consumers use other streams
  }
  const nb::capsule owner(data, [](void *memory) noexcept { (void)cudaFree(memory); });
  return {data, shape.size(), shape.data(), owner, nullptr, type, nb::device::cuda::value, device};
}

// Columns by their names into components of arrays with the shape (N,) or (N, k).
std::vector<ColumnOutput> device_outputs(const nb::list &names, const std::vector<DeviceArray> &arrays,
                                         const std::vector<std::size_t> &components, std::size_t particles) {
  if (names.size() != arrays.size() || names.size() != components.size())
    throw nb::value_error("one array and one component for each column");
  std::vector<ColumnOutput> result;
  for (std::size_t i = 0; i < arrays.size(); ++i) {
    const DeviceArray &array = arrays[i];
    if (array.ndim() < 1 || array.ndim() > 2 || (array.ndim() == 2 && components[i] >= array.shape(1)) ||
        array.shape(0) != particles)
      throw Error(Status::invalid_argument,
                  "out: an array with a row for each of the " + std::to_string(particles) + " particles");
    const auto size = static_cast<std::ptrdiff_t>(array.itemsize());
    const std::ptrdiff_t shift = array.ndim() == 2 ? static_cast<std::ptrdiff_t>(components[i]) * array.stride(1) : 0;
    // NOLINTNEXTLINE(cppcoreguidelines-pro-bounds-pointer-arithmetic)
    char *const data = static_cast<char *>(array.data()) + shift * size;
    result.push_back(
        {from_python(nb::cast<nb::str>(names[i])), {data, array.stride(0) * size, type_of(array.dtype())}});
  }
  return result;
}

class DeviceReader {
 public:
  static DeviceReader open(const nb::bytes &path, int device, std::uint64_t max_memory, int threads,
                           std::uint64_t ahead, std::uint64_t least_chained) {
    const std::string name(path.c_str(), path.size());
    cuda::ReaderOptions options;
    options.limits.memory = max_memory;
    options.threads = threads;
    options.ahead = ahead;
    options.least_chained = least_chained;
    const Released released;
    return DeviceReader(cuda::Reader(name, device, options));
  }

  std::size_t frames() const { return reader_.frames(); }

  // Whether the device has decoded the frame, and why it has not.
  nb::tuple read(std::size_t i, const nb::list &names, const std::vector<nb::object> &arrays,
                 const std::vector<std::size_t> &components, bool sort_by_id, std::uintptr_t stream,
                 std::size_t particles) {
    std::vector<DeviceArray> kept;
    for (const nb::object &array : arrays) {
      kept.emplace_back();
      if (!nb::try_cast(array, kept.back()))
        throw nb::type_error("out: an array with the methods of DLPack, in the memory of an NVIDIA GPU");
    }
    const std::vector<ColumnOutput> columns = device_outputs(names, kept, components, particles);
    cuda::FrameRead result;
    {
      const Released released;
      // NOLINTNEXTLINE(performance-no-int-to-ptr): as Python's packages pass streams
      auto *const in = reinterpret_cast<cuda::Stream>(stream);
      result = reader_.read(i, columns, particles, sort_by_id ? cuda::OutputOrder::id : cuda::OutputOrder::stored, in);
    }
    return nb::make_tuple(result.decoded_on_device, to_python(result.reason));
  }

 private:
  explicit DeviceReader(cuda::Reader reader) : reader_(std::move(reader)) {}

  cuda::Reader reader_;
};

}  // namespace
}  // namespace gpz::python

NB_MODULE(_cuda, module) {
  using gpz::python::DeviceReader;
  nb::set_leak_warnings(false);
  gpz::python::watch_end_of_interpreter();
  gpz::python::bind_errors();
  module.def("zeros", &gpz::python::zeros, "shape"_a, "dtype"_a, "device"_a);
  nb::class_<DeviceReader>(module, "Reader")
      .def_static("open", &DeviceReader::open, "path"_a, "device"_a, "max_memory"_a, "threads"_a, "ahead"_a,
                  "least_chained"_a)
      .def_prop_ro("n_frames", &DeviceReader::frames)
      .def("read", &DeviceReader::read, "frame"_a, "names"_a, "arrays"_a, "components"_a, "sort_by_id"_a, "stream"_a,
           "particles"_a);
}
