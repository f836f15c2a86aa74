// SPDX-License-Identifier: BSD-3-Clause
#include "gpz/reader.hpp"

#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cstdint>
#include <exception>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "arrays.hpp"
#include "gpz/error.hpp"
#include "heads.hpp"
#include "interpreter.hpp"
#include "module.hpp"
#include "object_source.hpp"
#include "selection.hpp"
#include "tables.hpp"
#include "text.hpp"

namespace nb = nanobind;
using nb::literals::operator""_a;

namespace gpz::python {
namespace {

using InputBytes = nb::ndarray<const std::uint8_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

class FileReader {
 public:
  FileReader(FileReader &&) = default;
  FileReader &operator=(FileReader &&) = delete;
  FileReader(const FileReader &) = delete;
  FileReader &operator=(const FileReader &) = delete;
  // Threads of the reader may wait for the GIL, and end here.
  ~FileReader() {
    const Released released;
    const Reader ended = std::move(reader_);
  }

  static FileReader open(const nb::bytes &path, std::uint64_t max_memory) {
    const std::string name(path.c_str(), path.size());
    const Released released;
    return FileReader(Reader(name, Limits{max_memory}));
  }
  static FileReader of_memory(InputBytes bytes, const nb::str &name, std::uint64_t max_memory) {
    FileReader made(Reader(bytes.data(), bytes.size(), from_python(name), Limits{max_memory}));
    made.bytes_ = std::move(bytes);
    return made;
  }

  static FileReader of_source(const SharedSource &source, std::uint64_t max_memory) {
    const std::shared_ptr<Source> shared = source.cached;
    const Released released;
    return FileReader(Reader(shared, Limits{max_memory}));
  }

  const FileScan &scan() const { return reader_.scan(); }

  nb::tuple head(std::size_t i) const {
    FrameInfo info;
    {
      const Released released;
      info = reader_.info(i);
    }
    return to_python(info);
  }

  // The number of particles that were read.
  std::uint64_t read(std::size_t i, const nb::list &names, const nb::list &arrays, bool sort_by_id, int threads,
                     const SharedSelection *selection) const {
    std::size_t capacity = 0;
    const std::vector<ColumnOutput> columns = outputs(names, arrays, capacity);
    ReadOptions options{threads, sort_by_id};
    if (selection != nullptr) options.selection = selection->selection;
    const Released released;
    return reader_.read_columns(i, columns, capacity, options).particles;
  }

  nb::object field_sizes(std::size_t i) const {
    std::vector<std::uint64_t> sizes;
    {
      const Released released;
      sizes = reader_.field_sizes(i);
    }
    return array_of(std::move(sizes));
  }

  void verify(std::size_t i, int threads) const {
    const Released released;
    reader_.verify(i, threads);
  }

  nb::list tables(std::size_t i, const nb::list &names, const SharedSelection *selection) const {
    const std::vector<std::string> wanted = from_python(names);
    std::vector<Table> found;
    {
      const Released released;
      found = reader_.tables(i, wanted);
      if (selection != nullptr && selection->selection->ids) keep_particles(found, *selection->selection->ids);
    }
    return to_python(found);
  }

  // The frames that have a record of tables in front of them, ascending; frame 0 as well if one is after all frames.
  nb::object frames_with_tables() const {
    std::vector<std::int64_t> found;
    {
      const Released released;
      const auto has_tables = [&](std::size_t i) {
        const std::vector<RecordEntry> records = reader_.records(i);
        return std::any_of(records.begin(), records.end(),
                           [](const RecordEntry &record) { return record.type == tables_record_type; });
      };
      for (std::size_t i = 0; i < reader_.frames(); ++i)
        if (has_tables(i) || (i == 0 && has_tables(reader_.frames()))) found.push_back(static_cast<std::int64_t>(i));
    }
    return array_of(std::move(found));
  }

  // Whether the file has anything besides frames and an index. Reads nothing.
  bool has_records() const {
    std::uint64_t end = scan().frames_begin;
    for (const IndexEntry &frame : scan().frames) {
      if (frame.offset != end) return true;
      end = frame.offset + frame.length;
    }
    return scan().frames_end > end;
  }

  nb::list observables(std::size_t i) const {
    std::vector<Observable> found;
    {
      const Released released;
      found = reader_.observables(i);
    }
    return to_python(found);
  }

  // ([(name, unit, values)], number of frames whose observables cannot be read, the first such frame, why). Values are
  // one for each of these frames, NaN where there is none.
  nb::tuple observables_of(const std::vector<std::int64_t> &frames) const;

  void allow_replacement() { reader_.allow_replacement(); }

  // One value of each frame.
  template <class T, class Get>
  nb::object of_frames(const Get &get) const {
    std::vector<T> values;
    values.reserve(reader_.frames());
    for (const IndexEntry &entry : scan().frames) values.push_back(static_cast<T>(get(entry)));
    return array_of(std::move(values));
  }

  nb::object since_key() const {
    std::vector<std::uint16_t> values;
    {
      const Released released;
      for (std::size_t i = 0; i < reader_.frames(); ++i) values.push_back(reader_.info(i).since_key);
    }
    return array_of(std::move(values));
  }

 private:
  explicit FileReader(Reader reader) : reader_(std::move(reader)) {}

