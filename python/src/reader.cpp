// SPDX-License-Identifier: BSD-3-Clause
#include "gpz/reader.hpp"

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "gpz/error.hpp"
#include "module.hpp"
#include "text.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace gpz::python {
namespace {

using InputBytes = nb::ndarray<const std::uint8_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using OutputColumn = nb::ndarray<nb::ndim<1>, nb::device::cpu>;

// A NumPy array that takes over the values.
template <class T>
nb::object array_of(std::vector<T> values) {
  auto kept = std::make_unique<std::vector<T>>(std::move(values));
  std::vector<T> *data = kept.release();
  const nb::capsule owner(data, [](void *pointer) noexcept { delete static_cast<std::vector<T> *>(pointer); });
  return nb::cast(nb::ndarray<nb::numpy, T, nb::ndim<1>>(data->data(), {data->size()}, owner));
}

// One value of each frame.
template <class T, class Get>
nb::object of_frames(const Reader &reader, const Get &get) {
  std::vector<T> values;
  values.reserve(reader.frames());
  for (const IndexEntry &entry : reader.scan().frames) values.push_back(static_cast<T>(get(entry)));
  return array_of(std::move(values));
}

ConstArray::Type type_of(const OutputColumn &array) {
  if (array.dtype() == nb::dtype<std::int32_t>()) return ConstArray::Type::int32;
  if (array.dtype() == nb::dtype<std::int64_t>()) return ConstArray::Type::int64;
  if (array.dtype() == nb::dtype<float>()) return ConstArray::Type::float32;
  if (array.dtype() == nb::dtype<double>()) return ConstArray::Type::float64;
  throw nb::type_error("arrays are of int32, int64, float32 or float64");
}

// The arrays of the caller, who keeps them.
std::vector<ColumnOutput> outputs(const nb::list &names, const nb::list &arrays, std::size_t &capacity) {
  if (names.size() != arrays.size()) throw nb::value_error("one array for each column");
  std::vector<ColumnOutput> result;
  capacity = ~std::size_t{0};
  for (std::size_t i = 0; i < names.size(); ++i) {
    const auto array = nb::cast<OutputColumn>(arrays[i]);
    const auto size = static_cast<std::ptrdiff_t>(array.itemsize());
    result.push_back(
        {from_python(nb::cast<nb::str>(names[i])), {array.data(), array.stride(0) * size, type_of(array)}});
    capacity = std::min(capacity, array.shape(0));
  }
  return result;
}

nb::dict metadata(const Metadata &from) {
  nb::dict to;
  to["generator"] = to_python(from.generator);
  to["units"] = to_python(from.units);
  to["atom_style"] = to_python(from.atom_style);
  to["command"] = to_python(from.command);
  to["columns"] = to_python(from.columns);
  to["elements"] = to_python(from.elements);
  to["type_labels"] = to_python(from.type_labels);
  to["timestep_size"] = from.timestep_size;
  return to;
}

// (name, field, type, display, leading, absolute bound, step, largest error) of each column.
nb::list columns(const FrameInfo &info) {
  nb::list list;
  for (std::size_t f = 0; f < info.fields.size(); ++f) {
    const Field &field = info.fields[f];
    for (const Field::Component &component : field.components)
      list.append(nb::make_tuple(to_python(component.name), f, static_cast<int>(field.type),
                                 static_cast<int>(field.display), field.leading, field.bound, field.step,
                                 field.largest_error));
  }
  return list;
}

// (kind, dimension, boundary, values)
nb::tuple box(const Box &from) {
  nb::list values;
  for (const double value : from.values) values.append(value);
  return nb::make_tuple(static_cast<int>(from.kind), static_cast<int>(from.dimension),
                        nb::bytes(from.boundary.data(), from.boundary.size()), values);
}

// What a frame has in it, before it is decoded.
nb::tuple head(const FrameInfo &info) {
  return nb::make_tuple(info.particles, info.timestep, info.time, info.since_key, box(info.box), columns(info));
}

class FileReader {
 public:
  static FileReader open(const nb::bytes &path, std::uint64_t max_memory) {
    const std::string name(path.c_str(), path.size());
    const nb::gil_scoped_release released;
    return FileReader(Reader(name, Limits{max_memory}));
  }
  static FileReader of_memory(InputBytes bytes, const nb::str &name, std::uint64_t max_memory) {
    FileReader made(Reader(bytes.data(), bytes.size(), from_python(name), Limits{max_memory}));
    made.bytes_ = std::move(bytes);
    return made;
  }

  const Reader &reader() const { return reader_; }

  nb::tuple head(std::size_t i) const {
    FrameInfo info;
    {
      const nb::gil_scoped_release released;
      info = reader_.info(i);
    }
    return python::head(info);
  }

  void read(std::size_t i, const nb::list &names, const nb::list &arrays, bool sort_by_id, int threads) const {
    std::size_t capacity = 0;
    const std::vector<ColumnOutput> columns = outputs(names, arrays, capacity);
    const nb::gil_scoped_release released;
    reader_.read_columns(i, columns, capacity, {threads, sort_by_id});
  }

  // Reads the head of every frame.
  nb::object since_key() const {
    std::vector<std::uint16_t> values;
    {
      const nb::gil_scoped_release released;
      for (std::size_t i = 0; i < reader_.frames(); ++i) values.push_back(reader_.info(i).since_key);
    }
    return array_of(std::move(values));
  }

  void verify(std::size_t i, int threads) const {
    const nb::gil_scoped_release released;
    reader_.verify(i, threads);
  }

 private:
  explicit FileReader(Reader reader) : reader_(std::move(reader)) {}

  InputBytes bytes_;  // of a file in memory
  Reader reader_;
};

}  // namespace

void bind_reader(nb::module_ &module) {
  nb::class_<FileReader>(module, "Reader")
      .def_static("open", &FileReader::open, "path"_a, "max_memory"_a = 0)
      .def_static("of_memory", &FileReader::of_memory, "bytes"_a, "name"_a, "max_memory"_a = 0)
      .def_prop_ro("metadata", [](const FileReader &file) { return metadata(file.reader().metadata()); })
      .def_prop_ro("n_frames", [](const FileReader &file) { return file.reader().frames(); })
      .def_prop_ro("torn", [](const FileReader &file) { return file.reader().scan().torn; })
      .def_prop_ro("damaged", [](const FileReader &file) { return file.reader().scan().damaged; })
      .def_prop_ro("has_index", [](const FileReader &file) { return file.reader().scan().has_index; })
      .def_prop_ro("file_size", [](const FileReader &file) { return file.reader().scan().file_size; })
      .def("timesteps",
           [](const FileReader &file) {
             return of_frames<std::int64_t>(file.reader(), [](const IndexEntry &frame) { return frame.timestep; });
           })
      .def("times",
           [](const FileReader &file) {
             return of_frames<double>(file.reader(), [](const IndexEntry &frame) { return frame.time; });
           })
      .def("counts",
           [](const FileReader &file) {
             return of_frames<std::int64_t>(file.reader(), [](const IndexEntry &frame) { return frame.particles; });
           })
      .def("lengths",
           [](const FileReader &file) {
             return of_frames<std::int64_t>(file.reader(), [](const IndexEntry &frame) { return frame.length; });
           })
      .def("since_key", &FileReader::since_key)
      .def("head", &FileReader::head, "frame"_a)
      .def("read", &FileReader::read, "frame"_a, "names"_a, "arrays"_a, "sort_by_id"_a, "threads"_a)
      .def("verify", &FileReader::verify, "frame"_a, "threads"_a);
}

}  // namespace gpz::python
