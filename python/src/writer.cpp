// SPDX-License-Identifier: BSD-3-Clause
#include "gpz/writer.hpp"

#include <nanobind/nanobind.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "arrays.hpp"
#include "gpz/chunk.hpp"
#include "gpz/error.hpp"
#include "gpz/units.hpp"
#include "gpz/write_lock.hpp"
#include "heads.hpp"
#include "interpreter.hpp"
#include "module.hpp"
#include "object_sink.hpp"
#include "tables.hpp"
#include "text.hpp"

namespace nb = nanobind;
using nb::literals::operator""_a;

namespace gpz::python {
namespace {

ValueType stored_type(ConstArray::Type type) {
  if (is_integer(type)) return ValueType::integer;
  return type == ConstArray::Type::float32 ? ValueType::float32 : ValueType::float64;
}

// (bound, step, largest error, rounding, type).
Origin origin_from(const nb::tuple &values) {
  return {nb::cast<double>(values[0]), nb::cast<double>(values[1]), nb::cast<double>(values[2]),
          nb::cast<double>(values[3]), static_cast<ValueType>(nb::cast<int>(values[4]))};
}

// (names, arrays, display, leading, bound, step, origin): one quantity with up to 3 components.
FieldInput field_from(const nb::tuple &values, std::uint16_t &column, std::size_t particles) {
  FieldInput input;
  const auto names = nb::cast<nb::list>(values[0]);
  const auto arrays = nb::cast<nb::list>(values[1]);
  if (names.size() != arrays.size() || names.size() > input.components.size())
    throw Error(Status::invalid_argument, "a field has up to three columns, and an array for each of them");
  for (std::size_t c = 0; c < names.size(); ++c) {
    input.field.components.push_back({from_python(nb::cast<nb::str>(names[c])), column++});
    std::size_t size = 0;
    input.components[c] = python::input(arrays[c], size);
    if (size != particles) throw Error(Status::invalid_argument, "arrays of one frame have one length");
    input.field.type = stored_type(input.components[c].type);
  }
  input.field.display = static_cast<Display>(nb::cast<int>(values[2]));
  input.field.leading = nb::cast<bool>(values[3]);
  input.field.bound = nb::cast<double>(values[4]);
  if (values.size() > 5) {  // not of arrays without particles
    input.field.step = nb::cast<double>(values[5]);
    input.field.origin = origin_from(nb::cast<nb::tuple>(values[6]));
  }
  return input;
}

// A field for each column. `particles`: how many all of them have.
std::vector<FieldInput> fields_from(const nb::dict &columns, std::size_t &particles) {
  std::vector<FieldInput> fields;
  for (const auto &[name, array] : columns) {
    FieldInput &input = fields.emplace_back();
    input.field.components.push_back({from_python(nb::cast<nb::str>(name)), 0});
    std::size_t size = 0;
    input.components[0] = python::input(array, size);
    if (fields.size() > 1 && size != particles)
      throw Error(Status::invalid_argument, "arrays of one frame have one length");
    particles = size;
  }
  return fields;
}

double thermal_bound_of(const nb::dict &columns) {
  std::size_t particles = 0;
  const std::vector<FieldInput> fields = fields_from(columns, particles);
  const Released released;
  return thermal_bound(fields, particles);
}

double value_range_of(const nb::dict &columns) {
  std::size_t particles = 0;
  const std::vector<FieldInput> fields = fields_from(columns, particles);
  const Released released;
  double widest = 0;
  for (const FieldInput &input : fields) widest = std::max(widest, value_range(input, particles));
  return widest;
}

class FileWriter {
 public:
  static FileWriter open(const nb::bytes &path, const nb::dict &metadata, bool append, int threads) {
    const std::string name(path.c_str(), path.size());
    const Metadata made = metadata_from(metadata);
    const Released released;
    return FileWriter(Writer(name, made, append ? Writer::Mode::append : Writer::Mode::create, threads));
  }
  static FileWriter of_descriptor(int descriptor, const nb::str &name, const nb::dict &metadata, int threads) {
    const std::string text = from_python(name);
    const Metadata made = metadata_from(metadata);
    const Released released;
    return FileWriter(Writer(descriptor, text, made, threads));
  }
  // The caller has the interpreter: the header does not go out before the first frame.
  static FileWriter of_object(const nb::object &write, const nb::str &name, const nb::dict &metadata, int threads) {
    return FileWriter(Writer(std::make_unique<ObjectSink>(write, from_python(name)), metadata_from(metadata), threads));
  }
  static FileWriter of_memory(const nb::dict &metadata, int threads) {
    auto memory = std::make_unique<Bytes>();
    Bytes &bytes = *memory;
    return FileWriter(Writer(bytes, metadata_from(metadata), threads), std::move(memory));
  }