  InputBytes bytes_;  // of a file in memory
  Reader reader_;
};

nb::tuple FileReader::observables_of(const std::vector<std::int64_t> &frames) const {
  struct Column {
    std::string name;
    std::string unit;
    std::vector<double> values;
  };
  std::vector<Column> columns;
  std::int64_t unread = 0;
  std::int64_t first = -1;
  std::string cause;
  {
    const Released released;
    std::map<std::pair<std::string, std::string>, std::size_t> places;
    for (std::size_t k = 0; k < frames.size(); ++k) try {
        for (const Observable &observable : reader_.observables(static_cast<std::size_t>(frames[k]))) {
          const auto [place, is_new] = places.emplace(std::pair(observable.name, observable.unit), columns.size());
          if (is_new)
            columns.push_back({observable.name, observable.unit,
                               std::vector<double>(frames.size(), std::numeric_limits<double>::quiet_NaN())});
          columns[place->second].values[k] = observable.value;
        }
      } catch (const Error &error) {
        if (error.status() != Status::corrupt && error.status() != Status::limit_exceeded) throw;
        if (unread++ == 0) {
          first = frames[k];
          cause = error.cause();
        }
      }
  }
  nb::list list;
  for (Column &column : columns)
    list.append(nb::make_tuple(to_python(column.name), to_python(column.unit), array_of(std::move(column.values))));
  return nb::make_tuple(list, unread, first, to_python(cause));
}

class DecodedFrame {
 public:
  // damage: why its observables cannot be read, or null.
  DecodedFrame(Frame frame, std::vector<Observable> observables, std::exception_ptr damage)
      : frame_(std::move(frame)), observables_(std::move(observables)), damage_(std::move(damage)) {}

  nb::list observables() const {
    if (damage_) std::rethrow_exception(damage_);
    return to_python(observables_);
  }
  nb::tuple head() const { return to_python(frame_.info); }
  void read(const nb::list &names, const nb::list &arrays, bool sort_by_id) const {
    std::size_t capacity = 0;
    const std::vector<ColumnOutput> columns = outputs(names, arrays, capacity);
    const Released released;
    copy_columns(frame_, columns, capacity, sort_by_id);
  }

 private:
  Frame frame_;
  std::vector<Observable> observables_;
  std::exception_ptr damage_;
};

class Stream {
 public:
  static Stream open(int descriptor, const nb::str &name, std::uint64_t max_memory) {
    const std::string text = from_python(name);
    const Released released;
    return Stream(StreamReader(descriptor, text, Limits{max_memory}));
  }

  nb::dict metadata() const { return to_python(reader_.metadata()); }

  std::optional<DecodedFrame> next(int threads) {
    const Released released;
    Frame frame;
    if (!reader_.next(frame, threads)) return std::nullopt;
    std::vector<Observable> observables;
    std::exception_ptr damage;
    try {
      observables = reader_.observables();
    } catch (const Error &) {
      damage = std::current_exception();
    }
    return DecodedFrame(std::move(frame), std::move(observables), std::move(damage));
  }

  nb::list tables() const { return to_python(reader_.tables()); }

 private:
  explicit Stream(StreamReader reader) : reader_(std::move(reader)) { reader_.keep_tables(); }

  StreamReader reader_;
};

}  // namespace

void bind_reader(nb::module_ &module) {
  nb::class_<FileReader>(module, "Reader")
      .def_static("open", &FileReader::open, "path"_a, "max_memory"_a)
      .def_static("of_memory", &FileReader::of_memory, "bytes"_a, "name"_a, "max_memory"_a)
      .def_static("of_source", &FileReader::of_source, "source"_a, "max_memory"_a)
      .def_prop_ro("metadata", [](const FileReader &file) { return to_python(file.scan().metadata); })
      .def_prop_ro("n_frames", [](const FileReader &file) { return file.scan().frames.size(); })
      .def_prop_ro("torn", [](const FileReader &file) { return file.scan().torn; })
      .def_prop_ro("damaged", [](const FileReader &file) { return file.scan().damaged; })
      .def("timesteps",
           [](const FileReader &file) {
             return file.of_frames<std::int64_t>([](const IndexEntry &frame) { return frame.timestep; });
           })
      .def("times",
           [](const FileReader &file) {
             return file.of_frames<double>([](const IndexEntry &frame) { return frame.time; });
           })
      .def("counts",
           [](const FileReader &file) {
             return file.of_frames<std::int64_t>([](const IndexEntry &frame) { return frame.particles; });
           })
      .def("offsets",
           [](const FileReader &file) {
             return file.of_frames<std::int64_t>([](const IndexEntry &frame) { return frame.offset; });
           })
      .def("lengths",
           [](const FileReader &file) {
             return file.of_frames<std::int64_t>([](const IndexEntry &frame) { return frame.length; });
           })
      .def("since_key", &FileReader::since_key)
      .def("head", &FileReader::head, "frame"_a)
      .def("field_sizes", &FileReader::field_sizes, "frame"_a)
      .def("read", &FileReader::read, "frame"_a, "names"_a, "arrays"_a, "sort_by_id"_a, "threads"_a,
           "selection"_a.none())
      .def("tables", &FileReader::tables, "frame"_a, "names"_a, "selection"_a.none())
      .def("frames_with_tables", &FileReader::frames_with_tables)
      .def_prop_ro("has_records", &FileReader::has_records)
      .def("observables", &FileReader::observables, "frame"_a)
      .def("observables_of", &FileReader::observables_of, "frames"_a)
      .def("verify", &FileReader::verify, "frame"_a, "threads"_a)
      .def("allow_replacement", &FileReader::allow_replacement);

  nb::class_<DecodedFrame>(module, "DecodedFrame")
      .def("head", &DecodedFrame::head)
      .def("observables", &DecodedFrame::observables)
      .def("read", &DecodedFrame::read, "names"_a, "arrays"_a, "sort_by_id"_a);

  nb::class_<Stream>(module, "Stream")
      .def_static("open", &Stream::open, "descriptor"_a, "name"_a, "max_memory"_a)
      .def_prop_ro("metadata", &Stream::metadata)
      .def("tables", &Stream::tables)
      .def("next", &Stream::next, "threads"_a);
}

}  // namespace gpz::python
