// SPDX-License-Identifier: BSD-3-Clause
#include "object_source.hpp"

#include <nanobind/ndarray.h>

#include <cstring>
#include <memory>
#include <utility>

#include "gpz/error.hpp"
#include "interpreter.hpp"
#include "module.hpp"
#include "text.hpp"

namespace nb = nanobind;
using nb::literals::operator""_a;

namespace gpz::python {
namespace {

using InputBytes = nb::ndarray<const std::uint8_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

void copy(const nb::handle &bytes, const Source::Piece &piece, const std::string &name) {
  InputBytes view;
  if (!nb::try_cast(bytes, view) || view.size() != piece.size)
    throw Error(Status::io_error, "read_ranges() returned other bytes than were asked for", name, piece.position);
  if (piece.size > 0) std::memcpy(piece.data, view.data(), piece.size);
}

}  // namespace

ObjectSource::ObjectSource(nb::object object)
    : object_(std::move(object)),
      name_(from_python(nb::cast<nb::str>(object_.attr("name")))),
      size_(nb::cast<std::uint64_t>(object_.attr("size"))) {}

ObjectSource::~ObjectSource() {
  try {
    const RunningCall running(name_);
    const nb::gil_scoped_acquire acquired;
    object_.reset();
  } catch (const Error &) {
    (void)object_.release();  // Python has ended
  }
}

void ObjectSource::read_pieces(const std::vector<Piece> &pieces) const {
  const RunningCall running(name_);
  const bool is_of_python = PyGILState_GetThisThreadState() != nullptr;
  const nb::gil_scoped_acquire acquired;
  try {
    read_with_gil(pieces);
  } catch (const nb::python_error &error) {
    // A thread of the library drops the exception, and may do so when Python has ended.
    if (!is_of_python) throw Error(Status::io_error, error.what(), name_);
    throw;
  }
}

void ObjectSource::read_with_gil(const std::vector<Piece> &pieces) const {
  nb::list ranges;
  for (const Piece &piece : pieces) ranges.append(nb::make_tuple(piece.position, piece.position + piece.size));
  const nb::object answers = object_.attr("read_ranges")(ranges);
  if (nb::len(answers) != pieces.size())
    throw Error(Status::io_error, "read_ranges() returned other ranges than were asked for", name_);
  for (std::size_t k = 0; k < pieces.size(); ++k) copy(answers[k], pieces[k], name_);
}

void bind_sources(nb::module_ &module) {
  nb::class_<SharedSource>(module, "Source")
      .def(
          "__init__",
          [](SharedSource *place, nb::object object, std::uint64_t memory) {
            CacheOptions options;
            options.memory = memory;
            new (place) SharedSource{
                std::make_shared<CachedSource>(std::make_shared<ObjectSource>(std::move(object)), options)};
          },
          "object"_a, "memory"_a)
      .def_prop_ro("counts",
                   [](const SharedSource &source) {
                     const CachedSource::Counts counts = source.cached->counts();
                     return nb::make_tuple(counts.requests, counts.ranges, counts.bytes);
                   })
      .def("forget", [](const SharedSource &source) { source.cached->forget(); });
}

}  // namespace gpz::python