  void set_key_interval(unsigned frames) { writer_.set_key_interval(frames); }
  void choose_key_interval() { writer_.choose_key_interval(); }
  void set_order(int order) { writer_.set_order(static_cast<Order>(order)); }

  void set_effort(int effort) { writer_.set_effort(static_cast<Effort>(effort)); }

  void write(std::size_t particles, std::int64_t timestep, double time, const nb::tuple &box, const nb::list &fields,
             const nb::list &observables) {
    FrameInfo info;
    info.particles = particles;
    info.timestep = timestep;
    info.time = time;
    info.box = box_from(box);
    std::vector<FieldInput> inputs;
    std::uint16_t column = 0;
    for (const nb::handle field : fields) inputs.push_back(field_from(nb::cast<nb::tuple>(field), column, particles));
    const std::vector<Observable> of_frame = observables_from(observables);
    const Released released;
    if (!of_frame.empty()) writer_.write(timestep, of_frame);
    writer_.write(info, inputs);
  }

  void write_tables(const nb::list &tables) {
    const std::vector<Table> made = tables_from(tables);
    const Released released;
    writer_.write(made);
  }

  std::size_t frames() const { return writer_.frames().size(); }
  std::uint64_t size() const { return writer_.size(); }
  void sync() {
    const Released released;
    writer_.sync();
  }
  void close() {
    const Released released;
    writer_.close();
  }
  nb::bytes memory() const { return nb::bytes(memory_->data(), memory_->size()); }

 private:
  explicit FileWriter(Writer writer, std::unique_ptr<Bytes> memory = nullptr)
      : memory_(std::move(memory)), writer_(std::move(writer)) {}

  std::unique_ptr<Bytes> memory_;  // of a file in memory
  Writer writer_;
};

template <class Lock>
class Held {
 public:
  explicit Held(const nb::bytes &path) : lock_(Lock(std::string(path.c_str(), path.size()))) {}
  void release() { lock_.reset(); }

 private:
  std::optional<Lock> lock_;
};

template <class Lock>
void bind_lock(nb::module_ &module, const char *name) {
  nb::class_<Held<Lock>>(module, name).def(nb::init<nb::bytes>(), "path"_a).def("release", &Held<Lock>::release);
}

}  // namespace

void bind_writer(nb::module_ &module) {
  module.def(
      "thermal_bound", &thermal_bound_of, "columns"_a,
      "The thermal bound of the velocities among these arrays by column, which is refused where they do not say it.");
  module.def("value_range", &value_range_of, "columns"_a,
             "The largest distance between two finite values of one of these arrays of floats; 0 if there are none.");
  module.def(
      "largest_edge_sum", [](const nb::tuple &box) { return box_from(box).largest_edge_sum(); }, "box"_a);
  nb::class_<FileWriter>(module, "Writer")
      .def_static("open", &FileWriter::open, "path"_a, "metadata"_a, "append"_a, "threads"_a)
      .def_static("of_descriptor", &FileWriter::of_descriptor, "descriptor"_a, "name"_a, "metadata"_a, "threads"_a)
      .def_static("of_object", &FileWriter::of_object, "write"_a, "name"_a, "metadata"_a, "threads"_a)
      .def_static("of_memory", &FileWriter::of_memory, "metadata"_a, "threads"_a)
      .def("set_key_interval", &FileWriter::set_key_interval, "frames"_a)
      .def("choose_key_interval", &FileWriter::choose_key_interval)
      .def("set_order", &FileWriter::set_order, "order"_a)
      .def("set_effort", &FileWriter::set_effort, "effort"_a)
      .def("write", &FileWriter::write, "particles"_a, "timestep"_a, "time"_a, "box"_a, "fields"_a, "observables"_a)
      .def("write_tables", &FileWriter::write_tables, "tables"_a)
      .def_prop_ro("n_frames", &FileWriter::frames)
      .def_prop_ro("size", &FileWriter::size)
      .def("sync", &FileWriter::sync)
      .def("close", &FileWriter::close)
      .def("memory", &FileWriter::memory);
  bind_lock<WriteLock>(module, "WriteLock");
  bind_lock<ReadLock>(module, "ReadLock");
}

}  // namespace gpz::python
