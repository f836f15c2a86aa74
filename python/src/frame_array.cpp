// SPDX-License-Identifier: BSD-3-Clause
#include "gpz/frame_array.hpp"

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstdint>
#include <string>
#include <vector>

#include "gpz/error.hpp"
#include "heads.hpp"
#include "interpreter.hpp"
#include "module.hpp"

namespace nb = nanobind;
using nb::literals::operator""_a;

namespace gpz::python {
namespace {

using InputArray = nb::ndarray<nb::ro, nb::ndim<3>, nb::c_contig, nb::device::cpu>;
using OutputArray = nb::ndarray<std::uint8_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using InputBytes = nb::ndarray<const std::uint8_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

nb::bytes compress(const InputArray &values, double bound, int effort, unsigned key_interval, const nb::list &boxes,
                   int threads) {
  FrameArrayShape shape;
  shape.type = values.dtype() == nb::dtype<double>() ? ValueType::float64 : ValueType::float32;
  if (shape.type == ValueType::float32 && values.dtype() != nb::dtype<float>())
    throw Error(Status::invalid_argument, "the values of a frame array are float32 or float64");
  shape.frames = values.shape(0);
  shape.particles = values.shape(1);
  if (values.shape(2) > 3) throw Error(Status::invalid_argument, "a frame array has 1 to 3 components");
  shape.components = static_cast<unsigned>(values.shape(2));
  FrameArrayOptions options;
  options.bound = bound;
  options.effort = static_cast<Effort>(effort);
  options.key_interval = key_interval;
  for (const nb::handle box : boxes) options.boxes.push_back(box_from(nb::cast<nb::tuple>(box)));
  options.threads = threads;
  Bytes bytes;
  {
    const Released released;
    bytes = compress_frames(values.data(), shape, options);
  }
  return nb::bytes(bytes.data(), bytes.size());
}

nb::tuple info(const InputBytes &bytes, std::uint64_t max_memory) {
  const FrameArrayInfo found = frame_array_info(bytes.data(), bytes.size(), {max_memory});
  return nb::make_tuple(found.shape.frames, found.shape.particles, found.shape.components,
                        found.shape.type == ValueType::float64, found.bound);
}

void decompress(const InputBytes &bytes, std::uint64_t first, std::uint64_t count, const OutputArray &values,
                int threads, std::uint64_t max_memory) {
  FrameArrayReadOptions options;
  options.threads = threads;
  options.limits.memory = max_memory;
  const Released released;
  decompress_frames(bytes.data(), bytes.size(), first, count, values.data(), values.size(), options);
}

}  // namespace

void bind_frame_array(nb::module_ &module) {
  module.def("compress_frames", &compress, "values"_a, "bound"_a, "effort"_a, "key_interval"_a, "boxes"_a, "threads"_a);
  module.def("frame_array_info", &info, "bytes"_a, "max_memory"_a);
  module.def("decompress_frames", &decompress, "bytes"_a, "first"_a, "count"_a, "values"_a, "threads"_a,
             "max_memory"_a);
}

}  // namespace gpz::python
