// SPDX-License-Identifier: BSD-3-Clause
#include "selection.hpp"

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "gpz/error.hpp"
#include "module.hpp"
#include "text.hpp"

namespace nb = nanobind;
using nb::literals::operator""_a;

namespace gpz::python {
namespace {

using Numbers = nb::ndarray<const std::int64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Ranges = std::vector<std::pair<std::int64_t, std::int64_t>>;  // both ends included
using Sides = std::vector<std::pair<double, double>>;

NumberRanges types_of(const std::vector<std::string> &texts, const std::vector<std::string> &elements,
                      const std::vector<std::string> &labels) {
  NumberRanges types;
  for (const std::string &text : texts)
    // Type labels of LAMMPS never look like numbers.
    if (!types.add(text) && !add_named_types(text, elements, labels, types))
      throw Error(Status::invalid_argument,
                  "types: '" + text + "' is no number, range A:B, element or label of the file");
  return types;
}

SharedSelection selection_of(const std::optional<Numbers> &ids, const Ranges &id_ranges,
                             const std::optional<nb::list> &types, const std::optional<Sides> &region,
                             const nb::list &elements, const nb::list &labels) {
  auto made = std::make_shared<Selection>();
  if (ids) {
    made->ids.emplace(std::vector<std::int64_t>(ids->data(), ids->data() + ids->shape(0)));
    for (const auto &[first, last] : id_ranges) made->ids->add(first, last);
  }
  if (types) made->types = types_of(from_python(*types), from_python(elements), from_python(labels));
  if (region) {
    made->region.emplace();
    for (std::size_t axis = 0; axis < std::min(region->size(), made->region->size()); ++axis)
      (*made->region)[axis] = {(*region)[axis].first, (*region)[axis].second};
  }
  return {std::move(made)};
}

}  // namespace

void bind_selection(nb::module_ &module) {
  nb::class_<SharedSelection>(module, "Selection")
      .def_static("make", &selection_of, "ids"_a.none(), "id_ranges"_a, "types"_a.none(), "region"_a.none(),
                  "elements"_a, "labels"_a);
}

}  // namespace gpz::python
