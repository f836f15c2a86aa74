// SPDX-License-Identifier: BSD-3-Clause
#include "gpz/lossless.hpp"

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "module.hpp"
#include "text.hpp"

namespace nb = nanobind;
using nb::literals::operator""_a;

namespace gpz::python {
namespace {

using Values = nb::ndarray<nb::numpy, const double, nb::shape<-1>, nb::device::cpu>;

void add(LosslessAdvice &advice, const nb::str &column, std::uint64_t frame, const Values &values) {
  const std::optional<std::size_t> sample = LosslessAdvice::sample(frame);
  if (!sample) return;
  LosslessAdvice::Squares squares;
  for (std::size_t i = 0; i < values.shape(0); ++i) squares.add(values(i));
  advice.add(from_python(column), *sample, squares);
}

nb::object text(const LosslessAdvice &advice, double bytes, double of_file, const nb::callable &option) {
  return to_python(
      advice.text(bytes, of_file, "", [&](const std::vector<std::string> &columns, const std::string &bound) {
        nb::list names;
        for (const std::string &column : columns) names.append(to_python(column));
        return from_python(nb::cast<nb::str>(option(names, to_python(bound))));
      }));
}

}  // namespace

void bind_lossless(nb::module_ &module) {
  nb::class_<LosslessAdvice>(module, "LosslessAdvice")
      .def(nb::init<>())
      .def_static(
          "takes", [](std::uint64_t frame) { return LosslessAdvice::sample(frame).has_value(); }, "frame"_a,
          "Whether the values of this frame count.")
      .def("add", &add, "column"_a, "frame"_a, "values"_a, "The values of a column in a frame that counts, once.")
      .def("text", &text, "bytes"_a, "of_file"_a, "option"_a,
           "The line about columns with so many bytes of the file. option(columns, bound): of a program, as text.");
}

}  // namespace gpz::python
